"""Counts from a file, or from a folder of them, with the rule they were counted by."""

from __future__ import annotations

import os

from fsmj.counts._parquet import load_metadata, read
from fsmj.counts.class_term_counts import ClassTermCounts
from fsmj.tokens.rule import TokenRule


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
