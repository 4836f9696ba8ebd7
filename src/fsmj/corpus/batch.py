"""Some documents at a time: as a source gives them, and as they may be used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class Rows(NamedTuple):
    """Rows as a source gives them, where texts and labels may be missing."""

    texts: Any
    """An Arrow array of strings, null where a text is missing."""
    labels: list[Any] | None
    """A label, or a list of them, or None where it is missing; no list where none were wanted."""
    others: Any
    """An Arrow batch of the other columns that were wanted."""
    where: Callable[[int], str]
    """Says where a row is, in the words of a person: "line 158 of news.csv"."""


class Batch(NamedTuple):
    """Some documents, in the order of their source."""

    texts: Any
    """An Arrow array of strings without nulls."""
    labels: list[Any] | None
    """A document with several labels has a list of them; None where no labels were asked for."""
    others: Any
    """An Arrow batch of the other columns that were asked for."""


class Wanted(NamedTuple):
    """Which columns to read."""

    text: tuple[str, ...]
    label: str | None
    others: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """All of them, each once."""
        label = () if self.label is None else (self.label,)
        return list(dict.fromkeys((*self.text, *label, *self.others)))


def texts_of(column: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of the text columns, of which there is at least one."""
    names = (column,) if isinstance(column, str) else tuple(column)
    if not names:
        raise ValueError("name at least one column with text")
    return names


def joined(columns: list[Any]) -> Any:
    """Join the text columns by line ends; a text is missing only where all of them are."""
    import pyarrow.compute as pc

    if len(columns) == 1:
        return columns[0]
    whole = pc.binary_join_element_wise(*columns, "\n", null_handling="skip")
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
    listed = ", ".join(map(repr, columns[:20])) + (", ..." if len(columns) > 20 else "")
    raise ValueError(f"{owner} has no column {wanted!r}; it has {listed}")
