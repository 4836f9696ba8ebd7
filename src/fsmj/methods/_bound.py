"""The compiled kernel of `bound`: greedy descent, exact without looking at every term.

R is looked at anew whenever the terms taken have grown by the factor `GROWTH`, and when by the last
look no term gains anything. In the round between two looks the distances that a term adds are
constant and the weights of the pairs only fall, so that a gain only falls, too: an old gain, or
what once bounded it, is an upper bound. Terms wait in a queue by these bounds, and only those whose
bound reaches the best gain are evaluated: the choice is that among all terms. Before that they are
tried with `rough`, which takes a multiplication for each pair of the term's classes, and with
`upper`, which takes a division (docs/theory/bound.md has the proofs).

Terms with equal rates are one entry that hands out its columns from the lowest.
Gains within `TIE` of the best, relatively, count as equal, and the lowest column wins.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fsmj._cache import inner, kernel
from fsmj._interruptible import interruptible
from fsmj.methods._columns import distinct_columns
from fsmj.methods._pairs import (
    COLUMN,
    Classes,
    Corpus,
    Entries,
    add_up,
    gain,
    loose,
    rough,
    take,
    upper,
)

GROWTH = 1.25  # R is looked at anew when there are so many times as many terms
TIE = 1e-11  # gains that differ by less than this share of the best are equal
SLACK = 1e-10  # more than what rounding can take from an old gain
FAINT = 1e-100  # once no gain is larger, weights are brought back to 1, so that they never vanish
FINE = 256  # buckets of the queue from a power of two to the next
LOW, HIGH = -340 * FINE, 64 * FINE  # those of the smallest and the largest bounds

SEEN = np.dtype([("gain", "f8"), ("column", "i8")])


class Queue(NamedTuple):
    """Columns in buckets by their upper bounds: bounds only fall, so each goes down and down."""

    first: NDArray[np.int64]  # of each bucket
    next: NDArray[np.int64]  # after each column
    bound: NDArray[np.float64]
    top: NDArray[np.int64]  # no bucket above is in use


def descend(
    rates: csc_array,
    priors: NDArray[np.float64],
    *,
    temperature: float,
    first: int,
    n_terms: int,
    ballast: float = 1.0,
    growth: float = GROWTH,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rank columns by what they take from the bound; return them, and their falls.

    The rates, of classes by columns, have no stored zeros. The first column to take is not empty
    unless all are. `ballast` is R_i before any term is taken, the rate of a word that tells
    nothing: the larger, the more it counts how many of the selected words a document has, and
    not only which. A `growth` of 1 looks at R in every step.
    """
    n_classes, n_columns = rates.shape
    start, root = np.full(n_classes, ballast), np.full(n_classes, np.sqrt(ballast))
    classes = Classes(start, root, start.copy(), *np.zeros((3, n_classes)))
    W = np.sqrt(priors[:, None] * priors)
    np.fill_diagonal(W, 0)

    distinct, group = distinct_columns(rates)
    candidates = np.flatnonzero(np.diff(rates.indptr) > 0)  # empty terms come last
    sizes = np.bincount(group[candidates], minlength=distinct.shape[1])
    terms = candidates[np.argsort(group[candidates], kind="stable")]
    columns = np.zeros(distinct.shape[1], COLUMN)
    columns["start"], columns["stop"] = distinct.indptr[:-1], distinct.indptr[1:]
    columns["last_term"] = np.cumsum(sizes)
    columns["next_term"] = columns["last_term"] - sizes
    r = distinct.data
    entries = Entries(
        distinct.indices.astype(np.uint32), r, np.sqrt(r), *(np.empty(len(r)) for _ in range(5))
    )

    corpus = Corpus(columns, entries, classes, W, terms, np.ones(1, np.int64))
    n, room = len(columns), HIGH - LOW + 1
    seen = np.empty(n, SEEN)
    n_steps = min(n_terms, len(terms))
    order, falls = np.empty(n_steps, np.int64), np.zeros(n_steps)
    done, begun, unit, must = 0, -1, 1.0, group[first] if n_steps else -1
    while begun < done < n_steps and W.max() > 0:
        # A power of two changes no digit: the ranking goes on where the bound is 1e-300.
        up = 2.0 ** -np.floor(np.log2(W.max()))
        W *= up
        unit /= up
        begun = done
        queue = Queue(np.full(room, -1), np.empty(n, np.int64), np.empty(n), np.zeros(1, np.int64))
        done = interruptible(
            _rank, corpus, queue, seen, float(temperature), float(growth), must, order, falls, begun
        )
        falls[begun:done] *= unit
    # What is left takes nothing from the bound: by column, empty terms last.
    ranked = order[:done]
    place = np.full(n_columns, 1)
    place[candidates] = 0
    place[ranked] = -1
    tail = np.argsort(place, kind="stable")[done:n_terms]
    return np.concatenate([ranked, tail]), np.append(falls[:done], np.zeros(len(tail)))


