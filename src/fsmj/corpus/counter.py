"""Counter: texts to counts, on several cores and within a limit of memory."""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fsmj._interruptible import Task, cores, leave, shielded
from fsmj._matrix import LabelCodes, object_array
from fsmj._scratch import scratch_folder
from fsmj.corpus import sorted_runs
from fsmj.corpus._cells import add_cells, add_rows, listed, no_cells
from fsmj.counts import ClassTermCounts
from fsmj.tokens.cutter import Cutter, pieces
from fsmj.tokens.matrix import rows_of, strings
from fsmj.tokens.rule import TokenRule

_TICK = 0.1  # seconds; some systems do not wake a waiting thread for a signal
_MOST_THREADS = 4  # by default: each has tables of its own
_SHARE = 4  # tables grow to this part of the limit: sorting and writing them takes memory, too
_SMALLEST_TABLES = 1 << 24  # bytes; below, there would be too many scratch files
_MOST_TOKENS = 1 << 30  # in the tables of all threads, where a count has 31 bits
_MOST_RUNS = 32  # of scratch files that are merged at a time
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT])(i?)B\s*", re.IGNORECASE)


class Counter:
    """Counts documents as they come, by compiled loops on several cores (four at most by default).

    Use it as a context manager, or call `close`: threads and scratch files go away with it.

    Tables are written to scratch files when they reach a quarter of the memory limit, such as
    "1GB", which leaves room for sorting and merging them. The program itself and the result, which
    takes 20 bytes a pair of class and term and about 80 a term, come on top.

    Examples
    --------
    >>> with Counter(TokenRule()) as counter:
    ...     counter.add(pa.array(["Green tea", "Crude oil"]), ["tea", "oil"])
    ...     counter.finish()
    ClassTermCounts(2 classes × 4 terms, 2 documents, 4 tokens)
    """

    def __init__(
        self, rule: TokenRule, *, memory_limit: str | None = None, n_threads: int | None = None
    ) -> None:
        self.rule = rule
        self.n_docs = 0
        self._labels = LabelCodes()
        self._docs_per_class = np.zeros(0, np.int64)
        n_threads = min(cores(), _MOST_THREADS) if n_threads is None else n_threads
        if n_threads < 1:
            raise ValueError(f"n_threads must be at least 1, not {n_threads}")
        limit = None
        if memory_limit is not None:
            limit = max(size_of(memory_limit) // (_SHARE * n_threads), _SMALLEST_TABLES)
        self._stop = np.zeros(1, np.uint8)
        # Simple queues, which an interrupt cannot break: of work, and of room for more of it.
        self._waiting: SimpleQueue[Any] = SimpleQueue()
        self._room: SimpleQueue[None] = SimpleQueue()
        for _ in range(2 * n_threads):  # in work, and at hand
            self._room.put(None)
        # An interrupt may come before anybody could call `close`.
        self._end = weakref.finalize(self, _end, self._stop, self._waiting, n_threads)
        self._scratch = ExitStack()
        folder = self._scratch.enter_context(scratch_folder())
        self._workers = [
            _Worker(rule, limit, _MOST_TOKENS // n_threads, folder / str(i),
                    self._waiting, self._room, self._stop)
            for i in range(n_threads)
        ]  # fmt: skip

    def __enter__(self) -> Counter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, texts: Any, labels: Sequence[Any]) -> None:
        """Count documents in an Arrow array; this may return before they are counted.

        A document with a list of labels counts for each of its classes, but is one document.
        """
        first, member = self._labels.encode(labels)
        n_docs = np.bincount(member, minlength=len(self._labels.labels))
        n_docs[: len(self._docs_per_class)] += self._docs_per_class
        self._docs_per_class = n_docs
        self.n_docs += len(texts)
        for start, end in pieces(texts):
            self._hand_out((texts[start:end], first[start : end + 1], member))

    def finish(self, min_docs: int = 1) -> ClassTermCounts:
        """Wait for the counting to end, and add up, without terms of fewer documents."""
        for _ in self._workers:
            self._waiting.put(None)
        for worker in self._workers:
            worker.task.wait()
        self._raise_failure()
        for worker in self._workers[1:]:
            self._workers[0].absorb(worker)
        classes, row = self._labels.in_order()
        blocks = sorted_runs.merged([run for worker in self._workers for run in worker.runs()])
        pa.default_memory_pool().release_unused()
        return ClassTermCounts(
            classes=classes,
            **_table(blocks, row, min_docs),
            docs_per_class=self._docs_per_class[np.argsort(row)],
            rest_counts=np.zeros(len(classes), np.int64),
            n_docs=self.n_docs,
            rule=self.rule,
        )

    def close(self) -> None:
        """End the threads, and remove scratch files."""
        self._end()
        leave([worker.task for worker in self._workers])
        for worker in self._workers:
            if worker.task.done:
                worker.forget()
        self._scratch.close()

    def _hand_out(self, work: Any) -> None:
        """Give work to a thread as soon as one has time."""
        while True:
            self._raise_failure()
            try:
                self._room.get(timeout=_TICK)
            except Empty:
                continue
            return self._waiting.put(work)

    def _raise_failure(self) -> None:
        for worker in self._workers:
            if worker.task.failure is not None:
                raise worker.task.failure


