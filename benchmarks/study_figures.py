"""The figure of docs/study.md: accuracy against the number of terms, a panel for each corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from fsmj import METHODS as ROWS
from fsmj.experiment.lines import SETTINGS
from fsmj.methods.table import Method
from study_results import METHODS, Study
from study_runs import CLASSIFIERS, SIZES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4
L1_SVM: Any = {"color": "#7f7f7f", "marker": "s", "linestyle": (0, (4, 1.5)), "linewidth": 1.8}


def draw(study: Study, classifier: str) -> Figure:
    """Draw a panel for each corpus; the place after the last holds the legend."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    names = list(study.corpora["corpus"])
    n_rows = -(-(len(names) + 1) // COLUMNS)
    with rc_context(SETTINGS):
        figure = Figure(figsize=(3.1 * COLUMNS, 2.9 * n_rows), layout="constrained")
        panels = figure.subplots(n_rows, COLUMNS, squeeze=False).ravel()
        part = study.accuracy[study.accuracy["classifier"] == classifier]
        for axes, name in zip(panels, names, strict=False):
            _panel(axes, part[part["corpus"] == name])
            axes.set_title(name)
        for axes in panels[len(names) :]:
            axes.set_axis_off()
        for axes in panels[: len(names)][::COLUMNS]:
            axes.set_ylabel(f"test accuracy, {classifier}")
        for axes in panels[max(0, len(names) - COLUMNS) : len(names)]:
            axes.set_xlabel("number of words")
        panels[len(names)].legend(
            *panels[0].get_legend_handles_labels(), loc="center", frameon=False, handlelength=4
        )
    return figure


def figures(study: Study) -> dict[str, Figure]:
    """Draw all figures, by the name of their files."""
    return {f"study_{name.replace(' ', '_').lower()}": draw(study, name) for name in CLASSIFIERS}


def _panel(axes: Axes, accuracy: pd.DataFrame) -> None:
    for method in METHODS:
        line = accuracy[accuracy["method"] == method].sort_values("k")
        look = (
            L1_SVM
            if method == "L1 SVM"
            else _look(ROWS[{"Chi": "chi2"}.get(method, method.lower())])
        )
        axes.plot(line["k"], line["test_accuracy"], label=method, markersize=4.5, **look)
    axes.set_xscale("log")
    axes.set_xticks(SIZES, [f"{k}" for k in SIZES])
    axes.minorticks_off()
    axes.grid(color="#e4e4e4", linewidth=0.6)


def _look(row: Method) -> Any:
    return {
        "color": row.colour, "marker": row.marker, "linestyle": row.dashes, "linewidth": row.width
    }  # fmt: skip
