"""The compiled kernel: Algorithm 1's ranking, term for term, in near-linear time.

`fsmj.methods._gain` has the gain of a term, and F, which bounds how far it has risen since it was
last worked out. So a gain worked out once stays useful, and two levels of bounds keep nearly all
terms from ever being looked at:

1. Terms of similar weight ``P = sum_i w_i p_i`` (up to `RATIO`) share a heap, ordered by
   ``gain_then - rho Phi_then``, where rho is the heap's largest P and Phi adds up the largest dF_i
   of each step. The order stays right without any update: the heap's bound is its top plus rho Phi.
2. A term that reaches the top is first checked against a bound of its own, ``gain_then + sum_i
   w_i p_i (F_i - F_then)``, which needs no logarithm, and only then evaluated.

Heavy terms (p_i > TAU R_i somewhere; at most 1/TAU per class) are evaluated at every step.
Terms with equal counts are one column that hands out its terms from the lowest.

Gains within `TIE` of the larger weight count as equal, and the lowest column wins. A term that
holds nearly all that is left weighs no more than what it leaves behind.

The phases of a step get their arrays one by one: the compiler counts the references to an array
that is taken out of a tuple, and in these loops that would cost several times the work itself.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from fsmj._cache import njit
from fsmj._interruptible import interruptible
from fsmj.methods._columns import distinct_columns
from fsmj.methods._gain import (
    CLASS,
    COLUMN,
    ENTRY,
    SLACK,
    TAU,
    Variant,
    gain_of,
    prepare,
    refresh,
    subtract,
    weight_of,
)
from fsmj.methods._heaps import SLOT, append, heapify, inner, new_heaps, pop, push, sink

RATIO = 1.2  # the weights P in one heap differ by at most this factor
TIE = 1e-12  # gains that differ by less than this share of the weight are equal


class Best(NamedTuple):
    """The best gain found in a step, its weight, and how many columns may have it."""

    gain: float
    weight: float
    n_rivals: int


def greedy(
    term_counts: csc_array,
    rest_counts: NDArray[Any],
    priors: NDArray[np.float64],
    weights: NDArray[np.float64],
    *,
    alpha: float,
    complement: bool,
    n_terms: int,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rank columns by their gain in JS divergence.

    Parameters
    ----------
    term_counts : csc_array of shape (n_classes, n_columns)
        Every class has a token.
    rest_counts : ndarray of shape (n_classes,)
        Tokens of each class outside the columns.
    priors, weights : ndarray of shape (n_classes,)
        Of the classes.
    alpha : float
        Added to every count.
    complement : bool
        Compare each class with its complement instead of the mixture.
    n_terms : int
        How many to rank, at most the number of columns.

    Returns
    -------
    order : ndarray of shape (n_terms,)
        Columns.
    gains : ndarray of shape (n_terms,)
        What each adds to the divergence.
    """
    n_columns = term_counts.shape[1]
    variant = Variant(float(alpha), complement, int(rest_counts.any()))
    totals = np.asarray(term_counts.sum(axis=1)).ravel() + rest_counts
    classes = np.zeros(len(priors), CLASS)
    classes["scale"] = 1 / (totals + alpha * (n_columns + variant.rest_cells))
    classes["prior"], classes["weight"], classes["rest"] = priors, weights, rest_counts

    distinct, group = distinct_columns(term_counts)
    candidates = np.arange(n_columns)
    if alpha == 0:  # empty terms gain nothing and take no part in ties
        candidates = candidates[np.diff(term_counts.indptr) > 0]
    # Turning rows into columns sorts the terms by column, in linear time.
    places = (candidates, group[candidates], np.arange(len(candidates) + 1))
    by_column = csr_array(places, shape=(len(candidates), distinct.shape[1])).tocsc()
    terms = by_column.data
    columns = np.zeros(distinct.shape[1], COLUMN)
    columns["start"], columns["stop"] = distinct.indptr[:-1], distinct.indptr[1:]
    columns["next_term"], columns["last_term"] = by_column.indptr[:-1], by_column.indptr[1:]
    entries = np.empty(distinct.nnz, ENTRY)
    entries["class_"], entries["count"] = distinct.indices, distinct.data

    n_steps = min(n_terms, len(terms))
    ranked, gains = interruptible(_rank, columns, entries, classes, terms, variant, n_steps)
    # What is left gains nothing: by column, empty terms last.
    place = np.full(n_columns, 1)
    place[candidates] = 0
    place[ranked] = -1
    tail = np.concatenate([np.flatnonzero(place == k) for k in (0, 1)])[: n_terms - len(ranked)]
    return np.concatenate([ranked, tail]), np.concatenate([gains, np.zeros(len(tail))])


