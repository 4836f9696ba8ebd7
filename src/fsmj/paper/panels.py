"""The paper's panels: accuracy against the number of terms, drawn from results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from fsmj._extras import from_extras
from fsmj.experiment.candidates import AGGREGATES, Candidate
from fsmj.experiment.lines import SETTINGS, add_legend, plot, save_figure
from fsmj.experiment.results import Results, averages
from fsmj.paper.setup import AVERAGED_OVER, CLASSICAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FROM, TO, STEP = 100, 2000, 50
SMALL = 200
FAR_BELOW = 0.05  # a line this far below FSMJ's on average would flatten all others: it is named
TALLEST = 0.08  # more of the axis would press the lines together where most of them run
AGGREGATE_TITLES = {"max": "maximum", "sum": "sum", "average": "weighted average"}
# What few terms are about.
FEW_LINES = (
    Candidate("fsmj"),
    Candidate("fsmj", rest=True),
    Candidate("ig", aggregate="max"),
    Candidate("df"),
    Candidate("bound"),
    Candidate("cmim"),
    Candidate("cll"),
    Candidate("logit"),
)


def draw_panels(results: Results, folder: Path, mean: pd.DataFrame | None = None) -> list[Path]:
    """Draw the paper's panels of some problems and write them as PNG and SVG.

    Parameters
    ----------
    results : Results
        With the runs of the paper's methods.
    folder : Path
        Where the files go.
    mean : pandas.DataFrame, optional
        The averages over the paper's numbers of terms, if they are known.

    Returns
    -------
    list of Path
        The PNG files: the paper's panels (a row for each problem, a column for each aggregate)
        that was tried) on one page, each of them on its own page, and the panel for few terms.
    """
    with from_extras():
        from matplotlib import rc_context

    if mean is None:
        mean = averages(results, AVERAGED_OVER)
    names = list(results.problems["problem"])
    tried = {candidate.aggregate for name in names for candidate, _ in results.lines(name)}
    aggregates = [one for one in AGGREGATES if one in tried] or AGGREGATES[:1]
    with rc_context(SETTINGS):
        written = [save_figure(_panels(results, mean, names, aggregates), folder / "panels")]
        for name in names:
            for aggregate in aggregates:
                page = _panels(results, mean, [name], [aggregate])
                written.append(save_figure(page, folder / f"panel-{_stem(name)}-{aggregate}"))
        written.append(save_figure(_few_terms(results, names), folder / "few-terms"))
    return written


def _panels(
    results: Results, mean: pd.DataFrame, names: Sequence[str], aggregates: Sequence[str]
) -> Figure:
    from matplotlib.figure import Figure

    size = (3.7 * len(aggregates) + 0.6, 3.2 * len(names) + 0.7)
    if len(names) == len(aggregates) == 1:
        size = (6.4, 4.8)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(len(names), len(aggregates), squeeze=False, sharey="row")
    for row, name in zip(grid, names, strict=True):
        low, high = 1.0, 0.0
        for column, (axes, aggregate) in enumerate(zip(row, aggregates, strict=True)):
            lines = dict(results.lines(name))
            reached = _draw_panel(axes, lines, mean[mean["problem"] == name], aggregate)
            low, high = min(low, reached[0]), max(high, reached[1])
            mark = f"({'abcdefgh'[column]}) " if len(aggregates) > 1 else ""
            axes.set_title(f"{mark}{name}, {AGGREGATE_TITLES[aggregate]}", pad=16)
            axes.set_xlabel("number of terms")
        row[0].set_ylabel("test accuracy of naive Bayes")
        low = max(low, high - TALLEST)
        row[0].set_ylim(np.floor(low * 100) / 100, np.ceil(high * 200 + 0.2) / 200)
    add_legend(figure, grid.ravel(), columns=int(size[0] / 1.25))
    return figure


def _draw_panel(
    axes: Axes, lines: Mapping[Candidate, pd.DataFrame], mean: pd.DataFrame, aggregate: str
) -> tuple[float, float]:
    """Draw the paper's methods with one aggregate; return the range of what is drawn."""
    average = mean[(mean["variant"] == "") & ~mean["rest"]].set_index(["method", "aggregate"])
    own = float(average["accuracy"].get(("fsmj", ""), np.nan))
    shown, left_out = [], []
    for place, method in enumerate(["fsmj", *CLASSICAL]):
        named = Candidate(method)
        key = (method, aggregate if (method, aggregate) in average.index else "")
        if key not in average.index:
            continue
        reached = float(average["accuracy"][key])
        if own - reached > FAR_BELOW:
            left_out.append(f"{named.label} {reached:.3f}")
            continue
        line = lines[Candidate(method, aggregate=key[1])]
        line = line[(line["k"] >= FROM) & (line["k"] <= TO) & (line["k"] % STEP == 0)]
        shown.append(line["accuracy"].to_numpy())
        plot(axes, line, named, markevery=(place % 4, 4))
    axes.set_xlim(FROM - 40, TO + 40)
    axes.set_xticks([FROM, *range(500, TO + 1, 500)])
    axes.grid(color="#e4e4e4", linewidth=0.6)
    if left_out:
        note = f"below the range, on average: {', '.join(left_out)}"
        axes.text(0.5, 1.02, note, transform=axes.transAxes, ha="center", fontsize=7.5,
                  color="#444444")  # fmt: skip
    values = np.concatenate(shown) if any(map(len, shown)) else np.array([0.0, 1.0])
    return float(values.min()), float(values.max())


def _few_terms(results: Results, names: Sequence[str]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6 * len(names) + 0.6, 4.4), layout="constrained")
    grid = figure.subplots(1, len(names), squeeze=False, sharey=True)
    for axes, name in zip(grid.ravel(), names, strict=True):
        lines = dict(results.lines(name))
        for place, candidate in enumerate(FEW_LINES):
            if candidate not in lines:
                continue
            line = lines[candidate][lines[candidate]["k"] <= SMALL]
            marked = np.unique(np.geomspace(1, SMALL, 9) * 1.07**place).astype(int)
            every = [i for i, k in enumerate(line["k"]) if k in marked]
            plot(axes, line, candidate, markevery=every)
        axes.set_xscale("log")
        axes.set_xlim(1, SMALL)
        axes.set_xticks(
            [1, 2, 5, 10, 20, 50, 100, 200], ["1", "2", "5", "10", "20", "50", "100", "200"]
        )
        axes.minorticks_off()
        axes.grid(color="#e4e4e4", linewidth=0.6)
        axes.set_title(name)
        axes.set_xlabel("number of terms (logarithmic)")
    grid[0, 0].set_ylabel("test accuracy of naive Bayes")
    add_legend(figure, grid.ravel(), columns=4 if len(names) > 1 else 2)
    return figure


def _stem(name: str) -> str:
    return name.split(" (")[0].lower().replace(" ", "-")
