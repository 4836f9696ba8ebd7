"""The compiled count: documents of every class and term, in one pass over the documents."""

from typing import Any

import numpy as np

from fsmj._cache import njit


@njit(cache=True, nogil=True)
def count(
    first: Any, member: Any, start: Any, term: Any, value: Any, weight: Any, sums: Any
) -> Any:
    """Add up the documents of each class, and turn the sums into columns.

    The classes pass by in their order, so each column's classes come out sorted. What is held is
    `sums`, two zeros a term, and twice the result: never a table of all classes and terms.

    The documents of class i are ``member[first[i] : first[i + 1]]``; `start`, `term` and `value`
    are the documents in CSR form; `weight` says how often each counts. Returned are CSC columns
    over classes (starts, classes, occurrences and documents), and the documents of each term,
    added up over the classes.
    """
    n_classes, n_terms = len(first) - 1, len(sums)
    room = n_terms + 1
    terms, both = np.empty(room, np.int32), np.empty((room, 2), sums.dtype)
    ends = np.zeros(n_classes + 1, np.int64)
    starts = np.zeros(n_terms + 1, np.int64)
    totals = np.zeros(n_terms, weight.dtype)
    for i in range(n_classes):
        begin = end = ends[i]
        if end + n_terms >= room:
            room = 2 * room + n_terms
            more_terms, more = np.empty(room, np.int32), np.empty((room, 2), sums.dtype)
            for k in range(end):  # a slice takes a second to compile
                more_terms[k], more[k, 0], more[k, 1] = terms[k], both[k, 0], both[k, 1]
            terms, both = more_terms, more
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
    for t in range(n_terms):
        starts[t + 1] += starts[t]
    place = starts[:-1].copy()
    classes = np.empty(starts[n_terms], np.int32)
    occurrences = np.empty(starts[n_terms], sums.dtype)
    documents = np.empty(starts[n_terms], weight.dtype)
    for i in range(n_classes):
        for k in range(ends[i], ends[i + 1]):
            at = place[terms[k]]
            classes[at], occurrences[at], documents[at] = i, both[k, 0], both[k, 1]
            place[terms[k]] = at + 1
    return starts, classes, occurrences, documents, totals
