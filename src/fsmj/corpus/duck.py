"""A DuckDB connection that counts: its limits, its threads, its errors, and its result."""

from __future__ import annotations

import importlib
import queue
import re
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fsmj.corpus.sql import quoted
from fsmj.counts import ClassTermCounts

Progress = Callable[[float], None]
_LIMIT = re.compile(r"\s*\d+(\.\d+)?\s*[KMGT]i?B\s*", re.IGNORECASE)
_TICK = 0.2  # seconds between two looks at the progress
_WAITING = 4  # batches read ahead of the counting


class MissingLabelError(ValueError):
    """A document has no label."""


class UnreadableRowError(ValueError):
    """A row cannot be read, and the caller wants all of them or none."""


# What the queries say to stop; no text or label can imitate it, as neither is part of a message.
MISSING_LABEL = "fsmj: missing label"
UNREADABLE_ROW = "fsmj: unreadable row"


def load_duckdb() -> Any:
    """Import DuckDB, or say how to get it."""
    try:
        return importlib.import_module("duckdb")
    except ImportError:
        raise ImportError(
            "counting text needs DuckDB; install it with: pip install duckdb"
        ) from None


class Engine:
    """Runs queries on a connection of its own, with a scratch folder that goes away with it."""

    def __init__(self, connection: Any, folder: Path) -> None:
        self.connection = connection
        self.folder = folder

    def run(self, query: str, progress: Progress | None = None) -> None:
        """Run a query, and tell the share that is done while it runs."""
        self._run(query, lambda running: _watch(self.connection, running, progress))

    def run_on_stream(self, query: str, name: str, schema: Any, batches: Iterable[Any]) -> None:
        """Run a query that reads the table `name` from Arrow batches, once.

        The batches are drawn in the caller's thread, so whatever makes them may raise anything,
        and need not be safe to use from another thread.
        """
        import pyarrow as pa

        ahead: queue.Queue[Any] = queue.Queue(_WAITING)

        def draw() -> Iterator[Any]:
            while (batch := ahead.get()) is not None:
                yield batch

        def feed(running: threading.Thread) -> None:
            try:
                for batch in batches:
                    while running.is_alive():
                        try:
                            ahead.put(batch, timeout=_TICK)
                            break
                        except queue.Full:
                            continue
                    else:
                        return
            except BaseException:
                self.connection.interrupt()
                raise
            finally:
                while running.is_alive():
                    try:
                        ahead.put(None, timeout=_TICK)
                        break
                    except queue.Full:
                        continue

        self.connection.register(name, pa.RecordBatchReader.from_batches(schema, draw()))
        try:
            self._run(query, feed)
        finally:
            self.connection.unregister(name)

    def _run(self, query: str, meanwhile: Callable[[threading.Thread], None]) -> None:
        failure: list[BaseException] = []

        def work() -> None:
            try:
                self.connection.execute(query)
            except BaseException as reason:  # to be raised again in the caller's thread
                failure.append(reason)

        running = threading.Thread(target=work, name="fsmj-counting", daemon=True)
        running.start()
        try:
            meanwhile(running)
            running.join()
        except BaseException:
            while running.is_alive():
                self.connection.interrupt()
                running.join(_TICK)
            raise
        if failure:
            raise _translated(failure[0]) from None

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small result."""
        duckdb = load_duckdb()
        try:
            return list(self.connection.execute(query).fetchall())
        except duckdb.Error as reason:
            raise _translated(reason) from None

    def collect(self, labels: Sequence[Any] | None = None) -> ClassTermCounts:
        """Read the tables `cells`, `terms` and `totals` into memory, and drop them.

        `cells` has the columns class, term, count and docs; `terms` the documents of each term
        to keep; `totals` the documents, and the count of left-out tokens, of each class, and
        the documents altogether where the class is null. With `labels`, classes are numbers
        of these.
        """
        ((n_docs,),) = self.rows("SELECT docs FROM totals WHERE class IS NULL")
        totals = self.rows("SELECT class, docs, rest FROM totals WHERE class IS NOT NULL")
        classes, order = _sorted([row[0] if labels is None else labels[row[0]] for row in totals])
        totals = [totals[at] for at in order]
        # Cells and terms leave as numbers sorted by column, one batch at a time: then the
        # largest thing in memory is the result.
        values = ", ".join(f"({_literal(row[0])}, {code})" for code, row in enumerate(totals))
        for statement in (
            "CREATE TEMP TABLE numbered AS SELECT term, docs,"
            " (row_number() OVER (ORDER BY term) - 1)::INTEGER AS id FROM terms",
            "DROP TABLE terms",
            "CREATE TEMP TABLE numbers AS SELECT id, code::INTEGER AS code, count, cells.docs"
            " FROM cells JOIN numbered USING (term)"
            f" JOIN (VALUES {values or '(NULL, 0)'}) AS codes(class, code) USING (class)",
            "DROP TABLE cells",
            # Without it, an Arrow result of DuckDB 2.0 may lose the order that was asked for.
            "SET preserve_insertion_order = true",
        ):
            self.rows(statement)
        column, row, count, docs = self._columns("numbers", "id, code", "id, code, count, docs")
        (names,) = self._columns("numbered", "id", "term")
        (docs_per_term,) = self._columns("numbered", "id", "docs")
        if (np.diff(column) < 0).any():
            raise RuntimeError("DuckDB returned sorted rows out of order")
        shape = (len(classes), len(names))
        starts = np.zeros(len(names) + 1, np.int32 if len(row) < 2**31 else np.int64)
        np.cumsum(np.bincount(column, minlength=len(names)), out=starts[1:])
        return ClassTermCounts(
            classes=classes,
            terms=names,
            term_counts=csc_array((count, row, starts), shape=shape),
            doc_counts=csc_array((docs, row, starts), shape=shape),
            docs_per_class=np.array([row[1] for row in totals], np.int64),
            docs_per_term=docs_per_term,
            rest_counts=np.array([row[2] for row in totals], np.int64),
            n_docs=int(n_docs),
        )

    def _columns(self, table: str, order: str, columns: str) -> list[Any]:
        """Return columns of a table as arrays."""
        import pyarrow as pa

        ((size,),) = self.rows(f"SELECT count(*) FROM {table}")
        result = self.connection.sql(f"SELECT {columns} FROM {table} ORDER BY {order}")
        reader = pa.RecordBatchReader.from_stream(result)
        kinds = [field.type.to_pandas_dtype() for field in reader.schema]
        arrays = [np.empty(size, object if kind is np.str_ else kind) for kind in kinds]
        start = 0
        for batch in reader:
            for array, part in zip(arrays, batch.columns, strict=True):
                array[start : start + len(batch)] = part.to_numpy(zero_copy_only=False)
            start += len(batch)
        return arrays


@contextmanager
def open_engine(memory_limit: str | None = None) -> Iterator[Engine]:
    """Open a connection that spills to a folder of its own beyond `memory_limit`."""
    duckdb = load_duckdb()
    if memory_limit is not None and not _LIMIT.fullmatch(str(memory_limit)):
        raise ValueError(f"memory_limit must be a size such as '1GB', not {memory_limit!r}")
    with tempfile.TemporaryDirectory(prefix="fsmj-") as folder:
        settings = {
            "temp_directory": folder,
            "autoinstall_known_extensions": False,  # nothing is fetched behind the user's back
            **({} if memory_limit is None else {"memory_limit": str(memory_limit)}),
        }
        with duckdb.connect(":memory:", config=settings) as connection:
            for setting in (
                "preserve_insertion_order = false",
                "enable_progress_bar = true",  # otherwise there is no progress to ask for
                "enable_progress_bar_print = false",
                "progress_bar_time = 0",
            ):
                connection.execute(f"SET {setting}")
            yield Engine(connection, Path(folder))


def _watch(connection: Any, running: threading.Thread, progress: Progress | None) -> None:
    done = 0.0
    while running.is_alive():
        running.join(_TICK)
        if progress is not None:
            # The second half of DuckDB's percentage is the writing of the counts, which is
            # over at once; without an estimate it is negative.
            done = max(done, min(connection.query_progress() / 50, 0.99))
            progress(done)
    if progress is not None:
        progress(1.0)


def _sorted(labels: list[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return labels in their order, numbers as numbers, and where each of them was."""
    classes = np.empty(len(labels), object)
    classes[:] = labels
    try:
        order = np.argsort(classes, kind="stable")
    except TypeError:
        kinds = " and ".join(sorted({type(label).__name__ for label in labels}))
        raise ValueError(
            f"labels of different types cannot be sorted: {kinds}; "
            "make them all strings or all numbers"
        ) from None
    if all(isinstance(label, (bool, int, float)) for label in labels):
        return np.array(labels)[order], order
    return classes[order], order


def _literal(label: Any) -> str:
    if isinstance(label, str):
        return quoted(label)
    if isinstance(label, float):
        return f"'{label!r}'::DOUBLE"
    return str(label)


def _translated(reason: BaseException) -> BaseException:
    """Return one of Python's own exceptions for one of DuckDB's."""
    duckdb = load_duckdb()
    message = str(reason)
    if isinstance(reason, duckdb.InterruptException):
        return KeyboardInterrupt()
    if not isinstance(reason, duckdb.Error):
        return reason
    if MISSING_LABEL in message:
        return MissingLabelError("a document has no label")
    if UNREADABLE_ROW in message:
        return UnreadableRowError("a row cannot be read")
    first = message.splitlines()[0]
    if isinstance(reason, duckdb.OutOfMemoryException):
        return MemoryError(f"counting needs more memory, or more space for spilling: {first}")
    if isinstance(reason, duckdb.IOException) and "No space left" in message:
        return OSError(first)
    return ValueError(first)
