"""ClassTermCounts: all that the methods need to know of a corpus.

For every class and term: how often the term occurs, and in how many documents.
These are sums, so they can be taken from any documents in any order and added up.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array, csr_array, vstack

from fsmj._matrix import checked, refuse_overflow, require_number_of_docs
from fsmj.counts import _parquet
from fsmj.counts.adding import added, places, same_names, subtracted
from fsmj.counts.classes import class_number, two_sides, warn_of_small_classes
from fsmj.tokens.rule import TokenRule


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
    rule : TokenRule or None
        How texts were cut into these terms; None where they were not counted from texts, or
        where it is not known.

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
    rule: TokenRule | None = None

    def __post_init__(self) -> None:
        for table in (self.term_counts, self.doc_counts):
            table.sort_indices()
        for array in self._arrays():
            array.flags.writeable = False
        if self.terms is not None:
            self.terms.flags.writeable = False

    def _arrays(self) -> list[NDArray[Any]]:
        tables = (self.term_counts, self.doc_counts)
        parts = (part for table in tables for part in (table.indptr, table.indices, table.data))
        return [*parts, self.classes, self.docs_per_class, self.docs_per_term, self.rest_counts]

    def __getstate__(self) -> dict[str, Any]:
        # As an array, a number takes the same room however large it has grown.
        state = {**self.__dict__, "n_docs": np.array(self.n_docs)}
        state.pop("tokens_per_class", None)
        return state

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
        X, y, terms, sample_weight
            As for `fsmj.Documents`.

        Returns
        -------
        ClassTermCounts
            Columns in their order, classes sorted.
        """
        return cls.from_membership(*checked(X, y, terms, sample_weight))

    @classmethod
    def from_membership(
        cls,
        documents: csr_array,
        classes: NDArray[Any],
        membership: csr_array,
        terms: NDArray[Any] | None,
        weight: NDArray[Any],
        rule: TokenRule | None = None,
    ) -> ClassTermCounts:
        """Count documents that have been checked, as `fsmj.Documents` holds them."""
        from fsmj.counts._count import count

        n_terms = documents.shape[1]
        refuse_overflow(documents, membership, weight)
        members = csc_array(membership)
        counted = count(documents, members, weight)
        tables = [
            csc_array((data, counted.classes, counted.starts), shape=(len(classes), n_terms))
            for data in (counted.occurrences, counted.documents)
        ]
        for table in tables:
            table.has_sorted_indices = True
        # With several labels, a document is in several rows of `doc_counts`, and counts once.
        one_each = bool((np.diff(membership.indptr) == 1).all())
        totals = counted.totals if one_each else np.asarray((documents != 0).T @ weight).ravel()
        return cls(
            classes=classes,
            terms=terms,
            term_counts=tables[0],
            doc_counts=tables[1],
            docs_per_class=np.asarray(members.T @ weight).ravel(),
            docs_per_term=totals,
            rest_counts=np.zeros(len(classes), counted.occurrences.dtype),
            n_docs=weight.sum().item(),
            rule=rule,
        )

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @property
    def n_terms(self) -> int:
        """The number of terms."""
        return int(self.term_counts.shape[1])

    @cached_property
    def tokens_per_class(self) -> NDArray[Any]:
        """How many tokens each class has, those left out by `restrict` included."""
        tokens = np.asarray(self.term_counts.sum(axis=1) + self.rest_counts)
        tokens.flags.writeable = False
        return tokens

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
            and same_names(self.terms, other.terms)
            and self.rule == other.rule
            and self.n_docs == other.n_docs
            and all(map(np.array_equal, self._arrays(), other._arrays()))
        )

    __hash__ = None  # type: ignore[assignment]  # equal counts may differ in dtype

    def __add__(self, other: ClassTermCounts) -> ClassTermCounts:
        """Count both corpora together; exact for whole numbers, in any order."""
        return added(self, other) if isinstance(other, ClassTermCounts) else NotImplemented

    def __sub__(self, other: ClassTermCounts) -> ClassTermCounts:
        """Take a part of the corpus away again; emptied terms and classes stay."""
        return subtracted(self, other) if isinstance(other, ClassTermCounts) else NotImplemented

    def prune(self, min_docs: int | float = 1) -> ClassTermCounts:
        """Forget the terms that occur in fewer than `min_docs` documents."""
        require_number_of_docs(min_docs)
        kept = np.flatnonzero(self.docs_per_term >= min_docs)
        return self if len(kept) == self.n_terms else self._take(kept, self.rest_counts.copy())

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

    @property
    def has_one_label_each(self) -> bool:
        """Whether every document belongs to one class, as far as the sums tell."""
        in_classes = np.asarray(self.doc_counts.sum(axis=0)).ravel()
        return bool(
            np.isclose(self.n_docs, self.docs_per_class.sum(), rtol=1e-9)
            and np.allclose(self.docs_per_term, in_classes, rtol=1e-9, atol=0)
        )

    def select_classes(self, classes: ArrayLike) -> ClassTermCounts:
        """Keep these classes only; the number of documents becomes that of their documents.

        Only for counts where each document has one class.
        """
        kept = np.isin(self.classes, classes)
        if not (kept.all() or self.has_one_label_each):
            raise ValueError("classes cannot be taken apart where documents have several labels")
        return self._keep(kept)

    def heard(self) -> ClassTermCounts:
        """Leave out the classes without a token: no word tells them from others."""
        return self._keep(self.tokens_per_class > 0)

    def without_small_classes(self, min_docs: int | float) -> ClassTermCounts:
        """Leave out the classes with fewer than `min_docs` documents, and warn of each.

        Where documents have several labels, those of the classes left out stay in `n_docs`,
        for they may belong to others; `Documents.without_small_classes` knows them apart.
        """
        warn_of_small_classes(self, min_docs)
        return self._keep(self.docs_per_class >= min_docs)

    def against_rest(self, class_: Any) -> ClassTermCounts:
        """Set one class against all others together.

        Parameters
        ----------
        class_ : label
            One of `classes`.

        Returns
        -------
        ClassTermCounts
            Of two classes: that of this name, and "not" with this name.

        Notes
        -----
        Where documents have several labels, counts do not tell which of the other classes'
        documents are of this class, too: count those with `Documents.against_rest`.

        Examples
        --------
        >>> import fsmj
        >>> counts = fsmj.count_texts(["ore", "wheat", "oil"], ["gold", "grain", "crude"])
        >>> two = counts.against_rest("gold")
        >>> two.classes.tolist(), two.docs_per_class.tolist()
        (['gold', 'not gold'], [1, 2])
        """
        this = class_number(self.classes, class_)
        if not self.has_one_label_each:
            raise ValueError(
                "counts of documents with several labels do not tell which documents are not "
                f"{class_!r}; use fsmj.Documents(...).against_rest({class_!r})"
            )
        names, side = two_sides(self.classes, this)
        group = csr_array((np.ones(len(side), np.int64), (side, np.arange(len(side)))))
        return replace(
            self,
            classes=names,
            term_counts=csc_array(group @ self.term_counts),
            doc_counts=csc_array(group @ self.doc_counts),
            docs_per_class=np.asarray(group @ self.docs_per_class),
            rest_counts=np.asarray(group @ self.rest_counts),
        )

    def _keep(self, kept: NDArray[np.bool_]) -> ClassTermCounts:
        """Keep some classes; documents with several labels stay, as they may have others."""
        if kept.all():
            return self
        doc_counts, docs_per_class = csc_array(self.doc_counts[kept]), self.docs_per_class[kept]
        single = self.has_one_label_each
        return replace(
            self,
            classes=self.classes[kept],
            term_counts=csc_array(self.term_counts[kept]),
            doc_counts=doc_counts,
            docs_per_class=docs_per_class,
            docs_per_term=np.asarray(doc_counts.sum(axis=0)) if single else self.docs_per_term,
            rest_counts=self.rest_counts[kept],
            n_docs=docs_per_class.sum().item() if single else self.n_docs,
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
        columns = places(self.terms, wanted.astype(object))
        if (columns < 0).any():
            raise ValueError(f"no counts for the term {str(wanted[columns < 0][0])!r}")
        return columns

    def _take(self, columns: NDArray[np.intp], rest_counts: NDArray[Any]) -> ClassTermCounts:
        return replace(
            self,
            terms=None if self.terms is None else self.terms[columns],
            term_counts=csc_array(self.term_counts[:, columns]),
            doc_counts=csc_array(self.doc_counts[:, columns]),
            docs_per_term=self.docs_per_term[columns],
            rest_counts=rest_counts,
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
        with np.errstate(over="ignore"):
            if not np.isfinite(self.tokens_per_class + np.float64(alpha) * len(columns)).all():
                raise ValueError(
                    f"alpha is too large: {alpha:g} for each of {len(columns):,} terms"
                )
        # One document holds all tokens of a class, an empty one makes up the class's weight:
        # so the public `fit` arrives at the same sums as over the documents themselves.
        tokens = csr_array(self.term_counts[:, columns])
        documents = vstack([tokens, csr_array(tokens.shape)])
        weight = np.concatenate([np.ones(self.n_classes), self.docs_per_class - 1.0])
        numbers = np.tile(np.arange(self.n_classes), 2)  # labels may be of any kind
        fitted = MultinomialNB(alpha=alpha).fit(documents, numbers, sample_weight=weight)
        fitted.classes_ = self.classes
        return fitted

    def save(self, path: str | os.PathLike[str], **metadata: str) -> None:
        """Write the counts as one Parquet table, whole or not at all.

        The columns are `class`, `term`, `count` and `docs`. A row without a term holds a
        class's totals; a row without a class the documents of all classes together. So the
        files of two corpora are merged by adding up the rows of equal class and term. The token
        rule is kept beside the table.

        Parameters
        ----------
        path : path-like
            Where the file goes.
        **metadata : str
            What else to keep beside the table.
        """
        rule = {} if self.rule is None else {"rule": self.rule.to_json()}
        _parquet.write(path, self, {**rule, **metadata})
