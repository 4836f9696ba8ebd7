r"""The compiled kernel of `bound`: greedy descent, exact without looking at every term.

Symbols, for a term and the state of the ranking:

- ``r_i``: the term's rate in class i, documents with the term by documents.
- ``R_i``: the rates of the terms taken, added up, and the `ballast`.
- ``W_ij``: what the pair of classes still adds to the bound.
- ``tau``: the temperature. Taking the term makes W_ij fall by the factor ``exp(-tau delta_ij)``::

      delta_ij = sqrt((R_i + r_i) (R_j + r_j)) - sqrt(R_i R_j) - sqrt(r_i r_j)
               = (sqrt(R_i r_j) - sqrt(R_j r_i))^2 / (the three roots added up)

The second form loses no digits, and shows that delta_ij is never negative.

R is looked at anew whenever the terms taken have grown by the factor `GROWTH`, and when by the last
look no term gains anything. In the round between two looks delta_ij is constant and the weights
only fall, so that a gain ``sum_{i<j} W_ij (1 - exp(-tau delta_ij))`` only falls, too. A look at R
raises it by no more than ``sum_i r_i F_i + r_i^2 Q_i`` (docs/theory/bound.md has the proof): with
R' now and R before, ::

    F_i = tau/2 sum_j W_ij max(0, sqrt(R'_j / R'_i) - sqrt(R_j / R_i))
    Q_i = tau/8 sum_j W_ij sqrt(R'_j) (R_i^-3/2 - R'_i^-3/2)

So an old gain, raised by this at every look, is an upper bound. Bounds wait in a heap, and only
terms whose bound reaches the best gain are evaluated: the choice is that among all terms.

Terms with equal rates are one entry that hands out its columns from the lowest.
Gains within `TIE` of the best, relatively, count as equal, and the lowest column wins.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fsmj._cache import njit
from fsmj._interruptible import interruptible
from fsmj.methods._columns import distinct_columns
from fsmj.methods._heaps import SLOT, append, heapify, new_heaps, pop, push, sink

GROWTH = 1.25  # R is looked at anew when there are so many times as many terms
TIE = 1e-11  # gains that differ by less than this share of the best are equal
SLACK = 1e-10  # more than what rounding can take from an old gain
ROUNDING = 1e-9  # more than what rounding can take, in a round, from a sum of weights: this share
ULPS = 1e-15  # more than what rounding can take from the difference of two ratios, relatively
SAME = 1e-13  # shares whose roots differ by less than this, relatively, are equal
FAINT = 1e-100  # once no gain is larger, weights are brought back to 1, so that they never vanish

CLASS = np.dtype(
    [
        ("R", "f8"),  # at the beginning of the round
        ("root", "f8"),  # its root
        ("next_R", "f8"),  # now
        ("sum", "f8"),  # of W_ij over j
        ("reach", "f8"),  # of W_ij sqrt(R_j) over j
        ("slack", "f8"),  # what rounding can have taken from the sum, or more
        ("reach_slack", "f8"),  # and from the reach
    ]
)
COLUMN = np.dtype(
    [
        ("bound", "f8"),  # its gain is at most this
        ("start", "i8"),  # its entries
        ("stop", "i8"),
        ("next_term", "i8"),  # the terms that it stands for
        ("last_term", "i8"),
        ("round", "i8"),  # in which its entries were made ready
        ("step", "i8"),  # in which its bound was lowered; minus that, once it is its gain
    ]
)
ENTRY = np.dtype(
    [
        ("class_", "i8"),
        ("r", "f8"),
        ("root", "f8"),  # its root
        ("base", "f8"),  # the root of R_i
        ("grown", "f8"),  # the root of R_i + r_i
        ("slope", "f8"),  # tau delta_ij for a class j without the term is this times sqrt(R_j)
        ("sum", "f8"),  # of W_ij over the classes j without the term
        ("reach", "f8"),  # of W_ij sqrt(R_j) over the same
    ]
)


class Corpus(NamedTuple):
    """What the loops work on; they change it in place."""

    columns: NDArray[Any]
    entries: NDArray[Any]
    classes: NDArray[Any]
    W: NDArray[np.float64]
    terms: NDArray[np.int64]
    round: NDArray[np.int64]


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
    """Rank columns by what they take from the bound.

    Parameters
    ----------
    rates : csc_array of shape (n_classes, n_columns)
        r, without stored zeros.
    priors : ndarray of shape (n_classes,)
        Of the classes.
    temperature : float
        tau.
    first : int
        The column to take first; it is not empty unless all are.
    n_terms : int
        How many to rank, at most the number of columns.
    ballast : float, default=1.0
        R_i before any term is taken: the rate of a word that tells nothing. The larger, the more
        it counts how many of the selected words a document has, and not only which.
    growth : float
        See `GROWTH`; 1 looks at R in every step.

    Returns
    -------
    order : ndarray of shape (n_terms,)
        Columns.
    falls : ndarray of shape (n_terms,)
        What each takes from the bound.
    """
    n_columns = rates.shape[1]
    classes = np.zeros(len(priors), CLASS)
    classes["R"] = classes["next_R"] = ballast
    classes["root"] = np.sqrt(ballast)
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
    entries = np.zeros(distinct.nnz, ENTRY)
    entries["class_"], entries["r"] = distinct.indices, distinct.data
    entries["root"] = np.sqrt(distinct.data)

    corpus = Corpus(columns, entries, classes, W, terms, np.ones(1, np.int64))
    n_steps = min(n_terms, len(terms))
    order, falls = np.empty(n_steps, np.int64), np.zeros(n_steps)
    done, begun, unit, must = 0, -1, 1.0, group[first] if n_steps else -1
    while begun < done < n_steps and W.max() > 0:
        # A power of two changes no digit: the ranking goes on where the bound is 1e-300.
        up = 2.0 ** -np.floor(np.log2(W.max()))
        W *= up
        unit /= up
        begun = done
        done = interruptible(
            _rank, corpus, float(temperature), float(growth), must, order, falls, begun
        )
        falls[begun:done] *= unit
    # What is left takes nothing from the bound: by column, empty terms last.
    ranked = order[:done]
    place = np.full(n_columns, 1)
    place[candidates] = 0
    place[ranked] = -1
    tail = np.argsort(place, kind="stable")[done:n_terms]
    return np.concatenate([ranked, tail]), np.append(falls[:done], np.zeros(len(tail)))


@njit(cache=True, nogil=True)
def _fall(x: float) -> float:
    """Return 1 - exp(-x) without loss of digits; x is not negative."""
    if x < 0.01:
        return x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5 * (1 - x / 6)))))
    return float(1 - np.exp(-x))


@njit(cache=True, nogil=True)
def _fall_or_more(x: float) -> float:
    """Return a number that is not below 1 - exp(-x), and close to it for small x."""
    if x > 2:
        return 1.0  # below, the series to the fifth power is above the sum of all
    return x - x * x * (1 / 2 - x * (1 / 6 - x * (1 / 24 - x * (1 / 120))))


@njit(cache=True, nogil=True)
def _apart(one: Any, two: Any) -> float:
    """Return delta of two classes in which a term occurs."""
    u, v = one.base * two.root, two.base * one.root
    if abs(u - v) <= SAME * (u + v):
        return 0.0
    roots = one.grown * two.grown + one.root * two.root + one.base * two.base
    return float((u - v) * (u - v) / roots)


@njit(cache=True, nogil=True)
def _prepare(column: Any, corpus: Any, tau: float) -> None:
    """Work out what a column's entries need in this round."""
    if column.round != corpus.round[0]:
        column.round = corpus.round[0]
        for k in range(column.start, column.stop):
            one, here = corpus.entries[k], corpus.classes[corpus.entries[k].class_]
            one.base = here.root
            one.grown = np.sqrt(here.R + one.r)
            one.slope = tau * one.r / (one.grown + one.base)


