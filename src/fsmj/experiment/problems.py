"""Problems: training and test documents as matrices over one vocabulary, ready to be measured."""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from fsmj.corpus import TokenRule, read_documents
from fsmj.corpus.places import Paths
from fsmj.counts import ClassTermCounts
from fsmj.datasets import Corpus, Part


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """Documents to choose terms on, and documents to classify with them.

    Attributes
    ----------
    name : str
        What it is called in tables and figures.
    X_train, X_test : csr_array of shape (n_docs, n_terms)
        How often each term occurs in each document.
    y_train, y_test : ndarray of shape (n_docs,)
        The class of each document.
    terms : ndarray of shape (n_terms,)
        The names of the columns.
    citation : str
        What to cite when results are published.
    part_of : str
        What the parts of one cross-validation share: their results are read as one problem of
        this name, in which every document is a test document once.
    """

    name: str
    X_train: csr_array
    y_train: NDArray[Any]
    X_test: csr_array
    y_test: NDArray[Any]
    terms: NDArray[Any]
    citation: str = ""
    part_of: str = ""

    def __repr__(self) -> str:
        n_train, n_terms = self.X_train.shape
        return f"Problem({self.name!r}, {n_train:,} + {len(self.y_test):,} × {n_terms:,} terms)"

    @property
    def slug(self) -> str:
        """The name as a folder is called."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-") or "problem"

    @property
    def unseen(self) -> int:
        """How many test documents have a label that no training document has: all errors."""
        known = set(self.y_train.tolist())
        return sum(label not in known for label in self.y_test.tolist())

    @cached_property
    def counts(self) -> ClassTermCounts:
        """The counts of the training documents."""
        return ClassTermCounts.from_matrix(self.X_train, self.y_train, self.terms)

    @cached_property
    def fingerprint(self) -> str:
        """A number that changes with any document, label or term."""
        digest = hashlib.sha256()
        for X, y in ((self.X_train, self.y_train), (self.X_test, self.y_test)):
            cells = csr_array(X, copy=True)
            cells.sum_duplicates()
            digest.update(repr(cells.shape).encode())
            for array, kind in (
                (cells.indptr, np.int64), (cells.indices, np.int64), (cells.data, np.float64)
            ):  # fmt: skip
                digest.update(array.astype(kind).tobytes())
            digest.update("\0".join(map(str, y.tolist())).encode())
        digest.update("\0".join(map(str, self.terms.tolist())).encode())
        return digest.hexdigest()


def problem_of(
    corpus: Corpus,
    terms: NDArray[Any] | None = None,
    min_docs: int = 1,
    rule: TokenRule | None = None,
) -> Problem:
    """Lay a corpus out as matrices.

    Parameters
    ----------
    corpus : Corpus
        With texts or with a matrix; each document has one label.
    terms : ndarray of shape (n_terms,), optional
        The vocabulary of a corpus of texts; by default that of its training texts.
    min_docs : int, default=1
        Leave out the terms that fewer training documents contain, unless `terms` are given.
    rule : TokenRule, optional
        How to cut texts into terms; by default into the words of scikit-learn's
        ``CountVectorizer``.

    Returns
    -------
    Problem
        The training documents, the test documents, and their vocabulary.

    Examples
    --------
    >>> from fsmj.datasets import Part
    >>> part = Part(np.array(["tea", "oil"]), texts=["green leaves", "crude oil"])
    >>> problem_of(Corpus("goods", part, part, np.array(["oil", "tea"]), None, ""))
    Problem('goods', 2 + 2 × 4 terms)
    """
    for part in (corpus.train, corpus.test):
        if part.labels.ndim != 1:
            raise ValueError(f"{corpus.name} has documents with several labels; one each is needed")
        if part.n_docs == 0:
            raise ValueError(f"{corpus.name} needs training and test documents; one part is empty")
    if corpus.train.texts is None or corpus.test.texts is None:
        matrices = corpus.train.matrix, corpus.test.matrix
        names = corpus.terms
    else:
        from sklearn.feature_extraction.text import CountVectorizer

        cut = (rule or TokenRule()).tokens
        vectorizer = CountVectorizer(
            analyzer=cut, min_df=min_docs, vocabulary=terms, dtype=np.int64
        )
        matrices = (
            csr_array(vectorizer.fit_transform(corpus.train.texts)),
            csr_array(vectorizer.transform(corpus.test.texts)),
        )
        names = vectorizer.get_feature_names_out()
    train, test = matrices
    assert train is not None
    assert test is not None
    if names is None:
        names = np.arange(train.shape[1]).astype(str)
    return Problem(
        corpus.name, *_heard(train, corpus.train.labels), test, corpus.test.labels,
        np.asarray(names, object), corpus.citation,
    )  # fmt: skip


def read_corpus(
    path: Paths,
    text: str = "text",
    label: str = "label",
    *,
    test_share: float = 0.3,
    seed: int = 0,
) -> Corpus:
    """Read a corpus from a file and hold out a part of each class for testing.

    Parameters
    ----------
    path : path-like
        As for `fsmj.count_files`; each document has one label.
    text, label : str
        The names of the columns.
    test_share : float, default=0.3
        How much of each class to hold out, rounded down.
    seed : int, default=0
        Which documents are held out depends on it alone.

    Returns
    -------
    Corpus
        Named after the file.
    """
    batches = list(read_documents(path, text, label))
    texts = [text for batch in batches for text in batch.texts]
    labels = [label for batch in batches for label in batch.labels]
    name = Path(path).stem if isinstance(path, (str, os.PathLike)) else "corpus"
    return split_corpus(name, texts, labels, test_share=test_share, seed=seed)


def split_corpus(
    name: str, texts: Sequence[str], labels: Sequence[Any], *, test_share: float, seed: int = 0
) -> Corpus:
    """Hold out a part of each class for testing, as `read_corpus` does."""
    if not 0 < test_share < 1:
        raise ValueError(f"test_share must lie between 0 and 1; got {test_share}")
    if any(isinstance(label, list) for label in labels):
        raise ValueError(f"{name} has documents with several labels; one each is needed")
    y = np.array(labels)
    held_out = _held_out(y, test_share, np.random.default_rng(seed))
    if not held_out.any():
        raise ValueError(
            f"{name} has too few documents of each class to hold out a share of {test_share}"
        )

    def part(rows: NDArray[np.bool_]) -> Part:
        return Part(y[rows], [text for text, kept in zip(texts, rows, strict=True) if kept])

    return Corpus(name, part(~held_out), part(held_out), np.unique(y), None, "")


def fold_problems(
    name: str, X: csr_array, y: NDArray[Any], terms: NDArray[Any], cv: int
) -> list[Problem]:
    """Make each of `cv` stratified parts the test documents of a problem, in turn."""
    from sklearn.model_selection import StratifiedKFold

    _, codes = np.unique(y, return_inverse=True)
    largest = int(np.bincount(codes).max())
    if not 2 <= cv <= largest:
        raise ValueError(
            f"{cv} parts need a class of {cv} documents at least, but the largest has {largest}"
        )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        parts = list(StratifiedKFold(cv, shuffle=True, random_state=0).split(X, codes))
    return [
        Problem(
            f"{name}, part {number} of {cv}", *_heard(X[train], y[train]), X[held], y[held], terms,
            part_of=f"{name}, {cv} parts",
        )
        for number, (train, held) in enumerate(parts, 1)
    ]  # fmt: skip


def _heard(X: csr_array, y: NDArray[Any]) -> tuple[csr_array, NDArray[Any]]:
    """Leave out the training documents of classes that have no token, which nothing can learn."""
    _, codes = np.unique(y, return_inverse=True)
    tokens = np.bincount(codes, weights=np.asarray(X.sum(axis=1)).ravel())
    rows = tokens[codes] > 0
    return (X, y) if rows.all() else (csr_array(X[rows]), y[rows])


def shared_vocabulary(texts: Iterable[str], min_docs: int) -> NDArray[Any]:
    """Return the words that at least `min_docs` of the texts contain, sorted."""
    from sklearn.feature_extraction.text import CountVectorizer

    return np.asarray(CountVectorizer(min_df=min_docs).fit(texts).get_feature_names_out(), object)


def _held_out(
    labels: NDArray[Any], share: float, generator: np.random.Generator
) -> NDArray[np.bool_]:
    _, codes = np.unique(labels.astype(str), return_inverse=True)
    held_out = np.zeros(len(labels), bool)
    for class_ in range(codes.max(initial=-1) + 1):
        rows = generator.permutation(np.flatnonzero(codes == class_))
        held_out[rows[: int(len(rows) * share)]] = True
    return held_out
