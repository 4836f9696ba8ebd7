r"""The compiled kernel of `fsmj.documents.cll`: greedy conditional likelihood of naive Bayes.

Symbols, for documents d, classes i, a candidate term m and the selected terms S:

- ``x_dm``: count of the term in the document; ``n_d = sum_{m in S} x_dm``.
- ``b_im``: count of the term in the class, smoothed; ``z_i = log sum_{m in S} b_im``.
- ``s_di = log prior_i + T sum_{m in S} x_dm (log b_im - z_i)``; ``p_d = softmax(s_d)``.
- The likelihood is ``sum_d log p_d[y_d]``. Taking m changes ``s_di`` by
  ``D_di = T [x_dm (log b_im - z_i') - n_d (z_i' - z_i)]``, with ``z'`` the z after the step.

The likelihood is concave in s, so its first-order change is an upper bound of the true one::

    gain_m = bound_m - sum_d gap_d,    gap_d = log sum_i p_di exp(D_di) - sum_i p_di D_di >= 0
    bound_m = T sum_i [ G_mi (log b_im - z_i') - (z_i' - z_i) H_i ]
    G_mi = sum_d x_dm (y_di - p_di),   H_i = sum_d n_d (y_di - p_di)

The bounds of all terms come from one pass over the non-zero counts. Candidates are then looked at
from the largest bound down, until no bound reaches the best gain: what is left cannot win. A look
first takes off the gaps of the documents that contain the term, and ends as soon as the candidate
has fallen behind; only the few that have not are charged for all other documents. D depends on
the document by x_dm and n_d alone, which are mostly small whole numbers, so that exp(D) is a
product of two factors out of short tables.

Gains that differ by less than `TIE` for each document count as equal, and the lowest column wins.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from fsmj.counts import ClassTermCounts

TIE = 1e-11  # nats per document
LEVELS = 256  # factors of whole numbers below this are worked out once a look
STEEP = 500.0  # exp(-STEEP) is far from underflow, and so are its products with probabilities


class Corpus(NamedTuple):
    """Documents as the columns of their matrix, and the model of the classes."""

    starts: NDArray[np.int64]  # of each term's entries, and the end of the last
    docs: NDArray[np.int64]
    values: NDArray[np.float64]
    labels: NDArray[np.int64]
    log_prior: NDArray[np.float64]
    smoothed: NDArray[np.float64]  # b, terms × classes
    log_smoothed: NDArray[np.float64]
    unseen: float  # the smoothed count of a term that its class does not contain


class State(NamedTuple):
    """Where a run stands; the kernels change it in place."""

    free: NDArray[np.bool_]  # the terms that may still be taken
    evidence: NDArray[np.float64]  # sum_{m in S} x_dm log b_im, documents × classes
    tokens: NDArray[np.float64]  # n_d
    totals: NDArray[np.float64]  # exp(z_i)
    counts: NDArray[np.float64]  # sum_{m in S} of the class's count, without smoothing
    log_p: NDArray[np.float64]
    p: NDArray[np.float64]
    marked: NDArray[np.bool_]  # scratch: a flag for each document, down between calls
    levels: NDArray[np.float64]  # scratch: two tables, see `_row_of`,
    known: NDArray[np.bool_]  # and which of their rows are filled


def corpus_of(
    documents: csr_array, labels: NDArray[np.int64], counts: ClassTermCounts, alpha: float
) -> Corpus:
    """Return training documents, labelled by the rows of their counts, with their model."""
    smoothed = np.ascontiguousarray(counts.term_counts.toarray().T, np.float64) + alpha
    log_prior = np.log(counts.priors)
    return Corpus(*_entries_of(documents), labels, log_prior, smoothed, np.log(smoothed), alpha)


def with_documents(corpus: Corpus, documents: csr_array, labels: NDArray[np.int64]) -> Corpus:
    """Return other documents with the same model."""
    starts, docs, values = _entries_of(documents)
    return corpus._replace(starts=starts, docs=docs, values=values, labels=labels)


def _entries_of(documents: csr_array) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    columns = csc_array(documents)
    columns.sort_indices()
    return (
        columns.indptr.astype(np.int64),
        columns.indices.astype(np.int64),
        columns.data.astype(np.float64),
    )


def new_state(corpus: Corpus, free: NDArray[np.bool_]) -> State:
    """Return the state in which nothing is selected."""
    shape = (len(corpus.labels), len(corpus.log_prior))
    log_p = np.broadcast_to(corpus.log_prior, shape).copy()
    return State(
        free.copy(),
        np.zeros(shape),
        np.zeros(shape[0]),
        np.zeros(shape[1]),
        np.zeros(shape[1]),
        log_p,
        np.exp(log_p),
        np.zeros(shape[0], bool),
        np.empty((2, LEVELS + 1, shape[1])),
        np.zeros((2, LEVELS + 1), bool),
    )


@njit(cache=True)
def _take(corpus: Corpus, state: State, temperature: float, term: int) -> float:
    """Select a term and return the likelihood."""
    n_docs, n_classes = state.p.shape
    for j in range(corpus.starts[term], corpus.starts[term + 1]):
        d, x = corpus.docs[j], corpus.values[j]
        state.tokens[d] += x
        for i in range(n_classes):
            state.evidence[d, i] += x * corpus.log_smoothed[term, i]
    for i in range(n_classes):
        state.totals[i] += corpus.smoothed[term, i]
        state.counts[i] += corpus.smoothed[term, i] - corpus.unseen
    state.free[term] = False
    z = np.log(state.totals)
    likelihood = 0.0
    # All from the sums: updating the probabilities themselves would gather rounding.
    for d in range(n_docs):
        if state.tokens[d] > 0:
            top = -np.inf
            for i in range(n_classes):
                s = state.evidence[d, i] - state.tokens[d] * z[i]
                state.log_p[d, i] = corpus.log_prior[i] + temperature * s
                top = max(top, state.log_p[d, i])
            total = 0.0
            for i in range(n_classes):
                state.p[d, i] = np.exp(state.log_p[d, i] - top)
                total += state.p[d, i]
            shift = top + np.log(total)
            for i in range(n_classes):
                state.log_p[d, i] -= shift
                state.p[d, i] /= total
        likelihood += state.log_p[d, corpus.labels[d]]
    return likelihood


@njit(cache=True)
def _bounds(corpus: Corpus, state: State, temperature: float, out: NDArray[np.float64]) -> None:
    n_docs, n_classes = state.p.shape
    H = state.counts.copy()
    for d in range(n_docs):
        if state.tokens[d] > 0:
            for i in range(n_classes):
                H[i] -= state.tokens[d] * state.p[d, i]
    z, z_unseen = np.log(state.totals), np.log(state.totals + corpus.unseen)
    expected = np.empty(n_classes)
    for m in range(len(out)):
        out[m] = -np.inf
        if not state.free[m]:
            continue
        expected[:] = 0.0
        for j in range(corpus.starts[m], corpus.starts[m + 1]):
            d, x = corpus.docs[j], corpus.values[j]
            for i in range(n_classes):
                expected[i] += x * state.p[d, i]
        bound = 0.0
        for i in range(n_classes):
            b, z_new = corpus.smoothed[m, i], z_unseen[i]
            if b != corpus.unseen:
                z_new = np.log(state.totals[i] + b)
            G = b - corpus.unseen - expected[i]
            bound += G * (corpus.log_smoothed[m, i] - z_new) - (z_new - z[i]) * H[i]
        out[m] = temperature * bound


@njit(cache=True)
def _row_of(state: State, which: int, rate: NDArray[np.float64], n: float) -> int:
    """Return the row of a table that holds exp(-n rate_i); the last is for odd values of n."""
    row = int(min(n, LEVELS))
    if row != n:
        row = LEVELS
    elif state.known[which, row]:
        return row
    for i in range(len(rate)):
        state.levels[which, row, i] = np.exp(-n * rate[i])
    state.known[which, row] = row < LEVELS
    return row


@njit(cache=True)
def _log_mean(log_p: NDArray[np.float64], change: NDArray[np.float64]) -> float:
    """Return log sum_i p_i exp(change_i), however large the changes."""
    top, total = -np.inf, 0.0
    for i in range(len(log_p)):
        top = max(top, log_p[i] + change[i])
    for i in range(len(log_p)):
        total += np.exp(log_p[i] + change[i] - top)
    return float(top + np.log(total))


@njit(cache=True)
def _look(
    corpus: Corpus, state: State, temperature: float, term: int, bound: float, floor: float
) -> float:
    """Return the gain of a term, or -inf once it is known to stay below the floor."""
    n_classes = len(state.totals)
    fall, rise = np.empty(n_classes), np.empty(n_classes)
    for i in range(n_classes):
        z_new = np.log(state.totals[i] + corpus.smoothed[term, i])
        fall[i] = temperature * (z_new - corpus.log_smoothed[term, i])
        rise[i] = temperature * (z_new - np.log(state.totals[i]))
    # What all classes have in common leaves a document as it is.
    fall -= fall.min()
    rise -= rise.min()
    steepest_fall, steepest_rise = fall.max(), rise.max()
    state.known[:] = False
    change = np.empty(n_classes)
    for j in range(corpus.starts[term], corpus.starts[term + 1]):
        d, x = corpus.docs[j], corpus.values[j]
        n, mean, total = state.tokens[d], 0.0, 0.0
        if x * steepest_fall + n * steepest_rise > STEEP:
            for i in range(n_classes):
                change[i] = -x * fall[i] - n * rise[i]
                mean += state.p[d, i] * change[i]
            bound -= _log_mean(state.log_p[d], change) - mean
        else:
            a, b = _row_of(state, 0, fall, x), _row_of(state, 1, rise, n)
            for i in range(n_classes):
                mean -= state.p[d, i] * (x * fall[i] + n * rise[i])
                total += state.p[d, i] * state.levels[0, a, i] * state.levels[1, b, i]
            bound -= np.log(total) - mean
        if bound < floor:
            return -np.inf
    for j in range(corpus.starts[term], corpus.starts[term + 1]):
        state.marked[corpus.docs[j]] = True
    gain = bound - _gap_elsewhere(state, rise)
    for j in range(corpus.starts[term], corpus.starts[term + 1]):
        state.marked[corpus.docs[j]] = False
    return gain


@njit(cache=True)
def _gap_elsewhere(state: State, rise: NDArray[np.float64]) -> float:
    """Return the gaps of the documents without the term, which are those not marked."""
    n_docs, n_classes = state.p.shape
    steepest = rise.max()
    change = np.empty(n_classes)
    expected = np.zeros(n_classes)
    gap, product = 0.0, 1.0
    for d in range(n_docs):
        n = state.tokens[d]
        if n == 0 or state.marked[d]:
            continue
        for i in range(n_classes):
            expected[i] += n * state.p[d, i]
        if n * steepest > STEEP:
            for i in range(n_classes):
                change[i] = -n * rise[i]
            gap += _log_mean(state.log_p[d], change)
            continue
        row, total = _row_of(state, 1, rise, n), 0.0
        for i in range(n_classes):
            total += state.p[d, i] * state.levels[1, row, i]
        product *= total  # one logarithm for many documents
        if product < 1e-60:
            gap += np.log(product)
            product = 1.0
    gap += np.log(product)
    for i in range(n_classes):
        gap += rise[i] * expected[i]
    return float(gap)


@njit(cache=True)
def _look_at(
    corpus: Corpus,
    state: State,
    temperature: float,
    candidates: NDArray[np.int64],
    bounds: NDArray[np.float64],
    gains: NDArray[np.float64],
) -> None:
    """Write down the gains of candidates, and take their bounds away."""
    best, tie = gains.max(), TIE * len(state.tokens)
    for m in candidates:
        if bounds[m] >= best - tie:
            gains[m] = _look(corpus, state, temperature, m, bounds[m], best - tie)
            best = max(best, gains[m])
        bounds[m] = -np.inf


def _choose(
    corpus: Corpus, state: State, temperature: float, screen: int, likely: NDArray[np.int64]
) -> tuple[int, NDArray[np.int64]]:
    """Return the term to take, and those that came close; `likely` came close the last time."""
    n_terms, tie = len(state.free), TIE * len(state.tokens)
    bounds, gains = np.empty(n_terms), np.full(n_terms, -np.inf)
    _bounds(corpus, state, temperature, bounds)
    likely = np.append(bounds.argmax(), likely[state.free[likely]])
    # A narrow screen must not lower the likelihood where a wide one would not: hence twice.
    for width in (screen, n_terms):
        least = np.finfo(np.float64).min
        if width < n_terms:
            least = max(least, np.partition(bounds, -width)[-width])
        _look_at(corpus, state, temperature, likely[bounds[likely] >= least], bounds, gains)
        in_reach = np.flatnonzero(bounds >= max(least, gains.max() - tie))
        in_reach = in_reach[np.argsort(-bounds[in_reach], kind="stable")]
        _look_at(corpus, state, temperature, in_reach, bounds, gains)
        if gains.max() >= 0:
            break
    close = np.flatnonzero(gains > -np.inf)
    return int(np.argmax(gains >= gains.max() - tie)), close


def grow(
    corpus: Corpus,
    state: State,
    temperature: float,
    screen: int,
    order: NDArray[np.int64],
    likelihood: NDArray[np.float64],
) -> None:
    """Take the best terms one by one until `order` is full; something must be selected before.

    Parameters
    ----------
    corpus, state : Corpus, State
        The training documents.
    temperature : float
        T.
    screen : int
        The number of candidates, those of the largest bounds, to look at in a step. The choice
        is that among all terms if it is as large as the vocabulary.
    order : ndarray of shape (n_steps,)
        Receives the terms.
    likelihood : ndarray of shape (n_steps,)
        Receives the likelihood after each step.
    """
    likely = np.empty(0, np.int64)
    for k in range(len(order)):
        order[k], likely = _choose(corpus, state, temperature, screen, likely)
        likelihood[k] = _take(corpus, state, temperature, order[k])


def follow(
    corpus: Corpus,
    state: State,
    temperature: float,
    order: NDArray[np.int64],
    likelihood: NDArray[np.float64],
) -> None:
    """Take these terms, and write down the likelihood after each.

    The documents need not be those that the model of the classes comes from.
    """
    for k, term in enumerate(order):
        likelihood[k] = _take(corpus, state, temperature, term)
