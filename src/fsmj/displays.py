"""Figures in scikit-learn's manner: words by class, what is taken for what, scores over sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from fsmj._extras import from_extras
from fsmj._names import LONGEST_NAME, name_of, short_names
from fsmj.counts import class_number
from fsmj.crossvalidation import FSMJCV
from fsmj.divergence import require
from fsmj.evidence import speaking_for_classes
from fsmj.ranking import Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Order = Literal["contribution", "ratio"]

_BLUE, _GREEN, _RED = "#0072B2", "#009E73", "#D55E00"
CONTRIBUTION = "what the word adds to the divergence of its class"
_MOST_CLASSES = 12  # panels of a figure that can be read
_LONGEST = 24  # characters of a name
_LONGEST_TITLE = 22  # characters that fit above a panel


@dataclass(eq=False, repr=False)
class ClassWordsDisplay:
    """The words that speak for each class, a panel of bars for each.

    Make one with `from_ranking` or `from_estimator`; ``plot`` draws it again.

    Parameters
    ----------
    classes : sequence of str
        The names of the panels.
    terms : sequence of sequences of str
        The words of each, best first.
    values : sequence of sequences of float
        How long their bars are.
    label : str
        What the bars mean.

    Attributes
    ----------
    figure_, axes_ : matplotlib Figure and list of Axes
        Where it was drawn, and the panel of each class.

    Examples
    --------
    >>> import fsmj
    >>> counts = fsmj.count_texts(["green tea", "black tea", "oil"], ["tea", "tea", "oil"])
    >>> display = fsmj.ClassWordsDisplay.from_ranking(fsmj.rank(counts))
    >>> display.terms
    (('oil',), ('tea', 'black', 'green'))
    """

    classes: Sequence[Any]
    terms: Sequence[Sequence[Any]]
    values: Sequence[Sequence[float]]
    label: str = ""

    @classmethod
    def from_ranking(
        cls,
        ranking: Ranking,
        *,
        n_terms: int = 8,
        classes: Iterable[Any] | None = None,
        order: Order = "contribution",
        figure: Figure | None = None,
    ) -> Self:
        """Draw the words of a ranking that speak for each class.

        Parameters
        ----------
        ranking : Ranking
            Of any method.
        n_terms : int, default=8
            How many words each class shows.
        classes : iterable, optional
            Which classes; by default all, or of many the 12 largest.
        order : {"contribution", "ratio"}, default="contribution"
            Whether to take the words that add most to the divergence, or those that are most
            times as frequent as in the other classes.
        figure : matplotlib Figure, optional
            Where to draw; a new one by default.
        """
        require(order, Order, "order")
        counts = ranking.counts
        if classes is None:
            largest = np.argsort(-counts.docs_per_class, kind="stable")[:_MOST_CLASSES]
            shown = np.sort(largest).tolist()
        else:
            shown = [class_number(counts.classes, class_) for class_ in classes]
        every = speaking_for_classes(counts, ranking.variant, ranking.order, n_terms)
        listed = [every[number][order == "ratio"] for number in shown]
        display = cls(
            tuple(counts.classes[shown].tolist()),
            tuple(tuple(ranking.terms[one.places].tolist()) for one in listed),
            tuple(tuple(one.values.tolist()) for one in listed),
            CONTRIBUTION
            if order == "contribution"
            else "how many times as frequent as in the other classes, as a power of 2",
        )
        return display.plot(figure=figure)

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> Self:
        """Draw the words of a fitted selector, such as `FSMJ`; options as for `from_ranking`."""
        check_is_fitted(estimator)
        return cls.from_ranking(estimator.ranking_, **options)

    def plot(self, *, figure: Figure | None = None, n_columns: int = 4) -> Self:
        """Draw a panel for each class, at most `n_columns` of them side by side."""
        n_panels = len(self.classes)
        n_columns = max(1, min(n_columns, n_panels))
        n_rows = max(1, -(-n_panels // n_columns))
        most = max((len(terms) for terms in self.terms), default=1)
        if figure is None:
            figure = _new_figure(figsize=(2.75 * n_columns, n_rows * (0.6 + 0.27 * most)))
            figure.set_layout_engine("constrained", h_pad=0.1)  # titles keep to their panels
        panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel().tolist()
        for axes, name, terms, values in zip(
            panels, _apart(self.classes, _LONGEST_TITLE), self.terms, self.values, strict=False
        ):
            rows = range(len(terms))
            axes.barh(rows, values, color=_BLUE, height=0.72)
            axes.set_yticks(rows, [legible(term) for term in terms])
            axes.set_ylim(most - 0.4, -0.6)
            axes.set_title(name, loc="left", fontweight="bold", fontsize="medium")
            axes.spines[["top", "right", "bottom"]].set_visible(False)
            axes.tick_params(left=False, bottom=False, labelbottom=False)
        for axes in panels[n_panels:]:
            axes.set_axis_off()
        if self.label:
            each = " (each panel on its own scale)" if n_panels > 1 else ""
            line = 24 * n_columns  # characters that fit below the panels
            figure.supxlabel(fill(f"{self.label}{each}", line), fontsize="medium")
        self.figure_, self.axes_ = figure, panels[:n_panels]
        return self


@dataclass(eq=False, repr=False)
class ConfusionDisplay:
    """How many documents of each class are taken for which class, as a figure.

    Make one with `from_estimator` or `from_predictions`; ``plot`` draws it again. Colours show
    the share of a row, so that small classes count as much as large ones.

    Parameters
    ----------
    table : ndarray of shape (n_classes, n_classes)
        Documents of the row's class that are given to the column's class.
    classes : sequence
        The names of rows and columns.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.

    Examples
    --------
    >>> import fsmj
    >>> display = fsmj.ConfusionDisplay.from_predictions(["tea", "oil", "tea"], ["tea"] * 3)
    >>> display.classes, display.table.tolist()
    (('oil', 'tea'), [[0, 1], [0, 2]])
    """

    table: NDArray[np.int64]
    classes: Sequence[Any]

    @classmethod
    def from_predictions(cls, y: ArrayLike, given: ArrayLike, *, ax: Axes | None = None) -> Self:
        """Draw labels beside those that were given.

        Parameters
        ----------
        y, given : array-like of shape (n_docs,)
            The label that each document has, and the one it was given.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from sklearn.metrics import confusion_matrix
        from sklearn.utils.multiclass import unique_labels

        classes = unique_labels(y, given)
        table = confusion_matrix(y, given, labels=classes)
        return cls(table, tuple(classes.tolist())).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, ax: Axes | None = None
    ) -> Self:
        """Let a classifier decide, and draw what it takes for what.

        Parameters
        ----------
        estimator : classifier
            Of scikit-learn, or a `TextModel`: what has ``predict``.
        X : documents
            What it takes: a matrix, or texts.
        y, ax
            As for `from_predictions`.
        """
        return cls.from_predictions(y, estimator.predict(X), ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw the table on these axes, or in a new figure."""
        n_classes = len(self.classes)
        if ax is None:
            side = 2.2 + 0.42 * n_classes
            ax = _new_figure(figsize=(side, side)).subplots()
        share = self.table / np.maximum(self.table.sum(axis=1, keepdims=True), 1)
        ax.imshow(_shaded(share))
        for (row, column), n in np.ndenumerate(self.table):
            if n:
                ax.text(column, row, f"{n:,}", ha="center", va="center", fontsize="small")
        names = _apart(self.classes, _LONGEST)
        ax.set_xticks(range(n_classes), names, rotation=90)
        ax.set_yticks(range(n_classes), names)
        ax.set_xticks(np.arange(n_classes + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(n_classes + 1) - 0.5, minor=True)
        ax.grid(which="minor", color="0.9", linewidth=0.8)
        ax.tick_params(which="both", length=0)
        ax.spines[:].set_visible(False)
        ax.set(xlabel="class given", ylabel="class of the document")
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _shaded(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return colours that stay light enough for the numbers on them: green where right."""
    from matplotlib.colors import to_rgb

    right = np.eye(len(share), dtype=bool)[:, :, None]
    ink = np.where(right, to_rgb(_GREEN), to_rgb(_RED))
    strength = 0.65 * np.sqrt(share)[:, :, None]
    return np.asarray(1 - strength * (1 - ink))


@dataclass(eq=False, repr=False)
class TermCurveDisplay:
    """The cross-validated score over the number of terms, as a figure.

    Make one with `from_estimator`; ``plot`` draws it again, on other axes.

    Parameters
    ----------
    n_features, mean, deviation : ndarray of shape (n_sizes,)
        The numbers of terms, and the mean and standard deviation of the score over the folds.
    chosen : int
        The number of terms chosen.
    score_name : str
        The name of the score.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    """

    n_features: NDArray[np.int64]
    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    chosen: int
    score_name: str

    @classmethod
    def from_estimator(cls, estimator: FSMJCV, *, ax: Axes | None = None) -> Self:
        """Draw the curve of a fitted `FSMJCV` on these axes, or in a new figure."""
        check_is_fitted(estimator, "cv_results_")
        results = estimator.cv_results_
        display = cls(
            results["n_features"],
            results["mean_test_score"],
            results["std_test_score"],
            estimator.n_features_,
            estimator.scoring.replace("_", " "),
        )
        return display.plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw the curve on these axes, or in a new figure."""
        ax = ax if ax is not None else _new_figure().subplots()
        low, high = self.mean - self.deviation, self.mean + self.deviation
        ax.fill_between(self.n_features, low, high, alpha=0.2, linewidth=0, label="± 1 std. dev.")
        ax.plot(self.n_features, self.mean, label="mean of the folds")
        ax.axvline(
            self.chosen, color="0.3", linestyle="--", linewidth=1, label=f"chosen: {self.chosen:,}"
        )
        ax.set(xscale="log", xlabel="number of terms", ylabel=self.score_name)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, frameon=False)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def legible(name: Any, longest: int = _LONGEST) -> str:
    """Return a name as a figure can show it: short, and nothing that is read as mathematics."""
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(name))
    return name_of(text, longest).replace("$", r"\$")


def _apart(classes: Sequence[Any], longest: int) -> list[str]:
    """Return the names of classes as a figure can show them, no two the same."""
    short = short_names([str(class_) for class_ in classes], longest)
    return [legible(short.get(str(class_), class_), LONGEST_NAME) for class_ in classes]


def _new_figure(**options: Any) -> Figure:
    """Return a figure that a notebook shows."""
    with from_extras():
        from matplotlib import pyplot

    return pyplot.figure(layout="constrained", **options)
