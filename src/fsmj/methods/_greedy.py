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
    SLACK,
    STEEP,
    TAU,
    Variant,
    gain_of,
    light_gain,
    prepare,
    refresh,
    subtract,
    weight_of,
)
from fsmj.methods._heaps import TOP, append, heapify, inner, new_heaps, phase, pop, push, sink

RATIO = 1.2  # the weights P in one heap differ by at most this factor
TIE = 1e-12  # gains that differ by less than this share of the weight are equal


NEAR, KEEP = 2.0, 0.5  # how far behind a column may be to become hot, and to stay so, in rises
HOT = 64  # how many columns are hot at most; fewer if there are many classes

RIVAL = np.dtype(
    [
        ("column", "i8"),
        ("bound", "f8"),  # its gain is at most this
        ("gain", "f8"),  # its gain when it was last asked for
        ("asked", "i8"),  # the step when that was
    ]
)
STATE = np.dtype(
    [
        ("gain", "f8"),  # the best of the step so far, and its weight
        ("weight", "f8"),
        ("n_heavy", "i8"),
        ("n_hot", "i8"),
        ("past", "f8"),  # Phi when the present stretch of steps began
        ("rise", "f8"),  # and how far it has risen since
        ("absent", "f8"),  # how far an absent term has drifted
        ("P_absent", "f8"),  # its weight
    ]
)


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
        _list_heavy(heavy, hot, watched, heaps, state, columns, classes, variant, totals)
        _ask_heavy(heavy, state, columns, entries, classes, variant, totals)
        _ask_hot(hot, x, state, step, columns, entries, classes, variant, totals)
        _ask_heaps(
            heaps, rho, hot, x, heavy, state, step, columns, entries, classes, variant, totals
        )
        winner = _winner(heavy, hot, state, step, columns, terms, totals)
        taken = columns[winner.column]
        order[step], gains[step] = terms[taken.next_term], winner.gain
        taken.next_term += 1
        subtract(taken, entries, classes)
        totals = refresh(classes, variant, len(terms) - step - 1)
        _drift(hot, x, state, columns, classes, variant)
    return len(order)


@inner
def _better(state: Any, gain: float, column: Any, totals: Any) -> None:
    """Note the best gain of the step."""
    if gain > state.gain:
        state.gain, state.weight = gain, weight_of(column, totals)


@phase
def _list_heavy(
    heavy: Any, hot: Any, watched: Any, heaps: Any, state: Any, columns: Any, classes: Any,
    variant: Any, totals: Any,
) -> None:  # fmt: skip
    """List the columns that have become heavy."""
    for i in range(len(classes)):
        limit = TAU * classes[i].R / classes[i].scale - variant.alpha
        while watched.size[i] > 0 and watched.slot[watched.start[i]].key > limit:
            _list(pop(watched, i), heavy, state, columns)
    if (totals.cells - variant.rest_cells) * TAU <= 1:  # smoothing alone makes the last ones heavy
        for k in range(state.n_hot):
            _list(hot[k].column, heavy, state, columns)
        for b in range(len(heaps.size)):
            while heaps.size[b] > 0:
                _list(pop(heaps, b), heavy, state, columns)


@inner
def _list(c: int, heavy: Any, state: Any, columns: Any) -> None:
    if columns[c].heavy or columns[c].next_term == columns[c].last_term:
        return
    columns[c].heavy = True
    heavy[state.n_heavy].column = c
    state.n_heavy += 1


@phase
def _ask_heavy(
    heavy: Any, state: Any, columns: Any, entries: Any, classes: Any, variant: Any, totals: Any
) -> None:
    """Evaluate the heavy columns, and forget those that have no term left."""
    j = 0
    while j < state.n_heavy:
        column = columns[heavy[j].column]
        if column.next_term == column.last_term:
            state.n_heavy -= 1
            heavy[j] = heavy[state.n_heavy]
            continue
        heavy[j].gain = gain_of(column, entries, classes, variant, totals)
        _better(state, heavy[j].gain, column, totals)
        j += 1


@phase
def _ask_hot(
    hot: Any, x: Any, state: Any, step: int, columns: Any, entries: Any, classes: Any,
    variant: Any, totals: Any,
) -> None:  # fmt: skip
    """Evaluate the hot columns that may be the best: first the most promising, then in turn."""
    first = 0
    for k in range(state.n_hot):
        if hot[k].bound > hot[first].bound:
            first = k
    k, turn = first, -1
    while turn < state.n_hot:
        if k < state.n_hot and hot[k].asked != step:
            one, column = hot[k], columns[hot[k].column]
            if column.heavy or column.next_term == column.last_term:
                _cool(hot, x, state, k, columns, entries)
                continue
            if one.bound >= state.gain - TIE * state.weight:
                gain = light_gain(column, entries, classes, variant, totals)
                one.gain, one.bound, one.asked = gain, gain + 2 * TIE * column.P, step
                _better(state, gain, column, totals)
        turn += 1
        k = turn


