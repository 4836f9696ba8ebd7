"""`report`: from counts, a ranking, documents or results to a `Report`, section by section."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsmj._atomic import whole_file
from fsmj._names import counted, name_of
from fsmj.counts import ClassTermCounts
from fsmj.documents import Documents
from fsmj.evaluation import by_method
from fsmj.methods.table import rank
from fsmj.ranking import Ranking
from fsmj.reporting import findings
from fsmj.reporting.cautions import cautions_of
from fsmj.reporting.decisions import confusion_of, decisions_of, examples_of
from fsmj.reporting.page import framed, page_of
from fsmj.reporting.samples import samples_of
from fsmj.reporting.subjects import (
    WITH_REST,
    WITHOUT_REST,
    Subject,
    accuracy_curve,
    divergence_curve,
    from_documents,
    from_ranking,
)
from fsmj.reporting.summary import About, DecidedDocuments, Fact, Samples, Sizes, Summary, Words
from fsmj.reporting.words import MOST_LISTED, words_of
from fsmj.resampling import Stability

if TYPE_CHECKING:
    from fsmj.experiment.results import Results

Source = ClassTermCounts | Documents | Ranking | str | os.PathLike[str]


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """Which words tell the classes apart, as a page.

    Make one with `fsmj.report`. A notebook shows it in place.

    Attributes
    ----------
    summary : Summary
        All that the page says, as data.
    results : Results or None
        The experiment it was made from, if there was one.
    """

    summary: Summary
    results: Results | None = None

    def __repr__(self) -> str:
        return f"Report({self.summary.title!r}: {self.summary.headline})"

    def _repr_html_(self) -> str:
        return framed(self.to_html())

    def to_html(self) -> str:
        """Return the page as one string."""
        return page_of(self.summary)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page, whole or not at all."""
        with whole_file(path) as scratch:
            scratch.write_text(self.to_html(), encoding="utf-8", newline="\n")
        return Path(path)

    def save_figures(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write each figure as PNG and SVG; return the PNG files."""
        from fsmj.paper import draw_panels
        from fsmj.reporting.pictures import draw_summary

        where = Path(folder)
        with warnings.catch_warnings():
            # A word in a script that the font lacks is drawn as boxes; the SVG file has its text.
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            written = draw_summary(self.summary, where)
            return written if self.results is None else written + draw_panels(self.results, where)


def report(
    source: Source,
    path: str | os.PathLike[str] | None = None,
    *,
    test: Documents | None = None,
    results: str | os.PathLike[str] | None = None,
    method: str = "fsmj",
    cv: Any = 5,
    n_terms: int = MOST_LISTED,
    title: str | None = None,
    cautions: Iterable[str] = (),
    stability: Stability | None = None,
    command: str | None = None,
    **options: Any,
) -> Report:
    """Show which words tell the classes apart, how many are enough, and how methods compare.

    Parameters
    ----------
    source : Documents, ClassTermCounts, Ranking or path-like
        What to show: documents or counts, which are ranked; a ranking; or the folder of results
        that `fsmj.experiment.run_all` or `fsmj.paper.reproduce` has written. Only with documents
        can the report say how often naive Bayes is right, and only with their texts show them.
    path : path-like, optional
        Where to write the page. `Report.save` does so later.
    test : Documents, optional
        Measure on these documents, rather than by cross-validation.
    results : path-like, optional
        A folder of results, to be shown beside the documents, counts or ranking.
    method, **options
        How to rank counts or documents: as for `fsmj.rank`.
    cv : int, splitter or iterable, default=5
        How to cross-validate: as for `Documents.folds`.
    n_terms : int, default=100_000
        List so many terms.
    title : str, optional
        The title of the page.
    cautions : iterable of str, optional
        Sentences that the page puts at its top, such as which rows were left out.
    stability : Stability, optional
        What `fsmj.stability` returns: how sure the ranking is of each word.
    command : str, optional
        What the page says about how to make it again; by default this call.

    Returns
    -------
    Report
        With ``save``, ``save_figures`` and ``summary``.

    Examples
    --------
    >>> import fsmj
    >>> X, y = [[3, 0, 1], [0, 2, 1], [0, 3, 1]], ["wheat", "gold", "gold"]
    >>> counts = fsmj.ClassTermCounts.from_matrix(X, y, ["crop", "ore", "the"])
    >>> fsmj.report(counts).summary.headline
    '2 of 3 words hold 80 % of what tells “gold” and “wheat” apart'
    """
    if n_terms < 1:
        raise ValueError(f"n_terms must be 1 or more; got {n_terms}")
    subject = _subject(source, test, method, cv, options)
    folder = results if subject is not None else source
    read = _results(folder) if isinstance(folder, str | os.PathLike) else None
    given = {"method": method, **options, "cv": cv, "n_terms": n_terms, "title": title}
    again = command or _call(source, test, results, stability, given)
    made = Report(_summary(subject, read, n_terms, title, again, cautions, stability), read)
    if path is not None:
        made.save(path)
    return made


def _subject(
    source: Source, test: Documents | None, method: str, cv: Any, options: dict[str, Any]
) -> Subject | None:
    if isinstance(source, Documents):
        return from_documents(source, test, by_method(method, **options), cv)
    if test is not None:
        raise ValueError("test documents need training documents; give Documents, not counts")
    if isinstance(source, ClassTermCounts):
        return from_ranking(rank(source, method, **options))
    if isinstance(source, Ranking):
        return from_ranking(source)
    if isinstance(source, str | os.PathLike):
        return None
    raise ValueError(
        "a report is made of documents, counts, a ranking, or a folder of results; "
        f"got {type(source).__name__}"
    )


def _results(folder: str | os.PathLike[str]) -> Results:
    from fsmj.experiment.results import read_results

    if not Path(folder, "runs").is_dir():
        raise ValueError(
            f"{os.fspath(folder)} is not a folder of results; read counts with fsmj.load_counts, "
            "and files of texts with fsmj.count_files, before you report on them"
        )
    return read_results(folder)


def _summary(
    subject: Subject | None,
    results: Results | None,
    n_terms: int,
    title: str | None,
    command: str,
    cautions: Iterable[str],
    stability: Stability | None,
) -> Summary:
    """Put the sections together: of a ranking, of results, or of both."""
    facts, figures, sentences, sections = list[Fact](), list[Fact](), list[str](), dict[str, Any]()
    warned = list(cautions)
    if results is not None:
        from fsmj.reporting.comparison import comparison_of, leaders

        comparison = sections["comparison"] = comparison_of(results)
        sentences += [*leaders(comparison), comparison.verdict]
        facts += findings.results_facts(results)
        shown = "How methods compare"
    if subject is not None:
        ranking = subject.ranking
        words, sizes = words_of(ranking, n_terms, stability), _sizes(subject)
        documents, samples = _documents(subject, words, sizes)
        sections |= {"words": words, "sizes": sizes, "documents": documents, "samples": samples}
        sentences += [
            findings.finding(ranking),
            findings.first_words(ranking),
            findings.rule_found(subject.rule),
            findings.accuracy_found(sizes.accuracy[0], subject.note) if sizes.accuracy else "",
            findings.guess_found(*subject.guess) if sizes.accuracy else "",
            "" if stability is None else findings.sureness(stability),
        ]
        warned += cautions_of(subject)
        facts += findings.ranking_facts(ranking)
        figures += findings.key_figures(ranking, sizes)
        shown = f"Which words tell {len(words.classes):,} classes apart"
    headline, *details = filter(None, sentences)
    return Summary(
        title=name_of(title or shown),
        headline=headline,
        details=tuple(f"{detail.removesuffix('.')}." for detail in details),
        cautions=tuple(dict.fromkeys(f"{caution.removesuffix('.')}." for caution in warned)),
        figures=tuple(figures),
        about=About((*facts, findings.made_with()), command),
        **sections,
    )


def _sizes(subject: Subject) -> Sizes:
    """Measure how many terms are enough, without and with the rest cell."""
    divergence = divergence_curve(subject.ranking)
    if not subject.trials:
        return Sizes(divergence, (), (subject.note,))
    accuracy = (
        accuracy_curve(subject.trials, WITHOUT_REST, keep_rest=False),
        accuracy_curve(subject.trials, WITH_REST, keep_rest=True),
    )
    return Sizes(divergence, accuracy, findings.accuracy_notes(accuracy, subject.note))


def _documents(
    subject: Subject, words: Words, sizes: Sizes
) -> tuple[DecidedDocuments | None, Samples | None]:
    """Decide on documents with as many terms as are enough, and choose documents to show."""
    classes = subject.ranking.counts.classes.tolist()
    for documents in (subject.documents, subject.held):
        known = set(classes)
        if documents is not None:
            classes += [label for label in documents.classes.tolist() if label not in known]
    if not subject.trials or subject.held is None:
        return None, samples_of(subject, words, classes)
    enough = sizes.accuracy[0].enough
    decisions = decisions_of(subject.trials, enough, classes)
    confusion = confusion_of(decisions)
    ranks = {str(term): i for i, term in enumerate(subject.ranking.terms[: len(words.terms)])}
    texts = subject.held.texts
    shown = () if texts is None else examples_of(decisions, texts, subject.rule, ranks)
    note = (
        f"{decisions.right.sum():,} of {len(decisions.right):,} documents are decided right "
        f"with {counted(enough)}; {subject.note}."
    )
    decided = DecidedDocuments(note, enough, confusion, tuple(shown))
    return decided, samples_of(subject, words, classes, decisions, confusion)


def _call(source: Source, test: Any, results: Any, stability: Any, options: dict[str, Any]) -> str:
    """Write the call of `report` again, with names where the values are too large."""
    known = signature(report).parameters
    names = {ClassTermCounts: "counts", Documents: "documents", Ranking: "ranking"}
    arguments = [names.get(type(source)) or repr(os.fspath(source))]  # type: ignore[arg-type]
    arguments += ["test=test"] if test is not None else []
    arguments += [f"results={os.fspath(results)!r}"] if results is not None else []
    for name, value in options.items():
        if name not in known or value != known[name].default:
            arguments.append(f"{name}={value!r}")
    arguments += ["stability=stability"] if stability is not None else []
    return f"fsmj.report({', '.join(arguments)})"