@njit(cache=True, nogil=True)
def _upper(column: Any, corpus: Any, tau: float) -> float:
    """Return a little more than what a column takes from the bound, without a single exp."""
    entries, W = corpus.entries, corpus.W
    _prepare(column, corpus, tau)
    start, stop, upper = column.start, column.stop, 0.0
    for k in range(start, stop):
        one = entries[k]
        here, row = corpus.classes[one.class_], W[one.class_]
        sum_, reach, base, root, grown = here.sum, here.reach, one.base, one.root, one.grown
        for other in range(start, k):
            two = entries[other]
            w = row[two.class_]
            sum_ -= w
            two.sum -= w
            reach -= w * two.base
            two.reach -= w * base
            d = base * two.root - two.base * root
            roots = grown * two.grown + root * two.root + base * two.base
            upper += w * _fall_or_more(tau * d * d / roots)
        one.sum, one.reach = sum_, reach
    for k in range(start, stop):
        one, here = entries[k], corpus.classes[entries[k].class_]
        outside = max(one.sum, 0.0) + here.slack
        if outside > 0:
            reach = max(one.reach, 0.0) + here.reach_slack
            upper += outside * _fall_or_more(one.slope * reach / outside)
    return upper


@njit(cache=True, nogil=True)
def _gain(column: Any, corpus: Any, tau: float) -> float:
    """Return what a column takes from the bound."""
    entries, classes, W = corpus.entries, corpus.classes, corpus.W
    _prepare(column, corpus, tau)
    start, stop, gain = column.start, column.stop, 0.0
    for k in range(start, stop):
        one = entries[k]
        i = one.class_
        for other in range(start, k):
            two = entries[other]
            j = two.class_
            gain += W[i, j] * _fall(tau * _apart(one, two))
        # The classes without the term: those between its entries.
        j = 0
        for other in range(start, stop + 1):
            end = entries[other].class_ if other < stop else len(classes)
            while j < end:
                gain += W[i, j] * _fall(one.slope * classes[j].root)
                j += 1
            j += 1
    column.bound = gain
    return gain


