"""The compiled kernel: Algorithm 1's ranking, term for term, in near-linear time.

`fsmj.methods._gain` has the gain of a term, and F, which bounds how far it has risen since it was
last worked out. So a gain worked out once stays useful, and few terms are ever looked at:

1. Terms of similar weight ``P = sum_i w_i p_i`` (up to `RATIO`) share a heap. F is compared with
   what it was when the present stretch of steps began (``F_then``): the heap's order is that of
   ``gain - sum_i w_i p_i (F_i - F_then_i)`` when it was worked out, and no term in it can gain more
   than its top plus rho max_i (F_i - F_then_i), where rho is the heap's largest P. From stretch to
   stretch these rises add up. At the start, a bound without logarithms stands for the gain.
2. Terms that come near the best are hot: each has a bound of its own, which rises by ``sum_i w_i
   p_i dF_i`` in a step. Where the hot ones are too many, a new stretch begins, and those that fell
   behind go back to their heaps.

Heavy terms (p_i > TAU R_i somewhere; at most 1/TAU per class) are evaluated at every step.
Terms with equal counts are one column that hands out its terms from the lowest.

Gains within `TIE` of the larger weight count as equal, and the lowest column wins. A term that
holds nearly all that is left weighs no more than what it leaves behind.

The phases of a step get their arrays one by one: the compiler counts the references to an array
that is taken out of a tuple, and in these loops that would cost several times the work itself.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from fsmj._cache import njit
from fsmj._interruptible import interruptible
from fsmj.methods._columns import distinct_columns
from fsmj.methods._gain import (
    BEND,
    CLASS,
    COLUMN,
    ENTRY,
    STEEP,
    Variant,
    gain_of,
    prepare,
    refresh,
    subtract,
)
from fsmj.methods._heaps import append, heapify, new_heaps, phase
from fsmj.methods._rivals import (
    HOT,
    RIVAL,
    STATE,
    ask_heaps,
    ask_heavy,
    ask_hot,
    drift,
    list_heavy,
    winner,
)

RATIO = 1.2  # the weights P in one heap differ by at most this factor


def greedy(
    term_counts: csc_array,
    totals: NDArray[Any],
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
    totals : ndarray of shape (n_classes,)
        Tokens of each class.
    rest_counts : ndarray of shape (n_classes,)
        Those of them outside the columns.
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
    # Every array that a loop makes itself takes longer to compile.
    ranked, gains = np.empty(n_steps, np.int64), np.empty(n_steps)
    heavy = np.empty(len(columns), RIVAL)
    hot = np.empty(max(8, min(HOT, 4096 // len(classes))), RIVAL)
    x = np.zeros((len(classes), len(hot)))
    states = np.zeros(1, STATE)  # a record does not keep its array: this does
    done = interruptible(
        _rank, columns, entries, classes, terms, variant, heavy, hot, x, states, ranked, gains
    )
    ranked, gains = ranked[:done], gains[:done]
    # What is left gains nothing: by column, empty terms last.
    place = np.full(n_columns, 1)
    place[candidates] = 0
    place[ranked] = -1
    tail = np.concatenate([np.flatnonzero(place == k) for k in (0, 1)])[: n_terms - len(ranked)]
    return np.concatenate([ranked, tail]), np.concatenate([gains, np.zeros(len(tail))])


@njit(cache=True, nogil=True, error_model="numpy")
def _rank(
    columns: Any, entries: Any, classes: Any, terms: Any, variant: Any, heavy: Any, hot: Any,
    x: Any, states: Any, order: Any, gains: Any, stop: Any,
) -> int:  # fmt: skip
    """Take the best term again and again, until `order` is full or nothing can be gained.

    Return how many have been taken.
    """
    P_absent = prepare(columns, entries, classes, variant)
    totals = refresh(classes, variant, len(terms))
    heaps, rho = _heaps_by_weight(columns, entries, classes, variant, totals)
    watched = _heaps_by_class(columns, entries, len(classes))
    state = states[0]
    state.P_absent = P_absent
    for step in range(len(order)):
        if totals.classes < 2 or totals.cells < 2 or stop[0] != 0:
            return step
        state.gain, state.weight = -1.0, 0.0
        list_heavy(heavy, hot, watched, heaps, state, columns, classes, variant, totals)
        ask_heavy(heavy, state, columns, entries, classes, variant, totals)
        ask_hot(hot, x, state, step, columns, entries, classes, variant, totals)
        ask_heaps(
            heaps, rho, hot, x, heavy, state, step, columns, entries, classes, variant, totals
        )
        best = winner(heavy, hot, state, step, columns, terms, totals)
        taken = columns[best.column]
        order[step], gains[step] = terms[taken.next_term], best.gain
        taken.next_term += 1
        subtract(taken, entries, classes)
        totals = refresh(classes, variant, len(terms) - step - 1)
        drift(hot, x, state, columns, classes, variant)
    return len(order)


@phase
def _heaps_by_weight(columns: Any, entries: Any, classes: Any, variant: Any, totals: Any) -> Any:
    """Put the columns that stand for a term into heaps of similar weight, by a first bound."""
    lightest, heaviest = np.inf, 0.0
    for c in range(len(columns)):
        if columns[c].P_counts > 0:
            lightest = min(lightest, columns[c].P_counts)
            heaviest = max(heaviest, columns[c].P_counts)
    n_weights = np.int64(1)  # the last one for terms without counts
    top = np.log(heaviest)  # a ratio of weights may be larger than any number
    if heaviest > 0:
        n_weights += 1 + np.int64((top - np.log(lightest)) / np.log(RATIO))
    sizes = np.zeros(n_weights, np.int64)
    for c in range(len(columns)):
        column = columns[c]
        column.heap = n_weights - 1
        if column.P_counts > 0:
            column.heap = np.int64((top - np.log(column.P_counts)) / np.log(RATIO))
        sizes[column.heap] += 1
    heaps, rho = new_heaps(sizes), np.zeros(len(sizes))
    # Where p_i <= TAU R_i and R_i = 1; p_i/p_0 <= 1/pi_i bounds the column's own divergence.
    ceiling = np.empty(len(classes))
    for i in range(len(classes)):
        share = classes[i].prior / classes[i].weight * totals.A
        ceiling[i] = BEND - 1 + STEEP * share - np.log(classes[i].prior)
    for c in range(len(columns)):
        column = columns[c]
        if column.next_term < column.last_term:
            rho[column.heap] = max(rho[column.heap], column.P_counts)
            bound = 0.0
            if variant.alpha > 0 or variant.complement:
                bound = gain_of(column, entries, classes, variant, totals)
            else:
                for k in range(column.start, column.stop):
                    bound += entries[k].x * ceiling[entries[k].class_]
            append(heaps, column.heap, bound, c)
    heapify(heaps)
    return heaps, rho


@phase
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
