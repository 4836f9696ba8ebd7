r"""The compiled model of `fsmj.methods.cll`: naive Bayes on documents, term by term.

Symbols, for documents d, classes i, a candidate term m and the selected terms S:

- ``x_dm``: count of the term in the document; ``n_d = sum_{m in S} x_dm``.
- ``c_im``: count of the term in the class; ``b_im``: smoothed; ``Z_i = sum_{m in S} b_im``.
- ``s_di = log prior_i + T sum_{m in S} x_dm (log b_im - log Z_i)``; ``p_d = softmax(s_d)``.
- The likelihood is ``sum_d log p_d[y_d]``. Taking m changes ``s_di`` by
  ``D_di = -x_dm fall_i - n_d rise_i``, with ``rise_i = T log(1 + b_im / Z_i)`` and
  ``fall_i = T log((Z_i + b_im) / b_im)``.

What all classes have in common leaves a document as it is, so fall and rise may be shifted.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from fsmj._cache import njit
from fsmj.counts import ClassTermCounts

Floats = NDArray[np.float64]

STEEP = 200.0  # exp(-STEEP) is far from underflow, and so are its products with probabilities
LEVELS = 16  # powers below LEVELS * LEVELS are products of two out of a table
TINY = 1e-100
SURE = 0.97
ANEW = 64  # steps after which all probabilities are worked out from sums again


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


def corpus_of(
    documents: csr_array, labels: NDArray[np.int64], counts: ClassTermCounts, alpha: float
) -> Corpus:
    """Return training documents, labelled by the rows of their counts, with their model."""
    smoothed = np.ascontiguousarray(counts.term_counts.toarray().T, np.float64) + alpha
    floats = _floats(documents)
    rows, columns = _entries_of(floats), _entries_of(csc_array(floats))
    log_prior = np.log(counts.priors)
    return Corpus(*rows, *columns, labels, log_prior, smoothed, np.log(smoothed), alpha)


def with_documents(corpus: Corpus, documents: csr_array, labels: NDArray[np.int64]) -> Corpus:
    """Return other documents with the same model, to be followed; that does not need their rows."""
    return Corpus(
        corpus.row_starts[:0], corpus.row_terms[:0], corpus.row_values[:0],
        *_entries_of(csc_array(_floats(documents))), labels,
        corpus.log_prior, corpus.smoothed, corpus.log_smoothed, corpus.unseen,
    )  # fmt: skip


def _floats(documents: csr_array) -> csr_array:
    data = documents.data.astype(np.float64, copy=False)
    return csr_array((data, documents.indices, documents.indptr), documents.shape)


def _entries_of(matrix: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    matrix.sort_indices()
    return (
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.data,
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
def tabulate(fall: Floats, rise: Floats, tables: Floats) -> None:
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
def whole(n: float, limit: int) -> int:
    """Return n if it is a whole number below the limit, else -1."""
    k = int(n) if n < limit else -1
    return k if k == n else -1


@njit(cache=True, nogil=True, error_model="numpy")
def log_p(corpus: Corpus, state: State, z: Floats, temperature: float, d: int, out: Floats) -> None:
    """Write down log p_di from sums."""
    top, total = -np.inf, 0.0
    for i in range(len(out)):
        s = state.evidence[d, i] - state.tokens[d] * z[i]
        out[i] = corpus.log_prior[i] + temperature * s
        top = max(top, out[i])
    for i in range(len(out)):
        total += np.exp(out[i] - top)
    out -= top + np.log(total)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def take(corpus: Corpus, state: State, temperature: float, term: int) -> float:
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
    z = np.log(state.totals)
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
            k, total, moved = whole(n, LEVELS * LEVELS), 0.0, 0.0
            if anew or has or k < 0 or n * steepest > STEEP or p[d, label] < TINY:
                log_p(corpus, state, z, temperature, d, row)
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
        likelihood[k] = take(corpus, state, temperature, order[k])
