"""Counts from a file, or from a folder of them, with the rule they were counted by."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable

from fsmj.counts._parquet import load_metadata, read
from fsmj.counts.class_term_counts import ClassTermCounts
from fsmj.tokens.rule import TokenRule

# Where a file keeps the names of the columns that its texts came from, and of that of its labels.
_COLUMNS, _LABEL = "columns", "label"


def load_counts(path: str | os.PathLike[str]) -> ClassTermCounts:
    """Read counts that `ClassTermCounts.save` has written.

    Rows of equal class and term are added up, so a folder of such files, or one file that
    was put together from several, is read as the sum of its parts.

    Parameters
    ----------
    path : path-like
        A Parquet file, or a folder of them.

    Returns
    -------
    ClassTermCounts
        Terms in the order in which the table lists them, with the rule they were counted by.
    """
    kept = load_metadata(path).get("rule")
    try:
        rule = None if kept is None else TokenRule.from_json(kept)
    except ValueError as reason:
        raise ValueError(f"{path} holds a rule of words that cannot be used: {reason}") from None
    return ClassTermCounts(**read(path), rule=rule)


def columns_as_metadata(text: Iterable[str], label: str | None = None) -> dict[str, str]:
    """Return what to keep beside a table, so that `load_columns` finds these names."""
    listed = list(text)
    kept = {_COLUMNS: json.dumps(listed)} if listed else {}
    return kept if label is None else kept | {_LABEL: label}


def load_columns(path: str | os.PathLike[str]) -> tuple[tuple[str, ...], str | None]:
    """Return the columns of texts and labels that a file came from; none where it has none."""
    metadata = load_metadata(path)
    kept, label = metadata.get(_COLUMNS), metadata.get(_LABEL)
    if kept is None:
        return (), label
    try:
        columns = json.loads(kept)
    except (ValueError, RecursionError):
        columns = None
    if not (isinstance(columns, list) and columns and all(isinstance(c, str) for c in columns)):
        raise ValueError(f"{path} is damaged: the columns of its texts are {kept[:100]!r}")
    return tuple(columns), label
