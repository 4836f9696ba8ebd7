"""Cutter: Arrow strings to rows of numbered terms, by a token rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fsmj._extras import from_extras
from fsmj._matrix import strings_of
from fsmj.tokens._cut import cut
from fsmj.tokens._terms import EIGHT, Terms, add_terms, no_terms
from fsmj.tokens.characters import (
    LOWERED_BY_CONTEXT,
    N_ASCII,
    every_character,
    mark_table,
    word_table,
)
from fsmj.tokens.pattern import mark_matches
from fsmj.tokens.rule import TokenRule

with from_extras():
    import pyarrow as pa
    import pyarrow.compute as pc

_PIECE = 1 << 22  # bytes that are cut at a time: enough to be quick, few enough to stop soon
_DRAWN = 4096  # texts that are drawn at a time
_Item = TypeVar("_Item")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Rows(NamedTuple):
    """How often terms occur in documents; document d's are at ``starts[d] : starts[d + 1]``."""

    starts: NDArray[np.int64]
    numbers: NDArray[np.int32]
    counts: NDArray[np.int32]


class Cutter:
    """Numbers the terms of documents in the order in which they appear, or of given terms only."""

    def __init__(self, rule: TokenRule, terms: Iterable[str] | None = None) -> None:
        self.rule = rule
        self._grows = terms is None
        self._dropped = _table_of(rule.stop_words)
        self._terms = no_terms() if terms is None else _table_of(terms)

    @property
    def n_terms(self) -> int:
        """How many terms have a number."""
        return int(self._terms.size[0])

    @property
    def n_bytes(self) -> int:
        """How much memory the terms take."""
        return sum(part.nbytes for part in self._terms)

    def terms(self) -> Any:
        """Return the numbered terms, in the order of their numbers, as an Arrow array of bytes."""
        starts = self._terms.starts[: self.n_terms + 1]
        buffers = [None, pa.py_buffer(starts), pa.py_buffer(self._terms.letters[: starts[-1]])]
        return pa.Array.from_buffers(pa.large_binary(), self.n_terms, buffers)

    def absorb(self, other: Cutter) -> NDArray[np.int32]:
        """Add the terms of another one, and return the numbers that they have here."""
        terms = other._terms
        numbers: NDArray[np.int32]
        self._terms, numbers = add_terms(
            self._terms, terms.letters, terms.starts[: other.n_terms + 1]
        )
        return numbers

    def forget(self) -> None:
        """Start anew with no terms."""
        self._terms = no_terms()

    def cut(self, texts: Any, stop: NDArray[np.uint8]) -> Rows:
        """Cut the texts of an Arrow array, which should be one of `pieces`.

        Once `stop` is no longer 0, this returns soon, and what it returns is of no use.
        """
        letters, offsets, table = self._prepared(texts)
        rule = self.rule
        *rows, self._terms = cut(
            letters, offsets, table, not rule.plain, rule.min_length, *rule.ngram_range,
            rule.characters, self._dropped, self._terms, self._grows, stop,
        )  # fmt: skip
        return Rows(*rows)

    def _prepared(self, texts: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[Any]]:
        """Return the bytes of texts, where each starts, and what their characters become."""
        if not self.rule.plain:
            if self.rule.lowercase:
                texts = pa.array([text.lower() for text in texts.to_pylist()], texts.type)
            texts, mark = mark_matches(texts, self.rule.regex)
            return *bytes_of(texts), mark_table(mark)
        letters, offsets = bytes_of(texts)
        size = N_ASCII
        if letters.max(initial=0) >= N_ASCII:
            size = every_character()
            if self.rule.lowercase:
                letters, offsets = bytes_of(_lowered_in_context(texts))
        return letters, offsets, word_table(size, self.rule.lowercase, self.rule.marks)


def pieces(texts: Any) -> Iterator[tuple[int, int]]:
    """Split an Arrow array into ranges of documents of a few megabytes each."""
    _, offsets = bytes_of(texts)
    start = 0
    while start < len(texts):
        end = int(np.searchsorted(offsets, offsets[start] + _PIECE, side="right")) - 1
        end = max(end, start + 1)
        yield start, end
        start = end


def require_texts(texts: Any) -> None:
    """Refuse what is one text, or a table, instead of several texts."""
    if isinstance(texts, str):
        raise ValueError("texts must be a list or another iterable of strings, not one string")
    if hasattr(texts, "columns"):
        raise ValueError("these are no texts but a table; give one column, or use fsmj.count_frame")


def arrays_of(texts: Any) -> Iterator[Any]:
    """Return strings as Arrow arrays of a few megabytes each, drawn one after the other."""
    require_texts(texts)
    if isinstance(texts, (pa.Array, pa.ChunkedArray)):
        if not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
            raise ValueError(f"texts must be strings, not an Arrow array of {texts.type}")
        if texts.null_count:
            raise ValueError("a text is missing; leave its row out, or give it an empty text")
        chunks = texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]
        for chunk in chunks:
            yield from (chunk[start:end] for start, end in pieces(chunk))
        return
    for part in in_parts(strings_of(texts), _DRAWN):
        yield array_of(part)


def in_parts(
    items: Iterable[_Item], most: int = 2048, size: Callable[[_Item], int] = len  # type: ignore[assignment]
) -> Iterator[list[_Item]]:  # fmt: skip
    """Yield items in lists that are as long as this, or a few megabytes large."""
    part: list[_Item] = []
    total = 0
    for item in items:
        part.append(item)
        total += size(item)
        if len(part) == most or total >= _PIECE:
            yield part
            part, total = [], 0
    if part:
        yield part


def bytes_of(texts: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the UTF-8 bytes behind an Arrow array of strings, and where each of them starts."""
    kind = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    _, starts, letters = texts.buffers()
    offsets = np.zeros(1, kind) if starts is None else np.frombuffer(starts, kind)
    offsets = offsets[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    if not len(offsets):
        offsets = np.zeros(1, np.int64)
    held = np.empty(0, np.uint8) if letters is None else np.frombuffer(letters, np.uint8)
    held = held[offsets[0] : offsets[-1]]
    held.flags.writeable = False  # one kind of array for the compiler, whoever owns it
    return held, offsets - offsets[0]


def array_of(texts: Sequence[str | None]) -> Any:
    """Return texts, of which some may be missing, as an Arrow array."""
    try:
        return pa.array(texts, pa.large_string())
    except UnicodeEncodeError:
        # Half a surrogate pair is no letter; a sign that is none either takes its place.
        whole = [text and _LONE_SURROGATE.sub("\ufffd", text) for text in texts]
        return pa.array(whole, pa.large_string())


def _lowered_in_context(texts: Any) -> Any:
    """Lower-case those texts by Python in which a character needs more than a table."""
    found = [pc.match_substring(texts, character) for character in LOWERED_BY_CONTEXT]
    rare = pc.or_(*found)
    if not rare.true_count:
        return texts
    lowered = [text.lower() for text in texts.filter(rare).to_pylist()]
    return pc.replace_with_mask(texts, rare, pa.array(lowered, texts.type))


def _table_of(terms: Iterable[str]) -> Terms:
    table = no_terms()
    for array in arrays_of(terms):
        letters, offsets = bytes_of(array)
        table, _ = add_terms(table, np.append(letters, np.zeros(EIGHT, np.uint8)), offsets)
    return table
