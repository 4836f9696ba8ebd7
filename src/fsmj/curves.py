"""Naive Bayes at every number of terms, in one pass over the documents."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from fsmj._matrix import documents_of
from fsmj.counts import ClassTermCounts
from fsmj.ranking import Ranking

_EVERY_K_UP_TO = 20_000
_GRID = 500


@dataclass(frozen=True, eq=False)
class Curve:
    """How well naive Bayes does with the first k terms of a ranking.

    Attributes
    ----------
    ks : ndarray of shape (n_sizes,)
        Numbers of terms.
    accuracy : ndarray of shape (n_sizes,)
        The share of documents classified right.
    macro_f1 : ndarray of shape (n_sizes,)
        The mean over classes of the harmonic mean of precision and recall.
    log_loss : ndarray of shape (n_sizes,) or None
        The mean of -log P(true class), if asked for.
    predictions : ndarray of shape (n_sizes, n_docs) or None
        The labels given, if asked for.
    """

    ks: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    macro_f1: NDArray[np.float64]
    log_loss: NDArray[np.float64] | None = None
    predictions: NDArray[Any] | None = None


def sweep(
    ranking: Ranking,
    counts: ClassTermCounts,
    X_test: Any,
    y_test: ArrayLike,
    ks: ArrayLike | None = None,
    alpha: float = 1.0,
    keep_rest: bool = False,
    *,
    log_loss: bool = False,
    predictions: bool = False,
) -> Curve:
    """Measure multinomial naive Bayes on test documents for every prefix of a ranking.

    Equal to training scikit-learn's ``MultinomialNB(alpha)`` anew on the first k terms, for each k.

    Parameters
    ----------
    ranking : Ranking
        The terms, best first.
    counts : ClassTermCounts
        Of the training documents; the ranking's columns are theirs.
    X_test : {array-like, sparse matrix or array} of shape (n_docs, n_terms)
        Columns as in `counts`.
    y_test : array-like of shape (n_docs,)
        Labels. One that has no training documents counts as an error, with a warning.
    ks : array-like of int, optional
        Numbers of terms. By default all; with more than 20,000 terms, 500 of them that grow
        geometrically.
    alpha : float, default=1.0
        Added to every count.
    keep_rest : bool, default=False
        Give the classifier the rest of the document, all tokens not selected, as one more feature.
    log_loss, predictions : bool, default=False
        Compute these, too.

    Returns
    -------
    Curve
        One point for each k.

    Examples
    --------
    >>> import fsmj
    >>> X, y = [[3, 0, 1], [0, 2, 1], [0, 3, 1]], ["wheat", "gold", "gold"]
    >>> counts = fsmj.ClassTermCounts.from_matrix(X, y)
    >>> fsmj.sweep(fsmj.rank(counts), counts, X, y).accuracy.round(2)
    array([0.67, 1.  , 1.  ])
    """
    from fsmj._sweep import Tally, tally

    documents = documents_of(X_test)
    labels = np.asarray(y_test).reshape(-1)
    if not (alpha > 0 and np.isfinite(alpha)):
        raise ValueError(f"alpha must be more than 0 for naive Bayes; got {alpha}")
    if documents.shape[1] != counts.n_terms or ranking.counts.n_terms != counts.n_terms:
        raise ValueError(
            f"the ranking has {ranking.counts.n_terms} columns, the training counts "
            f"{counts.n_terms} and the test documents {documents.shape[1]}; they must be the same"
        )
    if len(labels) == 0:
        raise ValueError("there are no test documents")
    if len(labels) != documents.shape[0]:
        raise ValueError(f"there are {documents.shape[0]} documents but {len(labels)} labels")
    sizes = _sizes(ks, len(ranking))
    truth, n_unseen = _numbered(labels, counts.classes)
    length = np.asarray(documents.sum(axis=1), np.float64).ravel()
    ranked = csr_array(documents[:, ranking.order])
    ranked.sort_indices()

    shape = (len(sizes), counts.n_classes)
    out = Tally(
        predicted=np.zeros(shape, np.int64),
        right=np.zeros(shape, np.int64),
        loss=np.zeros(len(sizes) if log_loss else 0),
        decisions=np.zeros((len(sizes), len(labels) if predictions else 0), np.int32),
    )
    tally(
        ranked.indptr.astype(np.int64),
        ranked.indices.astype(np.int64),
        ranked.data.astype(np.float64),
        length,
        truth,
        sizes,
        _model(ranking, counts, sizes, alpha, keep_rest),
        out,
    )
    support = np.bincount(truth[truth >= 0], minlength=counts.n_classes)
    return Curve(
        ks=sizes,
        accuracy=out.right.sum(axis=1) / len(labels),
        macro_f1=_macro_f1(out.right, out.predicted, support, n_unseen),
        log_loss=out.loss / len(labels) if log_loss else None,
        predictions=counts.classes[out.decisions] if predictions else None,
    )


def default_sizes(n_terms: int) -> NDArray[np.int64]:
    """Return all sizes from 1 on, or, of more than 20,000, a geometric grid."""
    if n_terms <= _EVERY_K_UP_TO:
        return np.arange(1, n_terms + 1)
    return np.unique(np.geomspace(1, n_terms, _GRID).round().astype(np.int64))


def _sizes(ks: ArrayLike | None, n_terms: int) -> NDArray[np.int64]:
    if ks is None:
        return default_sizes(n_terms)
    sizes = np.asarray(ks).reshape(-1)
    if not np.issubdtype(sizes.dtype, np.integer) or len(sizes) == 0:
        raise ValueError("ks must be whole numbers of terms, one at least")
    if (np.diff(sizes) <= 0).any() or sizes[0] < 1 or sizes[-1] > n_terms:
        raise ValueError(f"ks must rise, from 1 at least to {n_terms} (the terms ranked) at most")
    return sizes.astype(np.int64)


def _numbered(labels: NDArray[Any], classes: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
    """Return each label's class number, -1 if unknown, and how many different ones are unknown."""
    known = {label: number for number, label in enumerate(classes.tolist())}
    numbers = np.array([known.get(label, -1) for label in labels.tolist()], np.int64)
    unseen = set(labels[numbers < 0].tolist())
    if unseen:
        warnings.warn(
            f"{(numbers < 0).sum()} test documents count as errors: no training document is "
            f"labelled {', '.join(map(repr, sorted(unseen, key=str)[:3]))}"
            f"{' or others' if len(unseen) > 3 else ''}",
            stacklevel=3,
        )
    return numbers, len(unseen)


