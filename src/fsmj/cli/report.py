"""`fsmj report`: one page that shows which words tell the classes apart."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fsmj.cli.data import Source, opened
from fsmj.cli.options import (
    Against,
    Data,
    MemoryLimit,
    Quiet,
    RankingMethod,
    Reading,
    Resamples,
    Test,
    Words,
)
from fsmj.cli.output import PAGE, check_folder, check_target
from fsmj.cli.rank import against, own_options, stability_of
from fsmj.cli.terminal import say

if TYPE_CHECKING:
    from fsmj.documents import Documents


def report(
    data: Data,
    reading: Reading,
    words: Words,
    method: RankingMethod,
    memory_limit: MemoryLimit = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The HTML file to write.", dir_okay=False)
    ] = Path("report.html"),
    test: Test = None,
    cv: Annotated[
        int, typer.Option(min=2, help="Otherwise measure on each of so many parts in turn.")
    ] = 5,
    top: Annotated[int | None, typer.Option(min=1, help="List so many words.")] = None,
    class_: Against = None,
    resamples: Resamples = 0,
    title: Annotated[str | None, typer.Option(help="The title of the page.")] = None,
    figures: Annotated[
        Path | None, typer.Option(file_okay=False, help="A folder for the figures as SVG and PNG.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write a page: the words, how many are enough, how methods compare, and documents.

    DATA may also be a folder of results, as fsmj compare and fsmj reproduce write them.

    Example: fsmj report news.csv --text body --label topic -o report.html
    """
    from fsmj.reporting import report as make

    of_results = len(data) == 1 and any(Path(data[0]).glob("runs/*/*.parquet"))
    check_target(output, PAGE, () if of_results else [*data, *(test or ()), *words.files])
    if figures is not None:
        check_folder(figures)
    shown: dict[str, Any] = {"title": title} if top is None else {"title": title, "n_terms": top}
    shown["command"] = shlex.join(["fsmj", *sys.argv[1:]])
    if of_results:
        made = make(data[0], **shown)
    else:
        with opened(data, reading, words, quiet) as source:
            shown["title"] = title or source.name
            shown |= {"method": method.method, **own_options(method)}
            if source.is_counts:
                if test is not None or resamples:
                    raise ValueError(f"--test and --resamples need documents, not {source.name}")
                with _kept_warnings() as shown["cautions"]:
                    counts = source.counts(memory_limit)
                made = make(against(counts, class_), **shown)
            else:
                documents = _documents(source, test, class_, shown)
                if resamples:
                    shown["stability"] = stability_of(documents, method, None, resamples, quiet)
                made = make(documents, cv=cv, **shown)
    made.save(output)
    if figures is not None:
        made.save_figures(figures)
    if not quiet:
        say(f"{made.summary.headline}; the report is {output}")


@contextmanager
def _kept_warnings() -> Iterator[list[str]]:
    """Collect what is warned of, such as rows left out, which is said as ever."""
    kept: list[str] = []
    say_as_ever = warnings.showwarning

    def show(message: Warning | str, *where: Any, **more: Any) -> None:
        kept.append(f"{str(message)[:1].upper()}{str(message)[1:]}")
        say_as_ever(message, *where, **more)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield kept


def _documents(
    source: Source, test: list[str] | None, class_: str | None, shown: dict[str, Any]
) -> Documents:
    """Read the documents; those to test on, and what was warned of, go to what is shown."""
    with _kept_warnings() as shown["cautions"]:
        documents = source.documents("the report")
        if test is not None:
            with opened(test, source.reading, source.words, source.quiet) as other:
                shown["test"] = against(other.test_documents(documents), class_)
    return documents if class_ is None else documents.against_rest(class_)