@njit(cache=True, nogil=True)
def _take(column: Any, corpus: Any, tau: float) -> None:
    """Add a term, evaluated in this step, to those taken."""
    entries, classes, W = corpus.entries, corpus.classes, corpus.W
    start, stop = column.start, column.stop
    column.next_term += 1
    for k in range(start, stop):
        one = entries[k]
        i, here, other = one.class_, classes[one.class_], start
        for j in range(len(classes)):
            before, there = W[i, j], classes[j]
            if other < stop and entries[other].class_ == j:
                if j < i:
                    W[i, j] *= np.exp(-tau * _apart(one, entries[other]))
                other += 1
            else:
                W[i, j] *= np.exp(-one.slope * there.root)
            lost = before - W[i, j]
            W[j, i] = W[i, j]
            here.sum -= lost
            there.sum -= lost
            here.reach -= lost * there.root
            there.reach -= lost * here.root
        here.next_R += one.r


@njit(cache=True, nogil=True)
def _add_up(corpus: Any) -> None:
    """Add up the weights of each class."""
    for i in range(len(corpus.classes)):
        here = corpus.classes[i]
        here.sum = here.reach = 0.0
        for j in range(len(corpus.classes)):
            here.sum += corpus.W[i, j]
            here.reach += corpus.W[i, j] * corpus.classes[j].root
        here.slack, here.reach_slack = ROUNDING * here.sum, ROUNDING * here.reach


