"""Counts from a file, or from a folder of them, with the rule they were counted by."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable

from fsmj.counts._parquet import load_metadata, read
from fsmj.counts.class_term_counts import ClassTermCounts
from fsmj.tokens.rule import TokenRule

_COLUMNS = "columns"  # where a file keeps the names of the columns that its texts came from


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


def columns_as_metadata(columns: Iterable[str]) -> dict[str, str]:
    """Return what to keep beside a table, so that `load_columns` finds these names."""
    listed = list(columns)
    return {_COLUMNS: json.dumps(listed)} if listed else {}


def load_columns(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the names of the columns that the texts came from; none where the file has none."""
    kept = load_metadata(path).get(_COLUMNS)
    if kept is None:
        return ()
    try:
        columns = json.loads(kept)
    except (ValueError, RecursionError):
        columns = None
    if not (isinstance(columns, list) and columns and all(isinstance(c, str) for c in columns)):
        raise ValueError(f"{path} is damaged: the columns of its texts are {kept[:100]!r}")
    return tuple(columns)
