"""Columns that compete for a step of `fsmj.methods._greedy`: heavy, hot, or on top of a heap."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj._cache import inner, phase
from fsmj.methods._gain import TAU, Model, gain_of, light_gain, weight_of
from fsmj.methods._heaps import TOP, Heaps, pop, push, sink, top_key
from fsmj.tokens._instructions import fetch

TIE = 1e-12  # gains that differ by less than this share of the weight are equal
NEAR, KEEP = 2.0, 0.5  # how far behind a column may be to become hot, and to stay so, in rises

RIVAL = np.dtype([("column", "i8"), ("gain", "f8")])
STATE = np.dtype(
    [
        ("gain", "f8"),  # the best of the step so far, and its weight
        ("weight", "f8"),
        ("n_rivals", "i8"),
        ("n_heavy", "i8"),
        ("n_hot", "i8"),
        ("absent", "f8"),  # how far an absent term has drifted
        ("P_absent", "f8"),  # its weight
    ]
)


class Light(NamedTuple):
    """The heaps of columns that are neither heavy nor hot, as a table of groups × weights."""

    heaps: Heaps
    top: NDArray[np.float64]
    """The key on top of each heap."""
    rho: NDArray[np.float64]
    """The largest weight in each heap."""
    past: NDArray[np.float64]
    """Phi of each group when the present stretch of steps began."""
    rise: NDArray[np.float64]
    """How far it has risen since."""


class Hot(NamedTuple):
    """Columns with a bound of their own."""

    column: NDArray[np.int64]
    bound: NDArray[np.float64]
    x: NDArray[np.float64]
    """Classes × columns: w_i p_i without smoothing; then the sums of share_i x_i, and of x_i."""


class Watch(NamedTuple):
    """The columns of each class by their counts, largest first, in levels."""

    column: NDArray[np.int64]
    start: NDArray[np.int64]
    """Classes × levels: where a level begins; with one more at the end."""
    edge: NDArray[np.float64]
    """The counts of a level are smaller than this."""
    level: NDArray[np.int64]
    """Of each class: the next to become heavy."""


class Search(NamedTuple):
    """All that a step looks at; the phases change it in place."""

    model: Model
    light: Light
    hot: Hot
    heavy: NDArray[np.int64]
    watch: Watch
    rivals: NDArray[Any]
    """Those whose gain was the best when they were asked, or as good."""
    state: NDArray[Any]


@inner
def _compare(search: Any, totals: Any, c: int, gain: float) -> None:
    """Note a gain that is the best of the step so far, or as good."""
    state, weight = search.state[0], weight_of(search.model.columns[c], totals)
    if gain < state.gain - TIE * max(weight, state.weight) and totals.cells > 2:
        return
    rival = search.rivals[state.n_rivals]
    rival.column, rival.gain = c, gain
    state.n_rivals += 1
    if gain > state.gain:
        state.gain, state.weight = gain, weight


@phase
def winner(search: Any, totals: Any, terms: Any) -> Any:
    """Return the best column, of equals the one with the lowest term."""
    state, best, lowest = search.state[0], search.rivals[0], np.iinfo(np.int64).max
    for j in range(state.n_rivals):
        rival = search.rivals[j]
        column = search.model.columns[rival.column]
        enough = state.gain - TIE * max(weight_of(column, totals), state.weight)
        tied = totals.cells == 2  # then taking either is the same
        if (rival.gain >= enough or tied) and terms[column.next_term] < lowest:
            best, lowest = rival, terms[column.next_term]
    return best


@phase
def list_heavy(search: Any, totals: Any) -> None:
    """List the columns that have become heavy."""
    model, watch, light = search.model, search.watch, search.light
    n_levels = len(watch.edge)
    for i in range(len(model.classes)):
        limit = TAU * model.classes[i].R / model.classes[i].scale - model.variant.alpha
        while watch.level[i] < n_levels and watch.edge[watch.level[i]] > limit:
            place = i * n_levels + watch.level[i]
            for k in range(watch.start[place], watch.start[place + 1]):
                _list(search, watch.column[k])
            watch.level[i] += 1
    # Smoothing alone makes the last ones heavy.
    if (totals.cells - model.variant.rest_cells) * TAU <= 1:
        for k in range(search.state[0].n_hot):
            _list(search, search.hot.column[k])
        for h in range(len(light.heaps.size)):
            while light.heaps.size[h] > 0:
                _list(search, pop(light.heaps, h))
        light.top[:] = -np.inf


@inner
def _list(search: Any, c: int) -> None:
    column, state = search.model.columns[c], search.state[0]
    if column.heavy or column.next_term == column.last_term:
        return
    column.heavy = True
    search.heavy[state.n_heavy] = c
    state.n_heavy += 1


@phase
def ask_heavy(search: Any, totals: Any) -> None:
    """Evaluate the heavy columns, and forget those that have no term left."""
    state, heavy = search.state[0], search.heavy
    j = 0
    while j < state.n_heavy:
        column = search.model.columns[heavy[j]]
        if column.next_term == column.last_term:
            state.n_heavy -= 1
            heavy[j] = heavy[state.n_heavy]
            continue
        _compare(search, totals, heavy[j], gain_of(column, search.model, totals))
        j += 1


@phase
def ask_hot(search: Any, totals: Any) -> None:
    """Evaluate the hot columns that may be the best, the most promising first."""
    state, bound = search.state[0], search.hot.bound
    if state.n_hot == 0:
        return
    first, hits = TOP, 0
    for k in range(state.n_hot):
        if bound[k] > bound[first]:
            first = k
    _ask(search, totals, first)
    enough = state.gain - TIE * state.weight
    for k in range(state.n_hot):  # a count, which the compiler takes of several at once
        hits += bound[k] >= enough
    if hits > (bound[first] >= enough):
        for k in range(state.n_hot):
            if bound[k] >= enough and k != first:
                _ask(search, totals, k)
                enough = state.gain - TIE * state.weight


@inner
def _ask(search: Any, totals: Any, k: int) -> None:
    """Evaluate a hot column, if it is not heavy yet."""
    hot, column = search.hot, search.model.columns[search.hot.column[k]]
    hot.bound[k] = -np.inf
    if not column.heavy:
        gain = light_gain(column, search.model, totals)
        hot.bound[k] = gain + 2 * TIE * column.P
        _compare(search, totals, hot.column[k], gain)


@inner
def _heat(search: Any, c: int, gain: float) -> None:
    """Make a column hot."""
    state, hot, model = search.state[0], search.hot, search.model
    k, n, column = state.n_hot, len(model.classes), model.columns[c]
    hot.column[k], hot.bound[k] = c, gain + 2 * TIE * column.P
    hot.x[n, k] = hot.x[n + 1, k] = 0.0
    for e in range(column.start, column.stop):
        i = model.entries[e].class_
        x = model.entries[e].count * model.classes[i].unit
        hot.x[i, k] = x
        hot.x[n, k] += model.classes[i].share * x
        hot.x[n + 1, k] += x
    state.n_hot += 1


@inner
def _cool(search: Any, k: int) -> None:
    """Take a column out of the hot ones; the last of them gets its place."""
    state, hot, model = search.state[0], search.hot, search.model
    state.n_hot -= 1
    last, n = state.n_hot, len(model.classes)
    column = model.columns[hot.column[k]]
    for e in range(column.start, column.stop):
        hot.x[model.entries[e].class_, k] = 0.0
    if k < last:
        column = model.columns[hot.column[last]]
        for e in range(column.start, column.stop):
            i = model.entries[e].class_
            hot.x[i, k], hot.x[i, last] = hot.x[i, last], 0.0
        for i in range(n, n + 2):
            hot.x[i, k] = hot.x[i, last]
        hot.column[k], hot.bound[k] = hot.column[last], hot.bound[last]


@phase
def forget(search: Any, c: int) -> None:
    """Take a column that has no term left out of the hot ones, if it is one."""
    for k in range(search.state[0].n_hot):
        if search.hot.column[k] == c:
            _cool(search, k)
            break


@phase
def ask_heaps(search: Any, totals: Any) -> None:
    """Evaluate whatever in the heaps may be the best; what comes near it joins the hot ones."""
    state, model, hot, light = search.state[0], search.model, search.hot, search.light
    heaps, top, rho = light.heaps, light.top, light.rho
    n_weights = rho.shape[1]
    for g in range(len(rho)):
        risen, enough = light.past[g] + light.rise[g] + TIE, _enough(state)
        hits = 0  # a count, which the compiler takes of several heaps at once
        for b in range(n_weights):
            hits += top[g, b] + rho[g, b] * risen >= enough
        if hits == 0:
            continue
        for b in range(n_weights):
            h = g * n_weights + b
            while top[g, b] + rho[g, b] * (light.past[g] + light.rise[g] + TIE) >= _enough(state):
                c = heaps.slot[heaps.start[h]].item
                column = model.columns[c]
                if column.heavy:
                    pop(heaps, h)
                    _note_top(search, g, b)
                    continue
                gain = light_gain(column, model, totals)
                then = gain - state.absent
                for k in range(column.start, column.stop):
                    class_ = model.classes[model.entries[k].class_]
                    then -= model.entries[k].count * class_.unit * (class_.F - class_.F_then)
                if then + NEAR * rho[g, b] * light.rise[g] < _enough(state):
                    heaps.slot[heaps.start[h]].key = then - rho[g, b] * light.past[g]
                    sink(heaps, h, TOP)
                    _note_top(search, g, b)
                    continue
                pop(heaps, h)
                _note_top(search, g, b)
                if state.n_hot == len(hot.column):
                    _make_room(search)
                if state.n_hot < len(hot.column):
                    _heat(search, c, gain)
                elif gain - state.absent < _enough(state):
                    push(heaps, h, gain - state.absent - rho[g, b] * light.past[g], c)
                    _note_top(search, g, b)
                else:  # too many as good as each other
                    _list(search, c)
                _compare(search, totals, c, gain)


@inner
def _note_top(search: Any, g: int, b: int) -> None:
    """Note the key on top of a heap, and let the memory send its column, which may be next."""
    light = search.light
    h = g * light.top.shape[1] + b
    light.top[g, b] = top_key(light.heaps, h)
    if light.heaps.size[h] > 0:
        fetch(search.model.columns, light.heaps.slot[light.heaps.start[h]].item)


@inner
def _enough(state: Any) -> Any:
    """Return what the best gain comes to for a bound of an absent term's drift less."""
    # TIE is wide enough for the rounding of the bounds, too.
    return state.gain - TIE * (state.P_absent + state.weight) - state.absent


