"""Texts to a matrix of terms: the one vectoriser of the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from fsmj._extras import from_extras
from fsmj._interruptible import interruptible
from fsmj.tokens.cutter import Cutter, arrays_of
from fsmj.tokens.rule import TokenRule

with from_extras():
    import pyarrow as pa
    import pyarrow.compute as pc


def term_matrix(
    texts: Any,
    rule: TokenRule,
    *,
    terms: Iterable[str] | None = None,
    min_docs: int = 1,
) -> tuple[csr_array, NDArray[Any]]:
    """Lay texts out as a matrix, a row for each document and a column for each term.

    Parameters
    ----------
    texts : iterable of str, or Arrow array of strings
        The documents.
    rule : TokenRule
        How to cut a text into terms.
    terms : iterable of str, optional
        The columns; by default all terms that occur, sorted.
    min_docs : int, default=1
        Leave out terms that occur in fewer documents, unless `terms` are given.

    Returns
    -------
    X : csr_array of shape (n_docs, n_terms)
        How often each term occurs in each document.
    terms : ndarray of shape (n_terms,)
        The columns.

    Examples
    --------
    >>> X, terms = term_matrix(["Black tea, green tea", "Crude oil"], TokenRule())
    >>> X.toarray()[:, list(terms).index("tea")]
    array([2, 0])
    """
    if terms is not None:
        columns = _listed(terms)
        return _matrix(texts, Cutter(rule, columns)), columns
    cutter = Cutter(rule)
    X = _matrix(texts, cutter)
    if cutter.n_terms == 0:
        raise ValueError("these texts have no terms to count")
    kept = np.bincount(X.indices, minlength=cutter.n_terms) >= min_docs
    if not kept.any():
        raise ValueError(f"no term occurs in {min_docs:,} documents; lower min_docs")
    names, order = sorted_terms(cutter.terms())
    X = _with_columns(X, order[kept[order]])
    return X, names.filter(pa.array(kept[order])).cast(pa.large_string()).to_numpy(False)


class TermVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn texts into a matrix of term counts, several times as fast as ``CountVectorizer``.

    It stands where scikit-learn's ``CountVectorizer`` would, and finds the same words; what else
    a word can be is told by a `TokenRule`.

    Parameters
    ----------
    rule : TokenRule, optional
        How to cut a text into terms; by default, into the words of ``CountVectorizer``.
    min_docs : int, default=1
        Leave out terms that occur in fewer documents of those given to `fit`.
    vocabulary : iterable of str, or mapping of str to int, optional
        The terms to count, or their columns. By default, all that `fit` meets, sorted.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        The column of each term.

    Examples
    --------
    >>> vectorizer = TermVectorizer()
    >>> vectorizer.fit_transform(["Black tea, green tea", "Crude oil"]).toarray()
    array([[1, 0, 1, 0, 2],
           [0, 1, 0, 1, 0]])
    >>> vectorizer.get_feature_names_out()
    array(['black', 'crude', 'green', 'oil', 'tea'], dtype=object)
    """

    def __init__(
        self, *, rule: TokenRule | None = None, min_docs: int = 1, vocabulary: Any = None
    ) -> None:
        self.rule = rule
        self.min_docs = min_docs
        self.vocabulary = vocabulary

    def fit(self, raw_documents: Iterable[str], y: Any = None) -> TermVectorizer:
        """Learn the terms of documents.

        Parameters
        ----------
        raw_documents : iterable of str
            The documents.
        y : ignored
            Here for scikit-learn's sake.

        Returns
        -------
        TermVectorizer
            The vectorizer itself.
        """
        self.fit_transform(raw_documents)
        return self

    def fit_transform(self, raw_documents: Iterable[str], y: Any = None) -> csr_array:
        """Learn the terms of documents, and count them.

        Parameters
        ----------
        raw_documents : iterable of str
            The documents.
        y : ignored
            Here for scikit-learn's sake.

        Returns
        -------
        csr_array of shape (n_docs, n_terms)
            How often each term occurs in each document.
        """
        terms = None if self.vocabulary is None else _in_columns(self.vocabulary)
        X, self._terms = term_matrix(raw_documents, self._rule, terms=terms, min_docs=self.min_docs)
        self._cutter = Cutter(self._rule, self._terms)
        return X

    def transform(self, raw_documents: Iterable[str]) -> csr_array:
        """Count the terms that are known; the others are left out.

        Parameters
        ----------
        raw_documents : iterable of str
            The documents.

        Returns
        -------
        csr_array of shape (n_docs, n_terms)
            How often each term occurs in each document.
        """
        return _matrix(raw_documents, self._fitted())

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the terms in the order of their columns.

        Parameters
        ----------
        input_features : ignored
            Here for scikit-learn's sake.

        Returns
        -------
        ndarray of shape (n_terms,)
            The terms.
        """
        self._fitted()
        return self._terms.copy()

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The column of each term."""
        return {term: column for column, term in enumerate(self.get_feature_names_out())}

    @property
    def _rule(self) -> TokenRule:
        return TokenRule() if self.rule is None else self.rule

    def _fitted(self) -> Cutter:
        """Return what cuts texts into the known terms; those given need no fitting."""
        if not hasattr(self, "_cutter"):
            if self.vocabulary is None:
                check_is_fitted(self, "_cutter")
            self._terms = _in_columns(self.vocabulary)
            self._cutter = Cutter(self._rule, self._terms)
        return self._cutter

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_cutter") or self.vocabulary is not None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def sorted_terms(terms: Any) -> tuple[Any, NDArray[np.int64]]:
    """Sort an Arrow array of UTF-8 bytes, which sort as their characters do; return the order."""
    order = pc.array_sort_indices(terms)
    return terms.take(order), order.to_numpy().astype(np.int64)


