"""The charts of a report as picture files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fsmj._extras import from_extras
from fsmj.reporting.names import name_of
from fsmj.reporting.summary import Sizes, Summary, Words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BLUE, _ORANGE = "#0072B2", "#D55E00"
_DASHES = ("-", (0, (4, 1.5)))
_CLASSES, _BARS, _LONGEST = 12, 12, 24  # more, and longer names, would not be legible


def draw_summary(summary: Summary, folder: Path) -> list[Path]:
    """Write the figures of the words and of their number as PNG and SVG; return the PNG files."""
    with from_extras():
        from matplotlib import rc_context

    from fsmj.experiment.lines import SETTINGS, save_figure

    written = []
    with rc_context(SETTINGS):
        if summary.words is not None:
            written.append(save_figure(_classes(summary.words), folder / "words"))
        if summary.sizes is not None:
            written.append(save_figure(_divergence(summary.sizes), folder / "divergence"))
            if summary.sizes.accuracy:
                written.append(save_figure(_accuracy(summary.sizes), folder / "accuracy"))
    return written


def _classes(words: Words) -> Figure:
    from matplotlib.figure import Figure

    shown = words.by_class[:_CLASSES]
    listed = [class_.by_contribution.places[:_BARS] for class_ in shown]
    columns = min(4, len(shown))
    n_rows = -(-len(shown) // columns)
    figure = Figure(figsize=(2.6 * columns, 2.6 * n_rows), layout="constrained")
    panels = figure.subplots(n_rows, columns, squeeze=False).ravel()
    for axes, class_, places in zip(panels, shown, listed, strict=False):
        rows = range(len(places))
        axes.barh(rows, class_.by_contribution.values[:_BARS], color=_BLUE)
        axes.set_yticks(rows, [_unformatted(words.terms[place]) for place in places])
        axes.invert_yaxis()
        axes.set_xticks([])
        axes.set_title(_unformatted(class_.name))
    for axes in panels[len(shown) :]:
        axes.set_axis_off()
    return figure


def _divergence(sizes: Sizes) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(sizes.divergence.ks, sizes.divergence.explained, color=_BLUE)
    axes.set(
        xscale="log", ylim=(0, 1.02), xlabel="number of terms", ylabel="share of the divergence"
    )
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:.0%}")
    return figure


def _accuracy(sizes: Sizes) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4), layout="constrained")
    axes = figure.subplots()
    for curve, colour, dashes in zip(sizes.accuracy, (_BLUE, _ORANGE), _DASHES, strict=True):
        low, high = curve.mean - curve.spread, curve.mean + curve.spread
        axes.fill_between(curve.ks, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(curve.ks, curve.mean, color=colour, linestyle=dashes, label=curve.label)
    chosen = sizes.accuracy[0]
    for k, name in ((chosen.enough, "enough"), (chosen.best, "best")):
        axes.axvline(k, color="0.4", linestyle=":", linewidth=1)
        axes.annotate(f"{name}: {k:,} ", (k, 0.03 if name == "enough" else 0.1), ha="right",
                      xycoords=("data", "axes fraction"), fontsize=8)  # fmt: skip
    axes.set(xscale="log", xlabel="number of terms", ylabel="accuracy of naive Bayes")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, frameon=False)
    return figure


def _unformatted(text: str) -> str:
    """Keep matplotlib from reading mathematics into a name, and from drawing an endless one."""
    short = name_of(text, _LONGEST)
    visible = (c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in short)
    return "".join(visible).replace("$", r"\$")
