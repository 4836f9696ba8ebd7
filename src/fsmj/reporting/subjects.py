"""What a report is about: a ranking and, where there are documents, trials to judge it by."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fsmj._names import name_of
from fsmj.documents import Documents
from fsmj.evaluation import Ranker, Trial, fewest_within_error, held_out, measure, trials
from fsmj.ranking import NOTHING, Ranking
from fsmj.reporting.summary import AccuracyCurve, DivergenceCurve, Ints, Milestone
from fsmj.tokens.rule import TokenRule

WITHOUT_REST, WITH_REST = "selected words alone", "with the rest as one more word"
MILESTONES = (0.5, 0.8, 0.95)
_EVERY, _POINTS = 100, 300  # a drawn line has all k to the first, and so many more


@dataclass(frozen=True, eq=False)
class Subject:
    """A ranking and what it can be judged by."""

    ranking: Ranking  # of all documents
    note: str  # how accuracy is measured, or why it cannot be
    documents: Documents | None = None  # what was ranked, where it is known
    held: Documents | None = None  # what is held out: test documents, or all, part by part
    trials: tuple[Trial, ...] = ()  # none where accuracy cannot be measured

    @property
    def rule(self) -> TokenRule:
        """How texts are cut into terms."""
        return self.ranking.counts.rule or TokenRule()

    @property
    def guess(self) -> tuple[Any, float]:
        """The largest class, and for what share of the held documents it is right."""
        counts = self.ranking.counts
        largest = counts.classes[counts.docs_per_class.argmax()]
        labels = np.concatenate([trial.held.y for trial in self.trials])
        return largest, float((labels == largest).mean())

    @property
    def n_unlearnt(self) -> int:
        """How many held documents can only be decided wrong."""
        return sum(len(trial.unlearnt) for trial in self.trials)


def from_ranking(ranking: Ranking) -> Subject:
    """Make a ranking the subject."""
    if len(ranking) == 0:
        raise ValueError("the ranking is empty; rank one term at least")
    note = (
        "How often naive Bayes is right with so many words can only be measured on documents; "
        "this report was made from counts alone."
    )
    return Subject(ranking, note)


def from_documents(
    documents: Documents, test: Documents | None, ranker: Ranker, cv: Any = 5
) -> Subject:
    """Rank the terms of documents; judge them by test documents, or else by cross-validation."""
    if test is not None:
        return _tested(documents, test, ranker)
    ranking = ranker(documents)
    if not documents.has_one_label_each:
        note = (
            "How often naive Bayes is right is not measured: "
            "documents here have several labels, and it gives one."
        )
        return Subject(ranking, note, documents)
    try:
        parts = tuple(trials(documents, ranker, cv))
    except ValueError as reason:
        return Subject(ranking, f"Accuracy could not be measured: {reason}.", documents)
    note = f"cross-validated: each of {len(parts)} parts judged by what the others teach"
    return Subject(ranking, note, documents, documents, parts)


def _tested(documents: Documents, test: Documents, ranker: Ranker) -> Subject:
    if not (documents.has_one_label_each and test.has_one_label_each):
        raise ValueError(
            "naive Bayes gives one label, and some documents have several; "
            "leave out the test documents"
        )
    if documents.n_terms != test.n_terms or not np.array_equal(documents.terms, test.terms):  # type: ignore[arg-type]
        raise ValueError(
            "the test documents have other terms than the training documents; make them with "
            "fsmj.Documents.from_texts(texts, labels, rule, terms=documents.terms)"
        )
    trial = held_out(documents, test).trial(ranker)
    note = f"measured on {test.n_docs:,} test documents that had no part in the ranking"
    return Subject(trial.ranking, note, documents, test, (trial,))


def divergence_curve(ranking: Ranking) -> DivergenceCurve:
    """Return the explained share at the sizes that a line on a page needs."""
    ks, explained = drawn_sizes(len(ranking)), ranking.explained
    milestones = tuple(
        Milestone(share, int((explained >= share).argmax()) + 1)
        for share in MILESTONES
        if explained[-1] >= share and ranking.total_divergence >= NOTHING
    )
    return DivergenceCurve(
        ks, explained[ks - 1], tuple(map(name_of, ranking.terms[ks - 1])), milestones
    )


def accuracy_curve(trials: Sequence[Trial], label: str, *, keep_rest: bool) -> AccuracyCurve:
    """Measure naive Bayes over the number of terms."""
    with warnings.catch_warnings():
        # The page says so itself.
        warnings.filterwarnings("ignore", message=".* documents count as errors")
        curve = measure(trials, keep_rest=keep_rest)
    ks, mean = curve.ks, curve.accuracy
    if len(trials) > 1:
        scores = np.array([part.accuracy for part in curve.parts])
        spread, enough = scores.std(axis=0), fewest_within_error(scores)
    else:
        spread = np.sqrt(mean * (1 - mean) / trials[0].held.n_docs)
        enough = int((mean >= (mean - spread)[mean.argmax()]).argmax())
    best = int(mean.argmax())
    shown = np.flatnonzero(np.isin(ks, [*drawn_sizes(int(ks[-1])), ks[best], ks[enough]]))
    return AccuracyCurve(
        label, ks[shown], mean[shown], spread[shown],
        int(ks[best]), float(mean[best]), int(ks[enough]), float(mean[enough]),
    )  # fmt: skip


def drawn_sizes(n_terms: int) -> Ints:
    """Return where a line has points: at every k at first, then ever fewer."""
    every = np.arange(1, min(n_terms, _EVERY) + 1)
    rest = np.geomspace(_EVERY, max(n_terms, _EVERY), _POINTS).round().astype(np.int64)
    sizes = np.union1d(every, rest)
    return sizes[sizes <= n_terms]
