"""What a report says, as data: one frozen object a section, before there is any page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fsmj.reporting.shown import DecidedDocuments, Samples

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Verdict = Literal["ahead", "behind", "open"]


@dataclass(frozen=True, eq=False)
class Listed:
    """Some terms, by their places among those of `Words`, and by what they were ordered."""

    places: Ints
    values: Floats


@dataclass(frozen=True, eq=False)
class ClassWords:
    """The terms that speak for one class.

    Attributes
    ----------
    index : int
        Its number among the classes of `Words`.
    name : str
        What it is called there.
    n_docs, n_tokens : float
        Its size.
    by_contribution, by_ratio : Listed
        The terms that add most to the divergence; and those that are most times as frequent as
        in the other classes (the ratio as a power of 2).
    """

    index: int
    name: str
    n_docs: float
    n_tokens: float
    by_contribution: Listed
    by_ratio: Listed


@dataclass(frozen=True, eq=False)
class Sureness:
    """How stable each listed term is when the documents are drawn anew; NaN where not known.

    Attributes
    ----------
    sentence : str
        What was found, in all.
    n_terms : int
        How many terms were selected each time.
    share : ndarray of shape (n_listed,)
        In which share of the samples the term was among them.
    rank_low, rank_high : ndarray of shape (n_listed,)
        Between which ranks it was found; ``n_terms + 1`` stands for all beyond.
    log2_low, log2_high : ndarray of shape (n_listed,)
        How many times as frequent it was in the class for which it speaks, as powers of 2.
    """

    sentence: str
    n_terms: int
    share: Floats
    rank_low: Floats
    rank_high: Floats
    log2_low: Floats
    log2_high: Floats


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
    docs_per_class, tokens_per_class : ndarray of shape (n_classes,)
        Their sizes.
    terms : tuple of str
        The terms listed, best first.
    scores, explained : ndarray of shape (n_listed,)
        Each term's score, and the share of the divergence that is reached with it.
    occurrences, documents : ndarray of shape (n_listed,)
        How often each occurs, and in how many documents.
    strongest : ndarray of shape (n_listed,)
        The class for which each term speaks most.
    detailed : ndarray of shape (n_detailed,)
        The places of the terms of which the next three tell more: the first terms, then those
        that `by_class` lists.
    class_occurrences, class_documents : ndarray of shape (n_detailed, n_classes)
        How often each occurs, and in how many documents, in each class.
    ratios : ndarray of shape (n_detailed, n_classes)
        How many times as frequent it is in the class as in the others, as a power of 2.
    by_class : tuple of ClassWords
        The classes side by side, the largest first.
    sureness : Sureness or None
        Where the stability of the ranking was measured.
    """

    method: str
    gains: bool
    n_terms: int
    n_ranked: int
    classes: tuple[str, ...]
    docs_per_class: Floats
    tokens_per_class: Floats
    terms: tuple[str, ...]
    scores: Floats
    explained: Floats
    occurrences: Floats
    documents: Floats
    strongest: Ints
    detailed: Ints
    class_occurrences: Floats
    class_documents: Floats
    ratios: Floats
    by_class: tuple[ClassWords, ...]
    sureness: Sureness | None = None


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
    """One run of an experiment: the accuracy at each k of its problem, NaN where not measured.

    Its colour is that of the method in `fsmj.METHODS`; `needs` says what the method ranks, and
    is empty for one that is not listed there.
    """

    label: str
    method: str
    variant: str
    aggregate: str
    rest: bool
    average: float
    accuracy: Floats
    colour: str = "#555555"
    needs: str = ""


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
    """All runs on one problem; their averages are over sizes that all have, up to the last one."""

    problem: str
    n_test: int
    ks: Ints
    lines: tuple[Line, ...]
    compared_at: tuple[int, ...]
    rivals: tuple[Rival, ...]
    up_to: int = 0


@dataclass(frozen=True)
class Comparison:
    """How methods compare."""

    verdict: str
    contests: tuple[Contest, ...]


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
    cautions: tuple[str, ...]
    figures: tuple[Fact, ...]
    words: Words | None
    sizes: Sizes | None
    comparison: Comparison | None
    documents: DecidedDocuments | None
    samples: Samples | None
    about: About
