"""`fsmj report`: one page that shows which words tell the classes apart."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fsmj.cli.data import Source, opened
from fsmj.cli.options import Data, Memory, Quiet, RankingMethod, Reading, Words
from fsmj.cli.output import check_target
from fsmj.cli.terminal import say

if TYPE_CHECKING:
    from fsmj.reporting import Report


def report(
    data: Data,
    reading: Reading,
    memory: Memory,
    words: Words,
    method: RankingMethod,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The HTML file to write.", dir_okay=False)
    ] = Path("report.html"),
    test: Annotated[
        list[str] | None,
        typer.Option(help="Measure on these documents.", show_default=False),
    ] = None,
    cv: Annotated[
        int, typer.Option(min=2, help="Otherwise measure on each of so many parts in turn.")
    ] = 5,
    top: Annotated[
        int | None, typer.Option(min=1, help="List so many words.", show_default=False)
    ] = None,
    title: Annotated[
        str | None, typer.Option(help="The title of the page.", show_default=False)
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(
            file_okay=False, show_default=False, help="A folder for the figures as SVG and PNG."
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write a page: the words, how many are enough, how methods compare, and documents.

    DATA may also be a folder of results, as fsmj compare and fsmj reproduce write them.

    Example: fsmj report news.csv --text body --label topic -o report.html
    """
    check_target(output)
    shown: dict[str, Any] = {"title": title} if top is None else {"title": title, "top": top}
    shown["command"] = shlex.join(["fsmj", *sys.argv[1:]])
    if len(data) == 1 and any(Path(data[0]).glob("runs/*/*.parquet")):
        made = _of_results(data[0], shown)
    else:
        with opened(data, reading, words, quiet) as source:
            shown["title"] = title or source.name
            made = _of_documents(source, test, cv, memory.memory_limit, method, shown)
    made.save(output)
    if figures is not None:
        made.save_figures(figures)
    if not quiet:
        say(f"{made.summary.headline}; the report is {output}")


def _of_results(folder: str, shown: dict[str, Any]) -> Report:
    from fsmj.reporting import report as make

    return make(folder, **shown)


def _of_documents(
    source: Source,
    test: list[str] | None,
    cv: int,
    memory_limit: str | None,
    method: RankingMethod,
    shown: dict[str, Any],
) -> Report:
    from fsmj.reporting import report as make

    ranking: dict[str, Any] = {
        "method": method.method,
        "aggregate": method.aggregate,
        "reference": method.reference,
        "weights": method.weights,
        "alpha": method.smoothing,
    }
    # Documents with several labels can be counted, but naive Bayes gives one.
    if source.is_counts or source.reading.label_separator is not None:
        if test is not None:
            raise ValueError(f"--test needs documents with one label each, not {source.name}")
        return make(source.counts(memory_limit), **ranking, **shown)
    texts, labels = source.texts_and_labels("the report", several=True)
    held: dict[str, Any] = {}
    if test is not None:
        with opened(test, source.reading, source.words, source.quiet) as other:
            held["test_texts"], held["test_labels"] = other.texts_and_labels("the report")
    return make(
        texts=texts, labels=labels, rule=source.rule, min_docs=source.reading.min_docs,
        cv=cv, **held, **ranking, **shown,
    )  # fmt: skip
