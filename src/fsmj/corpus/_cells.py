"""The compiled sums: rows of numbered terms to counts of every class and term."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj._cache import njit
from fsmj.tokens._instructions import fetch
from fsmj.tokens._terms import inner, mixed

COUNT = 32  # bits, above which a sum has its occurrences and a pair its term
HALF = 0xFFFFFFFF
_AHEAD = 12  # how far ahead slots are fetched
_CHUNK = 4096  # cells that are added at a time


class Cells(NamedTuple):
    """A growing table of the pairs of term and class that have occurred.

    A pair is the number of a term and, in the lower half, that of a class. There is room for
    fewer than 2**31 occurrences in all.
    """

    # Slots of two: the pair + 1 (0: a free slot); documents and, `COUNT` bits higher, occurrences.
    table: NDArray[np.int64]
    docs: NDArray[np.int64]  # the documents of each term
    size: NDArray[np.int64]  # of one: how many pairs there are


def no_cells() -> Cells:
    """Return an empty table."""
    return Cells(np.zeros((1 << 12, 2), np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64))


def listed(cells: Cells) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs, in no order, and the sum of each."""
    taken = cells.table[:, 0] != 0
    pairs = cells.table[taken, 0]
    pairs -= 1
    return pairs, cells.table[taken, 1]


@inner
def _home(pair: int, mask: int) -> Any:
    """Return where to look for a pair first."""
    return np.int64(mixed(np.uint64(pair))) & mask


@inner
def _with_room(cells: Cells, more_pairs: int, n_terms: int) -> Cells:
    """Return a table with room for more pairs, and for all terms."""
    table, docs, size = cells
    needed, n_slots = size[0] + more_pairs, len(table)
    if 4 * needed > 3 * n_slots:
        while 4 * needed > 3 * n_slots:
            n_slots *= 2
        table = np.zeros((n_slots, 2), np.int64)
        for s in range(len(cells.table)):
            if cells.table[s, 0] != 0:
                at = _home(cells.table[s, 0], n_slots - 1)
                while table[at, 0] != 0:
                    at = (at + 1) & (n_slots - 1)
                table[at, 0], table[at, 1] = cells.table[s, 0], cells.table[s, 1]
    if n_terms > len(docs):
        docs = np.zeros(2 * n_terms, np.int64)
        for t in range(len(cells.docs)):
            docs[t] = cells.docs[t]
    return Cells(table, docs, size)


@inner
def _add(table: Any, size: Any, pairs: Any, sums: Any, n_pairs: int) -> None:
    """Add occurrences and documents of pairs, for which there is room."""
    mask = len(table) - 1
    for k in range(n_pairs):
        if k + _AHEAD < n_pairs:
            fetch(table, _home(pairs[k + _AHEAD], mask))
        pair = pairs[k]
        at = _home(pair, mask)
        while table[at, 0] != 0 and table[at, 0] != pair:
            at = (at + 1) & mask
        size[0] += table[at, 0] == 0
        table[at, 0] = pair
        table[at, 1] += sums[k]


@njit(cache=True, nogil=True)
def add_rows(
    cells: Cells, rows: Any, numbers: Any, counts: Any, first: Any, member: Any, n_terms: int
) -> Cells:
    """Add documents to the sums.

    The terms of document d are ``numbers[rows[d] : rows[d + 1]]``, with how often each occurs;
    its classes are ``member[first[d] : first[d + 1]]``.
    """
    longest = 0
    for d in range(len(rows) - 1):
        longest = max(longest, rows[d + 1] - rows[d])
    pairs, sums = np.empty(longest, np.int64), np.empty(longest, np.int64)
    for d in range(len(rows) - 1):
        n_pairs = rows[d + 1] - rows[d]
        n_classes = first[d + 1] - first[d]
        cells = _with_room(cells, n_classes * n_pairs, n_terms)
        for k in range(n_pairs):
            cells.docs[numbers[rows[d] + k]] += 1
            sums[k] = (np.int64(counts[rows[d] + k]) << COUNT) + 1
        for j in range(first[d], first[d + 1]):
            for k in range(n_pairs):
                pairs[k] = ((np.int64(numbers[rows[d] + k]) << COUNT) | member[j]) + 1
            _add(cells.table, cells.size, pairs, sums, n_pairs)
    return cells


@njit(cache=True, nogil=True)
def add_cells(cells: Cells, others: Cells, numbers: Any, n_terms: int) -> Cells:
    """Add other sums, whose term t has the number ``numbers[t]`` among these."""
    pairs, sums = np.empty(_CHUNK, np.int64), np.empty(_CHUNK, np.int64)
    cells = _with_room(cells, 0, n_terms)
    for t in range(len(numbers)):
        cells.docs[numbers[t]] += others.docs[t]
    for start in range(0, len(others.table), _CHUNK):
        n_pairs = 0
        for s in range(start, min(start + _CHUNK, len(others.table))):
            pair = others.table[s, 0] - 1
            if pair >= 0:
                number = np.int64(numbers[pair >> COUNT])
                pairs[n_pairs] = ((number << COUNT) | (pair & HALF)) + 1
                sums[n_pairs] = others.table[s, 1]
                n_pairs += 1
        cells = _with_room(cells, n_pairs, n_terms)
        _add(cells.table, cells.size, pairs, sums, n_pairs)
    return cells
