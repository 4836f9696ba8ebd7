"""Lines: accuracy against the number of terms, drawn as the table of methods says."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from fsmj._atomic import whole_file
from fsmj._extras import from_extras
from fsmj.experiment.candidates import Candidate
from fsmj.experiment.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SETTINGS: Any = {
    "svg.hashsalt": "fsmj",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
}
_REST_DASHES = (0, (3, 1.2))


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
    with from_extras():
        from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(SETTINGS):
        figure = Figure(figsize=(7.2, 4.8), layout="constrained")
        axes = figure.subplots()
        for place, (candidate, line) in enumerate(results.lines(problem)):
            sizes = line["k"].to_numpy()
            marked = np.geomspace(1, sizes[-1], 8) * 1.05**place
            every = sorted({int(np.abs(sizes - k).argmin()) for k in marked})
            plot(axes, line, candidate, markevery=every)
        axes.set(xscale="log", xlabel="number of terms", ylabel="accuracy of naive Bayes")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.grid(color="#e4e4e4", linewidth=0.6)
        add_legend(figure, [axes], columns=4)
        return save_figure(figure, stem)


def plot(axes: Axes, line: pd.DataFrame, candidate: Candidate, **changed: Any) -> None:
    """Draw a run's accuracy over k, in the colour, marker and dashes of its method."""
    row = candidate.row
    look: dict[str, Any] = {
        "label": candidate.label,
        "color": row.colour,
        "linestyle": _REST_DASHES if candidate.rest else row.dashes,
        "linewidth": row.width,
        "marker": row.marker,
        "markersize": 4.5,
        "zorder": 3 if row.width > 2 else 2,
    }
    axes.plot(line["k"].to_numpy(), line["accuracy"].to_numpy(), **(look | changed))


def add_legend(figure: Figure, panels: Iterable[Axes], columns: int) -> None:
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
    # A point in the name, as in that of a file that was compared, begins no ending.
    files = {kind: stem.with_name(f"{stem.name}.{kind}") for kind in nothing}
    for kind, metadata in nothing.items():
        with whole_file(files[kind]) as scratch:
            figure.savefig(scratch, format=kind, dpi=150, metadata=metadata)
    return files["png"]
