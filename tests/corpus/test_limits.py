"""Streams, limits of memory, and what an error or an interrupt leaves behind."""

import _thread
import gzip
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fsmj
from fsmj.corpus import TokenRule, count_files, count_texts
from tables import opened, write_csv
from texts import awkward_corpus


def test_texts_are_drawn_as_they_are_counted():
    drawn = []

    def texts():
        for row in range(40_000):
            drawn.append(row)
            yield f"document {row} " * 20

    labels = (["a", "b"][row % 2] for row in range(40_000))
    thread = threading.get_ident()
    counts = count_texts(texts(), labels, memory_limit="200MB")
    assert threading.get_ident() == thread
    assert counts.n_docs == 40_000 == len(drawn)
    assert counts.term_counts.sum() == 40_000 * 40 - 20 * 10


def test_an_error_of_the_source_comes_through():
    class OwnError(Exception):
        pass

    def texts():
        for _ in range(20_000):
            yield "text " * 50
        raise OwnError("my own")

    with pytest.raises(OwnError, match="my own"):
        count_texts(texts(), iter(lambda: "a", None))


def test_interruption_leaves_no_thread_and_no_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    threads = _thread._count()

    def texts():
        yield from ["some words here"] * 10_000
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count_texts(texts(), iter(lambda: "a", None))
    write_csv(opened(tmp_path / "a.csv"), ["some words"] * 100_000, ["a"] * 100_000)

    def stop(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count_files(tmp_path / "a.csv", rule=TokenRule(ngram_range=(1, 3)), progress=stop)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert _thread._count() == threads


@pytest.mark.long
def test_spilling_counts_the_same(tmp_path):
    rng = np.random.default_rng(0)
    words = np.array([f"w{row:06}" for row in range(400_000)])
    table = pa.table({
        "text": [" ".join(words[rng.integers(0, 400_000, 300)]) for _ in range(4000)],
        "label": rng.integers(0, 5, 4000),
    })  # fmt: skip
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=500)
    counts = count_files(tmp_path / "a.parquet", memory_limit="120MB")
    assert counts == count_files(tmp_path / "a.parquet")
    assert counts.term_counts.nnz > 900_000


@pytest.mark.parametrize("limit", ["1", "much", "-3GB", "1GB; DROP TABLE x", 7])
def test_memory_limit_is_a_size(limit):
    with pytest.raises(ValueError, match="memory_limit"):
        count_texts(["a"], ["b"], memory_limit=limit)


@pytest.mark.long
def test_progress_reaches_the_end(tmp_path):
    texts, labels = awkward_corpus()
    write_csv(opened(tmp_path / "a.csv"), texts * 50, labels * 50)
    shares = []
    count_files(tmp_path / "a.csv", progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1


KILLED = """
import os, pyarrow.parquet as pq
write = pq.ParquetWriter.write_table
def write_the_first(writer, table):
    write(writer, table)
    os.kill(os.getpid(), 9)
pq.ParquetWriter.write_table = write_the_first
"""


FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))"


@pytest.mark.long
@pytest.mark.posix
@pytest.mark.parametrize(("trouble", "status"), [(KILLED, -9), (FULL, 1)], ids=["killed", "full"])
def test_old_counts_stay_when_new_ones_cannot_be_written(tmp_path, trouble, status):
    texts = [f"word{row} word{row + 1}" for row in range(2000)]
    write_csv(opened(tmp_path / "new.csv"), texts, ["a", "b"] * 1000)
    old = count_texts(["one", "two"], ["a", "b"])
    path = tmp_path / "counts" / "a.parquet"
    path.parent.mkdir()
    old.save(path)
    code = f"import sys, fsmj\n{trouble}\nfsmj.count_files(sys.argv[1]).save(sys.argv[2])"
    command = [sys.executable, "-c", code, tmp_path / "new.csv", path]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == status
    assert fsmj.load_counts(path) == old
    assert fsmj.load_counts(path.parent) == old, "what was half-written is not read"
    if status == 1:
        assert run.stderr.splitlines()[-1].startswith("OSError")
        assert list(path.parent.iterdir()) == [path]


@pytest.mark.posix
def test_what_cannot_be_read_is_not_kept_open(tmp_path):
    # Windows removes and replaces no open file, and an error that is kept keeps its local names.
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and no more")
    pq.write_table(pa.table({"class": ["a"]}), tmp_path / "other.parquet")
    (tmp_path / "latin.csv").write_bytes("text,label\nnaïve,a\n".encode("utf-16"))
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"text,label\ngold,a\n" * 99)[:-30])
    (tmp_path / "cut.jsonl").write_text('{"text": ', encoding="utf-8")
    for read in (count_files, fsmj.load_counts, fsmj.load_model):
        for path in sorted(tmp_path.iterdir()):
            kept = []
            for _ in range(2):  # at first, libraries open what is theirs
                before = list(Path("/dev/fd").iterdir())
                with pytest.raises(ValueError, match=r"cut|latin|other") as caught:
                    read(path)
                kept.append(caught)
            assert len(list(Path("/dev/fd").iterdir())) == len(before), (read, path.name)