@njit(cache=True, nogil=True, error_model="numpy")
def _rank(
    columns: Any, entries: Any, classes: Any, terms: Any, variant: Any, n_steps: int, stop: Any
) -> Any:
    """Take the best term again and again, until `n_steps` are done or nothing can be gained."""
    order, gains = np.empty(n_steps, np.int64), np.empty(n_steps)
    P_absent = prepare(columns, entries, classes, variant)
    totals = refresh(classes, variant, len(terms))
    for c in range(len(columns)):
        columns[c].base = gain_of(columns[c], entries, classes, variant, totals)
    heaps, rho = _heaps_by_weight(columns)
    F = np.zeros(len(classes))
    watched = _heaps_by_class(columns, entries, len(classes))
    heavy, n_heavy = np.empty(len(columns), np.int64), np.int64(0)
    rivals = np.empty(len(columns), SLOT)
    phi, F_absent = 0.0, 0.0
    for step in range(n_steps):
        if totals.classes < 2 or totals.cells < 2 or stop[0] != 0:
            return order[:step], gains[:step]
        n_heavy = _list_heavy(heavy, n_heavy, watched, heaps, columns, classes, variant, totals)
        best, n_heavy = _ask_heavy(
            heavy, n_heavy, rivals, columns, entries, classes, variant, totals
        )
        best = _ask_heaps(
            best,
            rivals,
            heaps,
            rho,
            phi,
            F,
            F_absent,
            P_absent,
            columns,
            entries,
            classes,
            variant,
            totals,
        )
        winner = rivals[_winner(best, rivals, columns, terms, totals)]
        taken = columns[winner.item]
        order[step], gains[step] = terms[taken.next_term], winner.key
        taken.next_term += 1
        _put_back(best, n_heavy, rivals, heaps, rho, phi, F_absent, columns)
        subtract(taken, entries, classes)
        totals = refresh(classes, variant, len(terms) - step - 1)
        rise, rise_absent = _drift(F, classes, variant)
        phi += rise + SLACK * (1 + phi)
        F_absent += rise_absent
    return order, gains  # fmt: skip


@inner
def _list_heavy(
    heavy: Any, n_heavy: int, watched: Any, heaps: Any, columns: Any, classes: Any, variant: Any,
    totals: Any,
) -> Any:  # fmt: skip
    """List the columns that have become heavy, and return how many there are."""
    for i in range(len(classes)):
        limit = TAU * classes[i].R / classes[i].scale - variant.alpha
        while watched.size[i] > 0 and watched.slot[watched.start[i]].key > limit:
            n_heavy = _list(pop(watched, i), heavy, n_heavy, columns)
    if (totals.cells - variant.rest_cells) * TAU <= 1:  # smoothing alone makes the last ones heavy
        for b in range(len(heaps.size)):
            while heaps.size[b] > 0:
                n_heavy = _list(pop(heaps, b), heavy, n_heavy, columns)
    return n_heavy


@inner
def _list(c: int, heavy: Any, n_heavy: int, columns: Any) -> Any:
    if columns[c].heavy or columns[c].next_term == columns[c].last_term:
        return n_heavy
    columns[c].heavy = True
    heavy[n_heavy] = c
    return n_heavy + 1


@inner
def _ask_heavy(
    heavy: Any, n_heavy: int, rivals: Any, columns: Any, entries: Any, classes: Any, variant: Any,
    totals: Any,
) -> Any:  # fmt: skip
    """Evaluate the heavy columns; return the best of them, and how many there are."""
    best, j = Best(-1.0, 0.0, 0), 0
    while j < n_heavy:
        column = columns[heavy[j]]
        if column.next_term == column.last_term:
            n_heavy -= 1
            heavy[j] = heavy[n_heavy]
            continue
        gain = gain_of(column, entries, classes, variant, totals)
        best = _rival(best, rivals, heavy[j], gain, column, totals)
        j += 1
    return best, n_heavy


@inner
def _rival(best: Any, rivals: Any, c: int, gain: float, column: Any, totals: Any) -> Any:
    """Add a column to those that may be the best."""
    rivals[best.n_rivals].key, rivals[best.n_rivals].item = gain, c
    if gain > best.gain:
        return Best(gain, weight_of(column, totals), best.n_rivals + 1)
    return Best(best.gain, best.weight, best.n_rivals + 1)


