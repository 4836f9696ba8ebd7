"""What to read, and some documents at a time: as a source gives them, and as they may be used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from fsmj._names import listed
from fsmj.corpus.streams import checked_encoding


class Batch(NamedTuple):
    """Some documents, in the order of their source; what is missing goes when the policy has ruled.

    Without labels where none were asked for.
    """

    texts: Any
    """An Arrow array of strings, null where a text is missing."""
    labels: list[Any] | None
    """A label each, or a list of several, or None where it is missing."""
    others: Any
    """An Arrow batch of the other columns that were asked for."""
    where: Callable[[int], str]
    """Says where a row is, in the words of a person: "line 158 of news.csv"."""

    def take(self, rows: Sequence[int]) -> Batch:
        """Return some of the rows."""
        at = pa.array(rows, pa.int64())
        labels = None if self.labels is None else [self.labels[row] for row in rows]
        return Batch(
            self.texts.take(at), labels, self.others.take(at), lambda row: self.where(rows[row])
        )


class Wanted(NamedTuple):
    """Which columns to read, and how they are written."""

    text: tuple[str, ...]
    label: str | None
    separator: str | None
    """What stands between several labels in one string."""
    encoding: str
    others: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """All columns, each once."""
        label = () if self.label is None else (self.label,)
        return list(dict.fromkeys((*self.text, *label, *self.others)))

    def batch(self, columns: Any, labels: list[Any] | None, where: Callable[[int], str]) -> Batch:
        """Put documents together of columns, which are found by name."""
        others = pa.record_batch([columns[name] for name in self.others], list(self.others))
        return Batch(_joined([columns[name] for name in self.text]), labels, others, where)


def wanted(
    text: str | Sequence[str], label: str | None, separator: str | None, encoding: str = "utf-8"
) -> Wanted:
    """Check which columns are asked for."""
    names = (text,) if isinstance(text, str) else tuple(text)
    if not names:
        raise ValueError("name at least one column with text")
    if label in names:
        raise ValueError(f"the column {label!r} is named as text and as label; name another one")
    if separator == "":
        raise ValueError("the label separator is empty")
    return Wanted(names, label, separator, checked_encoding(encoding))


def _joined(columns: list[Any]) -> Any:
    """Join the text columns by line ends; a text is missing only where all of them are."""
    if len(columns) == 1:
        return columns[0]
    between = pa.scalar("\n", columns[0].type)
    whole = pc.binary_join_element_wise(*columns, between, null_handling="skip")
    there = columns[0].is_valid()
    for column in columns[1:]:
        there = pc.or_(there, column.is_valid())
    return pc.if_else(there, whole, None)


def position(owner: str, wanted: str, columns: Sequence[str]) -> int:
    """Return the position of a column, or say which ones its owner has."""
    if columns.count(wanted) == 1:
        return columns.index(wanted)
    if wanted in columns:
        raise ValueError(f"{owner} has {columns.count(wanted)} columns named {wanted!r}")
    raise ValueError(f"{owner} has no column {wanted!r}; it has {listed(columns, 20)}")
