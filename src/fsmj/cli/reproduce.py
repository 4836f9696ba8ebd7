"""`fsmj reproduce`: the paper's experiment."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fsmj.cli.output import check_folder
from fsmj.cli.terminal import progress_bar

if TYPE_CHECKING:
    from fsmj.paper.setup import Source


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
            "By default r52, and mat if it is on this machine."
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing.")] = False,
) -> None:
    """Repeat the paper's experiment on Reuters-10 and Reuters-20.

    An interrupted run is carried on where it ended.
    """
    from fsmj import paper

    check_folder(results)
    sources: list[Source] = ["r52", "mat"]
    chosen = [one for one in sources if source in (Documents.BOTH, one)] or None
    with progress_bar("Reuters", quiet) as show:
        written = paper.reproduce(results, chosen, progress=show)
    write_page(results, with_words=source is not Documents.MAT)
    if not quiet:
        typer.echo(written)


def write_page(results: Path, with_words: bool) -> None:
    """Write `report.html` beside the results; texts let it show the words of Reuters-10, too."""
    from fsmj.reporting import report

    page, command = results / "report.html", "fsmj reproduce"
    title = "The paper's experiment, repeated"
    if not with_words:
        report(results, page, title=title, command=command)
        return
    from fsmj.datasets import reuters
    from fsmj.paper.setup import MIN_DOCS

    name, train, test, _ = reuters(10, min_docs=MIN_DOCS)
    title += f"; words of {name}"
    report(train, page, test=test, results=results, title=title, command=command)
