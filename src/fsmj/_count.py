"""The compiled count: documents of every class and term, in two passes over the documents."""

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def count(
    first: Any, member: Any, start: Any, term: Any, value: Any, weight: Any, n_terms: int
) -> Any:
    """Add up the documents of each class, straight into columns.

    The classes pass by in their order, so each column's classes come out sorted; and nothing
    larger than the result is held, however many classes and terms there are.

    Parameters
    ----------
    first, member : ndarray
        The documents of each class: those of class i are ``member[first[i] : first[i + 1]]``.
    start, term, value : ndarray
        The documents in CSR form.
    weight : ndarray of shape (n_docs,)
        How often each document counts.
    n_terms : int
        The number of columns.

    Returns
    -------
    tuple of ndarray
        CSC columns over classes: starts, classes, occurrences and documents.
    """
    n_classes = len(first) - 1
    seen = np.full(n_terms, -1)
    starts = np.zeros(n_terms + 1, np.int64)
    for i in range(n_classes):
        for j in range(first[i], first[i + 1]):
            if weight[member[j]] > 0:
                for k in range(start[member[j]], start[member[j] + 1]):
                    if seen[term[k]] != i:
                        seen[term[k]] = i
                        starts[term[k] + 1] += 1
    for t in range(n_terms):
        starts[t + 1] += starts[t]
        seen[t] = -1
    end = starts[:-1].copy()
    classes = np.empty(starts[n_terms], np.int32)
    occurrences = np.empty(starts[n_terms], (value[:0] * weight[:0]).dtype)
    documents = np.empty(starts[n_terms], weight.dtype)
    for i in range(n_classes):
        for j in range(first[i], first[i + 1]):
            w = weight[member[j]]
            if w > 0:
                for k in range(start[member[j]], start[member[j] + 1]):
                    t = term[k]
                    if seen[t] != i:
                        seen[t] = i
                        classes[end[t]] = i
                        occurrences[end[t]], documents[end[t]] = 0, 0
                        end[t] += 1
                    occurrences[end[t] - 1] += value[k] * w
                    documents[end[t] - 1] += w
    return starts, classes, occurrences, documents
