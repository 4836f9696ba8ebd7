"""Figures: accuracy against the number of terms, drawn from results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from fsmj._atomic import whole_file
from fsmj.experiment.candidates import AGGREGATES
from fsmj.experiment.labels import label_of
from fsmj.experiment.results import Results, averages

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FROM, TO, STEP = 100, 2000, 50
SMALL = 200
FAR_BELOW = 0.05  # a line this far below FSMJ's on average would flatten all others: it is named
TALLEST = 0.08  # more of the axis would press the lines together where most of them run
AGGREGATE_TITLES = {"max": "maximum", "sum": "sum", "average": "weighted average"}


class Style(NamedTuple):
    """A line that is known by its colour, and without colour by its marker and dashes."""

    colour: str
    marker: str
    dashes: Any = "-"
    width: float = 1.3


# Okabe and Ito's colours, which the colour-blind can tell apart, without the pale yellow.
STYLES = {
    "fsmj": Style("#000000", "o", "-", 2.2),
    "df": Style("#7f7f7f", "s", (0, (4, 1.5))),
    "ig": Style("#0072B2", "^", "-"),
    "chi2": Style("#D55E00", "v", (0, (6, 1.5))),
    "rs": Style("#009E73", "D", (0, (1, 1))),
    "cet": Style("#E69F00", "P", (0, (4, 1, 1, 1))),
    "ngl": Style("#CC79A7", "X", (0, (2, 1))),
    "mi": Style("#56B4E9", "*", (0, (6, 1, 1, 1, 1, 1))),
}
ALL_STYLES = STYLES | {
    "cll": Style("#6A3D9A", "d", "-", 1.8),
    "cmim": Style("#8C510A", "<", "-", 1.8),
}
# Method, aggregate, rest: what few terms are about.
SMALL_LINES: dict[tuple[str, str, bool], Style] = {
    ("fsmj", "", False): Style("#000000", "o", "-", 2.2),
    ("fsmj", "", True): Style("#000000", "o", (0, (3, 1.2)), 1.6),
    ("ig", "max", False): Style("#0072B2", "^", "-"),
    ("ig", "max", True): Style("#0072B2", "^", (0, (3, 1.2))),
    ("df", "", False): Style("#7f7f7f", "s", "-"),
    ("cmim", "", False): Style("#D55E00", "v", (0, (6, 1, 1, 1))),
    ("cll", "", False): Style("#009E73", "D", (0, (1, 1)), 1.6),
}
SETTINGS: Any = {
    "svg.hashsalt": "fsmj",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
}


def draw_figures(results: Results, folder: Path) -> list[Path]:
    """Draw all figures of some problems and write them as PNG and SVG.

    Parameters
    ----------
    results : Results
        With the runs of the paper's methods.
    folder : Path
        Where the files go.

    Returns
    -------
    list of Path
        The PNG files: the paper's panels (a row for each problem, a column for each aggregate)
        on one page, each of them on its own page, and the panel for few terms.
    """
    from matplotlib import rc_context

    mean = averages(results)
    names = list(results.problems["problem"])
    with rc_context(SETTINGS):
        written = [save_figure(_panels(results, mean, names, AGGREGATES), folder / "panels")]
        for name in names:
            for aggregate in AGGREGATES:
                page = _panels(results, mean, [name], [aggregate])
                written.append(save_figure(page, folder / f"panel-{_stem(name)}-{aggregate}"))
        written.append(save_figure(_few_terms(results, names), folder / "few-terms"))
    return written


def draw_curves(results: Results, problem: str, stem: Path) -> Path:
    """Draw the accuracy of every run on a problem over the number of terms, as PNG and SVG.

    Parameters
    ----------
    results : Results
        The runs.
    problem : str
        Whose curves to draw.
    stem : Path
        The files' path without an ending.

    Returns
    -------
    Path
        The PNG file.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(SETTINGS):
        figure = Figure(figsize=(7.2, 4.8), layout="constrained")
        axes = figure.subplots()
        for place, (key, line) in enumerate(results.lines(problem)):
            style = ALL_STYLES.get(key[0], Style("#555555", "."))
            if key[3]:
                style = style._replace(dashes=(0, (3, 1.2)))
            sizes = line["k"].to_numpy()
            marked = np.geomspace(1, sizes[-1], 8) * 1.05**place
            every = sorted({int(np.abs(sizes - k).argmin()) for k in marked})
            _plot(axes, line, style, label_of(*key), every)
        axes.set(xscale="log", xlabel="number of terms", ylabel="accuracy of naive Bayes")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.grid(color="#e4e4e4", linewidth=0.6)
        _legend(figure, [axes], columns=4)
        return save_figure(figure, stem)


