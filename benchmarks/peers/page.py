"""The tables of docs/peers.md, made from docs/peers.csv."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fsmj.experiment.sheets import markdown, write_text
from pages import filled
from peers.measure import SIZES
from peers.methods import METHODS

YARDSTICKS = {"accuracy": "naive Bayes", "logistic": "logistic regression"}
NOTHING = "–"


def fill_page(page: Path, table: pd.DataFrame) -> None:
    """Put the tables between their markers, in place of what is there."""
    blocks = tables(table)
    write_text(filled(page.read_text(encoding="utf-8"), blocks, blocks.__getitem__), page)


def tables(table: pd.DataFrame) -> dict[str, str]:
    """Return all tables in Markdown, by name."""
    blocks = {"machine": machine(table), "corpora": corpora(table), "ratios": ratios(table)}
    for corpus, rows in table.groupby("corpus", sort=False):
        stem = str(corpus).lower().replace(" ", "-")
        blocks[f"cost-{stem}"] = cost(rows)
        for yardstick in YARDSTICKS:
            blocks[f"{yardstick}-{stem}"] = accuracy(rows, yardstick)
    return blocks


def machine(table: pd.DataFrame) -> str:
    """Say where the figures come from."""
    first, load = table.iloc[0], table["load"].dropna()
    seconds, gib = table[["limit_seconds", "limit_gib"]].max()
    rows = [
        ["processor", f"{first['processor']}, {first['cores']} cores, one of them used"],
        ["memory", f"{first['memory_gib']} GiB"],
        ["load", f"{load.min():.1f} to {load.max():.1f} processes running or waiting for a core"],
        ["limits of a call", f"{seconds:,.0f} s of CPU time, {gib:,.0f} GiB of additional memory"],
        ["Python", str(first["python"])],
        ["packages", str(first["versions"])],
    ]
    return markdown(["", "measured on"], rows).replace("---:", "---")


def corpora(table: pd.DataFrame) -> str:
    """List the corpora, with the accuracy that naive Bayes has on all words."""
    whole = table[table["n_words"].isna() & (table["status"] == "done")]
    rows = [
        [corpus, f"{documents:,.0f}", f"{words:,.0f}", f"{accuracy:.3f}"]
        for corpus, documents, words, accuracy in whole.drop_duplicates("corpus")[
            ["corpus", "documents", "words", "accuracy_all"]
        ].to_numpy()
    ]
    return markdown(["corpus", "training documents", "words", "accuracy with all words"], rows)


def ratios(table: pd.DataFrame) -> str:
    """Divide the CPU time of every method by that of FSMJ, where all words were asked for."""
    whole = table[table["n_words"].isna() & table["rung"]]
    own = whole[whole["method"] == "fsmj"].set_index("corpus")["cpu_seconds"]
    lines = []
    for _, part in whole[whole["method"] != "fsmj"].groupby("method", sort=False):
        records = part.set_index("corpus", drop=False).to_dict("index")
        cells = [_ratio(records[corpus], own[corpus]) for corpus in own.index]
        lines.append([_title(part.iloc[0]), *cells])
    return markdown(["CPU time / that of FSMJ", *own.index], lines)


def cost(rows: pd.DataFrame) -> str:
    """Say what each method took, or why it did not finish; a row for everything asked of it."""
    header = ["method", "asked for", "CPU time", "elapsed time", "additional memory"]
    asked = rows[rows["rung"]].to_dict("records")
    return markdown(header, [[_title(row), _asked(row), *_cost(row)] for row in asked])


def accuracy(rows: pd.DataFrame, yardstick: str = "accuracy") -> str:
    """Show the accuracies; the best at each number of terms is in bold, of all words only."""
    columns = [f"{yardstick}_{k}" for k in SIZES]
    done = rows[rows["status"] == "done"]
    best = done[done["n_words"].isna()][columns].max().round(3)
    lines = []
    for _, part in done.groupby("method", sort=False):
        record = part.iloc[0]
        whole = pd.isna(record["n_words"])
        cells = [
            _accuracy(value, bold=whole and round(value, 3) == highest)
            for value, highest in zip(part[columns].bfill().iloc[0], best, strict=True)
        ]
        lines.append([_title(record) + ("" if whole else f" (of {_words(record)})"), *cells])
    return markdown([YARDSTICKS[yardstick], *map("{:,}".format, SIZES)], lines)


def _title(record: Any) -> str:
    return METHODS[record["method"]].title


def _words(record: Any) -> str:
    if pd.isna(record["n_words"]):
        return "all words"
    return f"the {record['n_words']:,.0f} most frequent"


def _asked(record: Any) -> str:
    asked = f"{record['n_terms']:,} of {_words(record)}"
    if record.get("chosen", np.nan) < record["n_terms"]:
        return f"{asked}; found {record['chosen']:,.0f}"
    return asked


def _cost(record: Any) -> list[str]:
    if record["status"] != "done":
        return [_why(record), NOTHING, NOTHING]
    cpu, wall, mib = (record[key] for key in ("cpu_seconds", "wall_seconds", "additional_mib"))
    return [_seconds(cpu), _seconds(wall), f"{mib:,.0f} MiB"]


def _ratio(record: Any, own: float) -> str:
    match record["status"]:
        case "done":
            ratio = record["cpu_seconds"] / own
            return f"{ratio:,.1f}" if ratio < 10 else f"{ratio:,.0f}"
        case "time":
            return f"more than {record['limit_seconds'] / own:,.0f}"
        case _:
            return NOTHING


def _why(record: Any) -> str:
    match record["status"]:
        case "time":
            return f"not done in {record['limit_seconds']:,.0f}\N{NO-BREAK SPACE}s"
        case "memory":
            return f"more than {record['limit_gib']:,.0f} GiB needed"
        case "untried":
            return f"not tried: {record['reason']}"
        case _:
            quoted = str(record["reason"]).replace("`", "'")
            return f"{record['status']}: `{quoted}`"


def _seconds(value: float) -> str:
    return f"{value * 1000:,.0f} ms" if value < 1 else f"{value:,.1f} s"


def _accuracy(value: float, bold: bool) -> str:
    if pd.isna(value):
        return NOTHING
    return f"**{value:.3f}**" if bold else f"{value:.3f}"
