"""Documents: a matrix, a label for each row, the names of the columns, and the texts if any."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from copy import copy
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from fsmj._matrix import (
    checked,
    listed_membership,
    object_array,
    one_label_each,
    require_number_of_docs,
    strings_of,
)
from fsmj.counts import ClassTermCounts, class_number, two_sides, warn_of_small_classes
from fsmj.tokens.rule import TokenRule


class Fold(NamedTuple):
    """Documents to learn from, and documents that are held out, by their rows."""

    train: NDArray[np.intp]
    held: NDArray[np.intp]


class Documents:
    """Labelled documents, for what needs more than their counts.

    Parameters
    ----------
    X : {array-like, sparse matrix or array} of shape (n_docs, n_terms)
        Counts, or any non-negative values such as tf-idf. A data frame names the terms.
    y : array-like of shape (n_docs,), or indicator matrix of shape (n_docs, n_classes)
        The label of each document; or 0/1 per class, where documents may have several.
    terms : iterable of str, optional
        The names of the columns.
    texts : sequence of str, optional
        What the rows were made from.
    sample_weight : array-like of shape (n_docs,), optional
        Counts each document this many times.
    rule : TokenRule, optional
        How the texts were cut into the terms.

    Attributes
    ----------
    X : csr_array of shape (n_docs, n_terms)
        The matrix, in 64 bits and without stored zeros.
    classes : ndarray of shape (n_classes,)
        The classes, sorted.
    membership : csr_array of shape (n_docs, n_classes)
        1 where the document belongs to the class.
    terms, texts, rule
        As given, or None.

    Examples
    --------
    >>> import fsmj
    >>> documents = fsmj.Documents([[2, 0], [0, 1], [1, 1]], ["a", "b", "b"])
    >>> documents
    Documents(3 documents × 2 terms, 2 classes)
    >>> documents.counts
    ClassTermCounts(2 classes × 2 terms, 3 documents, 5 tokens)
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        terms: Iterable[str] | None = None,
        texts: Sequence[str] | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        rule: TokenRule | None = None,
    ) -> None:
        self.X, self.classes, self.membership, self.terms, self.weight = checked(
            X, y, terms, sample_weight
        )
        if texts is not None and len(texts) != self.n_docs:
            raise ValueError(f"there are {self.n_docs} documents but {len(texts)} texts")
        self.texts = None if texts is None else object_array([*strings_of(texts)])
        self.rule = rule

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        labels: Iterable[Any],
        rule: TokenRule | None = None,
        *,
        terms: Iterable[str] | None = None,
        min_docs: int = 1,
    ) -> Documents:
        """Cut texts into terms, a row for each.

        Parameters
        ----------
        texts : iterable of str
            The documents.
        labels : iterable
            The label of each; or a list of labels, where it has several.
        rule : TokenRule, optional
            How to cut a text into terms.
        terms : iterable of str, optional
            The columns; by default all terms that occur, sorted.
        min_docs : int, default=1
            Leave out terms that fewer documents contain, unless `terms` are given.
        """
        from fsmj.tokens.matrix import term_matrix

        rule, kept, given = rule or TokenRule(), list(texts), list(labels)
        X, names = term_matrix(kept, rule, terms=terms, min_docs=min_docs)
        if len(given) != len(kept):
            raise ValueError(f"there are {len(kept)} texts but {len(given)} labels")
        classes, membership = listed_membership(given)
        return cls(X, membership, names, kept, rule=rule)._with(classes=classes)

    def __repr__(self) -> str:
        return (
            f"Documents({self.n_docs:,} documents × {self.n_terms:,} terms, "
            f"{len(self.classes):,} classes)"
        )

    @property
    def n_docs(self) -> int:
        """How many documents there are."""
        return int(self.X.shape[0])

    @property
    def n_terms(self) -> int:
        """How many columns there are."""
        return int(self.X.shape[1])

    @cached_property
    def counts(self) -> ClassTermCounts:
        """Their counts, which is all that most methods need."""
        return ClassTermCounts.from_membership(
            self.X, self.classes, self.membership, self.terms, self.weight, self.rule
        )

    @property
    def is_weighted(self) -> bool:
        """Whether some documents count more than others."""
        return bool((self.weight != 1).any())

    @property
    def has_one_label_each(self) -> bool:
        """Whether every document belongs to one class."""
        return bool((np.diff(self.membership.indptr) == 1).all())

    @property
    def codes(self) -> NDArray[np.int64]:
        """The number of each document's class; only where each has one label."""
        if not self.has_one_label_each:
            n_labels = np.diff(self.membership.indptr)
            first = int(np.flatnonzero(n_labels != 1)[0])
            raise ValueError(
                f"one label is needed for each document, but document {first} has "
                f"{n_labels[first]}; rank such documents by a method that needs counts only"
            )
        return np.asarray(self.membership.indices, np.int64)

    @property
    def y(self) -> NDArray[Any]:
        """The label of each document; only where each has one."""
        return np.asarray(self.classes[self.codes])

    def take(self, rows: NDArray[Any]) -> Documents:
        """Return some of the documents, with the classes that these have."""
        membership = csr_array(self.membership[rows])
        kept = np.unique(membership.indices)
        return self._with(
            X=csr_array(self.X[rows]),
            weight=self.weight[rows],
            texts=None if self.texts is None else self.texts[rows],
            classes=self.classes[kept],
            membership=csr_array(membership[:, kept]),
        )

    def weighing(self, weight: NDArray[Any]) -> Documents:
        """Return the same documents, each of which counts so many times."""
        return self._with(weight=weight)

    def _with(self, **changed: Any) -> Documents:
        """Return documents with other attributes, whose counts are not known yet."""
        others = copy(self)
        others.__dict__.pop("counts", None)
        others.__dict__.update(changed)
        return others

    def prune(self, min_docs: int) -> Documents:
        """Leave out the terms that fewer documents contain."""
        require_number_of_docs(min_docs)
        kept = np.flatnonzero(np.bincount(self.X.indices, minlength=self.n_terms) >= min_docs)
        if len(kept) == self.n_terms:
            return self
        if len(kept) == 0:
            raise ValueError(f"no term occurs in {min_docs:,} documents; lower min_docs")
        terms = None if self.terms is None else self.terms[kept]
        return self._with(X=csr_array(self.X[:, kept]), terms=terms)

    def heard(self) -> Documents:
        """Leave out classes without a token, and their documents: no word tells them apart."""
        return self._keep(self.counts.tokens_per_class > 0)

    def without_small_classes(self, min_docs: int | float) -> Documents:
        """Leave out the classes with fewer than `min_docs` documents, and warn of each.

        A document stays if it has another label.
        """
        warn_of_small_classes(self.counts, min_docs)
        return self._keep(self.counts.docs_per_class >= min_docs)

    def against_rest(self, class_: Any) -> Documents:
        """Set one class against all others together; see `ClassTermCounts.against_rest`.

        A document with several labels belongs to the class if one of them is.
        """
        this = class_number(self.classes, class_)
        names, side = two_sides(self.classes, this)
        inside = self.membership[:, [this]].toarray().ravel() > 0
        sides = np.where(inside, side[this], 1 - side[this])
        return self._with(classes=names, membership=one_label_each(sides, 2))

    def _keep(self, kept: NDArray[np.bool_]) -> Documents:
        if kept.all():
            return self
        membership = csr_array(self.membership[:, kept])
        rows = np.flatnonzero(np.diff(membership.indptr) > 0)
        membership = csr_array(membership[rows])
        return self.take(rows)._with(classes=self.classes[kept], membership=membership)

    def split(self, share: float = 0.3, seed: int = 0) -> Fold:
        """Hold out a share of each class, rounded down.

        Parameters
        ----------
        share : float, default=0.3
            Between 0 and 1.
        seed : int, default=0
            Which documents are held out depends on it alone.
        """
        if not 0 < share < 1:
            raise ValueError(f"the share to hold out must lie between 0 and 1; got {share}")
        generator, codes = np.random.default_rng(seed), self.codes
        held = np.zeros(self.n_docs, bool)
        for code in range(len(self.classes)):
            rows = generator.permutation(np.flatnonzero(codes == code))
            held[rows[: int(len(rows) * share)]] = True
        if not held.any():
            raise ValueError(
                f"there are too few documents of each class to hold out a share of {share:g}"
            )
        return Fold(np.flatnonzero(~held), np.flatnonzero(held))

    def folds(self, cv: Any = 5, groups: Any = None) -> list[Fold]:
        """Split the documents into parts that are held out in turn.

        Parameters
        ----------
        cv : int, splitter or iterable, default=5
            As in scikit-learn: a number of stratified parts, in the order of the documents; a
            splitter; or pairs of rows. A number is lowered to that of the documents of the
            largest class.
        groups : array-like of shape (n_docs,), optional
            For splitters that keep groups together.

        Returns
        -------
        list of Fold
            Rows to learn from, and rows held out.
        """
        from sklearn.model_selection import check_cv

        codes = self.codes
        if isinstance(cv, Integral):
            if cv < 2:
                raise ValueError(f"cv must be 2 parts or more; got {cv}")
            largest = int(np.bincount(codes, minlength=1).max())
            cv = max(2, min(int(cv), largest))
        splitter = check_cv(cv, codes, classifier=True)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")
            return [Fold(train, held) for train, held in splitter.split(self.X, codes, groups)]
