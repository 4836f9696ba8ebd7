"""The compiled kernel: Algorithm 1's ranking, term for term, in near-linear time.

`fsmj.methods._gain` has the gain of a term, and F, which bounds how far it has risen since it was
last worked out. So a gain worked out once stays useful, and few terms are ever looked at:

1. A term belongs to the class where its occurrences weigh most. Of a group of such classes, terms
   of similar weight ``P = sum_i w_i p_i`` (up to `RATIO`) share a heap. F is compared with what it
   was when the present stretch of steps began (``F_then``): the heap's order is that of ``gain -
   sum_i w_i p_i (F_i - F_then_i)`` when it was worked out, and no term in it can gain more than its
   top plus rho max_i (F_i - F_then_i), where rho is the heap's largest P and i the group's classes
   and all where occurrences weigh less. From stretch to stretch these rises add up. At the start,
   a bound without logarithms stands for the gain.
2. Terms that come near the best are hot: each has a bound of its own, which rises by ``sum_i w_i
   p_i dF_i`` in a step. Where the hot ones are too many, a new stretch begins, and those that fell
   behind go back to their heaps.

Heavy terms (p_i > TAU R_i somewhere; at most 1/TAU per class) are evaluated at every step.
Terms with equal counts are one column that hands out its terms from the lowest.

Gains within `TIE` of the larger weight count as equal, and the lowest column wins. A term that
holds nearly all that is left weighs no more than what it leaves behind.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from fsmj._cache import kernel, phase
from fsmj._interruptible import interruptible
from fsmj.methods._columns import distinct_columns
from fsmj.methods._gain import (
    BEND,
    CLASS,
    COLUMN,
    ENTRY,
    STEEP,
    Model,
    Variant,
    gain_of,
    prepare,
    refresh,
    subtract,
)
from fsmj.methods._heaps import append, heapify, new_heaps, top_key
from fsmj.methods._rivals import (
    RIVAL,
    STATE,
    Hot,
    Light,
    Search,
    Watch,
    ask_heaps,
    ask_heavy,
    ask_hot,
    drift,
    forget,
    list_heavy,
    winner,
)

RATIO = 1.5  # the weights P in one heap differ by at most this factor
GROUPS = 24  # of classes, at most
HOT = 256  # columns, at most; fewer if there are many classes


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
    classes["share"], classes["unit"] = priors / weights, weights * classes["scale"]
    by_unit = np.argsort(-classes["unit"], kind="stable")
    n_groups = min(GROUPS, len(classes))
    classes["group"][by_unit] = np.arange(len(classes)) * n_groups // len(classes)

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

    search = _search(Model(columns, entries, classes, variant))
    n_steps = min(n_terms, len(terms))
    ranked, gains = np.empty(n_steps, np.int64), np.empty(n_steps)
    done = interruptible(_rank, search, terms, ranked, gains)
    ranked, gains = ranked[:done], gains[:done]
    # What is left gains nothing: by column, empty terms last.
    place = np.full(n_columns, 1)
    place[candidates] = 0
    place[ranked] = -1
    tail = np.concatenate([np.flatnonzero(place == k) for k in (0, 1)])[: n_terms - len(ranked)]
    return np.concatenate([ranked, tail]), np.concatenate([gains, np.zeros(len(tail))])


def _search(model: Model) -> Search:
    """Fill in what is fixed about the columns, and make all that the loop works on."""
    columns, entries, classes, variant = model
    owner = np.repeat(np.arange(len(columns)), columns["stop"] - columns["start"])
    state = np.zeros(1, STATE)
    state["P_absent"] = variant.alpha * classes["unit"].sum()
    x = entries["count"] * classes["unit"][entries["class_"]]
    P = np.bincount(owner, x, len(columns))
    columns["P"] = state["P_absent"] + P
    mixed = x * classes["share"][entries["class_"]]
    columns["mixed"] = np.bincount(owner, mixed, len(columns))
    columns["mixed"] += variant.alpha * (classes["share"] * classes["unit"]).sum()
    columns["own"] = np.nan

    # The heap of a column: by the group of the class where its occurrences weigh most, and by P.
    n_groups = classes["group"].max() + 1
    group, weight = np.full(len(P), n_groups - 1), np.full(len(P), -1)
    np.minimum.at(group, owner, classes["group"][entries["class_"]])
    if P.any():  # a ratio of weights may be larger than any number
        weight[P > 0] = (np.log(P.max()) - np.log(P[P > 0])) / np.log(RATIO)
    n_weights = weight.max() + 2  # the last one for terms without counts
    columns["heap"] = group * n_weights + weight % n_weights
    rho = np.zeros(n_groups * n_weights)
    np.maximum.at(rho, columns["heap"], P)
    heaps = new_heaps(np.bincount(columns["heap"], minlength=len(rho)))
    table = (n_groups, n_weights)
    light = Light(heaps, np.empty(table), rho.reshape(table), *np.zeros((2, n_groups)))

    n_hot = min(HOT, max(32, 65536 // len(classes)))
    return Search(
        model,
        light,
        Hot(np.empty(n_hot, np.int64), np.empty(n_hot), np.zeros((len(classes) + 2, n_hot))),
        np.empty(len(columns), np.int64),
        _watch(model, owner),
        np.empty(len(columns), RIVAL),
        state,
    )


def _watch(model: Model, owner: NDArray[np.int64]) -> Watch:
    """Sort the columns of each class by their counts, eight levels to a power of two."""
    n_classes, class_ = len(model.classes), model.entries["class_"]
    # The exponent and three more digits of a positive number are in order as whole numbers, too.
    digits = np.ascontiguousarray(model.entries["count"]).view(np.int64) >> 49
    present = np.flatnonzero(np.bincount(digits))[::-1]
    level = np.zeros(present.max(initial=0) + 1, np.int64)
    level[present] = np.arange(len(present))
    place = (class_ * len(present) + level[digits], np.arange(len(owner)))
    shape = (n_classes * len(present), len(owner))
    by_place = csr_array((owner, place), shape=shape)  # sorts in linear time
    edge = ((present + 1) << 49).view(np.float64)
    return Watch(by_place.data, by_place.indptr, edge, np.zeros(n_classes, np.int64))


@kernel
def _rank(search: Any, terms: Any, order: Any, gains: Any, stop: Any) -> int:
    """Take the best term again and again, until `order` is full or nothing can be gained.

    Return how many have been taken.
    """
    model, state = search.model, search.state[0]
    prepare(model)
    totals = refresh(model, len(terms))
    _fill_heaps(search, totals)
    for step in range(len(order)):
        if totals.classes < 2 or totals.cells < 2 or stop[0] != 0:
            return step
        state.gain, state.weight, state.n_rivals = -1.0, 0.0, 0
        list_heavy(search, totals)
        ask_heavy(search, totals)
        ask_hot(search, totals)
        ask_heaps(search, totals)
        best = winner(search, totals, terms)
        taken = model.columns[best.column]
        order[step], gains[step] = terms[taken.next_term], best.gain
        taken.next_term += 1
        if taken.next_term == taken.last_term:
            forget(search, best.column)
        subtract(taken, model)
        totals = refresh(model, len(terms) - step - 1)
        drift(search, totals)
    return len(order)


@phase
def _fill_heaps(search: Any, totals: Any) -> None:
    """Put the columns that stand for a term into their heaps, by a first bound."""
    columns, entries, classes, variant = search.model
    light = search.light
    # Where p_i <= TAU R_i and R_i = 1; p_i/p_0 <= 1/pi_i bounds the column's own divergence.
    for i in range(len(classes)):
        class_ = classes[i]
        class_.ceiling = BEND - 1 + STEEP * class_.share * totals.A - np.log(class_.prior)
    for c in range(len(columns)):
        column = columns[c]
        if column.next_term < column.last_term:
            bound = 0.0
            if variant.alpha > 0 or variant.complement:
                bound = gain_of(column, search.model, totals)
            else:
                for k in range(column.start, column.stop):
                    class_ = classes[entries[k].class_]
                    bound += entries[k].count * class_.unit * class_.ceiling
            append(light.heaps, column.heap, bound, c)
    heapify(light.heaps)
    for h in range(len(light.heaps.size)):
        light.top[h // light.top.shape[1], h % light.top.shape[1]] = top_key(light.heaps, h)
