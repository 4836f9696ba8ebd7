"""The compiled count: documents of every class and term, in one pass over the documents."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from fsmj._cache import kernel
from fsmj._interruptible import shielded


class Counted(NamedTuple):
    """CSC columns over classes, and the documents of each term, added up over the classes."""

    starts: NDArray[np.int64]
    classes: NDArray[np.int32]
    occurrences: NDArray[Any]
    documents: NDArray[Any]
    totals: NDArray[Any]


def count(documents: csr_array, members: csc_array, weight: NDArray[Any]) -> Counted:
    """Add up the documents of each class, and turn the sums into columns.

    `members` has a column of documents for each class; `weight` says how often each counts. The
    classes pass by in their order, so each column's classes come out sorted. What is held is two
    numbers a term, and twice the result: never a table of all classes and terms.
    """
    n_terms, n_classes = documents.shape[1], members.shape[1]
    sums = np.zeros((n_terms, 2), np.result_type(documents.dtype, weight.dtype))
    room = n_terms + 1
    terms, both = np.empty(room, np.int32), np.empty((room, 2), sums.dtype)
    ends, starts = np.zeros(n_classes + 1, np.int64), np.zeros(n_terms + 1, np.int64)
    totals = np.zeros(n_terms, weight.dtype)
    done = 0
    while done < n_classes:
        done = shielded(
            _add_up, members.indptr, members.indices,
            documents.indptr, documents.indices, documents.data, weight,
            sums, terms, both, ends, starts, totals, done,
        )  # fmt: skip
        if done < n_classes:  # a class may add as many entries as there are terms
            room = 2 * len(terms) + n_terms
            terms, both = np.resize(terms, room), np.resize(both, (room, 2))
    np.cumsum(starts, out=starts)
    end = ends[-1]
    classes = np.empty(end, np.int32)
    occurrences, having = np.empty(end, sums.dtype), np.empty(end, weight.dtype)
    shielded(_by_column, terms, both, ends, starts[:-1].copy(), classes, occurrences, having)
    return Counted(starts, classes, occurrences, having, totals)


@kernel
def _add_up(
    first: Any, member: Any, start: Any, term: Any, value: Any, weight: Any,
    sums: Any, terms: Any, both: Any, ends: Any, starts: Any, totals: Any, done: int,
) -> int:  # fmt: skip
    """Add up classes from `done` on while there is room; return how many are done.

    The documents of class i are ``member[first[i] : first[i + 1]]``; `start`, `term` and `value`
    are the documents in CSR form. ``starts[t + 1]`` counts the classes of a term.
    """
    for i in range(done, len(ends) - 1):
        begin = end = ends[i]
        if end + len(sums) >= len(terms):
            return i
        for j in range(first[i], first[i + 1]):
            w = weight[member[j]]
            if w > 0:
                for k in range(start[member[j]], start[member[j] + 1]):
                    t = term[k]
                    terms[end] = t  # to be overwritten if it is not new
                    end += sums[t, 1] == 0
                    sums[t, 0] += value[k] * w
                    sums[t, 1] += w
        for k in range(begin, end):
            t = terms[k]
            both[k, 0], both[k, 1] = sums[t, 0], sums[t, 1]
            totals[t] += sums[t, 1]
            sums[t, 0] = sums[t, 1] = 0
            starts[t + 1] += 1
        ends[i + 1] = end
    return len(ends) - 1


@kernel
def _by_column(
    terms: Any, both: Any, ends: Any, place: Any, classes: Any, occurrences: Any, documents: Any
) -> None:
    """Sort the sums by their terms."""
    for i in range(len(ends) - 1):
        for k in range(ends[i], ends[i + 1]):
            at = place[terms[k]]
            classes[at], occurrences[at], documents[at] = i, both[k, 0], both[k, 1]
            place[terms[k]] = at + 1
