"""ClassTermCounts: all that the methods need to know of a corpus.

For every class and term: how often the term occurs, and in how many documents.
These are sums, so they can be taken from any documents in any order and added up.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array, csr_array, vstack

from fsmj import _parquet
from fsmj._matrix import (
    difference,
    documents_of,
    membership_of,
    names_of,
    refuse_overflow,
    weights_of,
)


@dataclass(frozen=True, eq=False, repr=False)
class ClassTermCounts:
    """Occurrences and documents of every term in every class.

    Make one with `from_matrix`, `fsmj.count_texts`, `fsmj.count_files` or `fsmj.load_counts`.
    The object does not change: every operation returns a new one.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The class labels, sorted.
    terms : ndarray of shape (n_terms,) or None
        The names of the terms; None when they are known by their position only.
    term_counts : csc_array of shape (n_classes, n_terms)
        How often each term occurs in each class.
    doc_counts : csc_array of shape (n_classes, n_terms)
        In how many documents of each class the term occurs.
    docs_per_class : ndarray of shape (n_classes,)
        The number of documents of each class, those without any token included.
    docs_per_term : ndarray of shape (n_terms,)
        The number of documents with the term. A document with several labels counts once.
    rest_counts : ndarray of shape (n_classes,)
        Occurrences of the terms that `restrict` left out: 0 if it was never used.
    n_docs : int or float
        The number of documents. A document with several labels counts once.

    Examples
    --------
    >>> import fsmj
    >>> counts = fsmj.ClassTermCounts.from_matrix([[2, 0], [0, 1], [1, 1]], ["a", "b", "b"])
    >>> counts
    ClassTermCounts(2 classes × 2 terms, 3 documents, 5 tokens)
    >>> counts.term_counts.toarray()
    array([[2, 0],
           [1, 2]])
    """

    classes: NDArray[Any]
    terms: NDArray[Any] | None
    term_counts: csc_array
    doc_counts: csc_array
    docs_per_class: NDArray[Any]
    docs_per_term: NDArray[Any]
    rest_counts: NDArray[Any]
    n_docs: int | float

    def __post_init__(self) -> None:
        for table in (self.term_counts, self.doc_counts):
            table.sort_indices()
            for part in (table.data, table.indices, table.indptr):
                part.flags.writeable = False
        for array in (self.docs_per_class, self.docs_per_term, self.rest_counts, self.classes):
            array.flags.writeable = False
        if self.terms is not None:
            self.terms.flags.writeable = False

    def __getstate__(self) -> dict[str, Any]:
        # As an array, a number takes the same room however large it has grown.
        return {**self.__dict__, "n_docs": np.array(self.n_docs)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, n_docs=state["n_docs"].item())
        self.__post_init__()

    @classmethod
    def from_matrix(
        cls,
        X: Any,
        y: Any,
        terms: Iterable[str] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> ClassTermCounts:
        """Count a document-term matrix.

        Parameters
        ----------
        X : {array-like, sparse matrix or array} of shape (n_docs, n_terms)
            Counts, or any non-negative values such as tf-idf. A data frame names the terms.
        y : array-like of shape (n_docs,), or indicator matrix of shape (n_docs, n_classes)
            The label of each document; or 0/1 per class, where documents may have several.
        terms : iterable of str, optional
            The names of the columns.
        sample_weight : array-like of shape (n_docs,), optional
            Counts each document this many times.

        Returns
        -------
        ClassTermCounts
            Columns in their order, classes sorted.
        """
        if terms is None and hasattr(X, "columns"):
            terms = [str(column) for column in X.columns]
        documents = documents_of(X)
        n_docs, n_terms = documents.shape
        classes, membership = membership_of(y, n_docs)
        weight = weights_of(sample_weight, n_docs)
        refuse_overflow(documents, weight)
        presence = csr_array(
            (np.ones(documents.nnz, np.int64), documents.indices, documents.indptr),
            shape=documents.shape,
        )
        weighted = csr_array(membership.multiply(weight[:, None]), dtype=weight.dtype)
        weighted.eliminate_zeros()
        term_counts = csc_array(weighted.T @ documents)
        return cls(
            classes=classes,
            terms=names_of(terms, n_terms),
            term_counts=term_counts,
            doc_counts=csc_array(weighted.T @ presence),
            docs_per_class=np.asarray(weighted.sum(axis=0)).ravel(),
            docs_per_term=np.asarray(presence.T @ weight).ravel(),
            rest_counts=np.zeros(len(classes), term_counts.dtype),
            n_docs=weight.sum().item(),
        )

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @property
    def n_terms(self) -> int:
        """The number of terms."""
        return int(self.term_counts.shape[1])

    @property
    def tokens_per_class(self) -> NDArray[Any]:
        """How many tokens each class has, those left out by `restrict` included."""
        return np.asarray(self.term_counts.sum(axis=1) + self.rest_counts)

    @property
    def priors(self) -> NDArray[np.float64]:
        """The share of each class among the documents; adds up to 1."""
        return np.asarray(self.docs_per_class / self.docs_per_class.sum(), dtype=np.float64)

    def __repr__(self) -> str:
        figures = [self.n_docs, self.tokens_per_class.sum().item()]
        n_docs, n_tokens = (f"{n:,}" if isinstance(n, int) else f"{n:,.6g}" for n in figures)
        return (
            f"{type(self).__name__}({self.n_classes:,} classes × {self.n_terms:,} terms, "
            f"{n_docs} documents, {n_tokens} tokens)"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassTermCounts):
            return NotImplemented
        return (
            self.term_counts.shape == other.term_counts.shape
            and _same_names(self.terms, other.terms)
            and all(
                np.array_equal(mine, yours)
                for mine, yours in zip(self._arrays(), other._arrays(), strict=True)
            )
        )

    __hash__ = None  # type: ignore[assignment]  # equal counts may differ in dtype

    def _arrays(self) -> list[Any]:
        tables = [self.term_counts, self.doc_counts]
        parts = [part for t in tables for part in (t.indptr, t.indices, t.data)]
        return [*parts, self.classes, self.docs_per_class, self.docs_per_term,
                self.rest_counts, self.n_docs]  # fmt: skip

    def __add__(self, other: ClassTermCounts) -> ClassTermCounts:
        """Count both corpora together; exact for whole numbers, in any order."""
        if not isinstance(other, ClassTermCounts):
            return NotImplemented
        _refuse_different_kinds(self, other)
        classes = np.union1d(self.classes, other.classes)
        terms, n_terms = self.terms, max(self.n_terms, other.n_terms)
        if not _same_names(self.terms, other.terms):
            terms = np.union1d(self.terms, other.terms)  # type: ignore[arg-type]
            n_terms = len(terms)
        mine = self._reindexed(classes, terms, n_terms)
        yours = other._reindexed(classes, terms, n_terms)
        return ClassTermCounts(
            classes=classes,
            terms=terms,
            term_counts=csc_array(mine.term_counts + yours.term_counts),
            doc_counts=csc_array(mine.doc_counts + yours.doc_counts),
            docs_per_class=mine.docs_per_class + yours.docs_per_class,
            docs_per_term=mine.docs_per_term + yours.docs_per_term,
            rest_counts=mine.rest_counts + yours.rest_counts,
            n_docs=mine.n_docs + yours.n_docs,
        )

    def __sub__(self, other: ClassTermCounts) -> ClassTermCounts:
        """Take a part of the corpus away again; emptied terms and classes stay."""
        if not isinstance(other, ClassTermCounts):
            return NotImplemented
        _refuse_different_kinds(self, other)
        yours = other._reindexed(self.classes, self.terms, self.n_terms)
        doc_counts = difference(self.doc_counts, yours.doc_counts)
        term_counts = difference(self.term_counts, yours.term_counts)
        # Of real-valued counts, rounding leaves crumbs where the last document is gone.
        term_counts = csc_array(term_counts.multiply(doc_counts != 0))
        if term_counts.nnz != doc_counts.nnz:
            raise ValueError("cannot subtract: these documents are no part of the larger counts")
        return ClassTermCounts(
            classes=self.classes,
            terms=self.terms,
            term_counts=term_counts,
            doc_counts=doc_counts,
            docs_per_class=difference(self.docs_per_class, yours.docs_per_class),
            docs_per_term=difference(self.docs_per_term, yours.docs_per_term),
            rest_counts=difference(self.rest_counts, yours.rest_counts),
            n_docs=difference(np.array([self.n_docs]), np.array([yours.n_docs])).item(),
        )

    def _reindexed(
        self, classes: NDArray[Any], terms: NDArray[Any] | None, n_terms: int
    ) -> ClassTermCounts:
        """Lay the counts out over more classes and terms, or the same ones in another order."""
        rows = np.searchsorted(classes, self.classes)
        known = rows < len(classes)
        if not (known.all() and np.array_equal(classes[rows], self.classes)):
            raise ValueError("cannot subtract: a class is missing in the larger counts")
        columns = np.arange(self.n_terms)
        if not _same_names(terms, self.terms):
            from pandas import Index

            columns = Index(terms).get_indexer(self.terms)  # type: ignore[arg-type]
        if (columns < 0).any() or self.n_terms > n_terms:
            raise ValueError("cannot subtract: a term is missing in the larger counts")

        def spread(table: csc_array) -> csc_array:
            cells = table.tocoo()
            where = (rows[cells.row], columns[cells.col])
            return csc_array((cells.data, where), shape=(len(classes), n_terms))

        def scatter(values: NDArray[Any], index: NDArray[Any], size: int) -> NDArray[Any]:
            out = np.zeros(size, values.dtype)
            out[index] = values
            return out

        return ClassTermCounts(
            classes=classes,
            terms=terms,
            term_counts=spread(self.term_counts),
            doc_counts=spread(self.doc_counts),
            docs_per_class=scatter(self.docs_per_class, rows, len(classes)),
            docs_per_term=scatter(self.docs_per_term, columns, n_terms),
            rest_counts=scatter(self.rest_counts, rows, len(classes)),
            n_docs=self.n_docs,
        )

    def prune(self, min_docs: int | float = 1) -> ClassTermCounts:
        """Forget the terms that occur in fewer than `min_docs` documents."""
        kept = np.flatnonzero(self.docs_per_term >= min_docs)
        return self._take(kept, self.rest_counts.copy())

    def restrict(self, terms: ArrayLike) -> ClassTermCounts:
        """Keep these terms (names or columns), in this order, and the rest as one sum.

        Unlike `prune`, this remembers each class's total, so that the share of a term
        in its class stays what it was.
        """
        columns = self.columns(terms)
        left_out = np.ones(self.n_terms, bool)
        left_out[columns] = False
        if len(columns) != self.n_terms - left_out.sum():
            raise ValueError("the terms to keep contain a term twice")
        rest = np.asarray(self.term_counts[:, np.flatnonzero(left_out)].sum(axis=1)).ravel()
        return self._take(columns, self.rest_counts + rest)

    def select_classes(self, classes: ArrayLike) -> ClassTermCounts:
        """Keep these classes only; the number of documents becomes that of their documents.

        Only for counts where each document has one class.
        """
        kept = np.isin(self.classes, classes)
        if kept.all():
            return self
        if not np.isclose(self.n_docs, self.docs_per_class.sum(), rtol=1e-9):
            raise ValueError("classes cannot be taken apart where documents have several labels")
        doc_counts = csc_array(self.doc_counts[kept])
        return ClassTermCounts(
            classes=self.classes[kept],
            terms=self.terms,
            term_counts=csc_array(self.term_counts[kept]),
            doc_counts=doc_counts,
            docs_per_class=self.docs_per_class[kept],
            docs_per_term=np.asarray(doc_counts.sum(axis=0)),
            rest_counts=self.rest_counts[kept],
            n_docs=self.docs_per_class[kept].sum().item(),
        )

    def columns(self, terms: ArrayLike) -> NDArray[np.intp]:
        """Look up the columns of terms given by name; columns pass as they are."""
        wanted = np.asarray(terms)
        if wanted.size == 0:
            return np.empty(0, np.intp)
        if np.issubdtype(wanted.dtype, np.integer):
            if wanted.min() < 0 or wanted.max() >= self.n_terms:
                raise ValueError(f"there are {self.n_terms} terms; columns run from 0")
            return wanted.astype(np.intp)
        if self.terms is None:
            raise ValueError("these counts know their terms by column only; pass column numbers")
        from pandas import Index

        columns = Index(self.terms).get_indexer(wanted.astype(object))
        if (columns < 0).any():
            raise ValueError(f"no counts for the term {str(wanted[columns < 0][0])!r}")
        return np.asarray(columns, np.intp)

    def _take(self, columns: NDArray[np.intp], rest_counts: NDArray[Any]) -> ClassTermCounts:
        return ClassTermCounts(
            classes=self.classes,
            terms=None if self.terms is None else self.terms[columns],
            term_counts=csc_array(self.term_counts[:, columns]),
            doc_counts=csc_array(self.doc_counts[:, columns]),
            docs_per_class=self.docs_per_class,
            docs_per_term=self.docs_per_term[columns],
            rest_counts=rest_counts,
            n_docs=self.n_docs,
        )

    def naive_bayes(self, terms: ArrayLike | None = None, alpha: float = 1.0) -> Any:
        """Train multinomial naive Bayes on these terms, from the counts alone.

        Parameters
        ----------
        terms : array-like of str or int, optional
            Names or columns, in the order of the classifier's features; all by default.
        alpha : float, default=1.0
            Added to every count.

        Returns
        -------
        sklearn.naive_bayes.MultinomialNB
            Fitted: it equals one fitted on the documents.
        """
        from sklearn.naive_bayes import MultinomialNB

        columns = np.arange(self.n_terms) if terms is None else self.columns(terms)
        # One document holds all tokens of a class, an empty one makes up the class's weight:
        # so the public `fit` arrives at the same sums as over the documents themselves.
        tokens = csr_array(self.term_counts[:, columns])
        documents = vstack([tokens, csr_array(tokens.shape)])
        weight = np.concatenate([np.ones(self.n_classes), self.docs_per_class - 1.0])
        numbers = np.tile(np.arange(self.n_classes), 2)  # labels may be of any kind
        fitted = MultinomialNB(alpha=alpha).fit(documents, numbers, sample_weight=weight)
        fitted.classes_ = self.classes
        return fitted

    def save(self, path: str | os.PathLike[str], metadata: Mapping[str, str] | None = None) -> None:
        """Write the counts as one Parquet table, whole or not at all.

        The columns are `class`, `term`, `count` and `docs`. A row without a term holds a
        class's totals; a row without a class the documents of all classes together. So the
        files of two corpora are merged by adding up the rows of equal class and term.

        Parameters
        ----------
        path : path-like
            Where the file goes.
        metadata : mapping of str to str, optional
            What to keep beside the table, such as the token rule; `load_metadata` reads it.
        """
        _parquet.write(path, self, metadata or {})


def load_counts(path: str | os.PathLike[str]) -> ClassTermCounts:
    """Read counts that `ClassTermCounts.save` has written.

    Rows of equal class and term are added up, so a folder of such files, or one file that
    was put together from several, is read as the sum of its parts.

    Parameters
    ----------
    path : path-like
        A Parquet file, or a folder of them.

    Returns
    -------
    ClassTermCounts
        Terms in the order in which the table lists them.
    """
    return ClassTermCounts(**_parquet.read(path))


def load_metadata(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read what `ClassTermCounts.save` has kept beside the counts; nothing for a folder."""
    return _parquet.read_metadata(path)


def _same_names(mine: NDArray[Any] | None, yours: NDArray[Any] | None) -> bool:
    if mine is None or yours is None:
        return mine is yours
    return mine is yours or np.array_equal(mine, yours)


def _refuse_different_kinds(mine: ClassTermCounts, yours: ClassTermCounts) -> None:
    if (mine.terms is None) != (yours.terms is None):
        raise ValueError("one side names its terms and the other does not; name both or neither")
    numbers = [counts.classes.dtype.kind in "biuf" for counts in (mine, yours)]
    if numbers[0] != numbers[1]:
        raise ValueError("the class labels of one side are numbers, of the other they are not")
