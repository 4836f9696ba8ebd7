"""`fsmj reproduce`: the paper's experiment."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    if not quiet:
        typer.echo(written)