def _end(stop: NDArray[np.uint8], waiting: SimpleQueue[Any], n_threads: int) -> None:
    """Let threads leave what they do, and wait no longer."""
    stop[0] = 1
    for _ in range(n_threads):
        waiting.put(None)


class _Worker:
    """A thread with tables of its own."""

    def __init__(
        self, rule: TokenRule, limit: int | None, most_tokens: int, name: Path,
        waiting: SimpleQueue[Any], room: SimpleQueue[None], stop: NDArray[np.uint8],
    ) -> None:  # fmt: skip
        self._cutter, self._cells, self._n_tokens = Cutter(rule), no_cells(), 0
        self._limit, self._most_tokens, self._name = limit, most_tokens, name
        self._waiting, self._room, self._stop = waiting, room, stop
        self._written: list[Path] = []
        self._n_written = 0
        self.task = Task(self._run)
        self.task.start()

    def _run(self) -> None:
        while (work := self._waiting.get()) is not None and not self._stop[0]:
            self._count(*work)
            self._room.put(None)

    def _count(self, texts: Any, first: NDArray[np.int64], member: NDArray[np.int64]) -> None:
        rows = self._cutter.cut(texts, self._stop)
        self._cells = add_rows(self._cells, *rows, first, member, self._cutter.n_terms)
        self._n_tokens += int(rows.counts.sum(dtype=np.int64))
        n_bytes = self._cutter.n_bytes + sum(part.nbytes for part in self._cells)
        full = self._limit is not None and n_bytes > self._limit
        if (full or self._n_tokens > self._most_tokens) and not self._stop[0]:
            self._write(self._sorted())

    def _sorted(self) -> Iterator[sorted_runs.Block]:
        """Take the counts out of the tables."""
        terms, docs, pairs = self._cutter.terms(), self._cells.docs, listed(self._cells)
        self.forget()
        return sorted_runs.in_order(terms, docs, *pairs)

    def _write(self, blocks: Iterator[sorted_runs.Block]) -> None:
        path = self._name.with_name(f"{self._name.name}-{self._n_written}.arrow")
        self._n_written += 1
        sorted_runs.write(path, blocks)
        self._written.append(path)
        if len(self._written) == _MOST_RUNS:
            before, self._written = self._written, []
            self._write(sorted_runs.merged([sorted_runs.read(path) for path in before]))
            for path in before:
                path.unlink()

    def absorb(self, other: _Worker) -> None:
        """Take over what is in the tables of another one."""
        if other._cutter.n_terms == 0:
            return
        numbers = shielded(self._cutter.absorb, other._cutter)
        self._cells = shielded(add_cells, self._cells, other._cells, numbers, self._cutter.n_terms)
        other.forget()

    def runs(self) -> list[Iterator[sorted_runs.Block]]:
        """Return all that was counted, as sorted runs."""
        in_memory = [self._sorted()] if self._cutter.n_terms else []
        return in_memory + [sorted_runs.read(path) for path in self._written]

    def forget(self) -> None:
        """Start anew with empty tables."""
        self._cutter.forget()
        self._cells, self._n_tokens = no_cells(), 0


def size_of(memory_limit: str) -> int:
    """Return the bytes of a size such as "1GB" or "512 MiB"."""
    found = _SIZE.fullmatch(str(memory_limit))
    if not found:
        raise ValueError(f"memory_limit must be a size such as '1GB', not {memory_limit!r}")
    number, unit, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** (1 + "KMGT".index(unit.upper())))


def _table(
    blocks: Iterator[sorted_runs.Block], row: NDArray[np.intp], min_docs: int
) -> dict[str, Any]:
    """Put blocks together to the tables of `ClassTermCounts`; class i goes to ``row[i]``."""
    terms: list[str] = []
    # Bytes that grow where they are, so that little is ever held twice.
    docs, n_cells, rows, counts, class_docs = (bytearray() for _ in range(5))
    for block in blocks:
        kept = block.docs >= min_docs
        n_of_term = np.diff(block.starts)
        cell_kept = np.repeat(kept, n_of_term)
        n_of_term = n_of_term[kept]
        row_of = row[block.classes[cell_kept]]
        order = np.argsort((np.repeat(np.arange(len(n_of_term)), n_of_term) << 32) | row_of)
        terms += strings(rows_of(block.terms, np.flatnonzero(kept)))
        docs.extend(block.docs[kept].tobytes())
        n_cells.extend(n_of_term.tobytes())
        rows.extend(row_of[order].astype(np.int32).tobytes())
        counts.extend(block.counts[cell_kept][order].tobytes())
        class_docs.extend(block.class_docs[cell_kept][order].tobytes())
    indices = np.frombuffer(rows, np.int32)
    starts = np.zeros(len(terms) + 1, np.int32 if len(indices) < 2**31 else np.int64)
    np.cumsum(np.frombuffer(n_cells, np.int64), out=starts[1:])
    shape = (len(row), len(terms))
    return {
        "terms": object_array(terms),
        "term_counts": csc_array((np.frombuffer(counts, np.int64), indices, starts), shape=shape),
        "doc_counts": csc_array(
            (np.frombuffer(class_docs, np.int64), indices, starts), shape=shape
        ),
        "docs_per_term": np.frombuffer(docs, np.int64),
    }