def _matrix(texts: Any, cutter: Cutter) -> csr_array:
    """Count the terms of texts, a column for each number of a term."""
    parts = [interruptible(cutter.cut, array) for array in arrays_of(texts)]
    lengths = [np.diff(part.starts) for part in parts]
    starts = np.concatenate([[0], *lengths]).cumsum()
    numbers = np.concatenate([np.empty(0, np.int32), *(part.numbers for part in parts)])
    counts = np.concatenate([np.empty(0, np.int64), *(part.counts for part in parts)])
    X = csr_array((counts, numbers, starts), shape=(len(starts) - 1, cutter.n_terms))
    X.sort_indices()
    return X


def _with_columns(X: csr_array, columns: NDArray[np.int64]) -> csr_array:
    """Return these columns of a matrix, in this order."""
    place = np.full(X.shape[1], -1, np.int32)
    place[columns] = np.arange(len(columns), dtype=np.int32)
    indices = place[X.indices]
    kept = indices >= 0
    starts = np.concatenate([[0], kept.cumsum()])[X.indptr]
    taken = csr_array((X.data[kept], indices[kept], starts), shape=(X.shape[0], len(columns)))
    taken.sort_indices()
    return taken


def _listed(terms: Iterable[str]) -> NDArray[Any]:
    """Return terms as an array, each of them once."""
    if isinstance(terms, str):
        raise ValueError("terms must be a list or another iterable of strings, not one string")
    columns = np.array([*terms, None], object)[:-1]
    if len(set(columns)) < len(columns):
        raise ValueError("the terms contain a term twice")
    return columns


def _in_columns(vocabulary: Any) -> NDArray[Any]:
    """Return the terms of a vocabulary in the order of their columns."""
    if not isinstance(vocabulary, Mapping):
        # As in CountVectorizer, where the order of a set has no meaning.
        return _listed(
            sorted(vocabulary) if isinstance(vocabulary, (set, frozenset)) else vocabulary
        )
    terms = sorted(vocabulary, key=vocabulary.__getitem__)
    if [vocabulary[term] for term in terms] != list(range(len(terms))):
        raise ValueError("the columns of a vocabulary must be the numbers from 0 on, each once")
    return _listed(terms)