def _model(
    ranking: Ranking,
    counts: ClassTermCounts,
    sizes: NDArray[np.int64],
    alpha: float,
    keep_rest: bool,
) -> Any:
    from fsmj._sweep import Model

    table = counts.term_counts[:, ranking.order].T.toarray()
    selected = np.cumsum(table, axis=0)[sizes - 1]
    smoothing = alpha * sizes[:, None]
    total, log_rest = selected + smoothing, np.empty((0, counts.n_classes))
    if keep_rest:
        tokens = np.asarray(counts.term_counts.sum(axis=1)).ravel()
        rest = np.maximum(tokens - selected, 0) + alpha
        total, log_rest = total + rest, np.log(rest)
    with np.errstate(divide="ignore"):
        log_prior = np.log(counts.priors)
    return Model(log_prior, np.log(table + alpha), np.log(total), log_rest)


def _macro_f1(
    right: NDArray[np.int64],
    predicted: NDArray[np.int64],
    support: NDArray[np.int64],
    n_unseen: int,
) -> NDArray[np.float64]:
    """Average over the classes that occur among labels or predictions, as scikit-learn does."""
    occurring = predicted + support
    f1 = 2 * right / np.maximum(occurring, 1)
    return np.asarray(f1.sum(axis=1) / ((occurring > 0).sum(axis=1) + n_unseen))
