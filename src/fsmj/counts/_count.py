"""The compiled count: documents of every class and term, in one pass over the documents."""

from typing import Any

import numpy as np

from fsmj._cache import njit


@njit(cache=True, nogil=True)
def count(
    first: Any, member: Any, start: Any, term: Any, value: Any, weight: Any, n_terms: int
) -> Any:
    """Add up the documents of each class, and turn the sums into columns.

    The classes pass by in their order, so each column's classes come out sorted. What is held is
    one number a term and, twice, the result: never a table of all classes and terms.

    The documents of class i are ``member[first[i] : first[i + 1]]``; `start`, `term` and `value`
    are the documents in CSR form; `weight` says how often each counts. Returned are CSC columns
    over classes (starts, classes, occurrences and documents), and the documents of each term,
    added up over the classes.
    """
    n_classes = len(first) - 1
    sums = np.zeros(n_terms, (value[:0] * weight[:0]).dtype)  # of the class at hand
    docs = np.zeros(n_terms, weight.dtype)
    room = n_terms + 1
    terms = np.empty(room, np.int32)
    all_sums, all_docs = np.empty(room, sums.dtype), np.empty(room, docs.dtype)
    ends = np.zeros(n_classes + 1, np.int64)
    starts = np.zeros(n_terms + 1, np.int64)
    totals = np.zeros(n_terms, docs.dtype)
    for i in range(n_classes):
        begin = end = ends[i]
        if end + n_terms > room:
            room = 2 * room + n_terms
            terms = _larger(terms, room, end)
            all_sums, all_docs = _larger(all_sums, room, end), _larger(all_docs, room, end)
        for j in range(first[i], first[i + 1]):
            w = weight[member[j]]
            if w > 0:
                for k in range(start[member[j]], start[member[j] + 1]):
                    t = term[k]
                    if docs[t] == 0:
                        terms[end] = t
                        end += 1
                    sums[t] += value[k] * w
                    docs[t] += w
        for k in range(begin, end):
            t = terms[k]
            all_sums[k], all_docs[k] = sums[t], docs[t]
            totals[t] += docs[t]
            sums[t], docs[t] = 0, 0
            starts[t + 1] += 1
        ends[i + 1] = end
    for t in range(n_terms):
        starts[t + 1] += starts[t]
    place = starts[:-1].copy()
    classes = np.empty(starts[n_terms], np.int32)
    occurrences = np.empty(starts[n_terms], sums.dtype)
    documents = np.empty(starts[n_terms], docs.dtype)
    for i in range(n_classes):
        for k in range(ends[i], ends[i + 1]):
            at = place[terms[k]]
            classes[at], occurrences[at], documents[at] = i, all_sums[k], all_docs[k]
            place[terms[k]] = at + 1
    return starts, classes, occurrences, documents, totals


@njit(cache=True, nogil=True)
def _larger(array: Any, size: int, used: int) -> Any:
    more = np.empty(size, array.dtype)
    more[:used] = array[:used]
    return more
