"""One policy for every source of documents: what is missing, and what cannot be read.

- An empty text is a document without words.
- A missing text (null, NaN, a field that is not there) is refused, or left out on demand.
- A missing label (null, NaN, empty) is refused, or left out on demand.
- A row that cannot be read is refused by a strict reading. Otherwise a few are left out, with a
  warning; more than a few refuse the source, because then it is read in the wrong way.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fsmj._names import counted
from fsmj.corpus.batch import Batch
from fsmj.corpus.streams import not_in

_MOST = 10  # rows that may be left out as unreadable,
_SHARE = 100  # and one in so many; a single one always
_NO_TEXT = (
    "has no text; fill it in (an empty text is fine), or leave such rows out with skip_missing"
)
_NO_LABEL = "has no label; label such documents, or leave them out with skip_unlabelled"


@dataclass
class _LeftOut:
    """How many rows were left out for one reason, and where the first is."""

    rows: int = 0
    first: str = ""

    def add(self, where: str, rows: int = 1) -> None:
        self.first = self.first or where
        self.rows += rows


@dataclass
class Policy:
    """Decides about rows while they pass by, and says at the end what was left out."""

    strict: bool = False
    skip_unlabelled: bool = False
    skip_missing: bool = False
    n_rows: int = 0
    n_docs: int = 0
    _unreadable: _LeftOut = field(default_factory=_LeftOut)
    _unlabelled: _LeftOut = field(default_factory=_LeftOut)
    _without_text: _LeftOut = field(default_factory=_LeftOut)

    def refuse_unreadable(self, where: str, why: str, rows: int = 1) -> None:
        """Leave out a row that cannot be read, or refuse it."""
        self.n_rows += rows
        self._unreadable.add(f"{where}, which {why}", rows)
        if self.strict:
            raise ValueError(f"{where} cannot be read: it {why}")
        if self._unreadable.rows > _MOST:
            raise ValueError(
                f"more than {_MOST} rows cannot be read; the first is {self._unreadable.first}"
            )

    def decoded(
        self, columns: list[Any], encoding: str, where: Callable[[int], str]
    ) -> tuple[list[Any], NDArray[np.int64]]:
        """Return columns of bytes as strings, without rows that are none, and which rows stay."""
        rows = np.arange(len(columns[0]))
        try:
            return [column.cast(pa.string()) for column in columns], rows
        except pa.ArrowInvalid:
            pass
        wrong: dict[int, bytes] = {}
        for column in columns:
            for row, text in enumerate(column.to_pylist()):
                try:
                    (text or b"").decode()
                except UnicodeDecodeError:
                    wrong.setdefault(row, text)
        for row, text in sorted(wrong.items()):
            self.refuse_unreadable(where(row), not_in(encoding, text))
        rows = np.delete(rows, list(wrong))
        return [column.take(pa.array(rows)).cast(pa.string()) for column in columns], rows

    def admit(self, rows: Batch) -> Batch:
        """Return the documents among some rows."""
        n_rows = len(rows.texts)
        left_out: set[int] = set()
        if rows.texts.null_count:
            left_out.update(row for row in range(n_rows) if not rows.texts[row].is_valid)
            for row in sorted(left_out):
                self._leave_out(self._without_text, self.skip_missing, rows.where(row), _NO_TEXT)
        if rows.labels is not None and None in rows.labels:
            for row, label in enumerate(rows.labels):
                if label is None and row not in left_out:
                    left_out.add(row)
                    where = rows.where(row)
                    self._leave_out(self._unlabelled, self.skip_unlabelled, where, _NO_LABEL)
        self.n_rows += n_rows
        self.n_docs += n_rows - len(left_out)
        if not left_out:
            return rows
        kept = [row for row in range(n_rows) if row not in left_out]
        at = pa.array(kept, pa.int64())
        labels = None if rows.labels is None else [rows.labels[row] for row in kept]
        return Batch(
            rows.texts.take(at), labels, rows.others.take(at), lambda row: rows.where(kept[row])
        )

    @staticmethod
    def _leave_out(those: _LeftOut, on_demand: bool, where: str, what: str) -> None:
        if not on_demand:
            raise ValueError(f"{where} {what}")
        those.add(where)

    def finish(self, name: str, stacklevel: int = 3) -> None:
        """Refuse what has no document or lost too much, and say what was left out."""
        lost = self._unreadable.rows
        if lost > max(1, self.n_rows // _SHARE):
            raise ValueError(
                f"{lost:,} of {counted(self.n_rows, 'row')} cannot be read; the first is "
                f"{self._unreadable.first}"
            )
        reasons = [
            f"{counted(part.rows, 'row')} {why}; the first is {part.first}"
            for part, why in (
                (self._unreadable, "could not be read"),
                (self._without_text, "without a text"),
                (self._unlabelled, "without a label"),
            )
            if part.rows
        ]
        if not self.n_docs:
            raise ValueError("; ".join([f"there is no document in {name}", *reasons]))
        for reason in reasons:
            warnings.warn(f"left out: {reason}", stacklevel=stacklevel)
