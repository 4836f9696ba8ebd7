"""What a report is about: a ranking and, where there are documents, folds to judge it by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fsmj.corpus import TokenRule, count_texts
from fsmj.corpus.labels import of_one_kind
from fsmj.ranking import Ranking, rank
from fsmj.reporting.folds import Fold, Labelled, cross_validate, ranker, read_labelled, read_like

Texts = tuple[Iterable[str], Iterable[Any]]


@dataclass(frozen=True)
class Settings:
    """How texts are cut, ranked and judged."""

    rule: TokenRule
    min_docs: int
    cv: int
    method: str
    options: dict[str, Any]
    """Of `fsmj.rank`."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A ranking and what it can be judged by.

    Attributes
    ----------
    ranking : Ranking
        Of all documents.
    note : str
        How accuracy is measured, or why it cannot be.
    folds : list of Fold
        Empty where it cannot be.
    settings : Settings or None
        Those of the texts, where there are texts.
    """

    ranking: Ranking
    note: str
    folds: tuple[Fold, ...] = ()
    settings: Settings | None = None


def from_ranking(ranking: Ranking) -> Subject:
    """Make a ranking the subject."""
    if len(ranking) == 0:
        raise ValueError("the ranking is empty; rank one term at least")
    note = (
        "How often naive Bayes is right with so many words can only be measured on documents; "
        "this report was made from counts alone."
    )
    return Subject(ranking, note)


def from_texts(documents: Texts, test: Texts | None, settings: Settings) -> Subject:
    """Rank the words of texts; judge them by the test texts, or else by cross-validation."""
    if test is not None:
        return _tested(documents, test, settings)
    texts, labels = map(list, documents)
    if _any_several(labels):
        return _several_labels(texts, labels, settings)
    train = read_labelled(texts, labels, settings.rule, settings.min_docs)
    rank_terms = ranker(settings.method, **settings.options)
    ranking = rank_terms(train)
    try:
        folds = cross_validate(train, rank_terms, settings.cv)
    except ValueError as reason:
        return Subject(ranking, f"Accuracy could not be cross-validated: {reason}.", (), settings)
    note = f"cross-validated: each of {len(folds)} parts judged by what the others teach"
    return Subject(ranking, note, tuple(folds), settings)


def _tested(documents: Texts, test: Texts, settings: Settings) -> Subject:
    texts, labels = map(list, documents)
    test_texts, test_labels = map(list, test)
    if _any_several(labels) or _any_several(test_labels):
        raise ValueError(
            "naive Bayes gives one label, and some documents have several; "
            "leave out the test documents"
        )
    labels, test_labels = of_one_kind(labels, test_labels)
    train = read_labelled(texts, labels, settings.rule, settings.min_docs)
    held = read_like(train, test_texts, test_labels, settings.rule)
    ranking = ranker(settings.method, **settings.options)(train)
    return Subject(ranking, _held_out_note(train, held), (Fold(ranking, held),), settings)


def _any_several(labels: list[Any]) -> bool:
    return any(isinstance(label, list | tuple | set | frozenset) for label in labels)


def _held_out_note(train: Labelled, held: Labelled) -> str:
    note = f"measured on {len(held.labels):,} test documents that had no part in the ranking"
    known = set(train.labels.tolist())
    n_unseen = sum(label not in known for label in held.labels.tolist())
    if n_unseen:
        note += f", {n_unseen:,} of them errors for a label that no training document has"
    return note


def _several_labels(texts: list[str], labels: list[Any], settings: Settings) -> Subject:
    counts = count_texts(texts, labels, settings.rule, min_docs=settings.min_docs)
    ranking = rank(counts, settings.method, **settings.options)
    note = (
        "How often naive Bayes is right is not measured: "
        "documents here have several labels, and it gives one."
    )
    return Subject(ranking, note, (), settings)