@inner
def _wait(queue: Any, c: int, bound: float) -> None:
    """Put a column into the bucket of its bound."""
    b = _bucket(bound)
    queue.bound[c], queue.next[c], queue.first[b] = bound, queue.first[b], c
    queue.top[0] = max(queue.top[0], b)


@inner
def _bucket(bound: float) -> int:
    """Return the bucket of a bound; that of 0 comes last."""
    mantissa, exponent = math.frexp(bound)
    place = exponent * FINE + int((mantissa - 0.5) * (2 * FINE))
    return min(max(place, LOW + 1), HIGH) - LOW if bound > 0 else 0


@inner
def _begin(corpus: Any, queue: Any, tau: float, anew: bool) -> None:
    """Look at what every term that is left may gain, and at R if a new round begins."""
    if anew:
        classes = corpus.classes
        for i in range(len(classes.R)):
            classes.R[i], classes.root[i] = classes.after[i], np.sqrt(classes.after[i])
        corpus.round[0] += 1
    add_up(corpus)
    for b in range(queue.top[0] + 1):
        queue.first[b] = -1
    queue.top[0] = 0
    for c in range(len(corpus.columns)):
        column = corpus.columns[c]
        if column.next_term < column.last_term:
            _wait(queue, c, loose(column, corpus, tau))


@inner
def _search(corpus: Any, queue: Any, tau: float, seen: Any, step: int) -> tuple[float, int]:
    """Take the terms that may gain most from the queue; return the best gain and their number.

    `seen` has their gains, or bounds that are below the best. All others wait with smaller bounds.
    """
    while queue.top[0] > 0 and queue.first[queue.top[0]] < 0:
        queue.top[0] -= 1
    best, n_seen, b, last = 0.0, 0, queue.top[0], 1
    while b >= last:
        c = queue.first[b]
        if c < 0:
            b -= 1
            continue
        queue.first[b] = queue.next[c]
        column, bound = corpus.columns[c], queue.bound[c]
        open_ = bound >= best * (1 - SLACK)
        if open_:
            if column.step != step:
                column.step, column.tried = step, 0
            column.tried += 1
            if column.tried == 1:
                bound = min(bound, rough(column, corpus, tau))
            elif column.tried == 2:
                bound = min(bound, upper(column, corpus, tau))
            else:
                bound, open_ = gain(column, corpus, tau), False
                if bound > best:
                    best, last = bound, _bucket(bound * (1 - SLACK))
        if open_:
            _wait(queue, c, bound)
        else:
            seen[n_seen].gain, seen[n_seen].column = bound, c
            n_seen += 1
    return best, n_seen


@inner
def _largest(W: Any) -> float:
    largest = 0.0
    for i in range(len(W)):
        for j in range(i):
            largest = max(largest, W[i, j])
    return largest


@kernel
def _rank(
    corpus: Any, queue: Any, seen: Any, tau: float, growth: float, must: int, order: Any,
    falls: Any, done: int, stop: Any,
) -> int:  # fmt: skip
    """Take the best terms until none gains, or weights are faint; return how many are done."""
    columns, terms = corpus.columns, corpus.terms
    if done == 0:
        add_up(corpus)
        order[0], falls[0] = terms[columns[must].next_term], gain(columns[must], corpus, tau)
        take(columns[must], corpus, tau)
        done = 1
    look_at = 1
    while look_at < done:
        look_at = max(look_at + 1, int(np.ceil(look_at * growth)))
    small = True  # whether the weights may have to be brought back; asked once a round
    for step in range(done, len(order)):
        best, n_seen, look = 0.0, 0, step == look_at
        for again in range(2):  # if no term gains anything, R is looked at in time
            if stop[0]:
                return step
            if again or look or step == done:
                _begin(corpus, queue, tau, again or look)
            best, n_seen = _search(corpus, queue, tau, seen, step)
            if best > 0:
                break
        if look:
            look_at, small = max(step + 1, int(np.ceil(step * growth))), True
        if best < FAINT and small:
            # Gains so small cannot take a weight above the root from where it is in this round.
            small = _largest(corpus.W) < np.sqrt(FAINT)
        if best == 0 or (best < FAINT and small):
            return step
        winner, lowest = 0, np.iinfo(np.int64).max
        for j in range(n_seen):
            term = terms[columns[seen[j].column].next_term]
            if seen[j].gain >= best * (1 - TIE) and term < lowest:
                winner, lowest = j, term
        order[step], falls[step] = lowest, seen[winner].gain
        take(columns[seen[winner].column], corpus, tau)
        for j in range(n_seen):
            column = columns[seen[j].column]
            if column.next_term < column.last_term:
                _wait(queue, seen[j].column, seen[j].gain)
    return len(order)
