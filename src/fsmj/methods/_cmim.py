r"""The compiled kernel of `fsmj.methods.cmim`: conditional mutual information maximisation.

A term's score is the least it tells of the class beside any selected term::

    score_m = min( I(Y; X_m), min_{s in S} I(Y; X_m | X_s) )

With f(c) = c log c, the numbers of documents n, and a_i, b_i, c_i those of class i that contain
m, s and both (a, b, c: of all classes)::

    n I(Y; X_m | X_s) = sum_i [ h(c_i, b_i) + h(a_i - c_i, n_i - b_i) ]
                        - h(c, b) - h(a - c, n - b),       h(u, v) = f(u) + f(v - u) - f(v)

where classes without m add nothing. A score only falls as terms are selected, so an old one is
an upper bound: a candidate is brought up to date only as far as it stays in reach of the best.

Scores that differ by less than `TIE` count as equal, and the lowest column wins.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from fsmj._cache import njit
from fsmj._interruptible import shielded
from fsmj.counts import ClassTermCounts

TIE = 1e-12  # nats


class Presence(NamedTuple):
    """Which documents contain which terms; the documents are numbered class by class."""

    starts: NDArray[np.int64]  # of each term's documents, and the end of the last
    docs: NDArray[np.int64]
    labels: NDArray[np.int64]
    class_sizes: NDArray[np.int64]
    by_class: NDArray[np.int64]  # documents with the term, terms × classes
    f: NDArray[np.float64]  # c log c, for c up to the number of documents


class State(NamedTuple):
    """Where a run stands; the kernel changes it in place."""

    bounds: NDArray[np.float64]  # n times the score, as far as it is known; -inf: not to be taken
    seen: NDArray[np.int64]  # the number of selected terms that the bound takes into account
    marked: NDArray[np.bool_]  # scratch: a flag for each document, down between calls


@njit(cache=True, nogil=True)
def _h(f: NDArray[np.float64], part: int, whole: int) -> float:
    return float(f[part] + f[whole - part] - f[whole])


@njit(cache=True, nogil=True)
def _relevance(presence: Presence, out: NDArray[np.float64]) -> None:
    """Write down n I(Y; X_m) of every term."""
    f, sizes = presence.f, presence.class_sizes
    n_docs = len(presence.labels)
    for m in range(len(out)):
        total = 0.0
        for i in range(len(sizes)):
            total += _h(f, presence.by_class[m, i], sizes[i])
        out[m] = max(0.0, total - _h(f, presence.starts[m + 1] - presence.starts[m], n_docs))


def start(
    documents: csr_array, counts: ClassTermCounts, labels: NDArray[np.int64]
) -> tuple[Presence, State]:
    """Return documents, labelled by the rows of their counts, and the state before any step.

    Terms that no document contains are marked as not to be taken.
    """
    by_label = np.argsort(labels, kind="stable")
    columns = csc_array(documents[by_label])
    columns.sort_indices()
    c = np.arange(len(labels) + 1.0)
    presence = Presence(
        columns.indptr.astype(np.int64),
        columns.indices.astype(np.int64),
        labels[by_label],
        counts.docs_per_class.astype(np.int64),
        np.ascontiguousarray(counts.doc_counts.toarray().T, np.int64),
        c * np.log(np.maximum(c, 1.0)),
    )
    state = State(
        np.empty(counts.n_terms), np.zeros(counts.n_terms, np.int64), np.zeros(len(labels), bool)
    )
    shielded(_relevance, presence, state.bounds)
    state.bounds[counts.docs_per_term == 0] = -np.inf
    return presence, state


@njit(cache=True, nogil=True)
def _count_common(
    presence: Presence, m: int, s: int, marked: NDArray[np.bool_], out: NDArray[np.int64]
) -> None:
    """Count the documents of each class that contain both terms; those with m are marked."""
    docs, labels = presence.docs, presence.labels
    out[:] = 0
    at, stop = presence.starts[s], presence.starts[s + 1]
    first, last = presence.starts[m], presence.starts[m + 1]
    if stop - at < 16 * (last - first):
        for j in range(at, stop):
            out[labels[docs[j]]] += marked[docs[j]]
        return
    for j in range(first, last):
        wanted, stride = docs[j], 1
        # Strides that double, then halve: few steps however much longer the other list is.
        while at + stride < stop and docs[at + stride] <= wanted:
            at += stride
            stride *= 2
        while stride > 0:
            if at + stride < stop and docs[at + stride] <= wanted:
                at += stride
            stride //= 2
        out[labels[wanted]] += docs[at] == wanted


@njit(cache=True, nogil=True)
def _conditional(presence: Presence, m: int, s: int, common: NDArray[np.int64]) -> float:
    """Return n I(Y; X_m | X_s), given the documents of each class that contain both."""
    f, total, c = presence.f, 0.0, 0
    for i in range(len(common)):
        a_i = presence.by_class[m, i]
        if a_i > 0:
            b_i = presence.by_class[s, i]
            total += _h(f, common[i], b_i)
            total += _h(f, a_i - common[i], presence.class_sizes[i] - b_i)
            c += common[i]
    a = presence.starts[m + 1] - presence.starts[m]
    b = presence.starts[s + 1] - presence.starts[s]
    found: float = total - _h(f, c, b) - _h(f, a - c, len(presence.labels) - b)
    return max(0.0, found)


@njit(cache=True, nogil=True)
def _update(
    presence: Presence, state: State, m: int, selected: NDArray[np.int64], floor: float
) -> bool:
    """Bring a term's score up to date, or stop once it is known to stay below the floor."""
    having = presence.docs[presence.starts[m] : presence.starts[m + 1]]
    common = np.empty(len(presence.class_sizes), np.int64)
    for d in having:
        state.marked[d] = True
    while state.bounds[m] >= floor and state.seen[m] < len(selected):
        s = selected[state.seen[m]]
        _count_common(presence, m, s, state.marked, common)
        state.bounds[m] = min(state.bounds[m], _conditional(presence, m, s, common))
        state.seen[m] += 1
    for d in having:
        state.marked[d] = False
    return bool(state.bounds[m] >= floor)


@njit(cache=True, nogil=True)
def grow(
    presence: Presence,
    state: State,
    order: NDArray[np.int64],
    scores: NDArray[np.float64],
    first: int,
) -> None:
    """Take the best terms one by one until `order` is full: the `first` of it were taken before.

    The bounds are as the last call left them; scores are times the number of documents.
    """
    bounds, tie = state.bounds, TIE * len(presence.labels)
    for k in range(first, len(order)):
        selected = order[:k]
        likely = int(np.argmax(bounds))
        _update(presence, state, likely, selected, -np.inf)
        best = bounds[likely]
        for m in range(len(bounds)):
            if bounds[m] >= best - tie and _update(presence, state, m, selected, best - tie):
                best = max(best, bounds[m])
        winner = np.argmax((bounds >= best - tie) & (state.seen == k))
        order[k], scores[k] = winner, bounds[winner]
        bounds[winner] = -np.inf