@inner
def _ask_heaps(
    best: Any, rivals: Any, heaps: Any, rho: Any, phi: float, F: Any, F_absent: float,
    P_absent: float, columns: Any, entries: Any, classes: Any, variant: Any, totals: Any,
) -> Any:  # fmt: skip
    """Evaluate whatever may be better than the best so far; return the best."""
    # The most promising heap first, so that the best is high when the others are asked.
    b, turn, highest = 0, -1, -np.inf
    for other in range(len(rho)):
        if heaps.size[other] > 0:
            bound = heaps.slot[heaps.start[other]].key + rho[other] * phi
            if bound > highest:
                b, highest = other, bound
    while turn < len(rho):
        top = heaps.slot[heaps.start[b]]
        # TIE is wide enough for the rounding of the bounds, too.
        enough = best.gain - TIE * max(rho[b] + P_absent, best.weight)
        if heaps.size[b] == 0 or top.key + rho[b] * phi + F_absent < enough:
            turn += 1
            b = min(turn, len(rho) - 1)
            continue
        column = columns[top.item]
        if column.heavy:
            pop(heaps, b)
            continue
        drifted = F_absent
        for k in range(column.start, column.stop):
            drifted += entries[k].x * F[entries[k].class_]
        bound = column.base + drifted
        if bound >= enough:
            bound = gain_of(column, entries, classes, variant, totals)
            column.base = bound - drifted
        if bound >= enough:
            best = _rival(best, rivals, top.item, bound, column, totals)
            pop(heaps, b)
        else:
            top.key = bound - rho[b] * phi - F_absent
            sink(heaps, b, 0)
    return best


@inner
def _winner(best: Any, rivals: Any, columns: Any, terms: Any, totals: Any) -> Any:
    """Return which rival is the best, of equals the one with the lowest term."""
    tied = totals.cells == 2  # then taking either is the same
    winner, lowest = 0, np.iinfo(np.int64).max
    for j in range(best.n_rivals):
        column = columns[rivals[j].item]
        equal = rivals[j].key >= best.gain - TIE * max(weight_of(column, totals), best.weight)
        if (equal or tied) and terms[column.next_term] < lowest:
            winner, lowest = j, terms[column.next_term]
    return winner


@inner
def _put_back(
    best: Any, n_heavy: int, rivals: Any, heaps: Any, rho: Any, phi: float, F_absent: float,
    columns: Any,
) -> None:  # fmt: skip
    """Put the rivals back into their heaps: not the heavy ones, nor those without terms left."""
    for j in range(n_heavy, best.n_rivals):
        column = columns[rivals[j].item]
        if column.next_term < column.last_term:
            key = rivals[j].key - rho[column.heap] * phi - F_absent
            push(heaps, column.heap, key, rivals[j].item)


@inner
def _drift(F: Any, classes: Any, variant: Any) -> Any:
    """Add the last step's dF to F; return the largest, and what an absent term has drifted."""
    largest, absent = 0.0, 0.0
    for i in range(len(classes)):
        class_ = classes[i]
        if class_.R > 0:
            F[i] += class_.drift + SLACK
            absent += class_.weight * variant.alpha * class_.scale * (class_.drift + SLACK)
            largest = max(largest, class_.drift)
    return largest, absent


@inner
def _heaps_by_weight(columns: Any) -> Any:
    """Put the columns that stand for a term into heaps of similar weight, by their gain."""
    lightest, heaviest = np.inf, 0.0
    for c in range(len(columns)):
        if columns[c].P_counts > 0:
            lightest = min(lightest, columns[c].P_counts)
            heaviest = max(heaviest, columns[c].P_counts)
    n_weights = np.int64(1)  # the last one for terms without counts
    if heaviest > 0:
        n_weights += 1 + np.int64(np.log(heaviest / lightest) / np.log(RATIO))
    sizes = np.zeros(n_weights, np.int64)
    for c in range(len(columns)):
        column = columns[c]
        column.heap = n_weights - 1
        if column.P_counts > 0:
            column.heap = np.int64(np.log(heaviest / column.P_counts) / np.log(RATIO))
        sizes[column.heap] += 1
    heaps, rho = new_heaps(sizes), np.zeros(len(sizes))
    for c in range(len(columns)):
        column = columns[c]
        if column.next_term < column.last_term:
            rho[column.heap] = max(rho[column.heap], column.P_counts)
            append(heaps, column.heap, column.base, c)
    heapify(heaps)
    return heaps, rho


@inner
def _heaps_by_class(columns: Any, entries: Any, n_classes: int) -> Any:
    """Put each class's columns into a heap by their counts: the next to become heavy on top."""
    sizes = np.zeros(n_classes, np.int64)
    for k in range(len(entries)):
        sizes[entries[k].class_] += 1
    heaps = new_heaps(sizes)
    for c in range(len(columns)):
        for k in range(columns[c].start, columns[c].stop):
            append(heaps, entries[k].class_, entries[k].count, c)
    heapify(heaps)
    return heaps
