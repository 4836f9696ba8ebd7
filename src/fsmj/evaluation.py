"""The one place where rankings are measured: naive Bayes on documents held out, at every size."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from fsmj._interruptible import interruptible
from fsmj.counts import ClassTermCounts
from fsmj.documents import Documents, Fold
from fsmj.methods.table import method_named, rank
from fsmj.ranking import Ranking

_EVERY_K_UP_TO = 20_000
_GRID = 500
_MEASURES = ("accuracy", "macro_f1", "log_loss")

Ranker = Callable[[Documents], Ranking]


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
    parts : tuple of Curve
        Of a cross-validation, the curve of each part. The measures above are the means over
        the parts, as scikit-learn takes them; the predictions those of all documents.
    """

    ks: NDArray[np.int64]
    accuracy: NDArray[np.float64]
    macro_f1: NDArray[np.float64]
    log_loss: NDArray[np.float64] | None = None
    predictions: NDArray[Any] | None = None
    parts: tuple[Curve, ...] = ()


def fewest_within_error(scores: NDArray[np.float64]) -> int:
    """Return the first column whose mean over the rows is within a standard error of the best."""
    mean = scores.mean(axis=0)
    best = int(mean.argmax())
    if len(scores) == 1:
        return best
    error = scores[:, best].std(ddof=1) / np.sqrt(len(scores))
    return int((mean >= mean[best] - error).argmax())


class Trial(NamedTuple):
    """A ranking, and documents that had no part in it."""

    ranking: Ranking
    held: Documents
    rows: NDArray[np.intp]
    """Where the documents held out are found among all."""

    @property
    def unlearnt(self) -> list[Any]:
        """The labels of those that are errors whatever their words: their class is not learnt."""
        labels = self.held.y
        return labels[~np.isin(labels, self.ranking.counts.classes)].tolist()  # type: ignore[no-any-return]


class Split(NamedTuple):
    """Documents to learn from, and others that are held out; all that is counted of them, once."""

    training: Documents
    held: Documents
    rows: NDArray[np.intp]

    def trial(self, ranker: Ranker) -> Trial:
        """Rank the terms of the training documents."""
        return Trial(ranker(self.training), self.held, self.rows)


def cross_validate(
    documents: Documents,
    method: str = "fsmj",
    n_terms: int | None = None,
    *,
    cv: Any = 5,
    groups: Any = None,
    ks: ArrayLike | None = None,
    alpha: float = 1.0,
    keep_rest: bool = False,
    log_loss: bool = False,
    predictions: bool = False,
    **options: Any,
) -> Curve:
    """Measure a method: rank on some documents, classify others, for every part in turn.

    Parameters
    ----------
    documents : Documents
        With one label each. A class that the training documents of a part lack, or of which
        they have no token, cannot be learnt: its documents there count as errors, with a warning.
    method, n_terms, **options
        As for `fsmj.rank`. By default all terms are ranked, or those of which a slow method
        ranks in comparisons.
    cv, groups
        As for `Documents.folds`.
    ks, alpha, keep_rest, log_loss, predictions
        As for `sweep`.

    Returns
    -------
    Curve
        The means over the parts, and each part.

    Examples
    --------
    >>> import fsmj
    >>> X, y = [[3, 0, 1], [2, 0, 1], [0, 2, 1], [0, 3, 1]], [0, 0, 1, 1]
    >>> fsmj.cross_validate(fsmj.Documents(X, y), cv=2).accuracy
    array([0.5, 1. , 1. ])
    """
    if any(option.name == "alpha" for option in method_named(method).options):
        options["alpha"] = alpha  # the method ranks for naive Bayes as it is measured here
    ranker = by_method(method, n_terms, **options)
    return measure(
        trials(documents, ranker, cv, groups), ks, alpha, keep_rest,
        log_loss=log_loss, predictions=predictions,
    )  # fmt: skip


def by_method(method: str, n_terms: int | None = None, **options: Any) -> Ranker:
    """Return the function that ranks documents by a method of the table."""
    size = method_named(method).most if n_terms is None else n_terms
    return partial(rank, method=method, n_terms=size, **options)


def trials(documents: Documents, ranker: Ranker, cv: Any, groups: Any = None) -> Iterator[Trial]:
    """Rank the terms once for each part of the documents, on the others."""
    return (trial(documents, ranker, fold) for fold in folds_of(documents, cv, groups))


