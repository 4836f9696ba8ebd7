import csv
import io
import json
import math
import os

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics import accuracy_score, f1_score
from sklearn.naive_bayes import MultinomialNB

import fsmj
from fsmj.datasets import Corpus, Part
from fsmj.experiment import (
    CANDIDATES,
    Candidate,
    Problem,
    averages,
    comparisons,
    fold_problems,
    problem_of,
    ranking_of,
    read_corpus,
    read_results,
    run_all,
    split_corpus,
)
from fsmj.experiment import reproduction as reproduction_module
from fsmj.experiment.figures import draw_figures
from fsmj.experiment.labels import label_of
from fsmj.experiment.paper import quoted
from fsmj.experiment.results import AVERAGED_OVER
from fsmj.experiment.runs import COMPARED_AT, is_done, measure, runs_of, sizes_up_to
from fsmj.experiment.significance import holm, mcnemar

SLOW = {name for name, candidate in CANDIDATES.items() if candidate.slow}
QUICK = {name: row for name, row in CANDIDATES.items() if name not in SLOW}


def generated(name="Generated", n_terms=300, seed=0):
    """Documents of classes that each have words of their own among common ones."""
    generator = np.random.default_rng(seed)
    shares = generator.gamma(0.3, size=(3, n_terms)) + 0.05
    shares /= shares.sum(axis=1, keepdims=True)

    def part(n_docs):
        labels = np.array([0, 1, 2, 1, 0, 0])[np.arange(n_docs) % 6]
        X = np.array([generator.multinomial(12, shares[label]) for label in labels])
        return csr_array(X), np.array(["corn", "gold", "ship"])[labels]

    X_train, y_train = part(90)
    X_test, y_test = part(61)
    terms = np.array([f"t{m}" for m in range(n_terms)], object)
    return Problem(name, X_train, y_train, X_test, y_test, terms, "nobody")


@pytest.fixture(scope="module")
def problem():
    return generated()


