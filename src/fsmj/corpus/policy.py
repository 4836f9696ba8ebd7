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
from itertools import compress
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


# What was left out, as a sentence at the end says it, in its order there.
_UNREADABLE, _WITHOUT_TEXT, _WITHOUT_LABEL = (
    "could not be read", "without a text", "without a label"
)  # fmt: skip


class Policy:
    """Decides about rows while they pass by, and says at the end what was left out."""

    def __init__(
        self, strict: bool = False, skip_unlabelled: bool = False, skip_missing: bool = False
    ) -> None:
        self.strict, self.skip_unlabelled, self.skip_missing = strict, skip_unlabelled, skip_missing
        self.n_rows = self.n_docs = 0
        self._left_out: dict[str, tuple[int, str]] = {}  # how many rows, and where the first is

    def _leave_out(self, why: str, where: str, rows: int = 1) -> None:
        so_far, first = self._left_out.get(why, (0, where))
        self._left_out[why] = so_far + rows, first

    def refuse_unreadable(self, where: str, why: str, rows: int = 1) -> None:
        """Leave out a row that cannot be read, or refuse it."""
        self.n_rows += rows
        if self.strict:
            raise ValueError(f"{where} cannot be read: it {why}")
        self._leave_out(_UNREADABLE, f"{where}, which {why}", rows)
        lost, first = self._left_out[_UNREADABLE]
        if lost > _MOST:
            raise ValueError(f"more than {_MOST} rows cannot be read; the first is {first}")

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
        missing = rows.texts.is_null().to_pylist() if rows.texts.null_count else []
        labels = rows.labels or []
        unlabelled = [label is None for label in labels] if None in labels else []
        for flags, on_demand, why, advice in (
            (missing, self.skip_missing, _WITHOUT_TEXT, _NO_TEXT),
            (unlabelled, self.skip_unlabelled, _WITHOUT_LABEL, _NO_LABEL),
        ):
            for row in [row for row in compress(range(n_rows), flags) if row not in left_out]:
                if not on_demand:
                    raise ValueError(f"{rows.where(row)} {advice}")
                self._leave_out(why, rows.where(row))
                left_out.add(row)
        self.n_rows += n_rows
        self.n_docs += n_rows - len(left_out)
        if not left_out:
            return rows
        return rows.take([row for row in range(n_rows) if row not in left_out])

    def finish(self, name: str, stacklevel: int = 3) -> None:
        """Refuse what has no document or lost too much, and say what was left out."""
        lost, first = self._left_out.get(_UNREADABLE, (0, ""))
        if lost > max(1, self.n_rows // _SHARE):
            raise ValueError(
                f"{lost:,} of {counted(self.n_rows, 'row')} cannot be read; the first is {first}"
            )
        reasons = [
            f"{counted(self._left_out[why][0], 'row')} {why}; the first is {self._left_out[why][1]}"
            for why in (_UNREADABLE, _WITHOUT_TEXT, _WITHOUT_LABEL)
            if why in self._left_out
        ]
        if not self.n_docs:
            raise ValueError("; ".join([f"there is no document in {name}", *reasons]))
        for reason in reasons:
            warnings.warn(f"left out: {reason}", stacklevel=stacklevel)