@njit(cache=True, nogil=True)
def _look(corpus: Any, heaps: Any, tau: float) -> None:
    """Begin a round: look at R anew, and raise all bounds by what that can make of them."""
    columns, entries, classes = corpus.columns, corpus.entries, corpus.classes
    n_classes = len(classes)
    F, Q = np.zeros(n_classes), np.zeros(n_classes)
    for i in range(n_classes):
        before, now = classes[i].root, np.sqrt(classes[i].next_R)
        for j in range(n_classes):
            there = np.sqrt(classes[j].next_R)
            grown = max(there / now - classes[j].root / before, 0.0)
            F[i] += corpus.W[i, j] * (grown + ULPS * there / now)
            Q[i] += corpus.W[i, j] * there
        F[i] *= tau / 2
        Q[i] *= tau / 8 * (before**-3 - now**-3)
    for i in range(n_classes):
        classes[i].R = classes[i].next_R
        classes[i].root = np.sqrt(classes[i].R)
    _add_up(corpus)
    corpus.round[0] += 1
    for column in columns:
        for k in range(column.start, column.stop):
            i, r = entries[k].class_, entries[k].r
            column.bound += r * (F[i] + r * Q[i])
    _fill(corpus, heaps)


@njit(cache=True, nogil=True)
def _fill(corpus: Any, heaps: Any) -> None:
    """Put all terms that are left into the heap."""
    heaps.size[0] = 0
    for c in range(len(corpus.columns)):
        column = corpus.columns[c]
        column.step = 0
        if column.next_term < column.last_term:
            append(heaps, 0, column.bound, c)
    heapify(heaps)


@njit(cache=True, nogil=True)
def _rank(
    corpus: Any, tau: float, growth: float, must: int, order: Any, falls: Any, done: int, stop: Any
) -> int:
    """Take the best terms until none gains, or weights are faint; return how many are done."""
    columns, terms = corpus.columns, corpus.terms
    heaps = new_heaps(np.full(1, len(columns)))
    seen = np.empty(len(columns), SLOT)
    _add_up(corpus)
    if done == 0:
        order[0], falls[0] = terms[columns[must].next_term], _gain(columns[must], corpus, tau)
        _take(columns[must], corpus, tau)
        done = 1
    look_at = 1
    while look_at < done:
        look_at = max(look_at + 1, int(np.ceil(look_at * growth)))
    small = True  # whether the weights may have to be brought back; asked once a round
    for step in range(done, len(order)):
        if step == look_at:
            _look(corpus, heaps, tau)
            look_at = max(step + 1, int(np.ceil(step * growth)))
            small = True
        if step == done:
            for column in columns:
                if not stop[0]:
                    column.bound = _upper(column, corpus, tau)
            _fill(corpus, heaps)
        if stop[0]:
            return step
        best, n_seen = _search(corpus, heaps, tau, seen, step)
        if best == 0:
            _look(corpus, heaps, tau)
            best, n_seen = _search(corpus, heaps, tau, seen, step)
        if best < FAINT and small:
            # Gains so small cannot take a weight above the root from where it is in this round.
            small = corpus.W.max() < np.sqrt(FAINT)
        if best == 0 or (best < FAINT and small):
            return step
        winner, lowest = 0, np.iinfo(np.int64).max
        for j in range(n_seen):
            term = terms[columns[seen[j].item].next_term]
            if seen[j].key >= best * (1 - TIE) and term < lowest:
                winner, lowest = j, term
        order[step], falls[step] = lowest, seen[winner].key
        _take(columns[seen[winner].item], corpus, tau)
        for j in range(n_seen):
            column = columns[seen[j].item]
            if column.next_term < column.last_term:
                push(heaps, 0, seen[j].key, seen[j].item)
    return len(order)


@njit(cache=True, nogil=True)
def _search(corpus: Any, heaps: Any, tau: float, seen: Any, step: int) -> tuple[float, int]:
    """Take the terms that may gain most out of the heap; return the best gain and their number."""
    best, n_seen, top = 0.0, 0, heaps.slot[0]
    while heaps.size[0] > 0 and top.key >= best * (1 - SLACK):
        column = corpus.columns[top.item]
        if column.step == -step:  # it is evaluated, and no other can gain more
            best = max(best, top.key)
            seen[n_seen].key, seen[n_seen].item = top.key, pop(heaps, 0)
            n_seen += 1
            continue
        if column.step == step:
            top.key = _gain(column, corpus, tau)
            column.step = -step
        else:
            top.key = column.bound = min(top.key, _upper(column, corpus, tau))
            column.step = step
        sink(heaps, 0, 0)
    return best, n_seen
