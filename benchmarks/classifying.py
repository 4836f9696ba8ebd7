"""How many short documents a trained model labels in a second, from a pipe, on one core.

Run it with ``python benchmarks/classifying.py``; it takes less than a minute.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from fsmj import TextModel, count_texts, datasets, rank
from timing import cpu_seconds, print_machine, print_ratio

N_DOCS = 1_000_000
WORDS = 12  # about a headline


def headlines():
    """The first words of the Reuters test texts, again and again."""
    texts = [" ".join(text.split()[:WORDS]) for text in datasets.r52().test.texts]
    return (texts * (N_DOCS // len(texts) + 1))[:N_DOCS]


def write_model(path):
    train = datasets.r52().train
    counts = count_texts(train.texts, train.y)
    TextModel(counts.restrict(rank(counts, n_terms=1000).terms)).save(path)


def from_a_pipe(model, lines):
    """CPU seconds of ``fsmj classify``, start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", "from fsmj.cli.app import main; main()", "classify", model]
    done = subprocess.run(command, input=lines, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.stdout.count(b"\n") == N_DOCS
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def scikit_learn(texts):
    """CPU seconds of a fitted scikit-learn pipeline on the same terms, without its start."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    train = datasets.r52().train
    counts = count_texts(train.texts, train.y)
    vectorizer = CountVectorizer(vocabulary=rank(counts, n_terms=1000).terms)
    pipeline = make_pipeline(vectorizer, MultinomialNB()).fit(train.texts, train.y)
    return cpu_seconds(lambda: pipeline.predict_proba(texts))


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    print_machine()
    texts = headlines()
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model.parquet")
        write_model(model)
        lines = "\n".join(texts).encode() + b"\n"
        ours = min(from_a_pipe(str(model), lines) for _ in range(3))
    theirs = scikit_learn(texts)
    print_ratio("Thousand short documents a second from a pipe", N_DOCS / ours / 1000,
                "at least 250", f"{N_DOCS:,} in {ours:.1f} s of CPU, start included")  # fmt: skip
    print_ratio("The same: fsmj classify / a scikit-learn pipeline in memory", ours / theirs,
                "", f"{ours:.1f} s / {theirs:.1f} s")  # fmt: skip
