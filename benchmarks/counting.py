"""How fast text becomes counts, and in how much memory: each figure measured in this one run.

Each measurement is a process of its own, so that its peak of memory is its own too. Run it with
``python benchmarks/counting.py``; it takes some minutes and about 3 GB of disk.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from timing import cpu_seconds_in_turn, print_machine, print_ratio

MB = 1_000_000


def write_news(path, size, seed=0):
    """Scale 20 Newsgroups up to a size in bytes, by drawing its documents again and again."""
    from fsmj import datasets

    train = datasets.newsgroups().train
    texts, labels = np.array(train.texts, object), np.array(train.y, object)
    sizes = np.array([len(text.encode()) for text in train.texts])
    rng = np.random.default_rng(seed)
    schema = pa.schema({"text": pa.string(), "label": pa.string()})
    with pq.ParquetWriter(path, schema) as writer:
        written = 0
        while written < size:
            rows = rng.integers(0, len(texts), 5000)
            writer.write_table(pa.table({"text": texts[rows], "label": labels[rows]}, schema))
            written += int(sizes[rows].sum())


def write_many_terms(path, n_docs=60_000, n_terms=2_500_000, n_classes=20):
    """Documents with at least 10 million different pairs of class and term."""
    rng = np.random.default_rng(0)
    schema = pa.schema({"text": pa.string(), "label": pa.int64()})
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n_docs, 2000):
            words = rng.integers(0, n_terms, (2000, 250)).astype("U")
            texts = [" ".join(np.char.add("t", row)) for row in words]
            labels = np.arange(start, start + 2000) % n_classes
            writer.write_table(pa.table({"text": texts, "label": labels}, schema))


def scikit_learn(path, **options):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.preprocessing import LabelBinarizer

    table = pq.read_table(path).to_pydict()
    vectorizer = CountVectorizer(**options)
    X = vectorizer.fit_transform(table["text"])
    one_hot = LabelBinarizer(sparse_output=True).fit_transform(table["label"])
    return (one_hot.T @ X).nnz


def ours(path, memory_limit=None):
    from fsmj.corpus import count_files

    return count_files(path, memory_limit=memory_limit).term_counts.nnz


def pairs_of_scikit_learn(path):
    return scikit_learn(path, ngram_range=(1, 2))


def pairs_of_ours(path):
    from fsmj import TokenRule
    from fsmj.corpus import count_files

    return count_files(path, rule=TokenRule(ngram_range=(1, 2))).term_counts.nnz


def on_one_core(path):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    return ours(path)


def saved(path, target, memory_limit=None):
    from fsmj.corpus import count_files

    counts = count_files(path, memory_limit=memory_limit)
    np.save(target, np.array([counts.term_counts.sum(), counts.doc_counts.sum(), counts.n_docs,
                              *checksums(counts)]))  # fmt: skip
    return counts.term_counts.nnz


def checksums(counts):
    """Numbers that depend on every cell and its place, from a few cells at a time."""
    for table in (counts.term_counts, counts.doc_counts):
        for part in (table.data, table.indices, table.indptr):
            yield (
                sum(
                    zlib.crc32(part[start : start + MB].astype(np.int64)) * (start + 1)
                    for start in range(0, len(part), MB)
                )
                % 2**62
            )
    yield hash_of(counts.terms)


def hash_of(terms):
    import zlib

    return zlib.crc32("\n".join(terms).encode())


TASKS = {
    task.__name__: task
    for task in (scikit_learn, ours, on_one_core, pairs_of_scikit_learn, pairs_of_ours, saved)
}


def measure(task, *arguments):
    """Run a task in a new process; return its time, peak in MiB, result, and CPU time."""
    command = [sys.executable, __file__, task, *map(str, arguments)]
    return json.loads(subprocess.check_output(command, text=True).splitlines()[-1])


def run_task(task, *arguments):
    import fsmj.corpus  # noqa: F401  # importing is no part of the time, nor of the comparison

    start, start_cpu = time.perf_counter(), time.process_time()
    result = TASKS[task](*arguments)
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([seconds, peak, int(result), cpu]))


def bench_matrix():
    """Texts to a matrix with columns that are known, on one core."""
    from sklearn.feature_extraction.text import CountVectorizer

    import fsmj.datasets

    corpus = fsmj.datasets.newsgroups()
    train, test = list(corpus.train.texts), list(corpus.test.texts)
    ours, theirs = fsmj.TermVectorizer().fit(train), CountVectorizer().fit(train)
    assert (ours.transform(test) != theirs.transform(test)).nnz == 0
    theirs, ours = cpu_seconds_in_turn(
        lambda: theirs.transform(test), lambda: ours.transform(test), repeat=3
    )
    print_ratio("20 Newsgroups: CountVectorizer.transform / TermVectorizer.transform",
                theirs / ours, "at least 8", f"{theirs:.2f} s / {ours:.2f} s")  # fmt: skip


def bench(folder):
    names = ("40", "200", "1000", "many")
    few, small, large, many = (str(folder / f"{name}.parquet") for name in names)
    write_news(small, 200 * MB)
    # Taken in turns: what else the machine does meets both.
    runs = [(measure("scikit_learn", small), measure("ours", small)) for _ in range(3)]
    theirs, mine = (min(run[side][0] for run in runs) for side in (0, 1))
    their_peak, my_peak = (max(run[side][1] for run in runs) for side in (0, 1))
    assert runs[0][0][2] == runs[0][1][2]
    their_cpu, my_cpu = (min(run[side][3] for run in runs) for side in (0, 1))
    print_ratio("200 MB of text: CountVectorizer / fsmj, time", theirs / mine, "at least 10",
                f"{theirs:.1f} s / {mine:.1f} s, {200 / mine:.0f} MB/s; "
                f"on a busy machine mind the CPU time, {their_cpu:.1f} s on one core and "
                f"{my_cpu:.1f} s on all {os.cpu_count()}")  # fmt: skip
    print_ratio("200 MB of text: fsmj / CountVectorizer, peak memory", my_peak / their_peak,
                "at most 0.5", f"{my_peak:.0f} MiB / {their_peak:.0f} MiB")  # fmt: skip
    alone = min(measure("on_one_core", small)[3] for _ in range(3))
    print_ratio("200 MB of text on one core: CountVectorizer / fsmj, CPU time", their_cpu / alone,
                "at least 5", f"{their_cpu:.1f} s / {alone:.1f} s")  # fmt: skip
    write_news(few, 40 * MB)
    theirs, mine = measure("pairs_of_scikit_learn", few), measure("pairs_of_ours", few)
    assert theirs[2] == mine[2]
    spent = f"{theirs[3]:.1f} s / {mine[3]:.1f} s"
    print_ratio("40 MB of text, words and pairs: CountVectorizer / fsmj, CPU time",
                theirs[3] / mine[3], "at least 4", spent)  # fmt: skip
    bench_matrix()
    write_news(large, 1000 * MB)
    seconds, peak, _, _ = measure("ours", large)
    print_ratio("Peak memory of 1 GB of text / of 200 MB", peak / my_peak, "flat: at most 1.3",
                f"{peak:.0f} MiB, {1000 / seconds:.0f} MB/s")  # fmt: skip
    write_many_terms(many)
    limited = measure("saved", many, folder / "limited.npy", "1GB")
    free = measure("saved", many, folder / "free.npy")
    assert np.array_equal(np.load(folder / "limited.npy"), np.load(folder / "free.npy"))
    print_ratio("Million pairs of class and term, the same with and without a limit",
                limited[2] / MB, "at least 10")  # fmt: skip
    print_ratio("Their peak memory under memory_limit=1GB, in GiB", limited[1] / 1024,
                "at most 1.5", f"{limited[0]:.0f} s; without a limit {free[1] / 1024:.2f} GiB, "
                f"{free[0]:.0f} s")  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run_task(*sys.argv[1:])
    else:
        print_machine()
        with tempfile.TemporaryDirectory() as scratch:
            bench(Path(scratch))
