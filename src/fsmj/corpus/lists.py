"""Texts and labels in lists, or drawn one by one from anything else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fsmj.corpus.batch import Rows
from fsmj.corpus.labels import is_missing, tidied

_BATCH = 2048  # documents
_BATCH_SIZE = 1 << 22  # characters
_END = object()


def read(texts: Iterable[Any], labels: Iterable[Any]) -> Iterator[Rows]:
    """Yield texts and labels as rows, some at a time; neither is held together."""
    held: list[Any] = []
    held_labels: list[Any] = []
    first = size = 0
    for document, (text, label) in enumerate(_pairs(texts, labels)):
        held.append(_checked(text, document))
        held_labels.append(_label(label, document))
        size += len(held[-1] or "")
        if len(held) == _BATCH or size >= _BATCH_SIZE:
            yield _rows_of(held, held_labels, first)
            first, size = document + 1, 0
            held, held_labels = [], []
    if held:
        yield _rows_of(held, held_labels, first)


def _pairs(texts: Iterable[Any], labels: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    label_iterator = iter(labels)
    for document, text in enumerate(texts):
        label = next(label_iterator, _END)
        if label is _END:
            raise ValueError(f"there are more texts than labels, of which there are {document}")
        yield text, label
    if next(label_iterator, _END) is not _END:
        raise ValueError("there are more labels than texts")


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


def _rows_of(texts: list[Any], labels: list[Any], first: int) -> Rows:
    import pyarrow as pa

    # Lone surrogates are no characters; as question marks they separate words just the same.
    encoded = [None if text is None else text.encode("utf-8", "replace") for text in texts]
    return Rows(
        pa.array(encoded, pa.binary()).cast(pa.string()),
        labels,
        pa.record_batch([], []),
        lambda row: f"document {first + row:,}",
    )
