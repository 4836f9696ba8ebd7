"""Tables as files: Markdown and CSV."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fsmj._atomic import whole_file
from fsmj.experiment.results import labels_of

if TYPE_CHECKING:
    import pandas as pd

SIGNS = {"ahead": "▲", "behind": "▼", "open": ""}


def comparisons_markdown(compared: pd.DataFrame) -> str:
    """Lay the comparisons out for each problem: a row for each other run, a column for each k."""
    parts = [
        "# FSMJ compared with each method, document by document",
        "Each cell counts the test documents that only FSMJ classifies right, and those that only "
        "the other method does. ▲: FSMJ is ahead, ▼: FSMJ is behind, at 5 % (exact McNemar test, "
        "Holm-corrected over all comparisons on the corpus); without a sign the test leaves "
        "it open.",
    ]
    signs = compared["verdict"].map(SIGNS)
    score = compared["wins"].astype(str) + ":" + compared["losses"].astype(str)
    labelled = compared.assign(label=labels_of(compared), cell=(score + " " + signs).str.strip())
    for problem, table in labelled.groupby("problem", sort=False):
        wide = table.pivot(index="label", columns="k", values="cell").fillna("–")
        rows = wide.loc[table["label"].unique()].itertuples(name=None)
        parts += [f"## {problem}", markdown(["against", *(f"k = {k}" for k in wide)], rows)]
    return "\n\n".join(parts) + "\n"


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lay out a table in Markdown; columns with numbers, but for the first, stand to the right.

    Examples
    --------
    >>> print(markdown(["method", "accuracy"], [["IG", "0.95"]]))
    | method | accuracy |
    | --- | ---: |
    | IG | 0.95 |
    """
    cells = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    sides = ["---:" if any(map(str.isdecimal, "".join(column))) else "---"
             for column in zip(*cells, strict=True)]  # fmt: skip
    lines = [header, ["---", *sides[1:]] if cells else ["---"] * len(header), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write_text(text: str, path: Path) -> None:
    """Write a text file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as scratch:
        scratch.write_text(text, encoding="utf-8", newline="\n")


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table with six digits, whole or not at all."""
    write_text(table.to_csv(index=False, float_format="%.6g", lineterminator="\n"), path)