@inner
def _cool(hot: Any, x: Any, state: Any, k: int, columns: Any, entries: Any) -> None:
    """Take a column out of the hot ones; the last of them gets its place."""
    column = columns[hot[k].column]
    for e in range(column.start, column.stop):
        x[entries[e].class_, k] = 0.0
    state.n_hot -= 1
    last = state.n_hot
    if k < last:
        column = columns[hot[last].column]
        for e in range(column.start, column.stop):
            x[entries[e].class_, k] = x[entries[e].class_, last]
            x[entries[e].class_, last] = 0.0
        hot[k] = hot[last]


@phase
def _ask_heaps(
    heaps: Any, rho: Any, hot: Any, x: Any, heavy: Any, state: Any, step: int, columns: Any,
    entries: Any, classes: Any, variant: Any, totals: Any,
) -> None:  # fmt: skip
    """Evaluate whatever in the heaps may be the best; what comes near it joins the hot ones."""
    for b in range(len(rho)):
        while heaps.size[b] > 0:
            top = heaps.slot[heaps.start[b]]
            # TIE is wide enough for the rounding of the bounds, too.
            enough = state.gain - TIE * max(rho[b] + state.P_absent, state.weight)
            past, rise = rho[b] * state.past + state.absent, rho[b] * state.rise
            if top.key + past + rise < enough:
                break
            item, column = top.item, columns[top.item]
            if column.heavy:
                pop(heaps, b)
                continue
            gain = light_gain(column, entries, classes, variant, totals)
            then = gain
            for k in range(column.start, column.stop):
                class_ = classes[entries[k].class_]
                then -= entries[k].x * (class_.F - class_.F_then)
            if then + NEAR * rise < enough:
                top.key = then - past
                sink(heaps, b, TOP)
                continue
            pop(heaps, b)
            if state.n_hot == len(hot):
                _make_room(heaps, rho, hot, x, state, step, columns, entries, classes)
            if state.n_hot < len(hot):
                one = hot[state.n_hot]
                one.column, one.gain, one.asked = item, gain, step
                one.bound = gain + 2 * TIE * column.P
                for k in range(column.start, column.stop):
                    x[entries[k].class_, state.n_hot] = entries[k].x
                state.n_hot += 1
            elif gain < enough:
                push(heaps, b, gain - rho[b] * state.past - state.absent, item)
            else:  # too many as good as each other
                column.heavy = True
                heavy[state.n_heavy].column, heavy[state.n_heavy].gain = item, gain
                state.n_heavy += 1
            _better(state, gain, column, totals)


@phase
def _make_room(
    heaps: Any, rho: Any, hot: Any, x: Any, state: Any, step: int, columns: Any, entries: Any,
    classes: Any,
) -> None:  # fmt: skip
    """Begin a new stretch of steps, and put hot columns that fell behind back into their heaps."""
    rise = state.rise
    state.past += rise
    state.rise = 0.0
    for i in range(len(classes)):
        classes[i].F_then = classes[i].F
    k = np.int64(0)
    while k < state.n_hot:
        one, b = hot[k], columns[hot[k].column].heap
        enough = state.gain - TIE * max(rho[b] + state.P_absent, state.weight)
        if one.bound + KEEP * rho[b] * rise < enough:
            push(heaps, b, one.bound - rho[b] * state.past - state.absent, one.column)
            _cool(hot, x, state, k, columns, entries)
        else:
            k += 1


@phase
def _winner(
    heavy: Any, hot: Any, state: Any, step: int, columns: Any, terms: Any, totals: Any
) -> Any:
    """Return the best column, of equals the one with the lowest term."""
    winner, lowest = heavy[0], np.iinfo(np.int64).max
    for j in range(state.n_heavy):
        if _first(heavy[j], lowest, state, columns, terms, totals):
            winner, lowest = heavy[j], terms[columns[heavy[j].column].next_term]
    for k in range(state.n_hot):
        if hot[k].asked == step and _first(hot[k], lowest, state, columns, terms, totals):
            winner, lowest = hot[k], terms[columns[hot[k].column].next_term]
    return winner


@inner
def _first(one: Any, lowest: int, state: Any, columns: Any, terms: Any, totals: Any) -> Any:
    column = columns[one.column]
    enough = state.gain - TIE * max(weight_of(column, totals), state.weight)
    tied = totals.cells == 2  # then taking either is the same
    return (one.gain >= enough or tied) and terms[column.next_term] < lowest


@phase
def _drift(hot: Any, x: Any, state: Any, columns: Any, classes: Any, variant: Any) -> None:
    """Add the last step's dF to F and to the bounds."""
    n = state.n_hot
    shift = np.zeros(n)
    rise, absent = 0.0, 0.0
    for i in range(len(classes)):
        class_ = classes[i]
        if class_.R > 0:
            drift = class_.drift + SLACK
            class_.F += drift
            rise = max(rise, class_.F - class_.F_then)
            absent += variant.alpha * class_.unit * drift
            for k in range(n):
                shift[k] += x[i, k] * drift
    for k in range(n):
        hot[k].bound += shift[k] + absent
    state.rise = rise
    state.absent += absent


@phase
def _heaps_by_weight(columns: Any, entries: Any, classes: Any, variant: Any, totals: Any) -> Any:
    """Put the columns that stand for a term into heaps of similar weight, by a first bound."""
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
