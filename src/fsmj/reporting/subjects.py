"""What a report is about: a ranking and, where there are documents, trials to judge it by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fsmj.documents import Documents
from fsmj.evaluation import Ranker, Trial, held_out, trials
from fsmj.ranking import Ranking
from fsmj.tokens.rule import TokenRule


@dataclass(frozen=True, eq=False)
class Subject:
    """A ranking and what it can be judged by.

    Attributes
    ----------
    ranking : Ranking
        Of all documents.
    note : str
        How accuracy is measured, or why it cannot be.
    documents : Documents or None
        What was ranked, where it is known.
    held : Documents or None
        What is held out: the test documents, or the documents themselves, part by part.
    trials : tuple of Trial
        Empty where accuracy cannot be measured.
    """

    ranking: Ranking
    note: str
    documents: Documents | None = None
    held: Documents | None = None
    trials: tuple[Trial, ...] = ()

    @property
    def rule(self) -> TokenRule:
        """How texts are cut into terms."""
        return self.ranking.counts.rule or TokenRule()

    @property
    def n_unlearnt(self) -> int:
        """How many held documents are errors whatever their words: their class is not learnt."""
        return sum(
            int((~np.isin(trial.held.y, trial.ranking.counts.classes)).sum())
            for trial in self.trials
        )


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
    if documents.n_terms != test.n_terms or not _same(documents.terms, test.terms):
        raise ValueError(
            "the test documents have other terms than the training documents; make them with "
            "fsmj.Documents.from_texts(texts, labels, rule, terms=documents.terms)"
        )
    trial = held_out(documents, ranker, test)
    note = f"measured on {test.n_docs:,} test documents that had no part in the ranking"
    return Subject(trial.ranking, note, documents, test, (trial,))


def _same(mine: NDArray[Any] | None, yours: NDArray[Any] | None) -> bool:
    return mine is yours or (mine is not None and yours is not None and bool((mine == yours).all()))
