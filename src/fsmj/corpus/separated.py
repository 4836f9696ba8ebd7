"""Separated values: CSV and TSV, read exactly, whatever stands between the quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fsmj._interruptible import shielded
from fsmj._names import counted
from fsmj._spreadsheets import unguarded
from fsmj.corpus import _rows
from fsmj.corpus.batch import Batch, Wanted, position
from fsmj.corpus.labels import tidied
from fsmj.corpus.places import DataFile
from fsmj.corpus.policy import Policy
from fsmj.corpus.streams import BLOCK, LONGEST, Progress, Utf8Stream, not_in

_DELIMITERS = (",", ";", "\t", "|")
_MOST_ROWS = 1 << 14  # of a batch
_MOST_FIELDS = 1 << 20
_QUOTING = {
    _rows.STRAY: "has text after a closing quote",
    _rows.UNCLOSED: "has a quote that is not closed",
}
_DOUBLE_THEM = " (a quote inside quotes is written twice)"
_BACKSLASHES = (
    'has quotes escaped by backslashes (\\"), where CSV writes them twice (""); write the file '
    "anew in this way"
)


def columns_of(file: DataFile, encoding: str) -> list[str]:
    """Return the names in the first row."""
    return _header(file, encoding, ())[1]


def read(file: DataFile, wanted: Wanted, policy: Policy, progress: Progress) -> Iterator[Batch]:
    """Yield the rows of a file, some at a time."""
    delimiter, names = _header(file, wanted.encoding, wanted.names)
    slots = np.full(len(names), -1)
    for slot, name in enumerate(wanted.names):
        slots[position(file.name, name, names)] = slot
    with Utf8Stream(file, wanted.encoding) as stream:
        for part in _parts(stream, delimiter, slots):
            yield _rows_of(part, file.name, wanted, policy)
            progress(stream.share)


class _Part:
    """Some rows: their bytes, and where each row and field is."""

    def __init__(self, data: Any, fields: Any, rows: Any, n_columns: int, wounded: bool) -> None:
        self.data, self.fields, self.n_columns = data, fields, n_columns
        self.begin, self.line, self.n_fields, self.quotes, self.inside = rows[:, :-1]
        self.end = rows[:2, 1:]  # begin and line of what follows each row
        self.bad = (self.n_fields != n_columns) | (self.quotes != _rows.FINE)
        self.wounded = wounded
        if wounded or self.quotes.any():
            self._mark_what_follows()

    def _mark_what_follows(self) -> None:
        # The rest of a text whose quotes are wrong looks like rows. None of it may pass: rows
        # are trusted again after one that has no quote where none can be.
        for row in range(len(self.bad)):
            if self.quotes[row] != _rows.FINE:
                self.wounded = True
            elif self.wounded:
                self.bad[row] |= self.inside[row]
                self.wounded = bool(self.bad[row])

    def why(self, row: int) -> str:
        """Say what is wrong with a row."""
        found, expected = self.n_fields[row], self.n_columns
        if self.quotes[row] == _rows.FINE:
            if found == expected:
                return "has a quote where none can be"
            return f"has {counted(found, 'field')}, where the header has {expected:,}"
        whole = self.data[self.begin[row] : self.end[0, row]].tobytes()
        return _BACKSLASHES if b'\\"' in whole else _QUOTING[self.quotes[row]] + _DOUBLE_THEM

    def column(self, slot: int, kept: NDArray[np.int64]) -> Any:
        """Return the fields of a column as an Arrow array of bytes."""
        field = self.fields[:, slot]
        offsets = np.zeros(len(kept) + 1, np.int64)
        np.cumsum((field[1] - field[0] - field[2])[kept], out=offsets[1:])
        out = np.empty(offsets[-1], np.uint8)
        shielded(_rows.gather, self.data, field, kept, offsets.astype(np.int32), out)
        buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(out)]
        return pa.Array.from_buffers(pa.binary(), len(kept), buffers)


def _parts(stream: Utf8Stream, delimiter: str, slots: NDArray[np.int64]) -> Iterator[_Part]:
    """Yield the rows below the header, as many as a block of bytes holds."""
    n_slots = int(slots.max(initial=-1)) + 1
    most = max(1, min(_MOST_ROWS, _MOST_FIELDS // max(1, n_slots)))
    rest, line, header, final, wounded = b"", 1, True, False, False
    while not final:
        # A row longer than a block doubles what is read, so that it is not looked at too often.
        block = stream.read(max(BLOCK, len(rest)))
        final = not block
        data = np.frombuffer(rest + block, np.uint8)
        at, n_rows = 0, 1
        while n_rows:
            fields = np.empty((3, n_slots, most), np.int64)
            rows = np.empty((5, most + 1), np.int64)
            n_rows, at, line = shielded(
                _rows.split_rows, data, at, line, final, ord(delimiter), slots, fields, rows
            )
            if n_rows:
                rows[:2, n_rows] = at, line
                part = _Part(data, fields[:, :, header:n_rows], rows[:, header : n_rows + 1],
                             len(slots), wounded)  # fmt: skip
                header, wounded = False, part.wounded
                yield part
        rest = data[at:].tobytes()
        if len(rest) > LONGEST:
            raise ValueError(
                f"the row in line {line:,} of {stream.name} is longer than a gigabyte; "
                "probably a quote in it is not closed"
            )


def _rows_of(part: _Part, name: str, wanted: Wanted, policy: Policy) -> Batch:
    """Turn rows into texts and labels, without those that cannot be read."""
    for row in np.flatnonzero(part.bad).tolist():
        # Wrong quotes take with them all lines to the next quote, which may have been rows.
        n_lines = part.end[1, row] - part.line[row] if part.quotes[row] else 1
        policy.refuse_unreadable(
            f"line {part.line[row]:,} of {name}", part.why(row), max(1, int(n_lines))
        )
    kept = np.flatnonzero(~part.bad)
    lines = part.line[kept]
    columns = [part.column(slot, kept) for slot in range(len(wanted.names))]
    columns, decoded = policy.decoded(
        columns, wanted.encoding, lambda row: f"line {lines[row]:,} of {name}"
    )
    by_name = dict(zip(wanted.names, columns, strict=True))
    labels = None if wanted.label is None else _labels(by_name[wanted.label], wanted.separator)
    return wanted.batch(by_name, labels, lambda row: f"line {lines[decoded[row]]:,} of {name}")


def _labels(column: Any, separator: str | None) -> list[Any]:
    """Return the labels of a column, which has few different ones, as they were when written."""
    coded = column.dictionary_encode()
    labels = [tidied(unguarded(label), separator) for label in coded.dictionary.to_pylist()]
    return [labels[code] for code in coded.indices.to_pylist()]


def _header(file: DataFile, encoding: str, wanted: Sequence[str]) -> tuple[str, list[str]]:
    """Return the delimiter and the names in the first row, whatever its length."""
    delimiters = ("\t",) if file.format == "tsv" else _DELIMITERS
    rows: dict[str, tuple[list[str], int]] = {}
    whole, final, size = b"", False, 1 << 16
    with Utf8Stream(file, encoding) as stream:
        while len(rows) < len(delimiters) and not final:
            block = stream.read(size)
            final, whole, size = not block, whole + block, 2 * size
            try:
                found = ((by, _first_row(whole, final, by)) for by in delimiters)
                rows = {delimiter: row for delimiter, row in found if row is not None}
            except UnicodeDecodeError as reason:
                trouble = not_in(stream.encoding, reason.object)
                raise ValueError(f"the first row of {file.name} {trouble}") from None
            if len(whole) > LONGEST:
                raise ValueError(f"the first row of {file.name} {_QUOTING[_rows.UNCLOSED]}")
    if not rows:
        raise ValueError(f"{file.name} holds nothing but empty lines")
    delimiter, (names, quotes) = max(
        rows.items(), key=lambda row: (set(wanted) <= set(row[1][0]), len(row[1][0]))
    )
    if quotes != _rows.FINE:
        raise ValueError(f"the first row of {file.name} {_QUOTING[quotes]}{_DOUBLE_THEM}")
    return delimiter, names


def _first_row(whole: bytes, final: bool, delimiter: str) -> tuple[list[str], int] | None:
    """Return the fields of the first row, and what its quotes are; None if it goes on."""
    row, data = np.empty((5, 2), np.int64), np.frombuffer(whole, np.uint8)

    def split(n_fields: int) -> tuple[int, NDArray[np.int64]]:
        slots, fields = np.arange(n_fields), np.empty((3, n_fields, 1), np.int64)
        found = shielded(_rows.split_rows, data, 0, 1, final, ord(delimiter), slots, fields, row)
        return found[0], fields[:, :, 0].T

    if not split(0)[0]:
        return None
    fields = [
        whole[begin:end].replace(b'""', b'"') if doubled else whole[begin:end]
        for begin, end, doubled in split(int(row[2, 0]))[1].tolist()
    ]
    return [unguarded(field.decode()) for field in fields], int(row[3, 0])
