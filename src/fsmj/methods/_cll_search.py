r"""The compiled search of `fsmj.methods.cll`: the term that raises the likelihood most.

Symbols are those of `fsmj.methods._cll`. The likelihood is concave in s, so its first-order change
is an upper bound of the true one::

    gain_m = bound_m - sum_d gap_d,    gap_d = log sum_i p_di exp(D_di) - sum_i p_di D_di >= 0
    bound_m = - sum_i [ G_mi fall_i + H_i rise_i ]
    G_mi = c_im - sum_d x_dm p_di,   H_i = sum_d n_d (y_di - p_di)

A bound is worked out only where an old one does not do. Since then it has risen by no more than::

    width M + (T range + zeta top) (norm + M / 2) + weight eta + common

with ``width`` half the range of fall over the classes, ``norm = sum_i |G_mi| / 2``, ``top`` the
largest rise, and ``weight = sum_i (rise_i - unseen_i)`` of that time, where unseen is the rise of
a class without the term. What has happened since: ``M = sum_d x_dm |p_d - p_d then|_1``; range and
zeta, the range and the maximum over the classes of the growth of log Z; eta, how far H has fallen;
and common, the change of ``- sum_i H_i unseen_i``, which no term escapes. Proof, with a dash for
what is now: ``sum_i G_mi = 0``, so::

    sum_d x_dm (p'_d - p_d) fall <= width M                      G changes, fall as it was
    - G' (fall' - fall) <= (norm + M / 2) range_i(fall' - fall)  fall changes
    fall' - fall = T log(Z' / Z) - (rise - rise')
    0 <= rise - rise' <= (1 - Z / Z') rise <= zeta top           log(1 + u) is concave

and ``rise - unseen`` shrinks no faster than Z grows, too. For M, a document hands its movement to
its terms once it has gathered some.

Terms whose bound reaches the best gain are looked at. A look first takes off the gaps of the
documents that contain the term, and ends as soon as the term has fallen behind; only the few that
have not are charged for all other documents.

Gains that differ by less than `TIE` for each document count as equal, and the lowest column wins.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj._cache import njit
from fsmj.counts import ClassTermCounts
from fsmj.methods._cll import (
    LEVELS,
    STEEP,
    TINY,
    Corpus,
    Floats,
    State,
    log_p,
    tabulate,
    take,
    whole,
)

TIE = 1e-11  # nats per document
MEMORY = 128  # steps; older bounds are brought up to date
PATIENCE = 4.0  # a document hands on its movement at so many times the best gain per document


class Bounds(NamedTuple):
    """What is known of the gains of the terms."""

    free: NDArray[np.bool_]  # the terms that may still be taken
    size: Floats  # tokens of the term
    bound: Floats
    width: Floats
    norm: Floats
    top: Floats
    weight: Floats
    moved: Floats  # M, as far as documents have handed it on
    step: NDArray[np.int64]  # when the bound was worked out
    past: Floats  # Z, log Z, H and the common part at each of the last steps
    kept: Floats  # one number: what a document may keep to itself of its movement
    gain: Floats  # -inf outside a step, and where it is known not to be the best
    close: NDArray[np.int64]  # how many terms came close in the last step, and these, best first


def new_bounds(counts: ClassTermCounts) -> Bounds:
    """Return bounds that say nothing yet."""
    size = np.asarray(counts.term_counts.sum(axis=0), np.float64).ravel()
    return Bounds(
        free=counts.docs_per_term > 0,
        size=size,
        bound=np.full(len(size), np.inf),
        **{name: np.zeros(len(size)) for name in ("width", "norm", "top", "weight", "moved")},
        step=np.zeros(len(size), np.int64),
        past=np.zeros((MEMORY, 4, len(counts.priors))),
        kept=np.zeros(1),
        gain=np.full(len(size), -np.inf),
        close=np.zeros(len(size) + 1, np.int64),
    )


@njit(cache=True, nogil=True, error_model="numpy")
def _hand_on(corpus: Corpus, state: State, moved: Floats, least: float) -> None:
    """Tell the terms of the documents that have moved."""
    for d in range(len(state.moved)):
        by = state.moved[d]
        if by > least:
            for j in range(corpus.row_starts[d], corpus.row_starts[d + 1]):
                moved[corpus.row_terms[j]] += corpus.row_values[j] * by
            state.moved[d] = 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _surplus(corpus: Corpus, state: State, m: int, G: Floats) -> None:
    """Write down G_mi."""
    p, docs, values = state.p, corpus.docs, corpus.values
    for i in range(len(G)):
        G[i] = corpus.smoothed[m, i] - corpus.unseen
    j, end = corpus.starts[m], corpus.starts[m + 1]
    while j + 4 <= end:  # four at a time, since short loops are slow
        d, e, f, g = docs[j], docs[j + 1], docs[j + 2], docs[j + 3]
        u, v, w, x = values[j], values[j + 1], values[j + 2], values[j + 3]
        for i in range(len(G)):
            G[i] -= (u * p[d, i] + v * p[e, i]) + (w * p[f, i] + x * p[g, i])
        j += 4
    while j < end:
        d, x = docs[j], values[j]
        for i in range(len(G)):
            G[i] -= x * p[d, i]
        j += 1


@njit(cache=True, nogil=True, error_model="numpy")
def _log_mean(corpus: Corpus, state: State, temperature: float, d: int, change: Floats) -> float:
    """Return log sum_i p_di exp(change_i), however large the changes."""
    row = np.empty(len(change))
    log_p(corpus, state, np.log(state.totals), temperature, d, row)
    row += change
    top = row.max()
    return float(top + np.log(np.exp(row - top).sum()))


@njit(cache=True, nogil=True, error_model="numpy")
def _since(bounds: Bounds, age: int, Z: Floats, H: Floats, rise_unseen: Floats) -> Floats:
    """Note where things stand, and return how far they have moved since each of the last steps."""
    since, present = np.zeros((MEMORY, 4)), bounds.past[age % MEMORY]
    present[0], present[1], present[2], present[3] = Z, np.log(Z), H, -(H * rise_unseen).sum()
    for s in range(max(1, age - MEMORY + 1), age):
        past, most, least, eta = bounds.past[s % MEMORY], 0.0, np.inf, 0.0
        for i in range(len(Z)):
            growth = present[1, i] - past[1, i]
            most, least = max(most, growth), min(least, growth)
            eta = max(eta, past[2, i] - H[i] + max(H[i], 0.0) * (1 - past[0, i] / Z[i]))
        row = since[s % MEMORY]
        row[0], row[1], row[2], row[3] = most - least, most, eta, present[3, 0] - past[3, 0]
    return since


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def _falls_behind(
    corpus: Corpus, state: State, term: int, bound: float, floor: float,
    fall: Floats, rise: Floats, tables: Floats, queue: NDArray[np.int64],
) -> bool:  # fmt: skip
    """Return whether the gaps of the documents with the term bring its bound below the floor."""
    p, docs, values, tokens, is_open = state.p, corpus.docs, corpus.values, state.tokens, state.open
    n_classes = len(fall)
    falls, low, high = tables[0], tables[1], tables[2]
    steepest_fall, steepest_rise = fall.max(), rise.max()
    start, end = corpus.starts[term], corpus.starts[term + 1]
    # Documents in doubt first, since their gaps are the largest; without a branch to mispredict.
    # They queue from the left, the others from the right.
    left, right = 0, end - start
    for j in range(start, end):
        queue[left] = queue[right] = j
        in_doubt = int(is_open[docs[j]])
        left += in_doubt
        right -= 1 - in_doubt
    product = 1.0
    for k in range(end - start):
        j = queue[k] if k < left else queue[k + 1]
        d = docs[j]
        x, n, mean, total = values[j], tokens[d], 0.0, 0.0
        h, g = whole(x, LEVELS), whole(n, LEVELS * LEVELS)
        if x * steepest_fall + n * steepest_rise > STEEP:
            continue
        if h < 0 or g < 0:
            for i in range(n_classes):
                mean += p[d, i] * (x * fall[i] + n * rise[i])
                total += p[d, i] * np.exp(-x * fall[i] - n * rise[i])
        else:
            a, b = g // LEVELS, g % LEVELS
            for i in range(n_classes):
                mean += p[d, i] * (x * fall[i] + n * rise[i])
                total += p[d, i] * falls[h, i] * (high[a, i] * low[b, i])
        bound -= mean
        product *= total
        if k % 4 == 3 or product < TINY:
            bound -= np.log(product)
            product = 1.0
            if bound < floor:
                return True
    return bool(bound - np.log(product) < floor)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def _gain(
    corpus: Corpus, state: State, temperature: float, term: int, floor: float,
    fall: Floats, rise: Floats, tables: Floats,
) -> float:  # fmt: skip
    """Return the gain of a term, or -inf once it is known to stay below the floor.

    `_tabulate` has brought fall and rise into their form, and made the tables.
    """
    n_docs, n_classes = state.p.shape
    p, tokens, docs, values = state.p, state.tokens, corpus.docs, corpus.values
    start, end = corpus.starts[term], corpus.starts[term + 1]
    steepest_fall, steepest_rise = fall.max(), rise.max()
    falls, low, high = tables[0], tables[1], tables[2]
    rest = state.expected.copy()  # of the documents without the term
    bound, product = 0.0, 1.0
    for i in range(n_classes):
        bound -= (corpus.smoothed[term, i] - corpus.unseen) * fall[i] + state.counts[i] * rise[i]
    for j in range(start, end):
        d = docs[j]
        x, n, total = values[j], tokens[d], 0.0
        h, k = whole(x, LEVELS), whole(n, LEVELS * LEVELS)
        for i in range(n_classes):
            rest[i] -= n * p[d, i]
        if x * steepest_fall + n * steepest_rise > STEEP:
            bound -= _log_mean(corpus, state, temperature, d, -x * fall - n * rise)
            continue
        if h >= 0 and k >= 0:
            a, b = k // LEVELS, k % LEVELS
            for i in range(n_classes):
                total += p[d, i] * falls[h, i] * (high[a, i] * low[b, i])
        else:
            for i in range(n_classes):
                total += p[d, i] * np.exp(-x * fall[i] - n * rise[i])
        bound -= np.log(total)
    # What it would be if the others changed to first order only.
    ahead = bound - floor
    for i in range(n_classes):
        ahead += rest[i] * rise[i]
    if ahead < 0:
        return -np.inf
    powers = np.empty((LEVELS * LEVELS, n_classes))
    for k in range(LEVELS * LEVELS):
        for i in range(n_classes):
            powers[k, i] = high[k // LEVELS, i] * low[k % LEVELS, i]
    product, j = 1.0, start
    for d in range(n_docs):
        if j < end and docs[j] == d:
            j += 1
            continue
        n, total = tokens[d], 0.0
        if n == 0:
            continue
        k = whole(n, LEVELS * LEVELS)
        if n * steepest_rise > STEEP:
            bound -= _log_mean(corpus, state, temperature, d, -n * rise)
            continue
        if k < 0:
            for i in range(n_classes):
                total += p[d, i] * np.exp(-n * rise[i])
        else:
            for i in range(n_classes):
                total += p[d, i] * powers[k, i]
        product *= total
        if product < TINY:
            bound -= np.log(product)
            product = 1.0
    return float(bound - np.log(product))


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def search(
    corpus: Corpus, state: State, bounds: Bounds, temperature: float,
    stop: NDArray[np.uint8],
) -> None:  # fmt: skip
    """Write down the gains of those terms that may be the best.

    It is one function, since handing over all of these arrays would take longer than the work.
    """
    n_classes = len(state.totals)
    smoothed, totals, best, age = corpus.smoothed, state.totals, -np.inf, state.age[0]
    tie = TIE * len(state.tokens)
    H, z = state.counts - state.expected, np.log(totals)
    rise_unseen = temperature * np.log1p(corpus.unseen / totals)
    since = _since(bounds, age, totals, H, rise_unseen)
    fall, rise, G = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    queue = np.empty(len(state.tokens) + 1, np.int64)
    tables = np.empty((3, LEVELS, n_classes))
    gain, bound, width, step = bounds.gain, bounds.bound, bounds.width, bounds.step
    norm, weight, moved = bounds.norm, bounds.weight, bounds.moved
    size, kept, n_close = bounds.size, bounds.kept[0], bounds.close[0]
    for k in range(-n_close, len(gain)):
        m = bounds.close[n_close + k + 1] if k < 0 else k
        floor, then = best - tie, since[step[m] % MEMORY]
        far = moved[m] + kept * size[m]
        shift = temperature * then[0] + bounds.top[m] * then[1]
        reach = bound[m] + width[m] * far + shift * (norm[m] + far / 2)
        reach += weight[m] * then[2] + then[3]
        if reach < floor:
            if age - step[m] == MEMORY - 1:
                bound[m], step[m] = reach, age
                norm[m] += far / 2
                width[m] += shift / 2  # the range of fall has grown by no more
                moved[m] = 0.0
            continue
        if not bounds.free[m] or gain[m] > -np.inf:
            continue
        if stop[0]:
            return
        _surplus(corpus, state, m, G)
        now, top, bottom, spread, total = 0.0, -np.inf, np.inf, 0.0, 0.0
        for i in range(n_classes):
            rise[i] = rise_unseen[i]
            if smoothed[m, i] != corpus.unseen:
                rise[i] = temperature * np.log1p(smoothed[m, i] / totals[i])
                total += rise[i] - rise_unseen[i]
            fall[i] = rise[i] + temperature * (z[i] - corpus.log_smoothed[m, i])
            now -= G[i] * fall[i] + H[i] * rise[i]
            spread += abs(G[i])
            top, bottom = max(top, fall[i]), min(bottom, fall[i])
        bound[m], width[m] = now, (top - bottom) / 2
        norm[m], weight[m], bounds.top[m] = spread / 2, total, rise.max()
        moved[m], step[m] = 0.0, age
        if now >= floor:
            tabulate(fall, rise, tables)
            if _falls_behind(corpus, state, m, now, floor, fall, rise, tables, queue):
                continue
            gain[m] = _gain(corpus, state, temperature, m, floor, fall, rise, tables)
            best = max(best, gain[m])


@njit(cache=True, nogil=True, error_model="numpy")
def settle(corpus: Corpus, state: State, bounds: Bounds, temperature: float) -> tuple[int, float]:
    """Take the best of the terms found, and return it and the likelihood."""
    gain, close, free = bounds.gain, bounds.close, bounds.free
    best, winner, n_close = gain.max(), -1, 0
    for m in range(len(gain)):
        if gain[m] > -np.inf:
            if winner < 0 and gain[m] >= best - TIE * len(state.tokens):
                winner = m
            else:
                n_close += 1
                close[n_close] = m
    # The best first, so that little else will be looked at.
    close[0] = n_close
    close[1 : n_close + 1] = close[1 : n_close + 1][np.argsort(-gain[close[1 : n_close + 1]])]
    gain[close[1 : n_close + 1]] = -np.inf
    gain[winner], free[winner] = -np.inf, False
    likelihood = take(corpus, state, temperature, winner)
    bounds.kept[0] = max(0.0, PATIENCE * best / len(state.tokens))
    _hand_on(corpus, state, bounds.moved, bounds.kept[0])
    return winner, likelihood


@njit(cache=True, nogil=True, error_model="numpy")
def grow(
    corpus: Corpus,
    state: State,
    bounds: Bounds,
    temperature: float,
    order: NDArray[np.int64],
    likelihood: Floats,
    stop: NDArray[np.uint8],
) -> None:
    """Take the best terms one by one until `order` is full; something must be selected before."""
    for k in range(len(order)):
        search(corpus, state, bounds, temperature, stop)
        if stop[0]:
            return
        order[k], likelihood[k] = settle(corpus, state, bounds, temperature)
