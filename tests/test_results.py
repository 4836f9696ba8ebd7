import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsmj.experiment import (
    Candidate,
    averages,
    comparisons,
    named_candidates,
    read_results,
    run_all,
)
from fsmj.experiment.results import holm, mcnemar
from fsmj.methods.ranked import Ranked
from fsmj.methods.table import METHODS, Method
from problems import generated


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    some = named_candidates(["fsmj", "fsmj-prior", "df", "ig", "mi", "cet"])
    run_all([generated(), generated("Other", seed=1)], folder, some, n_jobs=1)
    return folder


# Reading


def test_problems_come_in_the_order_wanted(folder):
    results = read_results(folder, ["Other", "Generated"])
    assert results.problems["problem"].tolist() == ["Other", "Generated"]
    assert results.curves["problem"].drop_duplicates().tolist() == ["Other", "Generated"]


def test_files_of_other_documents_are_refused(tmp_path):
    run_all([generated(seed=0)], tmp_path, named_candidates(["df"]), n_jobs=1)
    run_all([generated(seed=1)], tmp_path, named_candidates(["fsmj"]), n_jobs=1)
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
    compared = comparisons(read_results(folder))
    difference = (compared["wins"] - compared["losses"]) / 61
    assert np.allclose(compared["fsmj_accuracy"] - compared["accuracy"], difference)
    assert (compared["p_holm"] >= compared["p"]).all()
    for _, table in compared.groupby("problem"):
        assert np.allclose(table["p_holm"], naive_holm(table["p"].tolist()))
    signs = {"ahead": 1, "behind": -1}
    decided = compared[compared["verdict"] != "open"]
    assert (np.sign(decided["wins"] - decided["losses"]) == decided["verdict"].map(signs)).all()
    assert ((compared["p_holm"] < 0.05) == (compared["verdict"] != "open")).all()


# Averages


def first_columns(counts, n_terms):
    order = np.arange(counts.n_terms)[:n_terms]
    return Ranked(order, -order * 1.0)


@pytest.fixture
def short_and_long(monkeypatch):
    """A method that ranks all 450 terms, and one that ends at 250."""
    monkeypatch.setitem(METHODS, "short", Method("Short", "Short", first_columns))
    some = {"df": Candidate("df"), "short": Candidate("short", n_terms=250)}
    return run_all([generated(n_terms=450)], candidates=some, n_jobs=1)


def test_all_runs_are_averaged_over_the_sizes_that_all_have(short_and_long):
    mean = averages(short_and_long).set_index("method")
    assert mean["up_to"].tolist() == [200, 200]
    for candidate, line in short_and_long.lines("Generated"):
        expected = line.set_index("k")["accuracy"][[10, 20, 50, 100, 200]].mean()
        assert mean["accuracy"][candidate.method] == pytest.approx(expected)
    assert mean["accuracy"].is_monotonic_decreasing


def test_over_given_sizes_a_ranking_that_ends_before_has_no_average(short_and_long):
    mean = averages(short_and_long, range(100, 2001, 100)).set_index("method")["accuracy"]
    line = {c.method: line for c, line in short_and_long.lines("Generated")}["df"]
    expected = line.set_index("k")["accuracy"][[100, 200, 300, 400]].mean()
    assert mean["df"] == pytest.approx(expected)
    assert math.isnan(mean["short"])


def test_few_terms_have_an_average_too():
    results = run_all([generated(n_terms=7)], candidates=named_candidates(["df", "ig"]))
    mean = averages(results)
    assert mean["up_to"].tolist() == [7, 7]
    assert mean["accuracy"].notna().all()
