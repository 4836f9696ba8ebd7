"""What a report says, as data: one frozen object a section, before there is any page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Verdict = Literal["ahead", "behind", "open"]

LONGEST_NAME = 120
"""Terms and class names with more characters are cut, which an ellipsis shows."""


def name_of(value: object) -> str:
    """Return a term or a label as it is shown.

    Examples
    --------
    >>> name_of("wheat"), len(name_of("w" * 10_000))
    ('wheat', 120)
    """
    text = str(value)
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def n_words(n: int) -> str:
    """Say how many words.

    Examples
    --------
    >>> n_words(1), n_words(2000)
    ('1 word', '2,000 words')
    """
    return f"{n:,} word" if n == 1 else f"{n:,} words"


@dataclass(frozen=True, eq=False)
class ClassWords:
    """The terms that speak most for one class, the strongest first.

    Its name is also that of number `index` among the classes of `Words`.
    """

    index: int
    name: str
    n_docs: float
    terms: tuple[str, ...]
    contributions: Floats


@dataclass(frozen=True, eq=False)
class Words:
    """The ranked terms.

    Attributes
    ----------
    method : str
        What ranked them.
    gains : bool
        Whether the scores are gains in divergence.
    n_terms, n_ranked : int
        How many terms there are, and how many of them are ranked; the first of them are listed.
    classes : tuple of str
        The classes that the numbers below mean.
    terms : tuple of str
        The terms listed, best first.
    scores, explained : ndarray of shape (n_listed,)
        Each term's score, and the share of the divergence that is reached with it.
    strongest : ndarray of shape (n_listed,)
        The class for which each term speaks most.
    contributions : ndarray of shape (n_leading, n_classes)
        For and against which classes the leading terms speak.
    by_class : tuple of ClassWords
        The classes side by side, the largest first.
    """

    method: str
    gains: bool
    n_terms: int
    n_ranked: int
    classes: tuple[str, ...]
    terms: tuple[str, ...]
    scores: Floats
    explained: Floats
    strongest: Ints
    contributions: Floats
    by_class: tuple[ClassWords, ...]


@dataclass(frozen=True)
class Milestone:
    """The fewest terms that reach a share of the divergence."""

    share: float
    k: int


@dataclass(frozen=True, eq=False)
class DivergenceCurve:
    """The share of the divergence that the first k terms reach, and the k-th term."""

    ks: Ints
    explained: Floats
    terms: tuple[str, ...]
    milestones: tuple[Milestone, ...]


@dataclass(frozen=True, eq=False)
class AccuracyCurve:
    """How often naive Bayes is right with the first k terms.

    Attributes
    ----------
    label : str
        What tells the curves of a report apart.
    ks : ndarray of shape (n_sizes,)
        Numbers of terms.
    mean, spread : ndarray of shape (n_sizes,)
        The accuracy over the folds and its standard deviation; of one held-out part, its
        standard error.
    best, enough : int
        The number of terms with the highest accuracy, and the fewest within one standard error
        of it.
    best_accuracy, enough_accuracy : float
        What they reach.
    """

    label: str
    ks: Ints
    mean: Floats
    spread: Floats
    best: int
    best_accuracy: float
    enough: int
    enough_accuracy: float


@dataclass(frozen=True, eq=False)
class Sizes:
    """How many terms are enough: the divergence, and the accuracy where there are documents."""

    divergence: DivergenceCurve
    accuracy: tuple[AccuracyCurve, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Line:
    """One run of an experiment: the accuracy at each k of its problem, NaN where not measured."""

    label: str
    method: str
    variant: str
    aggregate: str
    rest: bool
    average: float
    accuracy: Floats


@dataclass(frozen=True)
class Duel:
    """Documents that only FSMJ, or only the other run, gets right, and what a test says."""

    wins: int
    losses: int
    p: float
    verdict: Verdict


@dataclass(frozen=True)
class Rival:
    """A run beside FSMJ, at each k of the table; None where it was not measured."""

    label: str
    duels: tuple[Duel | None, ...]


@dataclass(frozen=True, eq=False)
class Contest:
    """All runs on one problem."""

    problem: str
    n_test: int
    ks: Ints
    lines: tuple[Line, ...]
    compared_at: tuple[int, ...]
    rivals: tuple[Rival, ...]


@dataclass(frozen=True)
class Comparison:
    """How methods compare."""

    verdict: str
    contests: tuple[Contest, ...]


@dataclass(frozen=True)
class Passage:
    """A piece of a document.

    Attributes
    ----------
    text : str
        A selected term, or what lies between two.
    lead : float or None
        How much the term speaks for the decision rather than for its rival; None for other text.
    """

    text: str
    lead: float | None


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
    """

    what: str
    kind: Literal["term", "prior", "others"]
    times: float
    scores: tuple[float, ...]


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


@dataclass(frozen=True)
class Documents:
    """Some documents with the selected words marked."""

    note: str
    n_terms: int
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class Fact:
    """A figure under the headline, or a line of the last section."""

    what: str
    value: str


@dataclass(frozen=True)
class About:
    """Where the report comes from, and how to make it again."""

    facts: tuple[Fact, ...]
    command: str


@dataclass(frozen=True)
class Summary:
    """All that a report says; a section without data is None."""

    title: str
    headline: str
    details: tuple[str, ...]
    figures: tuple[Fact, ...]
    words: Words | None
    sizes: Sizes | None
    comparison: Comparison | None
    documents: Documents | None
    about: About
