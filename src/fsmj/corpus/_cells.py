"""The compiled sums: rows of numbered terms to counts of every class and term."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj._cache import njit

_MIX = -7046029254386353131  # an odd number near 2**64 / golden ratio, as a signed one
_HALF = 0xFFFFFFFF


class Cells(NamedTuple):
    """A growing table of the pairs of term and class that have occurred."""

    table: NDArray[
        np.int64
    ]  # slots of three: the pair + 1 (0: a free slot), occurrences, documents
    docs: NDArray[np.int64]  # the documents of each term
    size: NDArray[np.int64]  # of one: how many pairs there are


def no_cells() -> Cells:
    """Return an empty table."""
    return Cells(np.zeros((1 << 12, 3), np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64))


@njit(cache=True, nogil=True)
def _slot(table: Any, pair: int) -> int:
    """Return where a pair is, or where it goes."""
    mask = len(table) - 1
    h = pair * _MIX
    at = (h ^ ((h >> 32) & _HALF)) & mask
    while table[at, 0] != 0 and table[at, 0] != pair:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def add_rows(
    cells: Cells, rows: Any, numbers: Any, counts: Any, first: Any, member: Any, n_terms: int
) -> Cells:
    """Add documents to the sums.

    Parameters
    ----------
    cells : Cells
        The sums so far.
    rows, numbers, counts : ndarray
        The terms of document d are ``numbers[rows[d] : rows[d + 1]]``, and how often each occurs.
    first, member : ndarray
        The classes of document d are ``member[first[d] : first[d + 1]]``.
    n_terms : int
        How many terms there are.

    Returns
    -------
    Cells
        The sums with these documents.
    """
    table, docs, size = cells.table, cells.docs, cells.size
    if n_terms > len(docs):
        docs = np.zeros(2 * n_terms, np.int64)
        docs[: len(cells.docs)] = cells.docs
    for d in range(len(rows) - 1):
        for k in range(rows[d], rows[d + 1]):
            docs[numbers[k]] += 1
        for j in range(first[d], first[d + 1]):
            needed = size[0] + rows[d + 1] - rows[d]
            if 3 * needed > 2 * len(table):
                n_slots = len(table)
                while 3 * needed > 2 * n_slots:
                    n_slots *= 2
                larger = np.zeros((n_slots, 3), np.int64)
                for s in range(len(table)):
                    if table[s, 0] != 0:
                        at = _slot(larger, table[s, 0])
                        larger[at, 0] = table[s, 0]
                        larger[at, 1] = table[s, 1]
                        larger[at, 2] = table[s, 2]
                table = larger
            for k in range(rows[d], rows[d + 1]):
                pair = ((np.int64(numbers[k]) << 32) | member[j]) + 1
                at = _slot(table, pair)
                size[0] += table[at, 0] == 0
                table[at, 0] = pair
                table[at, 1] += counts[k]
                table[at, 2] += 1
    return Cells(table, docs, size)
