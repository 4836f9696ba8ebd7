"""The compiled sweep: naive Bayes on every prefix of a ranking, one document after the other.

A document's scores are running sums over its ranked terms; from one size to the next only the
normaliser changes, and it moves one way: the total of the selected terms never falls with k, that
of the rest never rises. So over a stretch of sizes without a new term of the document, no score
leaves the range between the two ends, rounding included, for rounding keeps order. A class that at
its worst beats all others at their best is the decision for the whole stretch; else it is halved.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj._cache import njit


class Model(NamedTuple):
    """Multinomial naive Bayes for every size k of the grid."""

    log_prior: NDArray[np.float64]
    """Of shape (n_classes,)."""
    log_count: NDArray[np.float64]
    """log(count + alpha), of shape (n_ranked, n_classes)."""
    log_total: NDArray[np.float64]
    """log of the sum of count + alpha over all features, of shape (n_sizes, n_classes); rising."""
    log_rest: NDArray[np.float64]
    """log(count + alpha) of the rest cell, of shape (n_sizes, n_classes); falling. Or no rows."""


class Tally(NamedTuple):
    """What is counted at each size: rows are sizes, columns classes."""

    predicted: NDArray[np.int64]
    right: NDArray[np.int64]
    loss: NDArray[np.float64]
    """Sum over documents of -log P(true class), of shape (n_sizes,); empty if not wanted."""
    decisions: NDArray[np.int32]
    """Of shape (n_sizes, n_docs); without columns if not wanted."""


class Held(NamedTuple):
    """The documents to classify in CSR form, columns being ranks, sorted."""

    start: NDArray[np.int64]
    rank: NDArray[np.int64]
    value: NDArray[np.float64]
    length: NDArray[np.float64]
    """The documents' tokens, ranked or not."""
    truth: NDArray[np.int64]
    """Classes by number; -1 for a class without training documents."""


@njit(cache=True, nogil=True)
def tally(documents: Any, ks: Any, model: Any, out: Any, stop: Any) -> None:
    """Classify every document at every size of `ks`, which rise.

    A document is counted where its decision changes; at the end this adds up over the sizes.
    """
    start, rank, value, length, truth = documents
    n_sizes, n_classes = len(ks), len(model.log_prior)
    sums, low, high = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    stack = np.empty(64, np.int64)  # ends of stretches still to be decided
    for d in range(len(truth)):
        if stop[0] != 0:
            return
        sums[:] = 0.0
        seen, k, j = 0.0, start[d], 0
        while j < n_sizes:
            while k < start[d + 1] and rank[k] < ks[j]:
                for i in range(n_classes):
                    sums[i] += value[k] * model.log_count[rank[k], i]
                seen += value[k]
                k += 1
            end = n_sizes  # until the document's next term
            if k < start[d + 1]:
                end = j + np.searchsorted(ks[j:], rank[k], side="right")
            n_open = 1
            stack[0] = end
            while n_open > 0:
                end = stack[n_open - 1]
                _score(model, sums, seen, length[d], end - 1, low)
                _score(model, sums, seen, length[d], j, high)
                best = _decision(low, high)
                if best < 0:
                    stack[n_open] = (j + end) // 2
                    n_open += 1
                    continue
                n_open -= 1
                _count(out, d, truth[d], best, j, end)
                if len(out.loss) > 0:
                    for size in range(j, end):
                        _score(model, sums, seen, length[d], size, low)
                        out.loss[size] += _loss(low, best, truth[d])
                j = end
    for j in range(1, n_sizes):
        for i in range(n_classes):
            out.predicted[j, i] += out.predicted[j - 1, i]
            out.right[j, i] += out.right[j - 1, i]


@njit(cache=True)
def _score(model: Any, sums: Any, seen: float, length: float, j: int, score: Any) -> None:
    """Score the classes at size j; both the rest and the total make it fall with the size."""
    if len(model.log_rest) > 0:
        rest = length - seen
        for i in range(len(sums)):
            tokens = sums[i] + rest * model.log_rest[j, i]
            score[i] = model.log_prior[i] + (tokens - length * model.log_total[j, i])
    else:
        for i in range(len(sums)):
            score[i] = model.log_prior[i] + (sums[i] - seen * model.log_total[j, i])


@njit(cache=True)
def _decision(low: Any, high: Any) -> int:
    """Return the class whose lowest score beats the highest of all others, or -1; ties go first."""
    best, single = 0, True
    for i in range(len(low)):
        single = single and low[i] == high[i]
        if low[i] > low[best]:
            best = i
    if not single:
        for i in range(len(low)):
            if i != best and not low[best] > high[i]:
                return -1
    return best


@njit(cache=True)
def _count(out: Any, d: int, truth: int, best: int, j: int, end: int) -> None:
    """Note a decision for the sizes from `j` to before `end`: as steps, to be added up."""
    n_sizes = len(out.predicted)
    out.predicted[j, best] += 1
    out.right[j, best] += truth == best
    if end < n_sizes:
        out.predicted[end, best] -= 1
        out.right[end, best] -= truth == best
    if out.decisions.shape[1] > 0:
        for size in range(j, end):
            out.decisions[size, d] = best


@njit(cache=True)
def _loss(score: Any, best: int, truth: int) -> Any:
    """Return -log P(true class)."""
    if truth < 0:
        return -np.log(np.finfo(np.float64).eps)
    others = 0.0
    for i in range(len(score)):
        if i != best:
            others += np.exp(score[i] - score[best])
    return np.log1p(others) + (score[best] - score[truth])
