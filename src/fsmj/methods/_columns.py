"""Find the columns of a sparse table that are equal, so that each is worked on once."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fsmj._cache import njit
from fsmj._interruptible import shielded


class DistinctColumns(NamedTuple):
    """The different columns of a table, and which columns each of them stands for."""

    table: csc_array
    """Of shape (n_rows, n_distinct), in order of first appearance."""
    group: NDArray[np.int64]
    """Of shape (n_columns,): where each column of the original is found in `table`."""


def distinct_columns(table: csc_array) -> DistinctColumns:
    """Group equal columns; every column must have sorted row indices."""
    start, row = table.indptr.astype(np.int64), table.indices.astype(np.int32, copy=False)
    value = table.data.astype(np.float64)
    n_groups, starts, rows, values, group = shielded(_group, start, row, value)
    end = starts[n_groups]  # a slice in the loop would take a second to compile
    places = (values[:end], rows[:end], starts[: n_groups + 1])
    return DistinctColumns(csc_array(places, shape=(table.shape[0], n_groups)), group)


@njit(cache=True, nogil=True)
def _group(start: Any, row: Any, value: Any) -> Any:
    """Hash each column; open addressing, and a real comparison where hashes meet."""
    n_columns = len(start) - 1
    bits = value.view(np.uint64)
    size = 2
    while size < 2 * n_columns:
        size *= 2
    slot = np.full(size, -1)
    group = np.empty(n_columns, np.int64)
    first = np.empty(n_columns, np.int64)
    starts = np.zeros(n_columns + 1, np.int64)
    rows, values = np.empty_like(row), np.empty_like(value)
    n_groups = end = 0
    for column in range(n_columns):
        hashed = np.uint64(start[column + 1] - start[column])
        for k in range(start[column], start[column + 1]):
            hashed = (hashed ^ bits[k] ^ np.uint64(row[k] + 1)) * np.uint64(0x9E3779B97F4A7C15)
            hashed ^= hashed >> np.uint64(29)
        place = np.int64(hashed & np.uint64(size - 1))
        while slot[place] >= 0 and not _equal(start, row, bits, first[slot[place]], column):
            place = (place + 1) & (size - 1)
        if slot[place] < 0:
            slot[place] = n_groups
            first[n_groups] = column
            for k in range(start[column], start[column + 1]):
                rows[end], values[end] = row[k], value[k]
                end += 1
            n_groups += 1
            starts[n_groups] = end
        group[column] = slot[place]
    return n_groups, starts, rows, values, group


@njit(cache=True, nogil=True)
def _equal(start: Any, row: Any, bits: Any, one: int, other: int) -> bool:
    shift = start[other] - start[one]
    if start[one + 1] - start[one] != start[other + 1] - start[other]:
        return False
    for k in range(start[one], start[one + 1]):
        if row[k] != row[k + shift] or bits[k] != bits[k + shift]:
            return False
    return True
