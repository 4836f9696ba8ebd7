"""scikit-learn selectors that keep the terms which tell the classes apart."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, hstack, issparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from fsmj._matrix import labels_of
from fsmj.counts import ClassTermCounts
from fsmj.divergence import Reference, Weights
from fsmj.documents import Documents
from fsmj.methods.keywords import AnyMethod
from fsmj.methods.table import METHODS, method_named, rank
from fsmj.ranking import Ranking

_AUTO = 1000


class Selector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Documents in, ranking out; what is not needed at once is worked out when first read."""

    method = "fsmj"
    n_features_to_select: int | float | str | None
    explained_divergence: float | None
    keep_rest: bool
    _ranked: dict[str, Ranking]
    """What has been ranked: the selected terms, or all of them."""

    def _options(self) -> dict[str, Any]:
        """Return the method's options as they were given."""
        return {option.name: getattr(self, option.name) for option in METHODS["fsmj"].options}

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Rank the terms of labelled documents.

        Parameters
        ----------
        X : {array-like, sparse matrix or array} of shape (n_docs, n_terms)
            Counts, or any values that are not negative.
        y : array-like of shape (n_docs,), or indicator matrix of shape (n_docs, n_classes)
            Labels; in an indicator matrix a document may have several.
        sample_weight : array-like of shape (n_docs,), optional
            Counts each document this many times; not for methods that need the documents.

        Returns
        -------
        self
            Fitted.
        """
        self._fit(self._documents(X, y, sample_weight, reset=True))
        return self

    def _fit(self, documents: Documents) -> None:
        self._check_parameters()
        self.counts_ = documents.counts
        self._ranked = {}
        if method_named(self.method).needs == "documents":
            self._ranked["all"] = self._rank(documents, self._size())
        else:
            self._selected_ranking()  # whatever is wrong with the documents is said now

    def _documents(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool
    ) -> Documents:
        if y is not None and not issparse(y):
            labels_of(y)  # says which label is missing
        X, y = validate_data(
            self, X, y, accept_sparse=["csr", "csc", "coo"], multi_output=True, reset=reset
        )
        if y.ndim > 1 or y.dtype.kind not in "USObiu":  # those can only be classes
            check_classification_targets(y)
        if sample_weight is not None:
            sample_weight = np.asarray(sample_weight)
            if sample_weight.ndim == 0:
                sample_weight = np.full(X.shape[0], sample_weight)
            if not sample_weight.any():
                raise ValueError("sample_weight is zero for all documents")
        names = getattr(self, "feature_names_in_", None)
        return Documents(X, y, names, sample_weight=sample_weight)

    def _rank(self, source: ClassTermCounts | Documents, n_terms: int | None) -> Ranking:
        return rank(source, self.method, n_terms, **self._options())

    def _check_parameters(self) -> None:
        method_named(self.method)
        size, share = self.n_features_to_select, self.explained_divergence
        whole = isinstance(size, Integral) and not isinstance(size, bool) and size >= 1
        part = isinstance(size, Real) and not isinstance(size, Integral) and 0 < size <= 1
        if not (whole or part or size is None or size == "auto"):
            raise ValueError(
                "n_features_to_select must be a number of features from 1, a share between 0 "
                f"and 1, None for all, or 'auto'; got {size!r}"
            )
        if share is not None and not 0 < share <= 1:
            raise ValueError(f"explained_divergence must lie between 0 and 1; got {share!r}")
        if share is not None and size != "auto":
            raise ValueError("give either n_features_to_select or explained_divergence, not both")

    @property
    def ranking_(self) -> Ranking:
        """The terms, best first: all of them, or as many as a slow method was asked for."""
        check_is_fitted(self, "counts_")
        if "all" not in self._ranked:
            self._ranked["all"] = self._rank(self.counts_, None)
        return self._ranked["all"]

    def _selected_ranking(self) -> Ranking:
        """Return a ranking of the selected terms at least: of a few, the others are not needed."""
        size = self._size()
        if "all" in self._ranked or size is None:
            return self.ranking_
        if "selected" not in self._ranked:
            self._ranked["selected"] = self._rank(self.counts_, size)
        return self._ranked["selected"]

    @property
    def n_selected_(self) -> int:
        """How many terms are selected."""
        size = self._size()
        if size is not None:
            return size
        assert self.explained_divergence is not None
        return self.ranking_.size_reaching(self.explained_divergence)

    def _size(self) -> int | None:
        """Return how many terms are wanted; None where the divergence decides."""
        n_terms, size = self.counts_.n_terms, self.n_features_to_select
        if self.explained_divergence is not None:
            return None
        if size == "auto":
            return min(_AUTO, n_terms)
        if size is None:
            return n_terms
        if isinstance(size, Integral):
            return min(int(size), n_terms)
        return max(1, int(float(size) * n_terms))

    @property
    def support_(self) -> NDArray[np.bool_]:
        """Which terms are selected."""
        mask = np.zeros(self.counts_.n_terms, bool)
        mask[self._selected_ranking().order[: self.n_selected_]] = True
        return mask

    @property
    def divergence_(self) -> NDArray[np.float64]:
        """The JS divergence that each prefix of the ranking reaches."""
        return self.ranking_.divergence

    @property
    def explained_divergence_(self) -> float:
        """The share of the whole vocabulary's JS divergence that the selected terms reach."""
        return float(self._selected_ranking().explained[self.n_selected_ - 1])

    @property
    def contributions_(self) -> NDArray[np.float64]:
        """What each class adds to the JS of each selected term, best first."""
        return self._selected_ranking().contributions(self.n_selected_)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "counts_")
        size = self.n_features_to_select
        if isinstance(size, Integral) and int(size) > self.counts_.n_terms:
            warnings.warn(
                f"n_features_to_select is {size}, but there are only {self.counts_.n_terms} "
                "features: all are kept",
                stacklevel=2,
            )
        return self.support_

    def _transform(self, X: Any) -> Any:
        selected = super()._transform(X)
        if not self.keep_rest:
            return selected
        rest = np.asarray(X.sum(axis=1)).ravel() - np.asarray(selected.sum(axis=1)).ravel()
        rest = np.maximum(rest, 0)[:, None]
        if issparse(selected):
            return hstack([selected, csr_array(rest)], format="csr")
        return np.hstack([np.asarray(selected), rest])

    def inverse_transform(self, X: Any) -> Any:
        """Put the selected terms back into their columns; the rest column is dropped.

        Parameters
        ----------
        X : {array-like, sparse matrix or array} of shape (n_docs, n_selected)
            As `transform` returns it.

        Returns
        -------
        {ndarray, sparse matrix or array} of shape (n_docs, n_terms)
            Zero where a term was not selected.
        """
        if not self.keep_rest:
            return super().inverse_transform(X)
        kept = self.get_support(indices=True)
        X = X if issparse(X) else np.asarray(X)
        if X.shape[1] != len(kept) + 1:
            raise ValueError(f"X has {X.shape[1]} columns; expected {len(kept)} and the rest")
        places = (np.arange(len(kept)), kept)
        spread = csr_array((np.ones(len(kept), X.dtype), places), (len(kept), self.counts_.n_terms))
        return X[:, :-1] @ spread

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Name the columns that `transform` returns.

        Parameters
        ----------
        input_features : array-like of str, optional
            The names of the terms, where `fit` did not see them.

        Returns
        -------
        ndarray of str
            With ``rest`` at the end if `keep_rest`, made different from all terms.
        """
        names: NDArray[Any] = super().get_feature_names_out(input_features)
        if not self.keep_rest:
            return names
        rest = "rest"
        while rest in set(names):
            rest += "_"
        return np.append(names, rest).astype(object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags


def _needs_counts_alone(selector: Selector) -> bool:
    row = METHODS.get(selector.method)  # that there is no such method is said when it is fitted
    if row is not None and row.needs == "documents":
        raise AttributeError(f"{selector.method} needs the documents at once: use fit")
    return True


class _Streaming(Selector):
    """A selector that can be fitted batch by batch."""

    @available_if(_needs_counts_alone)  # type: ignore[untyped-decorator]
    def partial_fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        classes: ArrayLike | None = None,
    ) -> Self:
        """Add a batch of documents to the counts; the ranking is made when first asked for.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array-like, optional
            Labels that later batches may bring. They need not be announced.

        Returns
        -------
        self
            Fitted on all batches so far: the same as one `fit` on all of them.
        """
        first = not hasattr(self, "counts_")
        self._check_parameters()
        batch = self._documents(X, y, sample_weight, reset=first).counts
        self.counts_ = batch if first else self.counts_ + batch
        self._ranked = {}
        return self


class FSMJ(_Streaming):
    """Select the terms that together tell the classes apart best, by JS divergence.

    The paper's method: terms are taken greedily, each time the one that raises the Jensen-Shannon
    divergence between the classes most. Everything not selected counts as one more cell.

    Parameters
    ----------
    n_features_to_select : int, float, None or "auto", default="auto"
        A number of terms, a share of them, all (None), or 1000 ("auto").
    explained_divergence : float, optional
        Instead: the fewest terms that reach this share of the whole vocabulary's divergence.
    reference : {"mixture", "complement"}, default="mixture"
        What each class is compared with: all classes together, or the other classes.
    weights : {"uniform", "prior"}, default="uniform"
        How much each class counts: the same, or by its share of the documents.
    smoothing : float, default=0.0
        Added to every count.
    keep_rest : bool, default=False
        Append the rest of the document as one more column: it is what the criterion scores along
        with the selected terms, and it helps naive Bayes with few of them.

    Attributes
    ----------
    counts_ : ClassTermCounts
        The statistics; documents are never kept.
    ranking_ : Ranking
        The terms, best first.
    support_ : ndarray of shape (n_terms,)
        Which terms are selected.
    divergence_ : ndarray of shape (n_terms,)
        The JS divergence that each prefix of the ranking reaches.
    explained_divergence_ : float
        The share of the whole that the selected terms reach.
    contributions_ : ndarray of shape (n_selected, n_classes)
        What each class adds to the JS of each selected term, best first.

    Examples
    --------
    >>> from fsmj import FSMJ
    >>> X, y = [[3, 0, 1], [0, 2, 1], [0, 3, 1]], ["wheat", "gold", "gold"]
    >>> FSMJ(n_features_to_select=1).fit(X, y).get_support()
    array([ True, False, False])
    """

    def __init__(
        self,
        n_features_to_select: int | float | str | None = "auto",
        *,
        explained_divergence: float | None = None,
        reference: Reference = "mixture",
        weights: Weights = "uniform",
        smoothing: float = 0.0,
        keep_rest: bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.explained_divergence = explained_divergence
        self.reference = reference
        self.weights = weights
        self.smoothing = smoothing
        self.keep_rest = keep_rest


class TermSelector(AnyMethod, _Streaming):
    """Select terms by any method.

    Parameters
    ----------
    method : str, default="ig"
        A key of `fsmj.METHODS`. Those that look at the documents themselves have no `partial_fit`
        and no sample weights.
    n_features_to_select, explained_divergence, keep_rest
        As for `FSMJ`.
    **options
        Those of the method, as for `fsmj.rank`: ``aggregate`` of the classical scores, and so on.

    Attributes
    ----------
    counts_, ranking_, support_, divergence_, explained_divergence_, contributions_
        As those of `FSMJ`.

    Examples
    --------
    >>> from fsmj import TermSelector
    >>> X, y = [[3, 0, 1], [0, 2, 1], [0, 3, 1]], ["wheat", "gold", "gold"]
    >>> TermSelector("chi2", 2, aggregate="sum").fit(X, y).get_support()
    array([ True,  True, False])
    """

    def __init__(
        self,
        method: str = "ig",
        n_features_to_select: int | float | str | None = "auto",
        *,
        explained_divergence: float | None = None,
        keep_rest: bool = False,
        **options: Any,
    ) -> None:
        self.method = method
        self.n_features_to_select = n_features_to_select
        self.explained_divergence = explained_divergence
        self.keep_rest = keep_rest
        self._take_options(options)
