"""The figure of docs/study.md: accuracy against the number of terms, a panel for each corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from fsmj.experiment.figures import SETTINGS, Style
from study_results import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4
# Okabe and Ito's colours, which the colour-blind can tell apart; markers for those without colour.
STYLES = {
    "CLL": Style("#009E73", "D", "-", 2.2),
    "FSMJ": Style("#000000", "o", "-", 2.2),
    "FSMJ, with rest cell": Style("#E69F00", "P", (0, (3, 1.2))),
    "IG": Style("#0072B2", "^"),
    "Chi": Style("#D55E00", "v", (0, (6, 1.5))),
    "CMIM": Style("#CC79A7", "s", (0, (4, 1, 1, 1))),
}


def draw(study: Study) -> Figure:
    """Draw a panel for each corpus; the place after the last holds the legend."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    names = list(study.corpora["corpus"])
    n_rows = -(-(len(names) + 1) // COLUMNS)
    with rc_context(SETTINGS):
        figure = Figure(figsize=(3.1 * COLUMNS, 2.9 * n_rows), layout="constrained")
        panels = figure.subplots(n_rows, COLUMNS, squeeze=False).ravel()
        for axes, corpus in zip(panels, study.corpora.itertuples(), strict=False):
            _panel(axes, study.accuracy[study.accuracy["corpus"] == corpus.corpus])
            axes.axhline(corpus.all_terms, color="0.55", linewidth=0.9, zorder=1, label="all terms")
            axes.set_title(f"{corpus.corpus}")
        for axes in panels[len(names) :]:
            axes.set_axis_off()
        for axes in panels[: len(names)][::COLUMNS]:
            axes.set_ylabel("test accuracy of naive Bayes")
        for axes in panels[max(0, len(names) - COLUMNS) : len(names)]:
            axes.set_xlabel("number of terms")
        panels[len(names)].legend(
            *panels[0].get_legend_handles_labels(), loc="center", frameon=False, handlelength=4
        )
    return figure


def _panel(axes: Axes, accuracy: pd.DataFrame) -> None:
    for method, style in STYLES.items():
        line = accuracy[accuracy["method"] == method].sort_values("k")
        axes.plot(
            line["k"].to_numpy(), line["test_accuracy"].to_numpy(), label=method,
            color=style.colour, linestyle=style.dashes, linewidth=style.width,
            marker=style.marker, markersize=4.5, zorder=3 if style.width > 2 else 2,
        )  # fmt: skip
    sizes = np.unique(accuracy["k"])
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{k}" for k in sizes])
    axes.tick_params(axis="x", labelsize=7.5)  # or 1000 and 2000 run into each other
    axes.minorticks_off()
    axes.grid(color="#e4e4e4", linewidth=0.6)
