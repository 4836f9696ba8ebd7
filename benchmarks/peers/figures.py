"""The figures of docs/peers.md, drawn from docs/peers.csv."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

import fsmj
from fsmj.experiment.lines import SETTINGS, save_figure
from peers.measure import SIZES
from peers.methods import METHODS
from peers.page import YARDSTICKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Style(NamedTuple):
    """A line that is known by its colour, and without colour by its marker and dashes."""

    colour: str
    marker: Any
    dashes: Any = "-"
    width: float = 1.3


_DASHED, _DOTTED = (0, (5, 1.5)), (0, (1, 1))
# Ours are whole lines, scikit-learn's dashed, the others dotted; Okabe and Ito's colours.
STYLES: dict[str, Style] = {
    **{
        name: Style(row.colour, row.marker, "-", row.width)
        for name, row in fsmj.METHODS.items()
        if name in ("fsmj", "ig", "bound", "cmim", "logit", "cll")
    },
    "chi2": Style("#D55E00", "v", _DASHED),
    "f_classif": Style("#E69F00", "D", _DASHED),
    "mutual_info": Style("#56B4E9", "s", _DASHED),
    "rfe": Style("#7f7f7f", "X", _DASHED),
    "l1_svm": Style("#999933", (4, 1, 0), _DASHED),
    "l1_logistic": Style("#00429D", (5, 1, 180), _DASHED),
    "mrmr_selection": Style("#8B4513", "P", _DOTTED),
    "scikit_lego": Style("#44AA99", "*", _DOTTED),
    "feature_engine": Style("#B8860B", "h", _DOTTED),
    "shifterator": Style("#B2182B", "p", _DOTTED, 1.8),
}


def draw_figures(table: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw accuracies over the number of terms, and time against memory; return the PNG files."""
    from matplotlib import rc_context

    done = table[table["status"] == "done"]
    with rc_context(SETTINGS):
        return [
            *(
                save_figure(
                    _panels(done, partial(_accuracy, yardstick=key), f"test accuracy of {name}"),
                    folder / f"peers_{key}",
                )
                for key, name in YARDSTICKS.items()
            ),
            save_figure(
                _panels(
                    done[done["rung"]], _cost, "MiB of additional memory (logarithmic)", share=True
                ),
                folder / "peers_cost",
            ),
        ]


def _panels(
    done: pd.DataFrame,
    draw: Callable[[Axes, pd.DataFrame], None],
    height: str,
    *,
    share: bool = False,
) -> Figure:
    """Draw a panel for each corpus, above one legend for all."""
    from matplotlib.figure import Figure

    corpora = list(done["corpus"].unique())
    figure = Figure(figsize=(4.1 * len(corpora), 5.2), layout="constrained")
    entries: dict[str, Any] = {}
    panels = figure.subplots(1, len(corpora), squeeze=False, sharex=share, sharey=share)[0]
    for axes, corpus in zip(panels, corpora, strict=True):
        draw(axes, done[done["corpus"] == corpus])
        axes.set_title(corpus)
        axes.grid(color="#e4e4e4", linewidth=0.6)
        for mark, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, mark)
    panels[0].set_ylabel(height)
    figure.legend(
        list(entries.values()), list(entries), loc="outside lower center", frameon=False,
        ncols=min(4, 1 + len(corpora)), handlelength=3.6,
    )  # fmt: skip
    return figure


def _accuracy(axes: Axes, done: pd.DataFrame, yardstick: str) -> None:
    for name, part in done.groupby("method", sort=False):
        style = STYLES[str(name)]
        reached = part[[f"{yardstick}_{k}" for k in SIZES]].bfill().iloc[0].to_numpy()
        axes.plot(
            SIZES, reached, **_look(part), markersize=5, linestyle=style.dashes,
            linewidth=style.width, zorder=3 if style.width > 2 else 2,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_xticks(SIZES, [f"{k:,}" for k in SIZES])
    axes.minorticks_off()
    axes.set_xlabel("number of terms (logarithmic)")


def _cost(axes: Axes, done: pd.DataFrame) -> None:
    for _, part in done.groupby("method", sort=False):
        cost = part[["cpu_seconds", "additional_mib"]].to_numpy().T
        axes.plot(*cost, **_look(part), markersize=9, linestyle="none")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.set_xlabel("seconds of CPU time (logarithmic)")


def _look(part: pd.DataFrame) -> dict[str, Any]:
    """Return how a method is drawn; hollow, if it could not do all words."""
    name = part["method"].iloc[0]
    style = STYLES[name]
    return {
        "label": METHODS[name].title,
        "color": style.colour,
        "marker": style.marker,
        "markerfacecolor": style.colour if part["n_words"].isna().all() else "white",
    }
