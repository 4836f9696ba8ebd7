"""Find the columns of a sparse table that are equal, so that each is worked on once."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fsmj._cache import inner, kernel
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
    n_columns = table.shape[1]
    slots = np.full(1 << max(n_columns.bit_length() + 1, 1), -1)
    group, first = np.empty((2, n_columns), np.int64)
    starts, rows, values = np.zeros_like(start), np.empty_like(row), np.empty_like(value)
    bits = value.view(np.uint64)
    n_groups = shielded(
        _group, start, row, bits, slots, group, first, starts, rows, values.view(np.uint64)
    )
    end = starts[n_groups]
    places = (values[:end], rows[:end], starts[: n_groups + 1])
    return DistinctColumns(csc_array(places, shape=(table.shape[0], n_groups)), group)


@kernel
def _group(
    start: Any, row: Any, bits: Any, slots: Any, group: Any, first: Any, starts: Any, rows: Any,
    values: Any,
) -> int:  # fmt: skip
    """Hash each column; open addressing, and a real comparison where hashes meet.

    Write the group of each column, and of each group its first column, and its entries.
    """
    n_groups = end = 0
    for column in range(len(group)):
        hashed = np.uint64(start[column + 1] - start[column])
        for k in range(start[column], start[column + 1]):
            hashed = (hashed ^ bits[k] ^ np.uint64(row[k] + 1)) * np.uint64(0x9E3779B97F4A7C15)
            hashed ^= hashed >> np.uint64(29)
        place = np.int64(hashed & np.uint64(len(slots) - 1))
        while slots[place] >= 0 and not _equal(start, row, bits, first[slots[place]], column):
            place = (place + 1) & (len(slots) - 1)
        if slots[place] < 0:
            slots[place] = n_groups
            first[n_groups] = column
            for k in range(start[column], start[column + 1]):
                rows[end], values[end] = row[k], bits[k]
                end += 1
            n_groups += 1
            starts[n_groups] = end
        group[column] = slots[place]
    return n_groups


@inner
def _equal(start: Any, row: Any, bits: Any, one: int, other: int) -> bool:
    shift = start[other] - start[one]
    if start[one + 1] - start[one] != start[other + 1] - start[other]:
        return False
    for k in range(start[one], start[one + 1]):
        if row[k] != row[k + shift] or bits[k] != bits[k + shift]:
            return False
    return True