def folds_of(documents: Documents, cv: Any, groups: Any = None) -> list[Fold]:
    """Split documents, if every part can be judged by what others teach of two classes."""
    sizes = np.sort(np.bincount(documents.codes, minlength=2))
    if isinstance(cv, Integral) and sizes[-2] < 2:
        found = "one class only" if sizes[-2] == 0 else "only one class with more than one"
        raise ValueError(
            "cross-validation needs two classes with two documents each at least, but there is "
            f"{found}"
        )
    return documents.folds(cv, groups)


def split(documents: Documents, fold: Fold) -> Split:
    """Take a fold's documents apart; what cannot be learnt from the others is left out of them."""
    return Split(documents.take(fold.train).heard(), documents.take(fold.held), fold.held)


def trial(documents: Documents, ranker: Ranker, fold: Fold) -> Trial:
    """Rank the terms of a fold's training documents."""
    return split(documents, fold).trial(ranker)


def held_out(training: Documents, test: Documents) -> Split:
    """Hold out test documents."""
    return Split(training, test, np.arange(test.n_docs))


def measure(
    tried: Iterable[Trial],
    ks: ArrayLike | None = None,
    alpha: float = 1.0,
    keep_rest: bool = False,
    *,
    log_loss: bool = False,
    predictions: bool = False,
) -> Curve:
    """Classify the documents held out of each trial, and take the means over the trials."""
    if not (alpha > 0 and np.isfinite(alpha)):
        raise ValueError(f"alpha must be more than 0 for naive Bayes; got {alpha}")
    listed = list(tried)
    sizes = _sizes(ks, min(len(one.ranking) for one in listed))
    _warn_of_errors(listed)
    parts = [_sweep(one, sizes, alpha, keep_rest, log_loss, predictions) for one in listed]
    return parts[0] if len(parts) == 1 else _mean(parts, [one.rows for one in listed])


def _mean(parts: Sequence[Curve], rows: Sequence[NDArray[np.intp]]) -> Curve:
    known = [name for name in _MEASURES if getattr(parts[0], name) is not None]
    means = {name: np.mean([getattr(part, name) for part in parts], axis=0) for name in known}
    if parts[0].predictions is not None:
        in_order = np.argsort(np.concatenate(rows), kind="stable")
        given = np.concatenate([part.predictions for part in parts], axis=1)
        means["predictions"] = given[:, in_order]
    return Curve(parts[0].ks, **means, parts=tuple(parts))


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
        Labels. One without training documents, or whose training documents have no words,
        counts as an error, with a warning.
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
    held = Documents(X_test, y_test)
    if held.n_terms != counts.n_terms or ranking.counts.n_terms != counts.n_terms:
        raise ValueError(
            f"the ranking has {ranking.counts.n_terms} columns, the training counts "
            f"{counts.n_terms} and the test documents {held.n_terms}; they must be the same"
        )
    if held.n_docs == 0:
        raise ValueError("there are no test documents")
    learnt = replace(ranking, counts=counts.heard())
    return measure(
        [Trial(learnt, held, np.arange(held.n_docs))], ks, alpha, keep_rest,
        log_loss=log_loss, predictions=predictions,
    )  # fmt: skip


def _sweep(
    tried: Trial,
    sizes: NDArray[np.int64],
    alpha: float,
    keep_rest: bool,
    log_loss: bool,
    predictions: bool,
) -> Curve:
    from fsmj._sweep import Held, Tally, tally

    ranking, documents, labels = tried.ranking, tried.held.X, tried.held.y
    counts = ranking.counts
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
    held = Held(
        ranked.indptr.astype(np.int64),
        ranked.indices.astype(np.int64),
        ranked.data.astype(np.float64),
        length,
        truth,
    )
    interruptible(tally, held, sizes, _model(ranking, sizes, alpha, keep_rest), out)
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
    return numbers, len(set(labels[numbers < 0].tolist()))


def _warn_of_errors(tried: Sequence[Trial]) -> None:
    """Say once which documents count as errors, as nothing could be learnt of their class."""
    unknown = [label for one in tried for label in one.unlearnt]
    if unknown:
        named = sorted(set(unknown), key=str)
        warnings.warn(
            f"{len(unknown):,} documents count as errors: no training document with words is "
            f"labelled {', '.join(map(repr, named[:3]))}{' or others' if len(named) > 3 else ''}",
            stacklevel=4,
        )


def _model(ranking: Ranking, sizes: NDArray[np.int64], alpha: float, keep_rest: bool) -> Any:
    from fsmj._sweep import Model

    counts = ranking.counts
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
    # A logarithm may be off by its last digit: it must not fall where its argument rises.
    log_total = np.maximum.accumulate(np.log(total))
    return Model(log_prior, np.log(table + alpha), log_total, np.minimum.accumulate(log_rest))


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
