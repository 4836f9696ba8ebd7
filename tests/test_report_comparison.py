"""How methods compare, as a report says it from the files of an experiment."""

from io import BytesIO

import numpy as np
import pytest

import fsmj
from fsmj import experiment
from fsmj.paper import draw_panels
from fsmj.paper.panels import _few_terms
from fsmj.reporting.comparison import leaders
from fsmj.reporting.summary import Comparison, Contest, Line
from reports import DOCUMENTS, TEST


def contest(ks, **accuracy):
    lines = [
        Line(name, name, "", "", False, np.nan, np.array(values, float))
        for name, values in accuracy.items()
    ]
    return Contest("any", 9, np.array(ks), tuple(lines), (), ())


def test_the_headline_compares_at_the_sizes_that_all_runs_have():
    nan = np.nan
    # cll is best wherever it was measured; on average over all sizes, ig has the largest number.
    one = contest([100, 200, 2000], fsmj=[0.5, 0.6, 0.8], ig=[0.5, 0.5, 0.9], cll=[0.7, 0.7, nan])
    assert leaders(Comparison("", (one,))) == [
        "Best average accuracy with 100 to 200 words: “cll”",
        "Of those that rank more words, best with 100 to 2,000 words: “fsmj”",
    ]


def test_the_headline_counts_corpora():
    one, other = contest([100], fsmj=[0.9], ig=[0.8]), contest([100], fsmj=[0.7], ig=[0.8])
    assert leaders(Comparison("", (one,))) == ["Best average accuracy with 100 words: “fsmj”"]
    assert leaders(Comparison("", (other, one, one)))[0] == (
        "Best average accuracy with 100 words: “fsmj” on 2 of 3 corpora, “ig” on 1"
    )


def test_runs_that_share_no_size_are_not_compared():
    apart = contest([1, 2], fsmj=[0.9, np.nan], ig=[np.nan, 0.8])
    assert leaders(Comparison("", (apart,))) == ["Rankings compared: 2"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    problem = experiment.Problem("goods & ships", DOCUMENTS, TEST, "nobody")
    kept = ("fsmj", "df", "ig")
    candidates = experiment.all_candidates()
    chosen = {name: one for name, one in candidates.items() if one.key in kept}
    experiment.run_all([problem], folder, chosen, n_jobs=1)
    return folder


def test_the_comparison_is_what_the_result_files_say(results):
    read = experiment.read_results(results)
    (shown,) = fsmj.report(results).summary.comparison.contests
    assert shown.problem == "goods & ships"
    mean = experiment.averages(read).set_index(["method", "variant", "aggregate", "rest"])[
        "accuracy"
    ]
    assert len(shown.lines) == len(mean)
    for line in shown.lines:
        key = (line.method, line.variant, line.aggregate, line.rest)
        run = next(run for name, run in read.lines(shown.problem) if name[:4] == key)
        known = ~np.isnan(line.accuracy)
        np.testing.assert_array_equal(shown.ks[known], run["k"])
        np.testing.assert_array_equal(line.accuracy[known], run["accuracy"])
        np.testing.assert_equal(line.average, mean[key])
        assert line.colour == fsmj.METHODS[line.method].colour
    assert (shown.lines[0].method, shown.lines[0].rest) == ("fsmj", False)


def test_short_names_of_methods_are_said_in_full(results):
    methods = fsmj.report(results).summary.comparison.methods
    assert {(method.what, method.value) for method in methods} == {
        (row.label, row.title) for row in (fsmj.METHODS["df"], fsmj.METHODS["ig"])
    }


def test_duels_are_the_paired_comparisons(results):
    (shown,) = fsmj.report(results).summary.comparison.contests
    expected = experiment.comparisons(experiment.read_results(results))
    found = [
        (k, duel.wins, duel.losses, duel.verdict)
        for rival in shown.rivals
        for k, duel in zip(shown.compared_at, rival.duels)
        if duel is not None
    ]
    columns = ["k", "wins", "losses", "verdict"]
    assert found == list(expected[columns].itertuples(index=False, name=None))


def test_results_and_documents_make_one_report(results):
    summary = fsmj.report(DOCUMENTS, results=results, cv=2).summary
    assert summary.comparison is not None
    assert summary.words is not None
    assert any(fact.what == "goods & ships" for fact in summary.about.facts)


@pytest.mark.long
def test_results_have_figures_of_their_own(results, tmp_path):
    stems = {path.stem for path in fsmj.report(results).save_figures(tmp_path)}
    assert {"panels", "few-terms"} <= stems


@pytest.mark.long
@pytest.mark.parametrize("kept", [("max",), ("sum", "average"), ()])
def test_figures_show_what_was_tried(kept, tmp_path):
    problem = experiment.Problem("news.csv", DOCUMENTS, TEST, "nobody")
    aggregates = ("", *kept)
    chosen = {
        name: one
        for name, one in experiment.all_candidates().items()
        if one.key in ("fsmj", "ig", "df") and one.aggregate in aggregates and not one.variant
    }
    read = experiment.run_all([problem], tmp_path / "runs", chosen, n_jobs=1)
    written = draw_panels(read, tmp_path)
    panels = {path.name for path in written if path.name.startswith("panel-")}
    assert panels == {f"panel-news.csv-{way}.png" for way in kept or ("max",)}
    assert all(path.exists() for path in written)


@pytest.mark.parametrize("n_problems", [1, 2])
def test_the_names_of_few_terms_stand_within_the_figure(results, n_problems):
    (name,) = experiment.read_results(results).problems["problem"]
    figure = _few_terms(experiment.read_results(results), [name] * n_problems)
    figure.savefig(BytesIO())
    (legend,) = figure.legends
    box, whole = legend.get_window_extent(), figure.bbox
    assert whole.x0 <= box.x0 < box.x1 <= whole.x1
    drawn = {line.get_label() for axes in figure.axes for line in axes.lines}
    assert [text.get_text() for text in legend.get_texts()] == [
        label
        for label in ("FSMJ", "FSMJ, with rest cell", "IG, max", "IG, max, with rest cell", "DF")
        if label in drawn
    ]
