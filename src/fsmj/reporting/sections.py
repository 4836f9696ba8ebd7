"""The sections of a report, put together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fsmj.reporting.about import ranking_facts, results_facts, rule_facts, version_facts
from fsmj.reporting.cautions import cautions_of
from fsmj.reporting.decisions import Decisions, confusion_of, decisions_of
from fsmj.reporting.examples import examples_of
from fsmj.reporting.findings import (
    accuracy_found,
    accuracy_notes,
    finding,
    first_words,
    key_figures,
    rule_found,
    sureness,
)
from fsmj.reporting.names import n_words, name_of
from fsmj.reporting.samples import samples_of
from fsmj.reporting.shown import DecidedDocuments, Samples
from fsmj.reporting.sizes import accuracy_curves, divergence_curve
from fsmj.reporting.subjects import Subject
from fsmj.reporting.summary import (
    About,
    Comparison,
    Fact,
    Sizes,
    Summary,
    Words,
)
from fsmj.reporting.words import words_of
from fsmj.resampling import Stability

if TYPE_CHECKING:
    from fsmj.experiment.results import Results


def summary_of(
    subject: Subject | None,
    results: Results | None,
    *,
    top: int,
    title: str | None,
    command: str,
    cautions: Iterable[str] = (),
    stability: Stability | None = None,
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
    cautions : iterable of str
        What else a reader should know.
    stability : Stability or None
        How sure the ranking is.
    """
    facts: list[Fact] = []
    sentences: list[str] = []
    warned = list(cautions)
    words: Words | None = None
    sizes: Sizes | None = None
    comparison: Comparison | None = None
    documents: DecidedDocuments | None = None
    samples: Samples | None = None
    if results is not None:
        from fsmj.reporting.comparison import comparison_of, leaders

        comparison = comparison_of(results)
        sentences += filter(None, [*leaders(comparison), comparison.verdict])
        facts += results_facts(results)
    if subject is not None:
        ranking = subject.ranking
        words, sizes = words_of(ranking, top, stability), sizes_of(subject)
        documents, samples = documents_of(subject, words, sizes)
        sentences += filter(
            None, [finding(ranking), first_words(ranking), rule_found(subject.rule)]
        )
        if sizes.accuracy:
            sentences.append(accuracy_found(sizes.accuracy[0], subject.note))
        if stability is not None:
            sentences.append(sureness(stability))
        warned += cautions_of(subject)
        facts += ranking_facts(ranking)
        if ranking.counts.rule is not None:
            facts += rule_facts(ranking.counts.rule)
    headline, *details = sentences
    n_docs = 0 if subject is None else subject.ranking.counts.n_docs
    return Summary(
        title=name_of(title or _title(words)),
        headline=headline,
        details=tuple(f"{detail.removesuffix('.')}." for detail in details),
        cautions=tuple(dict.fromkeys(f"{caution.removesuffix('.')}." for caution in warned)),
        figures=tuple(key_figures(n_docs, words, sizes)),
        words=words,
        sizes=sizes,
        comparison=comparison,
        documents=documents,
        samples=samples,
        about=About(tuple(facts + version_facts()), command),
    )


def sizes_of(subject: Subject) -> Sizes:
    """Measure how many terms are enough."""
    accuracy = accuracy_curves(subject.trials) if subject.trials else ()
    notes = accuracy_notes(accuracy, subject.note) if accuracy else (subject.note,)
    return Sizes(divergence_curve(subject.ranking), accuracy, notes)


def documents_of(
    subject: Subject, words: Words, sizes: Sizes
) -> tuple[DecidedDocuments | None, Samples | None]:
    """Decide on documents with as many terms as are enough, and choose documents to show."""
    classes = subject.ranking.counts.classes.tolist()
    decisions: Decisions | None = None
    decided: DecidedDocuments | None = None
    for documents in (subject.documents, subject.held):
        known = set(classes)
        if documents is not None:
            classes += [label for label in documents.classes.tolist() if label not in known]
    if subject.trials and subject.held is not None:
        enough = sizes.accuracy[0].enough
        decisions = decisions_of(subject.trials, enough)
        ranks = {str(term): i for i, term in enumerate(subject.ranking.terms[: len(words.terms)])}
        texts = subject.held.texts
        shown = () if texts is None else examples_of(decisions, texts, subject.rule, ranks)
        note = (
            f"{decisions.right.sum():,} of {len(decisions.right):,} documents are decided right "
            f"with {n_words(enough)}; {subject.note}."
        )
        decided = DecidedDocuments(note, enough, confusion_of(decisions, classes), tuple(shown))
    confusion = None if decided is None else decided.confusion
    return decided, samples_of(subject, words, classes, decisions, confusion)


def _title(words: Words | None) -> str:
    if words is None:
        return "How methods compare"
    return f"Which words tell {len(words.classes):,} classes apart"
