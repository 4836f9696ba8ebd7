"""The charts of a report as picture files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from fsmj._extras import from_extras
from fsmj.displays import CONTRIBUTION, ClassWordsDisplay, ConfusionDisplay
from fsmj.reporting.summary import Confusion, Sizes, Summary, Words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BLUE, _ORANGE = "#0072B2", "#D55E00"
_DASHES = ("-", (0, (4, 1.5)))
_CLASSES, _BARS = 12, 12  # more would not be legible


def draw_summary(summary: Summary, folder: Path) -> list[Path]:
    """Write the figures of the words and of their number as PNG and SVG; return the PNG files."""
    with from_extras():
        from matplotlib import rc_context

    from fsmj.experiment.lines import SETTINGS, save_figure

    with rc_context(SETTINGS):
        return [save_figure(figure, folder / name) for name, figure in _figures(summary)]


def _figures(summary: Summary) -> Iterator[tuple[str, Figure]]:
    if summary.words is not None:
        yield "words", _classes(summary.words)
    if summary.sizes is not None:
        yield "divergence", _divergence(summary.sizes)
        if summary.sizes.accuracy:
            yield "accuracy", draw_accuracy(summary.sizes)
    if summary.documents is not None:
        yield "confusion", _confusion(summary.documents.confusion)


def _new_figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _classes(words: Words) -> Figure:
    shown = words.by_class[:_CLASSES]
    listed = [class_.by_contribution for class_ in shown]
    display = ClassWordsDisplay(
        [class_.name for class_ in shown],
        [[words.terms[place] for place in one.places[:_BARS]] for one in listed],
        [one.values[:_BARS].tolist() for one in listed],
        CONTRIBUTION,
    )
    n_columns = min(4, len(shown))
    figure = _new_figure(2.75 * n_columns, 3.6 * -(-len(shown) // n_columns) + 0.4)
    figure.set_layout_engine("constrained", h_pad=0.1)  # titles keep to their panels
    return display.plot(figure=figure).figure_


def _confusion(confusion: Confusion) -> Figure:
    names = [*confusion.names, *(["others"] if confusion.others else [])]
    side = 2.2 + 0.42 * len(names)
    figure = _new_figure(side, side)
    ConfusionDisplay(confusion.table, names).plot(ax=figure.subplots())
    return figure


def _divergence(sizes: Sizes) -> Figure:
    figure = _new_figure(6.4, 4)
    axes = figure.subplots()
    axes.plot(sizes.divergence.ks, sizes.divergence.explained, color=_BLUE)
    axes.set(
        xscale="log", ylim=(0, 1.02), xlabel="number of terms", ylabel="share of the divergence"
    )
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:.0%}")
    return figure


def draw_accuracy(sizes: Sizes) -> Figure:
    """Draw how often naive Bayes is right over the number of words."""
    figure = _new_figure(6.4, 4)
    axes = figure.subplots()
    for curve, colour, dashes in zip(sizes.accuracy, (_BLUE, _ORANGE), _DASHES, strict=True):
        low, high = curve.mean - curve.spread, curve.mean + curve.spread
        axes.fill_between(curve.ks, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(curve.ks, curve.mean, color=colour, linestyle=dashes, label=curve.label)
    chosen = sizes.accuracy[0]
    # Enough is never more than the best: neither name crosses the other's line.
    for k, name, side in ((chosen.enough, "enough", "right"), (chosen.best, "best", "left")):
        axes.axvline(k, color="0.4", linestyle=":", linewidth=1)
        axes.annotate(f" {name}: {k:,} ", (k, 0.03), ha=side,
                      xycoords=("data", "axes fraction"), fontsize=8)  # fmt: skip
    axes.set(xscale="log", xlabel="number of terms", ylabel="accuracy of naive Bayes")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, frameon=False)
    return figure
