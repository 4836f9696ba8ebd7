"""The figure of docs/study.md: accuracy against the number of terms, a panel for each corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from fsmj.experiment import Candidate
from fsmj.experiment.lines import SETTINGS, plot
from study_results import METHODS, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4
LINES = {
    candidate.label: candidate
    for candidate in (
        Candidate("cll"), Candidate("fsmj"), Candidate("fsmj", rest=True), Candidate("ig"),
        Candidate("chi2"), Candidate("cmim"),
    )
}  # fmt: skip


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
    for method in METHODS:
        line = accuracy[accuracy["method"] == method].sort_values("k")
        plot(axes, line.rename(columns={"test_accuracy": "accuracy"}), LINES[method])
    sizes = np.unique(accuracy["k"])
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{k}" for k in sizes])
    axes.tick_params(axis="x", labelsize=7.5)  # or 1000 and 2000 run into each other
    axes.minorticks_off()
    axes.grid(color="#e4e4e4", linewidth=0.6)
