"""The documents that a report shows, and how they were decided, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Passage:
    """A piece of a document.

    Attributes
    ----------
    text : str
        A selected term, or what lies between two.
    lead : float or None
        How much the term speaks for the decision rather than for its rival; None for other text.
    place : int or None
        Of a term, its place among those of `Words`, where it is listed.
    """

    text: str
    lead: float | None = None
    place: int | None = None


@dataclass(frozen=True)
class Reason:
    """What a term adds to the scores of the classes compared.

    Attributes
    ----------
    what : str
        The term; or what else is added.
    kind : {"term", "prior", "others"}
        Which of these it is.
    times : float
        How often it occurs.
    scores : tuple of float
        What it adds for each class.
    place : int or None
        Of a term, its place among those of `Words`, where it is listed.
    """

    what: str
    kind: Literal["term", "prior", "others"]
    times: float
    scores: tuple[float, ...]
    place: int | None = None


@dataclass(frozen=True)
class Example:
    """A document and how it was decided.

    Attributes
    ----------
    passages : tuple of Passage
        The text in pieces.
    cut : bool
        Whether the text goes on.
    label, decision : str
        The class it has, and the one it was given.
    right : bool
        Whether these are the same.
    probability : float
        What naive Bayes gives its decision.
    classes : tuple of str
        The classes that `reasons` compare: the decision, then its rivals.
    reasons : tuple of Reason
        What adds up to the scores, the prior first.
    totals : tuple of float
        The scores: logarithms of the probability of class and document together.
    """

    passages: tuple[Passage, ...]
    cut: bool
    label: str
    decision: str
    right: bool
    probability: float
    classes: tuple[str, ...]
    reasons: tuple[Reason, ...]
    totals: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Sample:
    """A piece of a document of the corpus, to show words in.

    Attributes
    ----------
    text : str
        Some sentences.
    begins, ends : bool
        Whether the document begins, and ends, with them.
    label : int
        The class it has, as a number of `Samples.classes`.
    decision : int or None
        The class it was given when it was held out.
    places : ndarray of shape (n_words, 3)
        Where the leading terms stand: first letter, last letter and place among `Words`.
    """

    text: str
    begins: bool
    ends: bool
    label: int
    decision: int | None
    places: Ints


@dataclass(frozen=True, eq=False)
class Samples:
    """Documents, chosen so that the first terms are met in several classes.

    Attributes
    ----------
    classes : tuple of str
        Those of `Words`, and then those that only occur among test documents.
    n_covered : int
        For so many of the first terms documents were looked for.
    samples : tuple of Sample
        The documents, or pieces of them.
    """

    classes: tuple[str, ...]
    n_covered: int
    samples: tuple[Sample, ...]

    @property
    def n_characters(self) -> int:
        """How much text the page carries for them."""
        return sum(len(sample.text) for sample in self.samples)


@dataclass(frozen=True, eq=False)
class Confusion:
    """How documents of each class were decided.

    Attributes
    ----------
    classes : tuple of int
        Numbers of `Samples.classes`: rows and columns in this order.
    names : tuple of str
        What they are called.
    table : ndarray of shape (n_rows, n_rows)
        Documents of the row's class that were given to the column's class. The last row and
        column are those of all other classes, if `others` is not 0.
    others : int
        How many classes were left out.
    """

    classes: tuple[int, ...]
    names: tuple[str, ...]
    table: Ints
    others: int


@dataclass(frozen=True, eq=False)
class DecidedDocuments:
    """How the documents held out were decided, and some of them with the selected words marked."""

    note: str
    n_terms: int
    confusion: Confusion
    examples: tuple[Example, ...]