@pytest.fixture(scope="module")
def folder(problem, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    run_all([problem, generated("Other", seed=1)], folder, n_jobs=1)
    return folder


# One run


@pytest.mark.parametrize("name", ["fsmj", "ig", "sklearn-chi2", "cmim"])
def test_a_run_measures_what_scikit_learn_measures_on_the_same_terms(problem, name):
    run = runs_of([problem], {name: CANDIDATES[name]})[0]
    table = measure(run).to_pandas().set_index("k")
    ranking = CANDIDATES[name].rank(problem, run.aggregate, None)
    for k in (1, 10, 50):
        columns = ranking.order[:k]
        model = MultinomialNB().fit(problem.X_train[:, columns], problem.y_train)
        given_labels = model.predict(problem.X_test[:, columns])
        assert table["accuracy"][k] == accuracy_score(problem.y_test, given_labels)
        assert table["macro_f1"][k] == pytest.approx(
            f1_score(problem.y_test, given_labels, average="macro")
        )
        if k in COMPARED_AT:
            bits = np.unpackbits(np.frombuffer(table["right"][k], np.uint8), count=61)
            assert (bits == (given_labels == problem.y_test)).all()


def test_the_columns_of_a_result_file_are_tidy(folder):
    table = pq.read_table(folder / "runs" / "generated" / "ig_max_rest.parquet").to_pandas()
    assert list(table)[:8] == [
        "method", "aggregate", "variant", "rest", "k", "accuracy", "macro_f1", "seconds"
    ]  # fmt: skip
    assert table["method"].unique().tolist() == ["ig"]
    assert table["aggregate"].unique().tolist() == ["max"]
    assert table["rest"].all()
    assert table.loc[table["right"].notna(), "k"].tolist() == [10, 20, 50, 100, 200]


def test_every_candidate_has_its_own_file(folder, problem):
    names = [run.name for run in runs_of([problem], CANDIDATES)]
    assert sorted(names) == sorted(p.stem for p in folder.glob("runs/generated/*.parquet"))
    assert len(set(names)) == len(names)


def test_the_slow_runs_start_first(problem):
    slow = [run.candidate.slow for run in runs_of([problem], CANDIDATES)]
    assert slow == sorted(slow, reverse=True)


@pytest.mark.parametrize("n_terms", [0, 1, 7, 200, 205, 2000, 7789])
def test_sizes_rise_to_the_number_of_terms(n_terms):
    sizes = sizes_up_to(n_terms)
    assert (np.diff(sizes) > 0).all()
    assert sizes.max(initial=0) == n_terms
    assert set(AVERAGED_OVER) | set(COMPARED_AT) <= set(sizes_up_to(7789))


def test_mutual_information_is_that_of_scikit_learn(problem):
    from sklearn.feature_selection import mutual_info_classif

    ranking = CANDIDATES["sklearn-mutual-info"].rank(problem, None, None)
    scores = mutual_info_classif(problem.X_train, problem.y_train, discrete_features=True)
    assert ranking.scores == pytest.approx(scores[ranking.order], abs=1e-12)


def test_scores_rank_by_size_then_column_with_nan_last(problem):
    scores = np.array([0.5, np.nan, 2.0, 0.5, 1.0])
    assert ranking_of(problem, "mine", scores, None).order.tolist() == [2, 4, 0, 3, 1]


# Many runs


def _length(problem, aggregate, n_terms):
    return ranking_of(problem, "length", np.arange(problem.X_train.shape[1]) * 1.0, n_terms)


def test_a_new_method_is_a_function_and_a_row(problem, tmp_path):
    mine = {"fsmj": CANDIDATES["fsmj"], "length": Candidate("length", _length, n_terms=40)}
    run_all([problem], tmp_path, mine, n_jobs=1)
    results = read_results(tmp_path)
    assert results.curves.loc[results.curves["method"] == "length", "k"].max() == 40
    compared = comparisons(results)
    assert sorted(compared.loc[compared["method"] == "length", "k"]) == [10, 20]


def test_processes_give_the_same_files_as_one(problem, tmp_path, folder):
    some = {name: CANDIDATES[name] for name in ("fsmj", "df", "ig")}
    seen = []
    run_all([problem], tmp_path, some, n_jobs=2, progress=lambda *step: seen.append(step))
    files = sorted(tmp_path.glob("runs/generated/*.parquet"))
    assert seen == [(done, len(files)) for done in range(len(files) + 1)]
    for file in files:
        one = pq.read_table(file)
        other = pq.read_table(folder / "runs" / "generated" / file.name)
        assert one.schema.equals(other.schema, check_metadata=True)
        assert one.drop(["seconds"]).equals(other.drop(["seconds"]))


def _refuse(problem, aggregate, n_terms):
    raise ValueError(f"{problem.name} does not please me")


def test_an_error_in_a_process_comes_out_as_it_is(problem, tmp_path):
    some = {"a": Candidate("a", _refuse), "b": Candidate("b", _refuse)}
    with pytest.raises(ValueError, match="Generated does not please me"):
        run_all([problem], tmp_path, some, n_jobs=2)
    assert list(tmp_path.rglob("*")) == []


def test_what_is_done_is_not_repeated_and_what_has_changed_is(tmp_path):
    some = {"df": CANDIDATES["df"]}
    before, after = generated(seed=0), generated(seed=1)
    run_all([before], tmp_path, some, n_jobs=1)
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    run_all([before], tmp_path, some, n_jobs=1)
    assert files == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    assert not any(is_done(run, tmp_path) for run in runs_of([after], some))
    limited = {"df": CANDIDATES["df"]._replace(n_terms=5)}
    assert not any(is_done(run, tmp_path) for run in runs_of([before], limited))
    run_all([after], tmp_path, some, n_jobs=1)
    assert all(is_done(run, tmp_path) for run in runs_of([after], some))


def test_a_damaged_file_is_made_again(problem, tmp_path):
    some = {"df": CANDIDATES["df"]._replace(rest=(False,))}
    (run,) = runs_of([problem], some)
    run.path(tmp_path).parent.mkdir(parents=True)
    run.path(tmp_path).write_bytes(b"PAR1 half a file")
    with pytest.raises(ValueError, match="not a result file"):
        read_results(tmp_path)
    run_all([problem], tmp_path, some, n_jobs=1)
    assert is_done(run, tmp_path)


def test_a_failing_or_interrupted_method_leaves_what_is_done_and_nothing_else(problem, tmp_path):
    def interrupted(problem, aggregate, n_terms):
        raise KeyboardInterrupt

    some = {"df": CANDIDATES["df"], "mine": Candidate("mine", interrupted)}
    with pytest.raises(KeyboardInterrupt):
        run_all([problem], tmp_path, some, n_jobs=1)
    names = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert names == ["df.parquet", "df_rest.parquet"]


def test_problems_of_the_same_name_are_refused(problem, tmp_path):
    with pytest.raises(ValueError, match="two runs are called"):
        run_all([problem, generated(seed=1)], tmp_path, QUICK, n_jobs=1)


def test_files_of_other_documents_are_refused(tmp_path):
    run_all([generated(seed=0)], tmp_path, {"df": CANDIDATES["df"]}, n_jobs=1)
    run_all([generated(seed=1)], tmp_path, {"fsmj": CANDIDATES["fsmj"]}, n_jobs=1)
    with pytest.raises(ValueError, match="other documents"):
        read_results(tmp_path)


def test_results_that_are_not_there_are_missed(folder, tmp_path):
    with pytest.raises(ValueError, match="no results"):
        read_results(tmp_path)
    with pytest.raises(ValueError, match="no results on Third"):
        read_results(folder, ["Other", "Third"])


# Statistics


def naive_mcnemar(wins, losses):
    n = wins + losses
    extreme = sum(math.comb(n, i) for i in range(n + 1)
                  if abs(i - n / 2) >= abs(wins - n / 2))  # fmt: skip
    return extreme / 2**n


def naive_holm(p_values):
    """Step down: an adjusted value is the largest product so far."""
    adjusted, largest = {}, 0.0
    remaining = sorted(range(len(p_values)), key=lambda i: p_values[i])
    while remaining:
        largest = max(largest, min(1.0, len(remaining) * p_values[remaining[0]]))
        adjusted[remaining.pop(0)] = largest
    return [adjusted[i] for i in range(len(p_values))]


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_sum_of_the_outcomes_as_extreme(wins, losses):
    assert mcnemar(wins, losses) == pytest.approx(naive_mcnemar(wins, losses), rel=1e-9)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_steps_down(p_values):
    assert holm(p_values).tolist() == pytest.approx(naive_holm(p_values))


def test_comparisons_count_documents(folder):
    results = read_results(folder)
    compared = comparisons(results)
    n_docs = 61
    difference = (compared["wins"] - compared["losses"]) / n_docs
    assert np.allclose(compared["fsmj_accuracy"] - compared["accuracy"], difference)
    assert (compared["p_holm"] >= compared["p"]).all()
    for _, table in compared.groupby("problem"):
        assert np.allclose(table["p_holm"], naive_holm(table["p"].tolist()))
    signs = {"ahead": 1, "behind": -1}
    decided = compared[compared["verdict"] != "open"]
    assert (np.sign(decided["wins"] - decided["losses"]) == decided["verdict"].map(signs)).all()
    assert ((compared["p_holm"] < 0.05) == (compared["verdict"] != "open")).all()


def test_averages_are_means_and_missing_where_a_ranking_ends_early(tmp_path):
    problem = generated(n_terms=450)
    some = {"df": CANDIDATES["df"], "mine": Candidate("mine", _length, n_terms=250)}
    run_all([problem], tmp_path, some, n_jobs=1)
    results = read_results(tmp_path)
    mean = averages(results).set_index(["method", "rest"])["accuracy"]
    curve = results.curves[(results.curves["method"] == "df") & ~results.curves["rest"]]
    expected = curve.set_index("k")["accuracy"][[100, 200, 300, 400]].mean()
    assert mean["df", False] == pytest.approx(expected)
    assert math.isnan(mean["mine", False])


# Problems


def test_a_corpus_is_a_csv_file(tmp_path):
    rows = [("text", "label", "date")]
    rows += [(f"corn harvest {i}", "grain", "1987") for i in range(10)]
    rows += [("gold, silver\nand ore", "metal", "NA")] * 4
    rows += [("one alone: corn", "NA", "")]
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    path = tmp_path / "mine.csv"
    path.write_text(text.getvalue(), encoding="utf-8")
    corpus = read_corpus(path, test_share=0.3, seed=5)
    assert corpus.name == "mine"
    assert np.unique(corpus.test.labels, return_counts=True)[1].tolist() == [3, 1]
    assert sorted(np.unique(corpus.train.labels)) == ["NA", "grain", "metal"]
    assert corpus.train.texts == read_corpus(path, test_share=0.3, seed=5).train.texts
    assert corpus.train.texts != read_corpus(path, test_share=0.3, seed=6).train.texts
    problem = problem_of(corpus, min_docs=3)
    assert problem.terms.tolist() == ["and", "corn", "gold", "harvest", "ore", "silver"]
    run_all([problem], tmp_path, QUICK, n_jobs=1)
    assert read_results(tmp_path).problems["n_terms"].tolist() == [6]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"words,label\na,b\n", "no column 'text'; it has 'words', 'label'"),
        (b"text,label\na,x\nb,\n", "the label in row 2 .* is missing"),
        (b"text,label\na,x\nb,y\n", "too few documents"),
        (b"text,label\n", "too few documents"),
    ],
)
def test_a_csv_file_that_will_not_do_is_explained(tmp_path, content, message):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_corpus(path)


