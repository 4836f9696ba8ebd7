"""Cells that no spreadsheet takes for a formula, and what they were before."""

from __future__ import annotations

from typing import Any

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would work out


def guarded(cell: Any) -> Any:
    """Return a cell of a CSV file such that no spreadsheet takes it for a formula.

    Examples
    --------
    >>> guarded("=1+1"), guarded("gold"), guarded("-3")
    ("'=1+1", 'gold', '-3')
    """
    if not isinstance(cell, str) or not cell.startswith(_FORMULAS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def unguarded(cell: Any) -> Any:
    """Return what a cell was before it was guarded.

    Examples
    --------
    >>> unguarded("'=1+1"), unguarded("'tis"), unguarded("'-3")
    ('=1+1', "'tis", "'-3")
    """
    if isinstance(cell, str) and cell.startswith("'") and guarded(cell[1:]) == cell:
        return cell[1:]
    return cell