def _panels(
    results: Results,
    mean: pd.DataFrame,
    names: Sequence[str],
    aggregates: Sequence[str],
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
            reached = _draw_panel(axes, results.of(name), mean[mean["problem"] == name], aggregate)
            low, high = min(low, reached[0]), max(high, reached[1])
            mark = f"({'abcdefgh'[column]}) " if len(aggregates) > 1 else ""
            axes.set_title(f"{mark}{name}, {AGGREGATE_TITLES[aggregate]}", pad=16)
            axes.set_xlabel("number of terms")
        row[0].set_ylabel("test accuracy of naive Bayes")
        low = max(low, high - TALLEST)
        row[0].set_ylim(np.floor(low * 100) / 100, np.ceil(high * 200 + 0.2) / 200)
    _legend(figure, grid.ravel(), columns=8 if len(aggregates) > 1 else 5)
    return figure


def _draw_panel(
    axes: Axes, curves: pd.DataFrame, mean: pd.DataFrame, aggregate: str
) -> tuple[float, float]:
    """Draw the paper's methods with one aggregate; return the range of what is drawn."""
    plain = curves[(curves["variant"] == "") & ~curves["rest"]]
    average = mean[(mean["variant"] == "") & ~mean["rest"]].set_index(["method", "aggregate"])
    own = float(average["accuracy"].get(("fsmj", ""), np.nan))
    shown, left_out = [], []
    for place, (method, style) in enumerate(STYLES.items()):
        key = (method, aggregate if (method, aggregate) in average.index else "")
        if key not in average.index:
            continue
        reached = float(average["accuracy"][key])
        if own - reached > FAR_BELOW:
            left_out.append(f"{label_of(method)} {reached:.3f}")
            continue
        line = plain[(plain["method"] == method) & (plain["aggregate"] == key[1])]
        line = line[(line["k"] >= FROM) & (line["k"] <= TO) & (line["k"] % STEP == 0)]
        shown.append(line["accuracy"].to_numpy())
        every = (place % 4, 4)
        _plot(axes, line, style, label_of(method), every)
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
        curves = results.of(name)
        curves = curves[(curves["k"] <= SMALL) & (curves["variant"] == "")]
        for place, ((method, aggregate, rest), style) in enumerate(SMALL_LINES.items()):
            chosen = (curves["method"] == method) & (curves["aggregate"] == aggregate)
            line = curves[chosen & (curves["rest"] == rest)]
            marked = np.unique(np.geomspace(1, SMALL, 9) * 1.07**place).astype(int)
            every = [i for i, k in enumerate(line["k"]) if k in marked]
            _plot(axes, line, style, label_of(method, "", aggregate, rest), every)
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
    _legend(figure, grid.ravel(), columns=4)
    return figure


def _plot(axes: Axes, line: pd.DataFrame, style: Style, label: str, every: Any) -> None:
    axes.plot(
        line["k"].to_numpy(), line["accuracy"].to_numpy(), label=label,
        color=style.colour, linestyle=style.dashes, linewidth=style.width,
        marker=style.marker, markersize=4.5, markevery=every,
        zorder=3 if style.width > 2 else 2,
    )  # fmt: skip


def _legend(figure: Figure, panels: Iterable[Axes], columns: int) -> None:
    """Put one legend for all panels below them, where no line runs."""
    entries: dict[str, Any] = {}
    for axes in panels:
        for line, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, line)
    figure.legend(
        list(entries.values()), list(entries), loc="outside lower center", frameon=False,
        ncols=min(len(entries), columns), handlelength=3.6,
    )  # fmt: skip


def save_figure(figure: Figure, stem: Path) -> Path:
    """Write a figure as PNG and SVG; return the path of the PNG file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    stem.parent.mkdir(parents=True, exist_ok=True)
    # Dates and versions would make each run's files differ.
    nothing: dict[str, dict[str, None]] = {"png": {"Software": None}, "svg": {"Date": None}}
    for kind, metadata in nothing.items():
        with whole_file(stem.with_suffix(f".{kind}")) as scratch:
            figure.savefig(scratch, format=kind, dpi=150, metadata=metadata)
    return stem.with_suffix(".png")


def _stem(name: str) -> str:
    return name.split(" (")[0].lower().replace(" ", "-")