def test_a_share_outside_0_and_1_is_refused():
    with pytest.raises(ValueError, match="test_share"):
        split_corpus("any", ["a", "b"], ["x", "y"], test_share=1.5)


def test_the_parts_of_a_cross_validation_are_read_as_one_problem(tmp_path):
    rng = np.random.default_rng(0)
    y = np.array(["a", "b"] * 25 + ["rare"])
    X = csr_array(rng.poisson(0.5 + (y[:, None] == "a") * np.arange(12) / 8))
    terms = np.array([f"t{column}" for column in range(12)], object)
    problems = fold_problems("mine", X, y, terms, cv=3)
    assert sum(problem.unseen for problem in problems) == 1
    tested = sum(len(problem.y_test) for problem in problems)
    assert tested == len(y)
    run_all(problems, tmp_path, QUICK, n_jobs=1)
    results = read_results(tmp_path)
    assert results.problems["problem"].tolist() == ["mine, 3 parts"]
    assert results.problems["n_test"].tolist() == [51]
    line = next(
        line for key, line in results.lines("mine, 3 parts") if key == ("df", "", "", False)
    )
    right = 0
    for problem in problems:
        top = np.argsort(-problem.counts.docs_per_term, kind="stable")[:10]
        naive_bayes = MultinomialNB().fit(problem.X_train[:, top], problem.y_train)
        right += (naive_bayes.predict(problem.X_test[:, top]) == problem.y_test).sum()
    at_ten = line[line["k"] == 10].iloc[0]
    assert at_ten["accuracy"] == pytest.approx(right / 51)
    assert np.unpackbits(np.frombuffer(at_ten["right"], np.uint8), count=51).sum() == right


