"""Figures in scikit-learn's manner."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.metrics import confusion_matrix
from sklearn.naive_bayes import MultinomialNB

import fsmj
from fsmj.displays import legible
from reports import CLASSES, COUNTS, DOCUMENTS, HOSTILE, LABELS, TEXTS

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    yield
    mpl.pyplot.close("all")


def drawn_words(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


@pytest.mark.parametrize("order", ["contribution", "ratio"])
def test_words_by_class_are_those_that_speak_for_it(order):
    ranking = fsmj.rank(COUNTS)
    display = fsmj.ClassWordsDisplay.from_ranking(ranking, n_terms=4, order=order)
    table = ranking.by_class()
    column = {"contribution": "contribution", "ratio": "log2_ratio"}[order]
    assert [axes.get_title(loc="left") for axes in display.axes_] == list(CLASSES)
    for class_, axes in zip(CLASSES, display.axes_):
        own = table[(table["class"] == class_) & (table["contribution"] > 0)]
        best = own.sort_values(column, ascending=False, kind="stable").head(4)
        assert drawn_words(axes) == best["term"].tolist()
        widths = [bar.get_width() for bar in axes.patches]
        np.testing.assert_allclose(widths, best[column])


def test_words_are_drawn_for_the_classes_asked_for():
    X, y = DOCUMENTS.X, LABELS
    selector = fsmj.FSMJ(5).fit(X, y)
    figure = mpl.figure.Figure()
    display = fsmj.ClassWordsDisplay.from_estimator(selector, classes=["ship"], figure=figure)
    assert display.figure_ is figure
    assert display.classes == ("ship",)
    assert len(display.axes_) == 1
    with pytest.raises(ValueError, match="there is no class 'shop'"):
        fsmj.ClassWordsDisplay.from_estimator(selector, classes=["shop"])
    with pytest.raises(ValueError, match="order"):
        fsmj.ClassWordsDisplay.from_estimator(selector, order="alphabet")


def test_of_many_classes_the_largest_are_drawn():
    y = np.repeat(np.arange(15), np.arange(2, 17))
    counts = fsmj.ClassTermCounts.from_matrix(np.eye(15, dtype=int)[y], y)
    display = fsmj.ClassWordsDisplay.from_ranking(fsmj.rank(counts))
    assert display.classes == tuple(range(3, 15))


def test_the_table_of_decisions_is_that_of_scikit_learn():
    model = MultinomialNB().fit(DOCUMENTS.X, LABELS)
    display = fsmj.ConfusionDisplay.from_estimator(model, DOCUMENTS.X, LABELS)
    expected = confusion_matrix(LABELS, model.predict(DOCUMENTS.X))
    np.testing.assert_array_equal(display.table, expected)
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == list(CLASSES)
    written = {text.get_position(): int(text.get_text()) for text in display.ax_.texts}
    assert written == {(j, i): n for (i, j), n in np.ndenumerate(expected) if n}


def test_a_model_of_text_decides_on_texts():
    display = fsmj.ConfusionDisplay.from_estimator(fsmj.TextModel(COUNTS), TEXTS, LABELS)
    assert display.table.sum() == len(TEXTS)
    other = mpl.figure.Figure().subplots()
    assert display.plot(ax=other).ax_ is other


LONG = [f"Department of Agriculture: {part} Region (Complaints)" for part in ("North", "South")]


def test_long_names_that_begin_and_end_alike_are_drawn_apart():
    counts = fsmj.ClassTermCounts.from_matrix(np.eye(2, dtype=int), LONG)
    panels = fsmj.ClassWordsDisplay.from_ranking(fsmj.rank(counts)).axes_
    rows = fsmj.ConfusionDisplay(np.eye(2, dtype=int), LONG).plot().ax_
    for names in ([axes.get_title(loc="left") for axes in panels], drawn_words(rows)):
        assert ["North" in name for name in names] == [True, False]
        assert all(len(name) <= 25 for name in names)


@pytest.mark.parametrize("n_classes", [1, 2, 5])
def test_what_stands_below_the_panels_is_not_cut_off(n_classes):
    display = fsmj.ClassWordsDisplay.from_ranking(fsmj.rank(COUNTS), classes=CLASSES[:n_classes])
    display.figure_.canvas.draw()
    below = display.figure_._supxlabel.get_window_extent()
    assert 0 <= below.x0 < below.x1 <= display.figure_.bbox.width


def test_names_are_drawn_as_they_are():
    assert all(len(legible(name)) <= 25 for name in HOSTILE)
    assert legible("$x$") == r"\$x\$"
    display = fsmj.ConfusionDisplay(np.eye(len(HOSTILE), dtype=int), HOSTILE).plot()
    display.figure_.canvas.draw()
