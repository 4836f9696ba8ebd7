"""How fast the exact ranking is: ratios, each measured in this one run, on one core.

Run it with ``make bench``, which sees to the one core. FSMJ_REUTERS_MAT names the paper's matrix;
without it the parts that need it are left out.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.io
from scipy.sparse import csc_array, csr_array

import fsmj
import fsmj.datasets
import naive
from timing import cpu_seconds, cpu_seconds_in_turn, cpu_seconds_once, print_machine, print_ratio

NEEDED = "sklearn.callback, sklearn.feature_selection, sklearn.model_selection"
VARIANTS = {
    "prior weights": {"weights": "prior"},
    "smoothed": {"smoothing": 1.0},
    "complement": {"reference": "complement", "smoothing": 1.0},
}


def reuters_20():
    file = scipy.io.loadmat(os.environ["FSMJ_REUTERS_MAT"])
    topic, train = file["gnd"].ravel(), file["trainIdx"].ravel() - 1
    train = train[topic[train] <= 20]
    X = csr_array(file["fea"])[train].astype(np.int64)
    return X[:, np.flatnonzero((X > 0).sum(axis=0) >= 4)], topic[train]


def zipfian(n_terms, n_classes, tokens_per_term=5, seed=0):
    """Zipf's law over the vocabulary, each class with its own taste.

    With 5 tokens a term, a million terms are about as sparse, and have about as many different
    columns, as the words and pairs of words of 20 Newsgroups.
    """
    rng = np.random.default_rng(seed)
    base = 1 / (np.arange(1, n_terms + 1) + 2.7)
    share = rng.dirichlet(np.full(n_classes, 2.0))
    rows = []
    for i in range(n_classes):
        p = base * np.exp(rng.normal(0, 1, n_terms))
        rows.append(rng.poisson(p / p.sum() * share[i] * n_terms * tokens_per_term))
    table = np.array(rows)
    table[:, table.sum(axis=0) == 0] = np.eye(n_classes, dtype=int)[:, :1]  # every term occurs
    present = csc_array((table > 0).astype(np.int64))
    docs = np.maximum(1, (share * 1_000_000).astype(np.int64))
    return fsmj.ClassTermCounts(
        classes=np.arange(n_classes),
        terms=None,
        term_counts=csc_array(table),
        doc_counts=present,
        docs_per_class=docs,
        docs_per_term=np.asarray(present.sum(axis=0)),
        rest_counts=np.zeros(n_classes, np.int64),
        n_docs=int(docs.sum()),
    )


def all_gains(counts, taken=()):
    """The gains of all terms, as the NumPy greedy sees them after some have been taken."""
    table = counts.term_counts.toarray().astype(float)
    totals = table.sum(axis=1, keepdims=True)
    left = totals - table[:, taken].sum(axis=1, keepdims=True)
    priors = counts.priors[:, None]
    return naive.gains(table / totals, left / totals, priors, np.ones_like(priors), False)


def numpy_greedy_step(counts):
    """The CPU time of one step of the NumPy greedy, apart from its preparations."""
    steps = naive.greedy_steps(counts.term_counts.toarray(), counts.priors)
    next(steps)
    return float(np.median([cpu_seconds_once(lambda: next(steps)) for _ in range(3)]))


def verify(counts, order, n_steps=33):
    """Check sampled steps of a ranking against the gains of all terms; return how many hold."""
    right = 0
    steps = np.unique(np.geomspace(1, len(order) - 3, n_steps).astype(int) - 1)
    for step in steps:
        gain, weight = all_gains(counts, order[:step])
        gain[order[:step]] = -1
        best = gain.argmax()
        tied = gain >= gain[best] - naive.TIE * np.maximum(weight, weight[best])
        right += order[step] == np.flatnonzero(tied)[0]
    return right, len(steps)


def bench_selectors():
    """From a matrix to 2,000 selected terms, beside the quickest selector of scikit-learn."""
    from sklearn.feature_selection import SelectKBest, chi2

    corpora = {"20 Newsgroups": (fsmj.datasets.newsgroups().train, "at most 0.6")}
    if "FSMJ_REUTERS_MAT" in os.environ:
        for topics in (10, 20):
            train = fsmj.datasets.reuters(topics, source="mat").train
            corpora[f"Reuters-{topics}"] = (train, "at most 1.5")
    for name, (train, target) in corpora.items():
        selectors = {"FSMJ": (fsmj.FSMJ(2000), target)}
        for method in ("ig", "chi2", "df"):
            selectors[method] = (fsmj.TermSelector(method, 2000), "below 1")
        peer, *ours = cpu_seconds_in_turn(
            *(lambda s=selector, d=train: s.fit(d.X, d.y)
              for selector in (SelectKBest(chi2, k=2000), *(s for s, _ in selectors.values())))
        )  # fmt: skip
        for (method, (_, wanted)), time in zip(selectors.items(), ours, strict=True):
            print_ratio(f"{name}, 2,000 terms: {method} / SelectKBest(chi2)", time / peer, wanted,
                        f"{1000 * time:.1f} ms / {1000 * peer:.1f} ms")  # fmt: skip


def bench_reuters():
    from sklearn.feature_selection import chi2, mutual_info_classif

    X, y = reuters_20()
    counts = fsmj.ClassTermCounts.from_matrix(X, y)
    table = counts.term_counts.toarray()
    ours = cpu_seconds(lambda: fsmj.rank(counts), 15)
    theirs = cpu_seconds_once(lambda: list(naive.greedy_steps(table, counts.priors)))
    print_ratio("Reuters-20, all terms: NumPy greedy / fsmj", theirs / ours, "at least 100",
                f"{theirs:.1f} s / {1000 * ours:.0f} ms")  # fmt: skip
    few, bound = cpu_seconds_in_turn(
        *(lambda m=method: fsmj.rank(counts, m, 2000) for method in ("fsmj", "bound"))
    )
    print_ratio("Reuters-20, 2,000 terms: bound / fsmj", bound / few, "at most 3",
                f"{1000 * bound:.0f} ms / {1000 * few:.0f} ms")  # fmt: skip
    for name, variant in VARIANTS.items():
        time = cpu_seconds(lambda variant=variant: fsmj.rank(counts, **variant), 15)
        print_ratio(f"Reuters-20: {name} / default", time / ours, "at most 4")

    def from_documents():
        fsmj.rank(fsmj.ClassTermCounts.from_matrix(X, y))

    with_counting = cpu_seconds(from_documents, 15)
    slow = cpu_seconds_once(
        lambda: mutual_info_classif(X, y, discrete_features=True, random_state=0)
    )
    print_ratio("Reuters-20: mutual_info_classif / fsmj, counting included", slow / with_counting,
                "at least 100", f"{slow:.1f} s / {1000 * with_counting:.0f} ms")  # fmt: skip
    quick = cpu_seconds(lambda: chi2(X, y), 15)
    print_ratio("Reuters-20: fsmj, counting included / chi2", with_counting / quick, "at most 10",
                f"{1000 * with_counting:.0f} ms / {1000 * quick:.0f} ms")  # fmt: skip


def bench_million():
    hundred = zipfian(100_000, 20)
    for tokens in (20, 5):
        million = zipfian(1_000_000, 20, tokens)
        full = cpu_seconds(lambda counts=million: fsmj.rank(counts), 3)
        step = numpy_greedy_step(million)
        print_ratio(f"A million terms, 20 classes, {tokens} tokens a term: all / one NumPy step",
                    full / step, "at most 0.8", f"{full:.2f} s / {step:.2f} s")  # fmt: skip
    print_ratio("Growth from 100,000 to 1,000,000 terms",
                full / cpu_seconds(lambda: fsmj.rank(hundred), 3), "at most 15")  # fmt: skip
    first = cpu_seconds(lambda: fsmj.rank(million, n_terms=1000), 3)
    print_ratio("A million terms: the first 1,000 / all", first / full, "at most 0.25")
    many = zipfian(100_000, 1000)
    print_ratio("100,000 terms, 1,000 classes, in seconds",
                cpu_seconds_once(lambda: fsmj.rank(many)), "for the record")  # fmt: skip
    right, sampled = verify(million, fsmj.rank(million).order)
    print_ratio("A million terms: sampled steps that a full evaluation confirms", right,
                f"of {sampled}")  # fmt: skip


def in_new_process(code, *arguments, **environment):
    command, variables = [sys.executable, "-c", code, *arguments], {**os.environ, **environment}
    return float(subprocess.check_output(command, text=True, env=variables).split()[-1])


def bench_start():
    timed = "import time; t = time.process_time(); {}; print(time.process_time() - t)"
    small = (
        "import numpy, sklearn.utils.validation, fsmj.methods._greedy, fsmj.methods._columns;"
        "import fsmj; t = time.process_time(); "
        "fsmj.rank(fsmj.ClassTermCounts.from_matrix([[1, 2], [2, 1]], [0, 1]))"
    )
    with tempfile.TemporaryDirectory() as cache:
        compiling = in_new_process(timed.format(small), NUMBA_CACHE_DIR=cache)
        loading = in_new_process(timed.format(small), NUMBA_CACHE_DIR=cache)
    print_ratio("The first ranking after installation, in seconds", compiling, "at most 5")
    print_ratio("The first ranking of a later process, in seconds", loading, "for the record")

    # One after the other in turn, so that a busy moment hits both alike.
    ours, theirs = [], []
    for _ in range(9):
        ours.append(in_new_process(timed.format("from fsmj import FSMJCV")))
        theirs.append(in_new_process(timed.format(f"import {NEEDED}")))
    print_ratio("import FSMJCV / import the scikit-learn modules that it needs",
                np.median(ours) / np.median(theirs), "at most 1.1")  # fmt: skip


def bench_memory():
    code = (
        f"import sys; sys.path[:0] = [{str(Path(__file__).parent)!r}]; import fsmj, timing;"
        "fsmj.rank(fsmj.ClassTermCounts.from_matrix([[1, 2], [2, 1]], [0, 1]));"
        "counts = fsmj.load_counts(sys.argv[1]);"
        "print(timing.additional_mib(lambda: fsmj.rank(counts)))"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/counts.parquet"
        zipfian(1_000_000, 20).save(path)
        used = in_new_process(code, path)
    print_ratio("A million terms: additional peak memory in MiB", used, "for the record")


if __name__ == "__main__":
    print_machine()
    bench_start()
    bench_selectors()
    if "FSMJ_REUTERS_MAT" in os.environ:
        bench_reuters()
    else:
        print("FSMJ_REUTERS_MAT is not set: the Reuters figures are left out")
    bench_million()
    bench_memory()