def test_documents_with_several_labels_are_refused():
    part = Part(np.array([[1, 1], [0, 1]]), texts=["a b", "c d"])
    with pytest.raises(ValueError, match="several labels"):
        problem_of(Corpus("many", part, part, np.array(["x", "y"]), None, ""))


def test_the_fingerprint_knows_every_part(problem):
    other = Problem(problem.name, problem.X_train, problem.y_train, problem.X_test,
                    problem.y_test[::-1], problem.terms)  # fmt: skip
    assert other.fingerprint != problem.fingerprint
    assert generated().fingerprint == problem.fingerprint


# The paper's experiment


@pytest.fixture
def small_reuters(monkeypatch):
    """Reuters-10 and Reuters-20 replaced by generated documents with enough terms."""
    made = [generated(f"Reuters-{topics} (R52)", 450, topics) for topics in (10, 20)]
    monkeypatch.setattr(reproduction_module, "problems_from", lambda source: made)


def _contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "times.csv" and path.suffix != ".parquet"
    }


def test_the_experiment_writes_the_same_files_again(small_reuters, tmp_path):
    some = {**QUICK, "cmim": CANDIDATES["cmim"]}
    for name in ("one", "two"):
        written = reproduction_module.reproduce(tmp_path / name, ["r52"], some, n_jobs=1)
        assert written == tmp_path / name / "RESULTS.md"
    one, two = _contents(tmp_path / "one"), _contents(tmp_path / "two")
    assert list(one) == list(two)
    assert [name for name in one if one[name] != two[name]] == []
    panels = [f"r52/panel-reuters-{topics}-{way}" for topics in (10, 20)
              for way in ("max", "sum", "average")]  # fmt: skip
    for stem in ("r52/panels", "r52/few-terms", *panels):
        assert one[f"{stem}.png"].startswith(b"\x89PNG")
        assert b"<svg" in one[f"{stem}.svg"]
    text = one["RESULTS.md"].decode()
    for name in ("Reuters-10 (R52)", "Reuters-20 (R52)", "In short", "Few terms", "0.60"):
        assert name in text
    assert "nan" not in text.lower().split()