@inner
def _make_room(search: Any) -> None:
    """Begin a new stretch of steps, and put hot columns that fell behind back into their heaps."""
    state, hot, light = search.state[0], search.hot, search.light
    n_weights = light.rho.shape[1]
    for g in range(len(light.past)):
        light.past[g] += light.rise[g]
    for i in range(len(search.model.classes)):
        search.model.classes[i].F_then = search.model.classes[i].F
    k = TOP
    while k < state.n_hot:
        c = hot.column[k]
        h = np.int64(search.model.columns[c].heap)
        g, b = h // n_weights, h % n_weights
        bound, rho = hot.bound[k] - state.absent, light.rho[g, b]
        if bound + rho * (KEEP * light.rise[g] + TIE) < _enough(state):
            if not search.model.columns[c].heavy:
                push(light.heaps, h, bound - rho * light.past[g], c)
                _note_top(search, g, b)
            _cool(search, k)
        else:
            k += 1
    light.rise[:] = 0.0


@phase
def drift(search: Any, totals: Any) -> None:
    """Add the last step's dF to F and to the bounds."""
    state, classes, hot, rise = search.state[0], search.model.classes, search.hot, search.light.rise
    n, n_hot, absent = len(classes), state.n_hot, 0.0
    rise[:] = 0.0
    for i in range(n):
        class_ = classes[i]
        if class_.R > 0:
            dF = class_.drift + class_.share * totals.lift - totals.sinking
            class_.F += dF
            rise[class_.group] = max(rise[class_.group], class_.F - class_.F_then)
            absent += search.model.variant.alpha * class_.unit * dF
            if class_.drift != 0:
                for k in range(n_hot):
                    hot.bound[k] += class_.drift * hot.x[i, k]
    for k in range(n_hot):
        hot.bound[k] += totals.lift * hot.x[n, k] - totals.sinking * hot.x[n + 1, k] + absent
    for g in range(len(rise) - 1, 0, -1):
        rise[g - 1] = max(rise[g - 1], rise[g])
    state.absent += absent
