from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import MultinomialNB

import fsmj
import problems as made
from fsmj.experiment import Problem
from study import publish
from study_figures import draw
from study_results import METHODS, Study, band_ranks, mean_ranks, recommended, study_of
from study_runs import FOLDS, choose, look_at_test, transfer_of, validate, validate_on_test
from study_tables import TABLES, fill

DOCS = Path(__file__).parent.parent / "docs"
N_TEST = 61


@pytest.fixture(scope="module")
def problems():
    return [made.generated("One", 210, 0), made.generated("Two", 210, 1)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def validated(problems, folder):
    return validate(problems, folder / "validation")


@pytest.fixture(scope="module")
def chosen(validated):
    return choose(validated)


@pytest.fixture(scope="module")
def study(problems, validated, chosen, folder):
    measured = look_at_test(problems, chosen, folder / "test")
    on_test = validate_on_test(problems[:1], folder / "transfer")
    sources = {"wire": problems[:1], "groups": problems[1:]}
    return study_of(sources, measured, transfer_of(validated, on_test))


# Choices


def test_a_choice_is_made_by_cross_validation(validated, problems):
    for problem in problems:
        curve = fsmj.cross_validate(problem.train, "fsmj", cv=FOLDS, ks=[10, 50], weights="prior")
        rows = validated.query("problem == @problem.name and variant == 'prior' and not rest")
        measured = rows.set_index("k")["cv_accuracy"]
        assert measured[[10, 50]].tolist() == curve.accuracy.tolist()


def test_choices_depend_on_the_training_part_alone(problems, chosen, tmp_path):
    def other_test_part(problem):
        labels = np.random.default_rng(3).permutation(problem.test.y)
        other = fsmj.Documents(problem.test.X, labels, problem.test.terms)
        return Problem(problem.name, problem.train, other, problem.citation)

    again = choose(validate([other_test_part(problem) for problem in problems], tmp_path))
    pd.testing.assert_frame_equal(again, chosen)


def test_the_option_with_the_best_mean_is_chosen_at_each_k():
    rows = [
        ("One", 10, "ig", False, "", "max", 0.7), ("One", 10, "ig", False, "", "sum", 0.8),
        ("One", 20, "ig", False, "", "max", 0.9), ("One", 20, "ig", False, "", "sum", 0.8),
        ("One", 20, "fsmj", False, "", "", 0.95), ("One", 20, "fsmj", True, "", "", 0.5),
    ]  # fmt: skip
    columns = ["problem", "k", "method", "rest", "variant", "aggregate", "cv_accuracy"]
    chosen = choose(pd.DataFrame(rows, columns=columns))
    assert chosen["aggregate"].tolist() == ["sum", "max", "", ""]
    assert chosen["cv_accuracy"].tolist() == [0.8, 0.9, 0.95, 0.5]


# The test part


def test_only_what_was_chosen_is_measured_on_the_test_part(study, chosen, folder):
    for slug, name in (("one", "One"), ("two", "Two")):
        rows = chosen[chosen["problem"] == name]
        options = rows[["method", "rest", "variant", "aggregate"]].drop_duplicates()
        files = list((folder / "test" / "runs" / slug).glob("*.parquet"))
        tried = list((folder / "validation" / "runs" / slug).glob("*.parquet"))
        assert len(files) == len(options) < len(tried)


def test_the_accuracy_is_that_of_scikit_learn_on_the_chosen_ranking(study, problems):
    for problem in problems:
        rows = study.accuracy[study.accuracy["corpus"] == problem.name]
        for row in rows[rows["method"].isin(["FSMJ", "IG"])].itertuples():
            option = {"weights" if row.method == "FSMJ" else "aggregate": row.choice}
            columns = fsmj.rank(problem.train, row.method.lower(), row.k, **option).order
            model = MultinomialNB().fit(problem.train.X[:, columns], problem.train.y)
            assert row.test_accuracy == model.score(problem.test.X[:, columns], problem.test.y)


def test_every_method_is_there_at_every_size(study):
    sizes = study.accuracy.groupby(["corpus", "method"], sort=False)["k"].apply(list)
    assert sizes.index.tolist() == [(name, method) for name in ("One", "Two") for method in METHODS]
    assert all(ks == [10, 20, 50, 100, 200] for ks in sizes)


def test_each_reference_is_tested_against_all_others_once(study):
    assert len(study.pairs) == 2 * 5 * (5 + 4)  # corpora, sizes, pairs with CLL or FSMJ
    assert not study.pairs.duplicated(["corpus", "k", "reference", "other"]).any()
    reached = study.accuracy.set_index(["corpus", "k", "method"])["test_accuracy"]
    for row in study.pairs.itertuples():
        gap = reached[row.corpus, row.k, row.reference] - reached[row.corpus, row.k, row.other]
        assert (row.wins - row.losses) / N_TEST == pytest.approx(gap)


def test_the_check_measures_the_same_models_in_two_places(study, problems):
    (problem, _) = problems
    row = study.transfer.query("method == 'FSMJ, prior weights' and k == 50").squeeze()
    held_out, test = [], []
    for fold in problem.train.folds(FOLDS):
        train, held = problem.train.take(fold.train), problem.train.take(fold.held)
        columns = fsmj.rank(train, "fsmj", 50, weights="prior").order
        model = MultinomialNB().fit(train.X[:, columns], train.y)
        held_out.append(model.score(held.X[:, columns], held.y))
        test.append(model.score(problem.test.X[:, columns], problem.test.y))
    assert row["held_out"] == pytest.approx(np.mean(held_out))
    assert row["test"] == pytest.approx(np.mean(test))


# Recommendation


def handmade(accuracies, sources):
    """A study of two methods at k = 10: cross-validated accuracies by corpus."""
    corpora = pd.DataFrame({"corpus": list(accuracies), "source": sources})
    rows = [
        (corpus, method, 10, accuracy)
        for corpus, pair in accuracies.items()
        for method, accuracy in zip(("CLL", "IG"), pair)
    ]
    table = pd.DataFrame(rows, columns=["corpus", "method", "k", "cv_accuracy"])
    return Study(corpora, table, pd.DataFrame(), pd.DataFrame())


def test_ranks_are_means_over_the_corpora_of_a_source():
    accuracies = {"a": (0.9, 0.8), "b": (0.7, 0.6), "c": (0.5, 0.6), "d": (0.4, 0.4)}
    ranks = mean_ranks(handmade(accuracies, ["wire", "wire", "wire", "groups"]))[10]
    assert ranks["wire", "CLL"] == pytest.approx((1 + 1 + 2) / 3)
    assert ranks["wire", "IG"] == pytest.approx((2 + 2 + 1) / 3)
    assert ranks["groups", "CLL"] == ranks["groups", "IG"] == 1.5


def test_many_corpora_of_one_source_do_not_outvote_the_other():
    accuracies = {"a": (0.9, 0.8), "b": (0.7, 0.6), "c": (0.5, 0.6), "d": (0.3, 0.4)}
    few = band_ranks(handmade(accuracies, ["wire", "wire", "wire", "groups"])).iloc[0]
    assert few["CLL"] == pytest.approx((4 / 3 + 2) / 2)
    assert few["CLL"] > few["IG"]


# The page


PAGE = "\n\n".join(["# A page", *(f"<!-- table:{name} -->\n<!-- end -->" for name in TABLES)])


def test_tables_are_filled_in_once_and_for_all(study):
    page = fill(PAGE, study)
    assert fill(page, study) == page
    assert page.count("\n| --- |") == len(TABLES)
    assert "nan" not in page


def test_markers_that_will_not_do_are_explained(study):
    with pytest.raises(ValueError, match="no table 'verdict'"):
        fill("<!-- table:verdict -->\n<!-- end -->", study)
    with pytest.raises(ValueError, match="needs its own"):
        fill("<!-- table:corpora -->\n", study)


def test_verdicts_turn_with_the_reference(study):
    """CLL ahead of FSMJ on so many corpora is FSMJ behind CLL on as many."""
    clear = study._replace(pairs=study.pairs.assign(p_holm=0.01))

    def verdicts(name, other):
        row = next(line for line in TABLES[name](clear).splitlines() if f"| {other} |" in line)
        return [tuple(map(int, cell.split(" · "))) for cell in row.split("|")[2:-1]]

    reached = study.accuracy.set_index(["method", "k", "corpus"])["test_accuracy"]
    gap = np.sign(reached["CLL"] - reached["FSMJ"])
    sizes = sorted(study.accuracy["k"].unique())
    expected = [tuple((gap[k] == sign).sum() for sign in (1, 0, -1)) for k in sizes]
    assert verdicts("tests-cll", "FSMJ") == expected
    assert verdicts("tests-fsmj", "CLL") == [verdict[::-1] for verdict in expected]
    assert any(verdict[0] for verdict in expected)


def test_what_is_published_comes_from_the_csv_files(study, tmp_path):
    study.write(tmp_path)
    (tmp_path / "study.md").write_text(PAGE, encoding="utf-8")
    publish(tmp_path)
    page = (tmp_path / "study.md").read_text(encoding="utf-8")
    assert page == fill(PAGE, Study.read(tmp_path))
    assert (tmp_path / "study_accuracy.png").read_bytes().startswith(b"\x89PNG")


def test_the_figure_draws_every_number(study):
    panels = draw(study).axes[:2]
    for axes, corpus in zip(panels, ("One", "Two")):
        assert axes.get_title() == corpus
        drawn = {line.get_label(): line.get_ydata() for line in axes.lines}
        rows = study.accuracy[study.accuracy["corpus"] == corpus]
        for method in METHODS:
            expected = rows.loc[rows["method"] == method, "test_accuracy"]
            assert list(drawn[method]) == list(expected)


def test_the_tables_of_the_documentation_are_those_of_its_numbers():
    page = (DOCS / "study.md").read_text(encoding="utf-8")
    assert fill(page, Study.read(DOCS)) == page


def test_the_documentation_recommends_what_the_numbers_do():
    page = (DOCS / "study.md").read_text(encoding="utf-8")
    best = recommended(Study.read(DOCS))
    assert f"**Up to 100 terms: {best[100]}.**" in page
    assert f"**More than 100 terms: {best[200]}.**" in page
