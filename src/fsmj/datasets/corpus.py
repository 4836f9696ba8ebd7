"""A corpus that comes with its split: training documents, test documents, and whom to cite."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """The training or the test documents of a corpus, as texts or as a matrix of counts.

    Parameters
    ----------
    labels : ndarray of shape (n_docs,) or (n_docs, n_classes)
        The class of each document; or, where documents may have several, 0/1 per class.
    texts : list of str, or None
        One text for each document, where the corpus comes as text.
    matrix : csr_array of shape (n_docs, n_terms), or None
        How often each term occurs in each document, where the corpus comes counted.

    Examples
    --------
    >>> part = Part(np.array(["tea", "oil"]), texts=["green leaves", "crude prices"])
    >>> part
    Part(2 texts)
    >>> part.matrix is None
    True
    """

    labels: NDArray[Any]
    texts: list[str] | None = None
    matrix: csr_array | None = None

    def __post_init__(self) -> None:
        if self.texts is not None and self.matrix is None:
            n_rows = len(self.texts)
        elif self.matrix is not None and self.texts is None:
            n_rows = self.matrix.shape[0]
        else:
            raise ValueError("give the documents either as texts or as a matrix")
        if n_rows != len(self.labels):
            raise ValueError(f"there are {n_rows} documents but {len(self.labels)} labels")

    def __repr__(self) -> str:
        return f"Part({self.n_docs:,} {'rows' if self.texts is None else 'texts'})"

    @property
    def n_docs(self) -> int:
        """How many documents there are."""
        return len(self.labels)

    def _take(self, rows: NDArray[np.bool_], labels: NDArray[Any]) -> Part:
        texts = None if self.texts is None else [self.texts[row] for row in np.flatnonzero(rows)]
        return Part(labels[rows], texts, None if self.matrix is None else self.matrix[rows])


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Training and test documents with their labels, and whom to cite.

    Parameters
    ----------
    name : str
        What the corpus is called in tables and figures.
    train, test : Part
        The documents, in the order of their source.
    classes : ndarray of shape (n_classes,)
        The classes, sorted; the columns of the labels where documents may have several.
    terms : ndarray of shape (n_terms,), or None
        The names of the matrix's columns; None for a corpus of texts.
    citation : str
        What to cite when results on this corpus are published.

    Examples
    --------
    >>> train = Part(np.array(["tea", "oil"]), texts=["green leaves", "crude prices"])
    >>> test = Part(np.array(["oil"]), texts=["a barrel of crude"])
    >>> Corpus("drinks", train, test, np.array(["oil", "tea"]), None, "nobody")
    Corpus('drinks', 2 + 1 documents, 2 classes)
    """

    name: str
    train: Part
    test: Part
    classes: NDArray[Any]
    terms: NDArray[Any] | None
    citation: str

    def __repr__(self) -> str:
        sizes = f"{self.train.n_docs:,} + {self.test.n_docs:,} documents"
        return f"Corpus({self.name!r}, {sizes}, {len(self.classes)} classes)"

    def largest(self, n_classes: int, name: str) -> Corpus:
        """Keep the classes with the most training documents, and the documents of these.

        Of classes of the same size, those first in the order of `classes` are kept.

        Parameters
        ----------
        n_classes : int
            How many classes to keep.
        name : str
            What to call the smaller corpus.

        Examples
        --------
        >>> train = Part(np.array(["b", "a", "c", "c"]), texts=["w", "x", "y", "z"])
        >>> corpus = Corpus("all", train, train, np.array(["a", "b", "c"]), None, "nobody")
        >>> corpus.largest(2, "large").train.texts
        ['x', 'y', 'z']
        """
        if n_classes > len(self.classes):
            raise ValueError(
                f"{self.name} has {len(self.classes)} classes, fewer than the {n_classes} asked for"
            )
        several = self.train.labels.ndim == 2
        if several:
            sizes = self.train.labels.sum(axis=0)
        else:
            counted = Counter(self.train.labels.tolist())
            sizes = np.array([counted[class_] for class_ in self.classes.tolist()])
        columns = np.sort(np.argsort(-sizes, kind="stable")[:n_classes])
        classes = self.classes[columns]

        def restricted(part: Part) -> Part:
            if several:
                labels = part.labels[:, columns]
                return part._take(labels.max(axis=1) > 0, labels)
            return part._take(np.isin(part.labels, classes), part.labels)

        train, test = restricted(self.train), restricted(self.test)
        return Corpus(name, train, test, classes, self.terms, self.citation)
