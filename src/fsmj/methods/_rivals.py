"""Columns that compete for a step of `fsmj.methods._greedy`: heavy, hot, or on top of a heap."""

from typing import Any

import numpy as np

from fsmj.methods._gain import SLACK, TAU, gain_of, light_gain, weight_of
from fsmj.methods._heaps import TOP, inner, phase, pop, push, sink

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


@inner
def _better(state: Any, gain: float, column: Any, totals: Any) -> None:
    """Note the best gain of the step."""
    if gain > state.gain:
        state.gain, state.weight = gain, weight_of(column, totals)


@phase
def list_heavy(
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
def ask_heavy(
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
def ask_hot(
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
def ask_heaps(
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
def winner(
    heavy: Any, hot: Any, state: Any, step: int, columns: Any, terms: Any, totals: Any
) -> Any:
    """Return the best column, of equals the one with the lowest term."""
    best, lowest = heavy[0], np.iinfo(np.int64).max
    for j in range(state.n_heavy):
        if _first(heavy[j], lowest, state, columns, terms, totals):
            best, lowest = heavy[j], terms[columns[heavy[j].column].next_term]
    for k in range(state.n_hot):
        if hot[k].asked == step and _first(hot[k], lowest, state, columns, terms, totals):
            best, lowest = hot[k], terms[columns[hot[k].column].next_term]
    return best


@inner
def _first(one: Any, lowest: int, state: Any, columns: Any, terms: Any, totals: Any) -> Any:
    column = columns[one.column]
    enough = state.gain - TIE * max(weight_of(column, totals), state.weight)
    tied = totals.cells == 2  # then taking either is the same
    return (one.gain >= enough or tied) and terms[column.next_term] < lowest


@phase
def drift(hot: Any, x: Any, state: Any, columns: Any, classes: Any, variant: Any) -> None:
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
