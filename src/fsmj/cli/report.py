"""`fsmj report`: one page that shows which words tell the classes apart."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from fsmj.cli.data import opened
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
from fsmj.cli.rank import against, stability_of
from fsmj.cli.terminal import say


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
    shown: dict[str, Any] = {"title": title, "command": shlex.join(["fsmj", *sys.argv[1:]])}
    shown |= {} if top is None else {"n_terms": top}
    if of_results:
        made = make(data[0], **shown)
    else:
        with opened(data, reading, words, quiet) as source:
            if source.is_counts and (test is not None or resamples):
                raise ValueError(f"--test and --resamples need documents, not {source.name}")
            shown |= {"title": title or source.name, "method": method.method, "cv": cv}
            with _kept_warnings() as shown["cautions"]:
                read: Any = (
                    source.counts(memory_limit)
                    if source.is_counts
                    else source.documents("the report")
                )
                if test is not None:
                    shown["test"] = against(source.test_documents(test, read), class_)
            made_of = against(read, class_)
            if resamples:
                shown["stability"] = stability_of(made_of, method, None, resamples, quiet)
            made = make(made_of, **shown, **method.own_options)
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
