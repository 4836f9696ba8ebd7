import json
import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import accuracy_score, f1_score
from sklearn.naive_bayes import MultinomialNB

import fsmj
from fsmj.experiment import (
    Candidate,
    Problem,
    all_candidates,
    comparisons,
    draw_curves,
    named_candidates,
    read_results,
    run_all,
)
from fsmj.experiment import schedule as schedule_module
from fsmj.experiment.results import bits
from fsmj.experiment.runs import COMPARED_AT, Run, measure, read, runs_of, sizes_up_to
from fsmj.methods.ranked import Ranked
from fsmj.methods.table import METHODS, Method
from problems import generated

pytestmark = pytest.mark.long

CANDIDATES = all_candidates()
QUICK = {name: one for name, one in CANDIDATES.items() if not one.row.slow}


@pytest.fixture(scope="module")
def problem():
    return generated()


@pytest.fixture(scope="module")
def folder(problem, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    run_all([problem, generated("Other", seed=1)], folder, n_jobs=1)
    return folder


@pytest.fixture
def register(monkeypatch):
    """Add a method to the table for one test."""

    def add(name, rank, **options):
        monkeypatch.setitem(METHODS, name, Method(name, name, rank, **options))
        return {name: Candidate(name, n_terms=options.get("most"))}

    return add


# One run


@pytest.mark.parametrize("name", ["fsmj", "ig_max", "sklearn-chi2", "cmim"])
def test_a_run_measures_what_scikit_learn_measures_on_the_same_terms(problem, name):
    table = measure(Run(problem, CANDIDATES[name])).to_pandas().set_index("k")
    ranking = CANDIDATES[name].rank(problem.train)
    X_train, X_test, truth = problem.train.X, problem.test.X, problem.test.y
    for k in (1, 10, 50):
        columns = ranking.order[:k]
        model = MultinomialNB().fit(X_train[:, columns], problem.train.y)
        labels = model.predict(X_test[:, columns])
        assert table["accuracy"][k] == accuracy_score(truth, labels)
        assert table["macro_f1"][k] == pytest.approx(f1_score(truth, labels, average="macro"))
        if k in COMPARED_AT:
            assert (bits(table["right"][k], 61) == (labels == truth)).all()


def test_a_cross_validation_is_one_run(tmp_path):
    problem = generated("Parts", 40, cv=3)
    results = run_all([problem], tmp_path, {"df": CANDIDATES["df"]}, n_jobs=1)
    assert [path.name for path in tmp_path.rglob("*.parquet")] == ["df.parquet"]
    assert results.problems[["n_train", "n_test", "cv"]].to_numpy().tolist() == [[151, 151, 3]]
    at_ten = results.curves[results.curves["k"] == 10].iloc[0]
    right, shares = np.zeros(151, bool), []
    for fold in problem.train.folds(3):
        train, held = problem.train.take(fold.train), problem.train.take(fold.held)
        top = np.argsort(-train.counts.docs_per_term, kind="stable")[:10]
        model = MultinomialNB().fit(train.X[:, top], train.y)
        right[fold.held] = model.predict(held.X[:, top]) == held.y
        shares.append(right[fold.held].mean())
    assert at_ten["accuracy"] == pytest.approx(np.mean(shares))
    assert (bits(at_ten["right"], 151) == right).all()


def test_documents_are_counted_once_for_all_methods(monkeypatch):
    counted, count = [], fsmj.ClassTermCounts.from_membership

    def noted(documents, *rest):
        counted.append(documents.shape[0])
        return count(documents, *rest)

    monkeypatch.setattr(fsmj.ClassTermCounts, "from_membership", noted)
    candidates = named_candidates(["fsmj", "df", "ig", "bound"])
    for problem, sizes in ((generated(cv=3), [100, 101, 101]), (generated(), [90])):
        counted.clear()
        run_all([problem], candidates=candidates, n_jobs=1)
        assert sorted(counted) == sizes


def test_the_columns_of_a_result_file_are_tidy(folder):
    table = pq.read_table(folder / "runs" / "generated" / "ig_max.parquet").to_pandas()
    assert list(table)[:8] == [
        "method", "variant", "aggregate", "rest", "k", "accuracy", "macro_f1", "seconds"
    ]  # fmt: skip
    assert table["method"].unique().tolist() == ["ig"]
    assert table["aggregate"].unique().tolist() == ["max"]
    assert not table["rest"].any()
    assert table.loc[table["right"].notna(), "k"].tolist() == [10, 20, 50, 100, 200]


def test_settings_are_readable_in_the_file(folder):
    schema = pq.read_schema(folder / "runs" / "generated" / "df.parquet")
    settings = json.loads(schema.metadata[b"fsmj"])
    assert settings["problem"] == "Generated"
    assert settings["n_terms"] == 300


def test_every_candidate_has_its_own_file(folder):
    files = sorted(path.stem for path in folder.glob("runs/generated/*.parquet"))
    assert files == sorted(CANDIDATES)


def test_the_slow_runs_start_first(problem):
    slow = [run.candidate.row.slow for run in runs_of([problem], CANDIDATES)]
    assert slow == sorted(slow, reverse=True)
    assert any(slow)


@pytest.mark.parametrize("n_terms", [0, 1, 7, 200, 205, 2000, 7789])
def test_sizes_rise_to_the_number_of_terms(n_terms):
    sizes = sizes_up_to(n_terms)
    assert (np.diff(sizes) > 0).all()
    assert sizes.max(initial=0) == n_terms
    assert {*range(100, 2001, 100), *COMPARED_AT} <= set(sizes_up_to(7789))


# Candidates


def test_mutual_information_is_that_of_scikit_learn(problem):
    from sklearn.feature_selection import mutual_info_classif

    ranking = CANDIDATES["sklearn-mutual-info"].rank(problem.train)
    scores = mutual_info_classif(problem.train.X, problem.train.y, discrete_features=True)
    assert ranking.scores == pytest.approx(scores[ranking.order], abs=1e-12)


def test_a_form_sets_its_options(problem):
    ranking = CANDIDATES["fsmj_prior"].rank(problem.train)
    expected = fsmj.rank(problem.train, weights="prior")
    assert ranking.order.tolist() == expected.order.tolist()
    assert ranking.order.tolist() != fsmj.rank(problem.train).order.tolist()
    printed = CANDIDATES["ngl_printed_sum"].rank(problem.train)
    assert printed.method == "ngl-printed"
    assert printed.options["aggregate"] == "sum"


def test_labels_say_which_form():
    assert CANDIDATES["fsmj_prior_rest"].label == "FSMJ, prior weights, with rest cell"
    assert CANDIDATES["chi2_printed_max"].label == "Chi, as printed, max"
    assert Candidate("mine").label == "mine"


def test_methods_are_taken_by_name():
    assert list(named_candidates(["ig", "fsmj"], "sum")) == ["ig_sum", "fsmj", "fsmj_rest"]
    assert list(named_candidates(["fsmj-prior"])) == ["fsmj_prior"]
    with pytest.raises(ValueError, match=r"unknown method 'igg'; choose from fsmj, .*cll"):
        named_candidates(["igg"])
    with pytest.raises(ValueError, match="no method is named"):
        named_candidates([])


# Many runs


def rank_last_columns_first(counts, n_terms):
    order = np.arange(counts.n_terms)[::-1][:n_terms]
    return Ranked(order, order * 1.0)


def refuse(counts, n_terms):
    raise ValueError("this does not please me")


def test_a_method_of_ones_own_is_a_function_and_a_row(problem, tmp_path, register):
    mine = {"fsmj": CANDIDATES["fsmj"], **register("mine", rank_last_columns_first, most=40)}
    for n_jobs in (1, 2):
        results = run_all([problem], tmp_path / f"{n_jobs}", mine, n_jobs=n_jobs)
        assert results.curves.loc[results.curves["method"] == "mine", "k"].max() == 40
        compared = comparisons(results)
        assert sorted(compared.loc[compared["method"] == "mine", "k"]) == [10, 20]


def test_processes_give_the_same_files_as_one(problem, tmp_path, folder):
    some = named_candidates(["fsmj", "df", "ig"])
    seen = []
    run_all([problem], tmp_path, some, n_jobs=2, progress=lambda *step: seen.append(step))
    files = sorted(tmp_path.glob("runs/generated/*.parquet"))
    assert [step[:2] for step in seen] == [(done, len(files)) for done in range(len(files) + 1)]
    assert seen[0][2] == "FSMJ, FSMJ, with rest cell"
    assert seen[-1][2] == ""
    for file in files:
        one = pq.read_table(file)
        other = pq.read_table(folder / "runs" / "generated" / file.name)
        assert one.schema.equals(other.schema, check_metadata=True)
        assert one.drop(["seconds"]).equals(other.drop(["seconds"]))


def test_without_a_folder_nothing_is_written(problem, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = run_all([problem], candidates={"df": CANDIDATES["df"]})
    assert list(tmp_path.rglob("*")) == []
    there = read_results(folder, ["Generated"]).curves
    there = there[there["method"] == "df"].drop(columns="seconds").reset_index(drop=True)
    assert results.curves.drop(columns="seconds").equals(there)


def test_small_work_stays_in_one_process(problem, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    runs = runs_of([problem], CANDIDATES)
    assert schedule_module._worthwhile(runs) == 1
    monkeypatch.setattr(schedule_module, "_SECONDS_A_PROCESS", 0)
    assert schedule_module._worthwhile(runs) == 8


def test_an_error_in_a_process_comes_out_as_it_is(problem, tmp_path, register):
    some = register("a", refuse) | register("b", refuse)
    with pytest.raises(ValueError, match="this does not please me"):
        run_all([problem], tmp_path, some, n_jobs=2)
    assert list(tmp_path.rglob("*")) == []


def test_what_is_done_is_not_repeated_and_what_has_changed_is(tmp_path):
    some = {"df": CANDIDATES["df"]}
    before, after = generated(seed=0), generated(seed=1)
    first = run_all([before], tmp_path, some, n_jobs=1)
    files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    second = run_all([before], tmp_path, some, n_jobs=1)
    assert files == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    assert first.curves.equals(second.curves)
    assert all(read(run, tmp_path) is None for run in runs_of([after], some))
    limited = {"df": CANDIDATES["df"]._replace(n_terms=5)}
    assert all(read(run, tmp_path) is None for run in runs_of([before], limited))
    run_all([after], tmp_path, some, n_jobs=1)
    assert all(read(run, tmp_path) is not None for run in runs_of([after], some))


def test_a_damaged_file_is_made_again(problem, tmp_path):
    some = {"df": CANDIDATES["df"]}
    (run,) = runs_of([problem], some)
    run.path(tmp_path).parent.mkdir(parents=True)
    run.path(tmp_path).write_bytes(b"PAR1 half a file")
    with pytest.raises(ValueError, match="not a result file"):
        read_results(tmp_path)
    run_all([problem], tmp_path, some, n_jobs=1)
    assert read(run, tmp_path) is not None


def test_an_interrupted_method_leaves_what_is_done_and_nothing_else(problem, tmp_path, register):
    def interrupted(counts, n_terms):
        raise KeyboardInterrupt

    some = {"df": CANDIDATES["df"], **register("mine", interrupted)}
    with pytest.raises(KeyboardInterrupt):
        run_all([problem], tmp_path, some, n_jobs=1)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["df.parquet"]


def test_a_warning_is_given_once_for_all_runs():
    train = fsmj.Documents([[2, 0], [1, 0], [0, 1], [0, 2]], ["a", "a", "b", "b"])
    test = fsmj.Documents([[1, 0], [1, 1]], ["a", "new"])
    with pytest.warns(UserWarning, match="1 documents count as errors") as said:
        run_all([Problem("mine", train, test)], candidates=named_candidates(["df", "ig"]))
    assert len(said) == 1


def fall(counts, n_terms):
    os._exit(9)


def test_a_process_that_ends_is_said(problem, register):
    with pytest.raises(OSError, match="ended from outside"):
        run_all([problem], candidates=register("a", fall) | register("b", fall), n_jobs=2)


# What begins processes need not be a file, nor say which part of it is for the first one only.
SCRIPT = """
import sys, time
import numpy as np
from fsmj.experiment import Candidate, run_all
from fsmj.methods.table import METHODS, Method
from problems import generated

def sleep(counts, n_terms):
    print("asleep", file=sys.stderr, flush=True)
    time.sleep(120)

METHODS["a"] = METHODS["b"] = Method("sleep", "sleep", sleep)
run_all([generated()], sys.argv[1], {n: Candidate(n) for n in "ab"}, n_jobs=2)
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("how", "script"), [(9, "endless.py"), (signal.SIGINT, "-"), (signal.SIGTERM, "endless.py")]
)
def test_no_process_outlives_the_one_that_started_it(tmp_path, how, script):
    (tmp_path / "endless.py").write_text(SCRIPT)
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    marked = {**os.environ, "PYTHONPATH": path, "FSMJ_TEST_MARK": str(tmp_path)}
    with (tmp_path / "endless.py").open() as source:
        started = subprocess.Popen(
            [sys.executable, script, tmp_path / "results"], env=marked, cwd=tmp_path,
            stdin=source, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert [started.stderr.readline() for _ in range(2)] == ["asleep\n"] * 2
    assert len(_processes(str(tmp_path))) >= 3
    started.send_signal(how)
    started.communicate(timeout=30)
    deadline = time.monotonic() + 30
    while _processes(str(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _processes(str(tmp_path)) == []


def _processes(mark):
    """Return the processes that inherited the mark."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            variables = (process / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if f"FSMJ_TEST_MARK={mark}".encode() in variables:
            found.append(process.name)
    return found


def test_problems_of_the_same_name_are_refused(problem, tmp_path):
    with pytest.raises(ValueError, match="two runs are called"):
        run_all([problem, generated(seed=1)], tmp_path, QUICK, n_jobs=1)


# Problems


def test_a_dataset_is_a_problem(problem):
    dataset = fsmj.datasets.Dataset("goods", problem.train, problem.test, "whom to cite")
    made = Problem(*dataset)
    assert (made.name, made.train, made.test) == ("goods", problem.train, problem.test)
    assert made.citation == "whom to cite"


def test_problems_that_will_not_do_are_explained(problem):
    several = fsmj.Documents([[1, 0], [0, 1]], [[1, 1], [0, 1]])
    with pytest.raises(ValueError, match="several labels"):
        Problem("many", several)
    with pytest.raises(ValueError, match="300 columns and the test documents 2"):
        Problem("other", problem.train, fsmj.Documents([[1, 0]], ["corn"]))
    with pytest.raises(ValueError, match="one part is none"):
        Problem("none", problem.train, problem.test.take(np.arange(0)))


def test_the_fingerprint_knows_every_part(problem):
    turned = fsmj.Documents(problem.test.X, problem.test.y[::-1], problem.test.terms)
    others = [
        Problem(problem.name, problem.train, turned),
        Problem(problem.name, problem.train, cv=3),
        Problem(problem.name, problem.train, cv=4),
    ]
    prints = {problem.fingerprint, *(other.fingerprint for other in others)}
    assert len(prints) == 4
    assert generated().fingerprint == problem.fingerprint


def test_a_class_without_words_is_no_obstacle():
    X = [[2, 0], [1, 0], [0, 1], [0, 2], [0, 0]]
    train = fsmj.Documents(X, ["a", "a", "b", "b", "silent"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = run_all([Problem("mine", train, train)], candidates=QUICK)
    assert results.curves["accuracy"].max() == pytest.approx(4 / 5)


# Lines


def test_every_run_is_in_the_legend(folder, tmp_path):
    results = read_results(folder, ["Other"])
    draw_curves(results, "Other", tmp_path / "accuracy")
    svg = (tmp_path / "accuracy.svg").read_text(encoding="utf-8")
    for candidate, _ in results.lines("Other"):
        assert f">{candidate.label}<" in svg