def test_the_verdict_follows_the_numbers(folder, tmp_path):
    """The same sentences say the opposite once FSMJ and its best rival change places."""
    from fsmj.experiment.verdict import headline, verdict_on

    results = read_results(folder, ["Generated"])
    curves = results.curves.copy()
    own = (curves["method"] == "fsmj") & (curves["variant"] == "") & ~curves["rest"]
    curves["accuracy"] *= 0.9  # so that perfect is ahead of all
    for value, expected in ((1.0, "**holds**"), (0.0, "**does not hold**")):
        curves.loc[own, "accuracy"] = value
        curves.loc[own, "right"] = pd.Series(
            [np.packbits([bool(value)] * 61).tobytes()] * own.sum(), curves.index[own]
        )
        changed = type(results)(results.problems, curves)
        mean, compared = averages(changed), comparisons(changed)
        text = verdict_on(changed, mean, compared, "Generated")
        assert f"Ahead on average: the claim {expected}" in text
        assert ("behind by" in text) == (value == 0)
        assert f"ranking on {int(value)} of 1 corpora" in headline(mean, compared)


def test_without_the_methods_to_compare_the_verdict_says_so(problem, tmp_path):
    from fsmj.experiment.verdict import verdict_on

    run_all([problem], tmp_path, {"fsmj": CANDIDATES["fsmj"]}, n_jobs=1)
    results = read_results(tmp_path)
    mean = averages(results)
    text = verdict_on(results, mean, comparisons(results), "Generated")
    assert "have not been run" in text


def test_figures_are_made_from_the_files_alone(folder, tmp_path):
    results = read_results(folder, ["Other", "Generated"])
    written = draw_figures(results, tmp_path)
    assert len(written) == 1 + 6 + 1
    svg = (tmp_path / "panels.svg").read_text(encoding="utf-8")
    for words in ("number of terms", "test accuracy of naive Bayes", "FSMJ", "weighted average"):
        assert words in svg


def test_the_matrix_takes_part_where_it_is_at_hand(monkeypatch, tmp_path):
    monkeypatch.setenv("FSMJ_DATA", str(tmp_path))
    monkeypatch.delenv("FSMJ_REUTERS_MAT", raising=False)
    assert reproduction_module.sources_at_hand() == ["r52"]
    (tmp_path / "Reuters21578.mat").touch()
    assert reproduction_module.sources_at_hand() == ["r52", "mat"]
    monkeypatch.setenv("FSMJ_REUTERS_MAT", "elsewhere")
    assert reproduction_module.sources_at_hand() == ["r52", "mat"]


