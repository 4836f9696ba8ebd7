"""Texts cut and counted by class, on several threads and within limits."""

import signal
import tempfile
import threading
import time
from collections import Counter as Tally
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_tokens
from fsmj.corpus import counter as counting
from fsmj.corpus.counter import Counter, size_of
from fsmj.tokens.rule import TokenRule
from rules import LETTERS, PATTERNS, RULES


def counted(texts, labels, rule, n_threads=2, batch=3, **options):
    """Count lists of labels, some documents at a time."""
    with Counter(rule, n_threads=n_threads, **options) as counter:
        for start in range(0, len(texts), batch):
            part = slice(start, start + batch)
            counter.add(pa.array(texts[part], pa.string()), labels[part])
        return counter.finish()


def cells_of(table, counts):
    cells = table.tocoo()
    return {
        (counts.classes[i], counts.terms[j]): int(n)
        for i, j, n in zip(cells.row, cells.col, cells.data)
    }


def assert_counts(counts, texts, labels, **rule):
    occurrences, documents, of_term = naive_tokens.count(texts, labels, **rule)
    assert cells_of(counts.term_counts, counts) == occurrences
    assert cells_of(counts.doc_counts, counts) == documents
    assert dict(zip(counts.terms, counts.docs_per_term.tolist())) == of_term
    assert counts.terms.tolist() == sorted(of_term)
    assert counts.n_docs == len(texts)
    of_class = Tally(label for several in labels for label in several)
    assert dict(zip(counts.classes, counts.docs_per_class.tolist())) == of_class
    assert counts.classes.tolist() == sorted(of_class)


LABELLED = st.lists(
    st.tuples(st.text(LETTERS, max_size=25), st.sets(st.sampled_from("xyz")).map(sorted)),
    max_size=12,
)


@given(LABELLED, RULES, st.sampled_from([1, 2]))
def test_counts_equal_the_slow_ones(documents, rule, n_threads):
    texts, labels = [text for text, _ in documents], [several for _, several in documents]
    counts = counted(texts, labels, TokenRule(**rule), n_threads)
    assert_counts(counts, texts, labels, **{**rule, "pattern": PATTERNS[rule["pattern"]]})
    assert counts.rule == TokenRule(**rule)


@pytest.mark.parametrize(
    ("most_runs", "most_tokens", "limit"),
    [(3, 1 << 30, "1KB"), (64, 1 << 30, "1KB"), (64, 100, None)],
)
def test_a_limit_of_memory_or_of_counts_changes_nothing(monkeypatch, most_runs, most_tokens, limit):
    monkeypatch.setattr(counting, "_SMALLEST_TABLES", 1)
    monkeypatch.setattr(counting, "_MOST_RUNS", most_runs)
    monkeypatch.setattr(counting, "_MOST_TOKENS", most_tokens)
    written = []
    write = counting.sorted_runs.write
    monkeypatch.setattr(
        counting.sorted_runs,
        "write",
        lambda path, blocks: written.append(path) or write(path, blocks),
    )
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{n}" for n in rng.zipf(1.3, 40) % 3000) for _ in range(60)]
    labels = [list(rng.choice(list("abc"), rng.integers(0, 3), replace=False)) for _ in texts]
    labels = [[str(label) for label in several] for several in labels]
    counts = counted(texts, labels, TokenRule(), memory_limit=limit)
    assert len(written) >= 20
    assert_counts(counts, texts, labels)
    monkeypatch.undo()
    assert counts == counted(texts, labels, TokenRule())


def test_rare_terms_are_forgotten_at_the_end():
    with Counter(TokenRule(), n_threads=2) as counter:
        for text in ("tea oil", "tea gas", "gas tea"):
            counter.add(pa.array([text]), [7])
        counts = counter.finish(min_docs=2)
    assert counts.terms.tolist() == ["gas", "tea"]
    assert counts.term_counts.toarray().tolist() == [[2, 3]]
    assert counts.classes.dtype.kind == "i"


def test_labels_that_cannot_be_sorted_are_refused():
    with pytest.raises(ValueError, match="int and str"):
        counted(["tea", "oil"], [["a"], [1]], TokenRule())


@pytest.mark.parametrize(
    ("size", "n_bytes"), [("1GB", 10**9), ("1.5 MiB", 1572864), ("20kb", 20_000)]
)
def test_sizes_are_read(size, n_bytes):
    assert size_of(size) == n_bytes


@pytest.mark.parametrize("size", ["٣GB", "1", "GB", "-1GB", "1e9GB", 5])
def test_other_sizes_are_refused(size):
    with pytest.raises(ValueError, match="memory_limit must be a size such as '1GB'"):
        Counter(TokenRule(), memory_limit=size)


def test_a_failure_in_a_thread_is_raised(monkeypatch):
    def fail(*_):
        raise MemoryError("no room")

    monkeypatch.setattr(counting.Cutter, "cut", fail)
    with pytest.raises(MemoryError, match="no room"):
        counted(["a"], [["x"]], TokenRule())


def test_an_interrupt_ends_the_counting_and_leaves_nothing_behind(monkeypatch, tmp_path):
    counted(["compiled before"], [["x"]], TokenRule())
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(counting, "_SMALLEST_TABLES", 1)
    texts = pa.array([" ".join(f"w{n}" for n in range(20_000))] * 50)

    def interrupt_when_busy():
        while not list(Path(tmp_path).glob("*/*.arrow")):
            time.sleep(0.01)
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=interrupt_when_busy, daemon=True).start()

    def count_for_ever():
        with Counter(TokenRule(), memory_limit="1KB", n_threads=2) as counter:
            while True:
                counter.add(texts, ["a"] * 50)

    with pytest.raises(KeyboardInterrupt):
        count_for_ever()
    assert list(tmp_path.iterdir()) == []
    assert not [t for t in threading.enumerate() if t.name == "fsmj-counting" and t.is_alive()]
