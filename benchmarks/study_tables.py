"""The tables of docs/study.md, made from the study's numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from fsmj.experiment.results import verdicts
from fsmj.experiment.sheets import SIGNS, markdown
from pages import filled
from study_results import Study, band_ranks, mean_ranks, recommended


def fill(page: str, study: Study) -> str:
    """Put the tables between their markers."""
    return filled(page, TABLES, lambda name: TABLES[name](study))


def corpora(study: Study) -> str:
    """List the corpora, with the accuracy that naive Bayes has on all terms."""
    return markdown(
        ["corpus", "source", "training documents", "test documents", "classes", "terms",
         "test accuracy with all terms"],
        [
            [name, source, *(f"{size:,}" for size in sizes), f"{all_terms:.3f}"]
            for name, source, *sizes, all_terms in study.corpora.to_numpy()
        ],
    )  # fmt: skip


def recommendation(study: Study) -> str:
    """Show the mean ranks in each band; the recommended method is in bold."""
    means = band_ranks(study)
    rows = [[str(band), *_marked(row, ".2f", lowest=True)] for band, row in means.iterrows()]
    return markdown(["mean rank in cross-validation", *means.columns], rows)


def ranks(study: Study) -> str:
    """Show the mean ranks of every method at every k, by source."""
    return _grouped("mean rank", mean_ranks(study), ".1f", lowest=True)


def accuracy(study: Study) -> str:
    """Show the test accuracy of every method; the best of each corpus and k is in bold."""
    wide = study.accuracy.pivot_table(
        index=["corpus", "method"], columns="k", values="test_accuracy", sort=False
    )
    return _grouped("test accuracy", wide, ".3f")


def firsts(study: Study) -> str:
    """Name the best method in cross-validation, then on the test part where that is another."""

    def cell(rows: pd.DataFrame) -> str:
        by_method = rows.set_index("method")
        first, then = (str(by_method[c].idxmax()) for c in ("cv_accuracy", "test_accuracy"))
        return first if first == then else f"{first} → {then}"

    return _by_size(study.accuracy, "corpus", cell)


def lead(study: Study) -> str:
    """Show how far the recommended method is ahead of the best other: on the test, in folds."""
    chosen = recommended(study)

    def cell(rows: pd.DataFrame) -> str:
        own = rows["method"] == chosen[int(rows["k"].iloc[0])]
        test, folds = (
            rows.loc[own, column].iloc[0] - rows.loc[~own, column].max()
            for column in ("test_accuracy", "cv_accuracy")
        )
        return f"{test:+.3f} ({folds:+.3f})"

    return _by_size(study.accuracy, "corpus", cell)


def transfer(study: Study) -> str:
    """Show what was trained on two folds: accuracy on the third, then on the test part."""

    def cell(rows: pd.DataFrame) -> str:
        return f"{rows['held_out'].iloc[0]:.3f} → {rows['test'].iloc[0]:.3f}"

    named = study.transfer.assign(run=study.transfer["corpus"] + ": " + study.transfer["method"])
    return _by_size(named, "run", cell)


def tests(reference: str) -> Callable[[Study], str]:
    """Return a table: on how many corpora the reference is ahead, open and behind."""

    def cell(rows: pd.DataFrame) -> str:
        verdicts = ("ahead", "open", "behind")
        return " · ".join(str((rows["verdict"] == verdict).sum()) for verdict in verdicts)

    return lambda study: _by_size(_against(study, reference), f"{reference} against", cell)


def rivals(reference: str) -> Callable[[Study], str]:
    """Return a table: the reference against the other method with the highest test accuracy."""

    def cell(rows: pd.DataFrame) -> str:
        best = rows.iloc[rows["test_accuracy"].argmax()]
        sign = SIGNS[best["verdict"]]
        return f"{best[f'{reference} against']} {best['wins']}:{best['losses']} {sign}".strip()

    return lambda study: _by_size(_against(study, reference), "corpus", cell)


def choices(study: Study) -> str:
    """Count the corpora on which cross-validation chose each option."""
    chosen = study.accuracy[study.accuracy["choice"] != ""].sort_values(["method", "choice"])
    named = chosen.assign(option=chosen["method"] + ": " + chosen["choice"])
    return _by_size(named, "option", lambda rows: str(len(rows)))


def seconds(study: Study) -> str:
    """Show how long the ranking of each method took, at most."""
    wide = study.accuracy.pivot_table(
        index="method", columns="corpus", values="seconds", aggfunc="max", sort=False
    )
    rows = [
        [name, *(f"{cell:.2g}" if cell < 10 else f"{cell:.0f}" for cell in row)]
        for name, *row in wide.reset_index().to_numpy()
    ]
    return markdown(["seconds", *wide.columns], rows)


TABLES: dict[str, Callable[[Study], str]] = {
    "corpora": corpora,
    "recommendation": recommendation,
    "ranks": ranks,
    "firsts": firsts,
    "accuracy": accuracy,
    "lead": lead,
    "transfer": transfer,
    "tests-cll": tests("CLL"),
    "tests-fsmj": tests("FSMJ"),
    "rivals-cll": rivals("CLL"),
    "choices": choices,
    "seconds": seconds,
}


def _against(study: Study, reference: str) -> pd.DataFrame:
    """Return the tests of one method as its own wins and losses, with the other's accuracy."""
    pairs = study.pairs
    turned = pairs[pairs["other"] == reference].rename(
        columns={"reference": "other", "other": "reference", "wins": "losses", "losses": "wins"}
    )
    own = pd.concat([turned, pairs[pairs["reference"] == reference]], ignore_index=True)
    own["verdict"] = verdicts(own)
    reached = study.accuracy.rename(columns={"method": "other"})
    table = reached.merge(own, on=["corpus", "k", "other"])  # in the order of the accuracies
    return table.rename(columns={"other": f"{reference} against"})


def _by_size(table: pd.DataFrame, key: str, cell: Callable[[pd.DataFrame], str]) -> str:
    """Lay out a row for each value of a column, and in it a cell for each k."""
    sizes = sorted(table["k"].unique())
    rows = [
        [str(name), *(cell(rows[rows["k"] == k]) for k in sizes)]
        for name, rows in table.groupby(key, sort=False)
    ]
    return markdown([key, *_headings(sizes)], rows)


def _grouped(corner: str, wide: pd.DataFrame, form: str, *, lowest: bool = False) -> str:
    """Lay out numbers by group and method; the best of each group and k is in bold."""
    rows = []
    for group, table in wide.groupby(level=0, sort=False):
        marked = [_marked(table[k], form, lowest=lowest) for k in table]
        names = [f"{group}: {method}" for _, method in table.index]
        rows += [list(cells) for cells in zip(names, *marked, strict=True)]
    return markdown([corner, *_headings(wide.columns)], rows)


def _headings(sizes: Iterable[Any]) -> list[str]:
    return [f"k = {k}" for k in sizes]


def _marked(values: pd.Series[float], form: str, *, lowest: bool = False) -> list[str]:
    """Format numbers, the best in bold, and all that look the same as the best."""
    cells = [format(value, form) for value in values]
    best = format(values.min() if lowest else values.max(), form)
    return [f"**{cell}**" if cell == best else cell for cell in cells]
