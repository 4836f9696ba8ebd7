"""`fsmj reproduce`: the paper's experiment."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fsmj.cli.progress import progress_bar

if TYPE_CHECKING:
    from fsmj.experiment.reproduction import Source


class Documents(StrEnum):
    """Where the documents may come from."""

    R52 = "r52"
    MAT = "mat"
    BOTH = "both"


def reproduce(
    results: Annotated[
        Path, typer.Option(help="Folder for figures, tables and RESULTS.md.", file_okay=False)
    ] = Path("results"),
    source: Annotated[
        Documents | None,
        typer.Option(
            help="Texts (r52), the paper's own matrix (mat), or both. "
            "By default r52, and mat if it is on this machine.",
            show_default=False,
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing.")] = False,
) -> None:
    """Repeat the paper's experiment on Reuters-10 and Reuters-20.

    An interrupted run is carried on where it ended.
    """
    from fsmj.experiment.reproduction import reproduce as run

    chosen: dict[Documents | None, list[Source] | None] = {
        None: None,
        Documents.R52: ["r52"],
        Documents.MAT: ["mat"],
        Documents.BOTH: ["r52", "mat"],
    }
    with progress_bar("Reuters", quiet) as show:
        written = run(results, chosen[source], progress=show)
    write_page(results, with_words=source is not Documents.MAT)
    if not quiet:
        typer.echo(written)


def write_page(results: Path, with_words: bool) -> None:
    """Write `report.html` beside the results; texts let it show the words of Reuters-10, too."""
    from fsmj.reporting import report

    title = "The paper's experiment, repeated"
    words: dict[str, Any] = {}
    if with_words:
        from fsmj.datasets import reuters
        from fsmj.experiment.reproduction import MIN_DOCS

        corpus = reuters(10)
        title += f"; words of {corpus.name}"
        words = {
            "texts": corpus.train.texts,
            "labels": corpus.train.labels,
            "test_texts": corpus.test.texts,
            "test_labels": corpus.test.labels,
            "min_docs": MIN_DOCS,
        }
    report(results, results / "report.html", title=title, command="fsmj reproduce", **words)