def test_labels_and_quotes():
    assert label_of("fsmj", "prior", rest=True) == "FSMJ, prior weights, with rest cell"
    assert label_of("mine") == "mine"
    assert quoted("Reuters-10 (matrix)", "cet", "average") == 0.89
    assert quoted("Reuters-100", "cet", "average") is None


# Measured on the paper's matrix; the numbers are those of the notes on the paper.

ACCURACIES = {
    (10, "fsmj"): [0.642, 0.898, 0.932, 0.950, 0.952, 0.952, 0.957, 0.960],
    (10, "ig_max"): [0.790, 0.906, 0.925, 0.943, 0.953, 0.950, 0.955, 0.960],
    (10, "df"): [0.763, 0.815, 0.892, 0.909, 0.944, 0.949, 0.957, 0.960],
    (20, "fsmj"): [0.663, 0.869, 0.904, 0.926, 0.940, 0.942, 0.939, 0.940],
    (20, "ig_max"): [0.745, 0.877, 0.910, 0.933, 0.936, 0.939, 0.940, 0.940],
}
AVERAGES = {
    (10, "cet", ""): 0.889,
    (20, "cet", ""): 0.849,
    (10, "ngl", ""): 0.781,
    (20, "ngl", ""): 0.754,
    (20, "ngl", "printed"): 0.736,
}


@pytest.fixture(scope="module")
def paper_results(tmp_path_factory):
    if not os.environ.get("FSMJ_REUTERS_MAT"):
        pytest.skip("FSMJ_REUTERS_MAT does not name the paper's matrix, Reuters21578.mat")
    folder = tmp_path_factory.mktemp("paper")
    some = {name: CANDIDATES[name] for name in ("fsmj", "df", "ig", "cet", "ngl", "ngl-printed")}
    run_all(reproduction_module.problems_from("mat"), folder, some, n_jobs=1)
    return folder


@pytest.mark.parametrize(("topics", "run"), ACCURACIES)
def test_the_papers_matrix_gives_the_known_accuracies(paper_results, topics, run):
    path = paper_results / "runs" / f"reuters-{topics}-matrix" / f"{run}.parquet"
    accuracy = pq.read_table(path).to_pandas().set_index("k")["accuracy"]
    measured = accuracy[[10, 50, 100, 200, 500, 1000, 2000, 7789]]
    assert measured.round(3).tolist() == ACCURACIES[topics, run]


@pytest.mark.parametrize(("topics", "method", "variant"), AVERAGES)
def test_the_papers_matrix_gives_the_known_averages(paper_results, topics, method, variant):
    mean = averages(read_results(paper_results)).set_index(
        ["problem", "method", "variant", "aggregate"]
    )["accuracy"]
    measured = mean[f"Reuters-{topics} (matrix)", method, variant, "average"]
    assert round(measured, 3) == AVERAGES[topics, method, variant]


def test_the_rest_cell_helps_few_terms_on_the_papers_matrix(paper_results):
    for topics, expected in ((10, 0.794), (20, 0.739)):
        path = paper_results / "runs" / f"reuters-{topics}-matrix" / "fsmj_rest.parquet"
        accuracy = pq.read_table(path).to_pandas().set_index("k")["accuracy"]
        assert round(accuracy[10], 3) == expected


def test_settings_are_readable_in_the_file(folder):
    schema = pq.read_schema(folder / "runs" / "generated" / "df.parquet")
    settings = json.loads(schema.metadata[b"fsmj"])
    assert settings["problem"] == "Generated"
    assert settings["n_terms"] == 300


def test_rankings_of_documents_carry_the_problem(problem):
    ranking = CANDIDATES["cmim"].rank(problem, None, 5)
    assert isinstance(ranking, fsmj.Ranking)
    assert len(ranking) == 5
