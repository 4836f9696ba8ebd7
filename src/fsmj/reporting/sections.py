"""The sections of a report, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsmj.reporting.about import ranking_facts, rule_facts, version_facts
from fsmj.reporting.examples import examples_of
from fsmj.reporting.findings import (
    accuracy_found,
    accuracy_notes,
    finding,
    first_words,
    key_figures,
)
from fsmj.reporting.sizes import accuracy_curves, divergence_curve
from fsmj.reporting.subjects import Subject
from fsmj.reporting.summary import (
    About,
    Comparison,
    Documents,
    Fact,
    Sizes,
    Summary,
    Words,
    name_of,
)
from fsmj.reporting.words import words_of

if TYPE_CHECKING:
    from fsmj.experiment.results import Results


def summary_of(
    subject: Subject | None, results: Results | None, top: int, title: str | None, command: str
) -> Summary:
    """Summarise a ranking, or results, or both.

    Parameters
    ----------
    subject : Subject or None
        The ranking and the documents to judge it by.
    results : Results or None
        The runs of an experiment.
    top : int
        List so many terms.
    title : str or None
        The title; by default, what the report is about.
    command : str
        How to make the report again.
    """
    facts: list[Fact] = []
    sentences: list[str] = []
    words: Words | None = None
    sizes: Sizes | None = None
    comparison: Comparison | None = None
    documents: Documents | None = None
    if results is not None:
        from fsmj.reporting.about import results_facts
        from fsmj.reporting.comparison import comparison_of, leaders

        comparison = comparison_of(results)
        sentences += filter(None, [leaders(comparison), comparison.verdict])
        facts += results_facts(results)
    if subject is not None:
        ranking = subject.ranking
        words, sizes = words_of(ranking, top), sizes_of(subject)
        documents = documents_of(subject, sizes)
        sentences += [finding(ranking), first_words(ranking)]
        if sizes.accuracy:
            sentences.append(accuracy_found(sizes.accuracy[0], subject.note))
        facts += ranking_facts(ranking)
        if subject.settings is not None:
            facts += rule_facts(subject.settings.rule, subject.settings.min_docs)
    about = About(tuple(facts + version_facts()), command)
    headline, *details = sentences
    return Summary(
        title=name_of(title or _title(words)),
        headline=headline,
        details=tuple(f"{detail.removesuffix('.')}." for detail in details),
        figures=tuple(key_figures(words, sizes)),
        words=words,
        sizes=sizes,
        comparison=comparison,
        documents=documents,
        about=about,
    )


def sizes_of(subject: Subject) -> Sizes:
    """Measure how many terms are enough."""
    accuracy = accuracy_curves(subject.folds) if subject.folds else ()
    notes = accuracy_notes(accuracy, subject.note) if accuracy else (subject.note,)
    return Sizes(divergence_curve(subject.ranking), accuracy, notes)


def documents_of(subject: Subject, sizes: Sizes) -> Documents | None:
    """Show documents where there are some, decided with as many terms as are enough."""
    if not subject.folds or subject.settings is None:
        return None
    enough = sizes.accuracy[0].enough
    return examples_of(subject.folds, subject.settings.rule, enough, subject.note)


def _title(words: Words | None) -> str:
    if words is None:
        return "How methods compare"
    return f"Which words tell {len(words.classes):,} classes apart"
