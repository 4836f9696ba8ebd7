"""Texts with one label each: counted, ranked, and judged by what was learnt from others."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from fsmj.corpus import TokenRule, document_matrix
from fsmj.counts import ClassTermCounts
from fsmj.documents import DOCUMENT_METHODS, rank_documents
from fsmj.ranking import Ranking, rank

DOCUMENT_TERMS = 500  # methods that look at the documents at every step rank no more


@dataclass(frozen=True, eq=False)
class Labelled:
    """Documents as texts and as a matrix of counts, with one label each."""

    texts: NDArray[Any]
    labels: NDArray[Any]
    X: csr_array
    terms: NDArray[Any]

    def take(self, rows: NDArray[np.intp]) -> Labelled:
        """Return some of the documents."""
        return Labelled(self.texts[rows], self.labels[rows], self.X[rows], self.terms)


@dataclass(frozen=True, eq=False)
class Fold:
    """A ranking, and documents that had no part in it."""

    ranking: Ranking
    held: Labelled


Ranker = Callable[[Labelled], Ranking]


def read_labelled(
    texts: Iterable[str], labels: Iterable[Any], rule: TokenRule, min_docs: int = 1
) -> Labelled:
    """Count each text on its own; terms in fewer than `min_docs` documents are left out."""
    texts = list(texts)
    return _labelled(texts, labels, *document_matrix(texts, rule, min_docs))


def read_like(
    train: Labelled, texts: Iterable[str], labels: Iterable[Any], rule: TokenRule
) -> Labelled:
    """Count further texts over the terms of the training documents."""
    from sklearn.feature_extraction.text import CountVectorizer

    texts = list(texts)
    vectorizer = CountVectorizer(analyzer=rule.tokens, vocabulary=train.terms, dtype=np.int64)
    return _labelled(texts, labels, csr_array(vectorizer.transform(texts)), train.terms)


def _labelled(texts: list[str], labels: Iterable[Any], X: csr_array, terms: Any) -> Labelled:
    known = np.array(list(labels))
    if len(known) != len(texts):
        raise ValueError(f"there are {len(texts)} texts but {len(known)} labels")
    return Labelled(np.array(texts, object), known, X, np.asarray(terms, object))


def ranker(method: str, **options: Any) -> Ranker:
    """Return the function that ranks the terms of documents by a method.

    Parameters
    ----------
    method : str
        As for `fsmj.rank`, or ``cll`` or ``cmim``.
    **options
        Those of `fsmj.rank`; the two methods that look at documents have none.
    """

    def by_documents(documents: Labelled) -> Ranking:
        n_terms = min(DOCUMENT_TERMS, len(documents.terms))
        return rank_documents(documents.X, documents.labels, method, n_terms, terms=documents.terms)

    def by_counts(documents: Labelled) -> Ranking:
        counts = ClassTermCounts.from_matrix(documents.X, documents.labels, documents.terms)
        return rank(counts, method, **options)

    return by_documents if method in DOCUMENT_METHODS else by_counts


def cross_validate(documents: Labelled, rank_terms: Ranker, cv: int = 5) -> list[Fold]:
    """Rank the terms once for each part of the documents, on the others.

    Raises
    ------
    ValueError
        Where the documents are too few; the message says so.
    """
    from sklearn.model_selection import StratifiedKFold

    _, class_of, n_docs = np.unique(documents.labels, return_inverse=True, return_counts=True)
    sizes = np.sort(n_docs)
    if len(sizes) < 2 or sizes[-2] < 2:
        raise ValueError("it needs two classes with two documents each at least")
    splitter = StratifiedKFold(max(2, min(cv, int(sizes[-1]))))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        split = list(splitter.split(documents.X, class_of))  # labels may be fractions
    return [
        Fold(rank_terms(_heard(documents.take(train))), documents.take(held))
        for train, held in split
    ]


def _heard(documents: Labelled) -> Labelled:
    """Leave out classes without a word: they cannot be learnt, their documents become errors."""
    wordy = documents.labels[np.diff(documents.X.indptr) > 0]
    return documents.take(np.flatnonzero(np.isin(documents.labels, wordy)))
