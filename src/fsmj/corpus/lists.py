"""Texts and labels in lists, or drawn one by one from anything else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any

import pyarrow as pa

from fsmj.corpus.batch import Batch
from fsmj.corpus.labels import is_missing, tidied
from fsmj.tokens.cutter import array_of, in_parts

_END = object()


def read(texts: Iterable[Any], labels: Iterable[Any]) -> Iterator[Batch]:
    """Yield texts and labels as rows, some at a time; neither is held together."""
    first = 0
    for part in in_parts(_pairs(texts, labels), size=lambda pair: len(pair[0] or "")):
        held, held_labels = map(list, zip(*part, strict=True))

        def where(row: int, first: int = first) -> str:
            return f"document {first + row:,}"

        yield Batch(array_of(held), held_labels, pa.record_batch([], []), where)
        first += len(part)


def _pairs(texts: Iterable[Any], labels: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield each text, which may be missing, with its label or list of labels."""
    for document, (text, label) in enumerate(zip_longest(texts, labels, fillvalue=_END)):
        if label is _END:
            raise ValueError(f"there are more texts than labels, of which there are {document}")
        if text is _END:
            raise ValueError("there are more labels than texts")
        yield _checked(text, document), _label(label, document)


def _checked(text: Any, document: int) -> str | None:
    if isinstance(text, str):
        return text
    if is_missing(text):
        return None
    raise ValueError(f"the text of document {document} is a {type(text).__name__}, not a string")


def _label(label: Any, document: int) -> Any:
    try:
        found = tidied(label)
        hash(tuple(found) if isinstance(found, list) else found)
    except TypeError:
        raise ValueError(
            f"the label of document {document} is a {type(label).__name__}; "
            "give a string, a number, or a list of them"
        ) from None
    return found
