r"""The compiled kernel of `fsmj.methods.cll`: greedy conditional likelihood of naive Bayes.

Symbols, for documents d, classes i, a candidate term m and the selected terms S:

- ``x_dm``: count of the term in the document; ``n_d = sum_{m in S} x_dm``.
- ``c_im``: count of the term in the class; ``b_im``: smoothed; ``Z_i = sum_{m in S} b_im``.
- ``s_di = log prior_i + T sum_{m in S} x_dm (log b_im - log Z_i)``; ``p_d = softmax(s_d)``.
- The likelihood is ``sum_d log p_d[y_d]``. Taking m changes ``s_di`` by
  ``D_di = -x_dm fall_i - n_d rise_i``, with ``rise_i = T log(1 + b_im / Z_i)`` and
  ``fall_i = T log((Z_i + b_im) / b_im)``.

The likelihood is concave in s, so its first-order change is an upper bound of the true one::

    gain_m = bound_m - sum_d gap_d,    gap_d = log sum_i p_di exp(D_di) - sum_i p_di D_di >= 0
    bound_m = - sum_i [ G_mi fall_i + H_i rise_i ]
    G_mi = c_im - sum_d x_dm p_di,   H_i = sum_d n_d (y_di - p_di)

A bound is worked out only where an old one does not do. Since then it has risen by no more than::

    (width + T zeta / 2) M + norm zeta + weight eta

with ``width`` half the range of fall over the classes, ``norm = T sum_i |G_mi| / 2`` and
``weight = sum_i rise_i`` of that time; M, zeta and eta say how far things have moved since:
``M = sum_d x_dm |p_d - p_d then|_1``, zeta the growth of log Z, eta that of H (the proof is
on the page on cll of the documentation). For M, a document hands its movement to its terms once it
has gathered some.

Terms whose bound reaches the best gain are looked at. A look first takes off the gaps of the
documents that contain the term, and ends as soon as the term has fallen behind; only the few that
have not are charged for all other documents.

Gains that differ by less than `TIE` for each document count as equal, and the lowest column wins.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from fsmj._cache import njit
from fsmj.counts import ClassTermCounts

Floats = NDArray[np.float64]

TIE = 1e-11  # nats per document
STEEP = 200.0  # exp(-STEEP) is far from underflow, and so are its products with probabilities
LEVELS = 16  # powers below LEVELS * LEVELS are products of two out of a table
TINY = 1e-100
SURE = 0.97
ANEW = 64  # steps after which all probabilities are worked out from sums again
PATIENCE = 4.0  # a document hands on its movement at so many times the best gain per document


class Corpus(NamedTuple):
    """Documents as rows and as columns of their matrix, and the model of the classes."""

    row_starts: NDArray[np.int64]
    row_terms: NDArray[np.int32]
    row_values: Floats
    starts: NDArray[np.int64]  # of each term's entries, and the end of the last
    docs: NDArray[np.int32]
    values: Floats
    labels: NDArray[np.int64]
    log_prior: Floats
    smoothed: Floats  # b, terms × classes
    log_smoothed: Floats
    unseen: float  # the smoothed count of a term that its class does not contain


class State(NamedTuple):
    """Where naive Bayes stands on the documents; the kernels change it in place."""

    evidence: Floats  # sum_{m in S} x_dm log b_im, documents × classes
    p: Floats
    tokens: Floats  # n_d
    moved: Floats  # how far p_d has moved (L1) since the document last handed it on
    open: NDArray[np.bool_]  # whether the document is in doubt
    totals: Floats  # Z_i
    counts: Floats  # sum_{m in S} c_im
    expected: Floats  # sum_d n_d p_di
    age: NDArray[np.int64]  # the number of terms taken


class Bounds(NamedTuple):
    """What is known of the gains of the terms."""

    free: NDArray[np.bool_]  # the terms that may still be taken
    size: Floats  # tokens of the term
    bound: Floats
    gain: Floats  # -inf outside a step, and where it is known not to be the best
    elsewhere: Floats  # the part - sum_i H_i rise_i of the bound
    width: Floats
    norm: Floats
    weight: Floats
    moved: Floats  # M, as far as documents have handed it on
    zeta: Floats  # as it was when the bound was worked out
    eta: Floats
    path: Floats  # zeta and eta now, and what a document may keep to itself of its movement
    best: Floats  # one number: the best gain found in this step
    close: NDArray[np.int64]  # how many terms came close in the last step, and these, best first


def corpus_of(
    documents: csr_array, labels: NDArray[np.int64], counts: ClassTermCounts, alpha: float
) -> Corpus:
    """Return training documents, labelled by the rows of their counts, with their model."""
    smoothed = np.ascontiguousarray(counts.term_counts.toarray().T, np.float64) + alpha
    rows, columns = _entries_of(documents), _entries_of(csc_array(documents))
    log_prior = np.log(counts.priors)
    return Corpus(*rows, *columns, labels, log_prior, smoothed, np.log(smoothed), alpha)


def with_documents(corpus: Corpus, documents: csr_array, labels: NDArray[np.int64]) -> Corpus:
    """Return other documents with the same model."""
    rows, columns = _entries_of(documents), _entries_of(csc_array(documents))
    return Corpus(
        *rows, *columns, labels,
        corpus.log_prior, corpus.smoothed, corpus.log_smoothed, corpus.unseen,
    )  # fmt: skip


def _entries_of(matrix: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    matrix.sort_indices()
    return (
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.data.astype(np.float64, copy=False),
    )


def new_state(corpus: Corpus) -> State:
    """Return the state in which nothing is selected."""
    n_docs, n_classes = len(corpus.labels), len(corpus.log_prior)
    return State(
        evidence=np.zeros((n_docs, n_classes)),
        p=np.tile(np.exp(corpus.log_prior), (n_docs, 1)),
        tokens=np.zeros(n_docs),
        moved=np.zeros(n_docs),
        open=np.ones(n_docs, bool),
        totals=np.zeros(n_classes),
        counts=np.zeros(n_classes),
        expected=np.zeros(n_classes),
        age=np.zeros(1, np.int64),
    )


def new_bounds(counts: ClassTermCounts) -> Bounds:
    """Return bounds that say nothing yet."""
    size = np.asarray(counts.term_counts.sum(axis=0), np.float64).ravel()
    known = ("elsewhere", "width", "norm", "weight", "moved", "zeta", "eta")
    return Bounds(
        free=counts.docs_per_term > 0,
        size=size,
        bound=np.full(len(size), np.inf),
        gain=np.full(len(size), -np.inf),
        **{name: np.zeros(len(size)) for name in known},
        path=np.zeros(3),
        best=np.full(1, -np.inf),
        close=np.zeros(len(size) + 1, np.int64),
    )


@njit(cache=True, nogil=True, error_model="numpy")
def _powers(rate: Floats, base: int, table: Floats) -> None:
    """Write exp(-k base rate_i) into row k."""
    for i in range(len(rate)):
        table[0, i] = 1.0
        table[1, i] = np.exp(-base * rate[i])
    for k in range(2, LEVELS):
        for i in range(len(rate)):
            table[k, i] = table[k - 1, i] * table[1, i]


@njit(cache=True, nogil=True, error_model="numpy")
def _tabulate(fall: Floats, rise: Floats, tables: Floats) -> None:
    """Write down the powers of fall and rise, less what all classes have in common.

    That leaves a document as it is. The tables are those of fall, and of rise in small and large
    steps.
    """
    fall -= fall.min()
    rise -= rise.min()
    _powers(fall, 1, tables[0])
    _powers(rise, 1, tables[1])
    _powers(rise, LEVELS, tables[2])


@njit(cache=True, nogil=True, error_model="numpy")
def _whole(n: float, limit: int) -> int:
    """Return n if it is a whole number below the limit, else -1."""
    k = int(n) if n < limit else -1
    return k if k == n else -1


@njit(cache=True, nogil=True, error_model="numpy")
def _log_p(corpus: Corpus, state: State, temperature: float, d: int, out: Floats) -> None:
    """Write down log p_di from sums."""
    top, total = -np.inf, 0.0
    for i in range(len(out)):
        s = state.evidence[d, i] - state.tokens[d] * np.log(state.totals[i])
        out[i] = corpus.log_prior[i] + temperature * s
        top = max(top, out[i])
    for i in range(len(out)):
        total += np.exp(out[i] - top)
    out -= top + np.log(total)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def _take(corpus: Corpus, state: State, temperature: float, term: int) -> float:
    """Select a term and return the likelihood."""
    n_docs, n_classes = state.p.shape
    p, tokens, labels, docs = state.p, state.tokens, corpus.labels, corpus.docs
    expected = state.expected
    low, high = np.empty((LEVELS, n_classes)), np.empty((LEVELS, n_classes))
    # Infinite at first, when no document needs it.
    rise = temperature * np.log1p(corpus.smoothed[term] / state.totals)
    rise -= rise.min()
    steepest = rise.max()
    _powers(rise, 1, low)
    _powers(rise, LEVELS, high)
    for i in range(n_classes):
        state.totals[i] += corpus.smoothed[term, i]
        state.counts[i] += corpus.smoothed[term, i] - corpus.unseen
    state.age[0] += 1
    anew = state.age[0] % ANEW == 0
    expected[:] = 0.0
    row = np.empty(n_classes)
    likelihood, product = 0.0, 1.0
    j, end = corpus.starts[term], corpus.starts[term + 1]
    for d in range(n_docs):
        has = j < end and docs[j] == d
        if has:
            x = corpus.values[j]
            j += 1
            tokens[d] += x
            for i in range(n_classes):
                state.evidence[d, i] += x * corpus.log_smoothed[term, i]
        n, label = tokens[d], labels[d]
        if n > 0:
            k, total, moved = _whole(n, LEVELS * LEVELS), 0.0, 0.0
            if anew or has or k < 0 or n * steepest > STEEP or p[d, label] < TINY:
                _log_p(corpus, state, temperature, d, row)
                likelihood += row[label]
                for i in range(n_classes):
                    row[i] = np.exp(row[i])
                    total += row[i]
            else:
                a, b = k // LEVELS, k % LEVELS
                for i in range(n_classes):
                    row[i] = p[d, i] * high[a, i] * low[b, i]
                for i in range(n_classes):
                    total += row[i]
                product *= row[label] / total
            scale, square = 1.0 / total, 0.0
            for i in range(n_classes):
                new = row[i] * scale
                expected[i] += n * new
                moved += abs(new - p[d, i])
                square += new * new
                p[d, i] = new
            state.moved[d] += moved
            state.open[d] = square < SURE
        else:
            product *= p[d, label]
        if product < TINY:  # one logarithm for many documents
            likelihood += np.log(product)
            product = 1.0
    return float(likelihood + np.log(product))


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
    _log_p(corpus, state, temperature, d, row)
    row += change
    top = row.max()
    return float(top + np.log(np.exp(row - top).sum()))


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def _look(
    corpus: Corpus, state: State, temperature: float, term: int, bound: float, floor: float,
    fall: Floats, rise: Floats, tables: Floats,
) -> float:  # fmt: skip
    """Return the gain of a term, or -inf once it is known to stay below the floor.

    `_tabulate` has brought fall and rise into their form, and made the tables.
    """
    n_docs, n_classes = state.p.shape
    p, tokens, docs, values, is_open = state.p, state.tokens, corpus.docs, corpus.values, state.open
    start, end = corpus.starts[term], corpus.starts[term + 1]
    steepest_fall, steepest_rise = fall.max(), rise.max()
    falls, low, high = tables[0], tables[1], tables[2]
    for turn in range(2):  # documents in doubt first, since their gaps are the largest
        for j in range(start, end):
            d = docs[j]
            if is_open[d] == turn:
                continue
            x, n, mean, total = values[j], tokens[d], 0.0, 0.0
            h, k = _whole(x, LEVELS), _whole(n, LEVELS * LEVELS)
            if x * steepest_fall + n * steepest_rise > STEEP:
                change = -x * fall - n * rise
                bound += (p[d] * change).sum() - _log_mean(corpus, state, temperature, d, change)
                continue
            if h >= 0 and k >= 0:
                a, b = k // LEVELS, k % LEVELS
                for i in range(n_classes):
                    mean += p[d, i] * (x * fall[i] + n * rise[i])
                    total += p[d, i] * falls[h, i] * (high[a, i] * low[b, i])
            else:
                for i in range(n_classes):
                    mean += p[d, i] * (x * fall[i] + n * rise[i])
                    total += p[d, i] * np.exp(-x * fall[i] - n * rise[i])
            bound -= np.log(total) + mean
            if bound < floor:
                return -np.inf
    # The first-order change of the documents without the term goes, their true one comes.
    inside = np.zeros(n_classes)
    for j in range(start, end):
        d = docs[j]
        for i in range(n_classes):
            inside[i] += tokens[d] * p[d, i]
    for i in range(n_classes):
        bound -= (state.expected[i] - inside[i]) * rise[i]
    product, j = 1.0, start
    for d in range(n_docs):
        if j < end and docs[j] == d:
            j += 1
            continue
        n, total = tokens[d], 0.0
        if n == 0:
            continue
        k = _whole(n, LEVELS * LEVELS)
        if n * steepest_rise > STEEP:
            bound -= _log_mean(corpus, state, temperature, d, -n * rise)
            continue
        if k < 0:
            for i in range(n_classes):
                total += p[d, i] * np.exp(-n * rise[i])
        else:
            a, b = k // LEVELS, k % LEVELS
            for i in range(n_classes):
                total += p[d, i] * (high[a, i] * low[b, i])
        product *= total
        if product < TINY:
            bound -= np.log(product)
            product = 1.0
    return float(bound - np.log(product))


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def search(
    corpus: Corpus, state: State, bounds: Bounds, temperature: float, first: int, last: int,
    stop: NDArray[np.uint8],
) -> None:  # fmt: skip
    """Write down the gains of those columns from `first` to `last` that may be the best.

    Threads may search other columns at the same time: they share the best gain so far, which
    saves work, while what they find does not depend on it.
    """
    n_classes = len(state.totals)
    smoothed, totals, best = corpus.smoothed, state.totals, bounds.best
    tie = TIE * len(state.tokens)
    H, z = state.counts - state.expected, np.log(totals)
    rise_unseen = temperature * np.log1p(corpus.unseen / totals)
    fall, rise, G = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    tables = np.empty((3, LEVELS, n_classes))
    gain, bound, elsewhere, width = bounds.gain, bounds.bound, bounds.elsewhere, bounds.width
    norm, weight, moved = bounds.norm, bounds.weight, bounds.moved
    zeta, eta, size = bounds.zeta, bounds.eta, bounds.size
    zeta_now, eta_now, kept = bounds.path[0], bounds.path[1], bounds.path[2]
    n_close = bounds.close[0]
    for k in range(-n_close, last - first):
        m = bounds.close[n_close + k + 1] if k < 0 else first + k
        grown, floor = zeta_now - zeta[m], best[0] - tie
        reach = bound[m] + norm[m] * grown
        reach += (width[m] + temperature * grown / 2) * (moved[m] + kept * size[m])
        if reach + weight[m] * (eta_now - eta[m]) < floor:
            continue
        if not bounds.free[m] or gain[m] > -np.inf or m < first or m >= last:
            continue
        if bound[m] < np.inf:  # the share of H as it is now, but for logarithms
            now = 0.0
            for i in range(n_classes):
                u = smoothed[m, i] / totals[i]
                least, most = 2 * u / (2 + u), u * (6 + u) / (6 + 4 * u)
                now -= H[i] * (least if H[i] > 0 else most)
            if reach - elsewhere[m] + temperature * now < floor:
                continue
        if stop[0]:
            return
        _surplus(corpus, state, m, G)
        here, there, top, bottom, spread, total = 0.0, 0.0, -np.inf, np.inf, 0.0, 0.0
        for i in range(n_classes):
            rise[i] = rise_unseen[i]
            if smoothed[m, i] != corpus.unseen:
                rise[i] = temperature * np.log1p(smoothed[m, i] / totals[i])
            fall[i] = rise[i] + temperature * (z[i] - corpus.log_smoothed[m, i])
            here -= G[i] * fall[i]
            there -= H[i] * rise[i]
            spread += abs(G[i])
            total += rise[i]
            top, bottom = max(top, fall[i]), min(bottom, fall[i])
        bound[m], elsewhere[m], width[m] = here + there, there, (top - bottom) / 2
        norm[m], weight[m] = temperature * spread / 2, total
        moved[m], zeta[m], eta[m] = 0.0, zeta_now, eta_now
        if bound[m] >= floor:
            _tabulate(fall, rise, tables)
            gain[m] = _look(corpus, state, temperature, m, bound[m], floor, fall, rise, tables)
            best[0] = max(best[0], gain[m])


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
    gain[winner], bounds.best[0], free[winner] = -np.inf, -np.inf, False
    totals, H = state.totals.copy(), state.counts - state.expected
    likelihood = _take(corpus, state, temperature, winner)
    growth, H_new = np.log(state.totals / totals), state.counts - state.expected
    bounds.path[0] += growth.max()
    bounds.path[1] += max(0.0, (H - H_new + growth * np.maximum(H_new, 0.0)).max())
    bounds.path[2] = max(0.0, PATIENCE * best / len(state.tokens))
    _hand_on(corpus, state, bounds.moved, bounds.path[2])
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
        search(corpus, state, bounds, temperature, 0, len(bounds.free), stop)
        if stop[0]:
            return
        order[k], likelihood[k] = settle(corpus, state, bounds, temperature)


@njit(cache=True, nogil=True, error_model="numpy")
def follow(
    corpus: Corpus,
    state: State,
    temperature: float,
    order: NDArray[np.int64],
    likelihood: Floats,
    stop: NDArray[np.uint8],
) -> None:
    """Take these terms, and write down the likelihood after each.

    The documents need not be those that the model of the classes comes from.
    """
    for k in range(len(order)):
        if stop[0]:
            return
        likelihood[k] = _take(corpus, state, temperature, order[k])
