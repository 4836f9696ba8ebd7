"""What a report says, as data: one frozen object a section, before there is any page.

An array has a value for each thing that is listed, such as a term; "place" is its index there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fsmj.evidence import Listed

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Verdict = Literal["ahead", "behind", "open"]


@dataclass(frozen=True, eq=False)
class ClassWords:
    """The terms that speak for one class."""

    index: int  # of the class among those of `Words`
    name: str
    n_docs: float
    by_contribution: Listed  # the terms that add most to the divergence
    by_ratio: Listed  # those most times as frequent as in the other classes: as a power of 2


@dataclass(frozen=True, eq=False)
class Sureness:
    """How stable each listed term is when the documents are drawn anew; NaN where not known."""

    sentence: str  # what was found, in all
    n_terms: int  # how many terms were selected each time
    n_resamples: int
    share: Floats  # of the samples: in how many the term was among them
    verdict: tuple[str, ...]  # what that says, as in `fsmj.Stability`; empty where not known
    rank_low: Floats  # between which ranks it was found; ``n_terms + 1`` is all beyond
    rank_high: Floats
    log2_low: Floats  # how many times as frequent it was in its class, as powers of 2
    log2_high: Floats


@dataclass(frozen=True, eq=False)
class Words:
    """The ranked terms, best first."""

    method: str  # what ranked them
    gains: bool  # whether the scores are gains in divergence
    n_terms: int
    n_ranked: int  # of these terms; the first of them are listed
    classes: tuple[str, ...]
    docs_per_class: Floats
    tokens_per_class: Floats
    terms: tuple[str, ...]
    scores: Floats
    explained: Floats  # the share of the divergence that is reached with each term
    occurrences: Floats
    documents: Floats  # in how many each term occurs
    strongest: Ints  # the class for which it speaks most
    detailed: Ints  # the places of the terms of which the next three, terms × classes, tell more
    class_occurrences: Floats
    class_documents: Floats
    ratios: Floats  # how many times as frequent as in the other classes, as a power of 2
    by_class: tuple[ClassWords, ...]  # the largest first
    sureness: Sureness | None = None  # where the stability of the ranking was measured


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
    """How often naive Bayes is right with the first k terms."""

    label: str  # what tells the curves of a report apart
    ks: Ints
    mean: Floats  # the accuracy over the folds
    spread: Floats  # its standard deviation; of one held-out part, its standard error
    best: int  # the number of terms with the highest accuracy
    best_accuracy: float
    enough: int  # the fewest within one standard error of it
    enough_accuracy: float


@dataclass(frozen=True, eq=False)
class Sizes:
    """How many terms are enough: the divergence, and the accuracy where there are documents."""

    divergence: DivergenceCurve
    accuracy: tuple[AccuracyCurve, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Line:
    """One run of an experiment."""

    label: str
    method: str
    variant: str
    aggregate: str
    rest: bool
    average: float
    accuracy: Floats  # at each k of its problem, NaN where not measured
    colour: str = "#555555"  # of the method in `fsmj.METHODS`, as its marker
    marker: str = "."
    needs: str = ""  # what the method ranks; nothing for one that is not listed there


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
    up_to: int = 0  # the last of the sizes that all runs have: averages are over these


@dataclass(frozen=True)
class Fact:
    """A figure under the headline, a line of the last section, or what a name stands for."""

    what: str
    value: str


@dataclass(frozen=True)
class Comparison:
    """How methods compare."""

    verdict: str
    contests: tuple[Contest, ...]
    methods: tuple[Fact, ...] = ()  # what the short names of methods stand for


@dataclass(frozen=True)
class Passage:
    """A piece of a document: a selected term, or what lies between two."""

    text: str
    lead: float | None = None  # how much the term speaks for the decision and not for its rival
    place: int | None = None  # of a term that is listed among those of `Words`


@dataclass(frozen=True)
class Reason:
    """What a term adds to the scores of the classes compared."""

    what: str  # the term; or what else is added
    kind: Literal["term", "prior", "others"]
    times: float
    scores: tuple[float, ...]  # for each class
    place: int | None = None  # of a term that is listed among those of `Words`


@dataclass(frozen=True)
class Example:
    """A document and how it was decided."""

    passages: tuple[Passage, ...]
    cut: bool  # whether the text goes on
    label: str
    decision: str
    right: bool
    probability: float  # that naive Bayes gives its decision
    classes: tuple[str, ...]  # that are compared: the decision, then its rivals
    reasons: tuple[Reason, ...]  # the prior first
    totals: tuple[float, ...]  # to which they add up: log P(class and document)


@dataclass(frozen=True, eq=False)
class Confusion:
    """How documents of each class were decided."""

    classes: tuple[int, ...]  # numbers of `Samples.classes`: rows and columns in this order
    names: tuple[str, ...]
    table: Ints  # documents of the row's class given to the column's; the last are all others
    others: int  # how many classes were left out; if none was, there is no such row


@dataclass(frozen=True, eq=False)
class DecidedDocuments:
    """How the documents held out were decided, and some of them with the selected words marked."""

    note: str
    n_terms: int
    confusion: Confusion
    examples: tuple[Example, ...]


@dataclass(frozen=True, eq=False)
class Sample:
    """A piece of a document of the corpus, to show words in."""

    text: str
    begins: bool  # whether the document begins with it
    ends: bool
    label: int  # a number of `Samples.classes`
    decision: int | None  # the class it was given when it was held out
    places: Ints  # a row for each leading term in it: first letter, last letter, place in `Words`


@dataclass(frozen=True, eq=False)
class Samples:
    """Documents, chosen so that the first terms are met in several classes."""

    classes: tuple[str, ...]  # those of `Words`, then those that only test documents have
    n_covered: int  # for so many of the first terms documents were looked for
    samples: tuple[Sample, ...]

    @property
    def n_characters(self) -> int:
        """How much text the page carries for them."""
        return sum(len(sample.text) for sample in self.samples)


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
    about: About
    words: Words | None = None
    sizes: Sizes | None = None
    comparison: Comparison | None = None
    documents: DecidedDocuments | None = None
    samples: Samples | None = None
