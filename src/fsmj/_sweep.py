"""The compiled sweep: naive Bayes on every prefix of a ranking, one document after the other."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray


class Model(NamedTuple):
    """Multinomial naive Bayes for every size k of the grid."""

    log_prior: NDArray[np.float64]
    """Of shape (n_classes,)."""
    log_count: NDArray[np.float64]
    """log(count + alpha), of shape (n_ranked, n_classes)."""
    log_total: NDArray[np.float64]
    """log of the sum of count + alpha over all features, of shape (n_sizes, n_classes)."""
    log_rest: NDArray[np.float64]
    """log(count + alpha) of the rest cell, of shape (n_sizes, n_classes); without rows, none."""


class Tally(NamedTuple):
    """What is counted at each size: rows are sizes, columns classes."""

    predicted: NDArray[np.int64]
    right: NDArray[np.int64]
    loss: NDArray[np.float64]
    """Sum over documents of -log P(true class), of shape (n_sizes,); empty if not wanted."""
    decisions: NDArray[np.int32]
    """Of shape (n_sizes, n_docs); without columns if not wanted."""


@njit(cache=True)
def tally(
    start: Any, rank: Any, value: Any, length: Any, truth: Any, ks: Any, model: Any, out: Any
) -> None:
    """Classify every document at every size.

    A document's scores are running sums over its ranked terms; from one size to the next only
    the normaliser changes.

    Parameters
    ----------
    start, rank, value
        The documents in CSR form, columns being ranks, sorted.
    length : ndarray of shape (n_docs,)
        The documents' tokens, ranked or not.
    truth : ndarray of shape (n_docs,)
        Classes by number; -1 for a class without training documents.
    ks : ndarray of shape (n_sizes,)
        Rising.
    model : Model
        What to classify with.
    out : Tally
        Where to count.
    """
    n_classes = len(model.log_prior)
    keep_rest = len(model.log_rest) > 0
    score, sums = np.empty(n_classes), np.empty(n_classes)
    for d in range(len(truth)):
        sums[:] = 0.0
        seen, k = 0.0, start[d]
        for j in range(len(ks)):
            while k < start[d + 1] and rank[k] < ks[j]:
                for i in range(n_classes):
                    sums[i] += value[k] * model.log_count[rank[k], i]
                seen += value[k]
                k += 1
            if keep_rest:
                rest = length[d] - seen
                for i in range(n_classes):
                    tokens = sums[i] + rest * model.log_rest[j, i]
                    score[i] = model.log_prior[i] + (tokens - length[d] * model.log_total[j, i])
            else:
                for i in range(n_classes):
                    score[i] = model.log_prior[i] + (sums[i] - seen * model.log_total[j, i])
            best = 0
            for i in range(1, n_classes):
                if score[i] > score[best]:
                    best = i
            out.predicted[j, best] += 1
            out.right[j, best] += truth[d] == best
            if out.decisions.shape[1] > 0:
                out.decisions[j, d] = best
            if len(out.loss) > 0:
                if truth[d] < 0:
                    out.loss[j] -= np.log(np.finfo(np.float64).eps)
                else:
                    total = 0.0
                    for i in range(n_classes):
                        total += np.exp(score[i] - score[best])
                    out.loss[j] += np.log(total) + score[best] - score[truth[d]]
