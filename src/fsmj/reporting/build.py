"""`report`: from counts, a ranking, texts or results to a `Report`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsmj._atomic import whole_file
from fsmj.corpus import TokenRule
from fsmj.counts import ClassTermCounts
from fsmj.divergence import Reference, Weights
from fsmj.ranking import Ranking, rank
from fsmj.reporting.page import framed, page_of
from fsmj.reporting.sections import summary_of
from fsmj.reporting.subjects import Settings, Subject, Texts, from_ranking, from_texts
from fsmj.reporting.summary import Summary
from fsmj.reporting.words import MOST_LISTED

if TYPE_CHECKING:
    from fsmj.experiment.results import Results
    from fsmj.scores import Aggregate

Source = ClassTermCounts | Ranking | str | os.PathLike[str]


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
        from fsmj.experiment.figures import draw_figures
        from fsmj.reporting.figures import draw_summary

        where = Path(folder)
        with warnings.catch_warnings():
            # A word in a script that the font lacks is drawn as boxes; the SVG file has its text.
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            written = draw_summary(self.summary, where)
            return written if self.results is None else written + draw_figures(self.results, where)


def report(
    source: Source | None = None,
    path: str | os.PathLike[str] | None = None,
    *,
    texts: Iterable[str] | None = None,
    labels: Iterable[Any] | None = None,
    test_texts: Iterable[str] | None = None,
    test_labels: Iterable[Any] | None = None,
    rule: TokenRule | None = None,
    min_docs: int = 1,
    method: str = "fsmj",
    aggregate: Aggregate = "max",
    reference: Reference = "mixture",
    weights: Weights = "uniform",
    alpha: float = 0.0,
    cv: int = 5,
    top: int = MOST_LISTED,
    title: str | None = None,
    command: str | None = None,
) -> Report:
    """Show which words tell the classes apart, how many are enough, and how methods compare.

    Parameters
    ----------
    source : ClassTermCounts, Ranking or path-like, optional
        What to show: counts, which are ranked; a ranking; or the folder of results that
        `fsmj.experiment.run_all` or `reproduce` has written.
    path : path-like, optional
        Where to write the page. `Report.save` does so later.
    texts, labels : iterable, optional
        Documents and the label of each, instead of counts, or beside a folder of results. Only
        with texts can the report say how often naive Bayes is right, and show documents.
    test_texts, test_labels : iterable, optional
        Measure on these documents, rather than by cross-validation.
    rule : TokenRule, optional
        How to cut a text into terms.
    min_docs : int, default=1
        Leave out terms that occur in fewer of the texts.
    method, aggregate, reference, weights, alpha
        How to rank counts or texts: as for `fsmj.rank`; or, for texts, ``cll`` or ``cmim``.
    cv : int, default=5
        In how many parts to cross-validate.
    top : int, default=100_000
        List so many terms.
    title : str, optional
        The title of the page.
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
    >>> fsmj.report(fsmj.ClassTermCounts.from_matrix(X, y, ["crop", "ore", "the"]))
    Report('Which words tell 2 classes apart': 2 of 3 words reach 80 % of the divergence)
    """
    if top < 1:
        raise ValueError(f"top must be 1 or more; got {top}")
    ranking = {
        "aggregate": aggregate, "reference": reference, "weights": weights, "alpha": alpha
    }  # fmt: skip
    settings = Settings(rule or TokenRule(), min_docs, cv, method, ranking)
    given = {
        "rule": rule, "min_docs": min_docs, "method": method, **ranking, "cv": cv, "top": top,
        "title": title,
    }  # fmt: skip
    results = _results(source) if isinstance(source, str | os.PathLike) else None
    documents, test = _pair(texts, labels), _pair(test_texts, test_labels)
    subject = _subject(source, documents, test, settings)
    if subject is None and results is None:
        raise ValueError(
            "a report is made of counts, a ranking, a folder of results, or texts and labels; "
            f"got {type(source).__name__}"
        )
    again = command or _call(source, documents is not None, test is not None, given)
    made = Report(summary_of(subject, results, top, title, again), results)
    if path is not None:
        made.save(path)
    return made


def _results(folder: str | os.PathLike[str]) -> Results:
    from fsmj.experiment.results import read_results

    if not Path(folder, "runs").is_dir():
        raise ValueError(
            f"{os.fspath(folder)} is not a folder of results; read counts with fsmj.load_counts, "
            "and files of texts with fsmj.count_files, before you report on them"
        )
    return read_results(folder)


def _pair(texts: Iterable[str] | None, labels: Iterable[Any] | None) -> Texts | None:
    if texts is None and labels is None:
        return None
    if texts is None or labels is None:
        raise ValueError("texts and labels go together; give both or neither")
    return texts, labels


def _subject(
    source: Source | None, documents: Texts | None, test: Texts | None, settings: Settings
) -> Subject | None:
    counted = isinstance(source, ClassTermCounts | Ranking)
    if documents is not None:
        if counted:
            raise ValueError("give either counts or a ranking, or texts and labels, not both")
        return from_texts(documents, test, settings)
    if test is not None:
        raise ValueError("test documents need training documents; give texts and labels too")
    if isinstance(source, ClassTermCounts):
        return from_ranking(rank(source, settings.method, **settings.options))
    return from_ranking(source) if isinstance(source, Ranking) else None


def _call(source: Source | None, with_texts: bool, with_test: bool, options: dict[str, Any]) -> str:
    """Write the call of `report` again, with names where the values are too large."""
    known = signature(report).parameters
    arguments = []
    if source is not None:
        names = {ClassTermCounts: "counts", Ranking: "ranking"}
        arguments.append(names.get(type(source)) or repr(os.fspath(source)))  # type: ignore[arg-type]
    if with_texts:
        arguments.append("texts=texts, labels=labels")
    if with_test:
        arguments.append("test_texts=test_texts, test_labels=test_labels")
    for name, value in options.items():
        if value != known[name].default:
            arguments.append(f"{name}={value!r}")
    return f"fsmj.report({', '.join(arguments)})"
