"""A method is one row: whoever adds it to the table finds it everywhere."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import fsmj
from fsmj.cli.app import app
from fsmj.experiment import all_candidates, draw_curves, read_results, run_all
from fsmj.methods.ranked import Ranked
from fsmj.methods.table import METHODS, Method
from problems import generated

runner = CliRunner()


def by_frequency(counts, n_terms):
    frequency = np.asarray(counts.term_counts.sum(axis=0), float).ravel()
    order = np.argsort(-frequency, kind="stable")[:n_terms]
    return Ranked(order, frequency[order])


@pytest.fixture(autouse=True)
def made_up(monkeypatch):
    row = Method("Term frequency", "Made up", by_frequency, colour="#123456", most=30)
    monkeypatch.setitem(METHODS, "made-up", row)
    return row


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "goods.csv"
    rows = [("green tea leaves", "tea"), ("crude oil barrel oil", "oil")] * 10
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("text", "label"), *rows])
    return str(path)


def test_rank_takes_it(table):
    documents = fsmj.Documents.from_texts(["tea tea", "oil"], ["a", "b"])
    assert fsmj.rank(documents, "made-up").terms.tolist() == ["tea", "oil"]
    with pytest.raises(ValueError, match="made-up"):
        fsmj.rank(documents, "unheard-of")


def test_the_command_rank_takes_it(table):
    done = runner.invoke(app, ["rank", table, "--method", "made-up", "--json", "--quiet"])
    assert done.exit_code == 0, done.output
    assert "oil" in done.output


def test_the_selector_takes_it():
    problem = generated(n_terms=20)
    chosen = fsmj.TermSelector("made-up", 3).fit(problem.train.X, problem.train.y)
    frequency = problem.train.X.sum(axis=0)
    assert set(np.flatnonzero(chosen.get_support())) == set(
        np.argsort(-frequency, kind="stable")[:3]
    )


def test_compare_takes_it_unasked_and_by_name(table):
    for asked in ([], ["--methods", "fsmj,made-up"]):
        done = runner.invoke(app, ["compare", table, "--json", "--quiet", *asked])
        assert done.exit_code == 0, done.output
        methods = {row["method"] for row in json.loads(done.stdout)}
        assert {"fsmj", "made-up"} <= methods
    refused = runner.invoke(app, ["compare", table, "--methods", "unheard-of"])
    assert "made-up" in refused.stderr


def test_the_experiment_runs_and_draws_it(tmp_path, made_up):
    some = {name: one for name, one in all_candidates().items() if one.method == "made-up"}
    run_all([generated()], tmp_path, some)
    results = read_results(tmp_path)
    assert results.curves["k"].max() == made_up.most
    draw_curves(results, "Generated", tmp_path / "accuracy")
    svg = (tmp_path / "accuracy.svg").read_text(encoding="utf-8")
    assert ">Made up<" in svg
    assert made_up.colour in svg


def test_the_page_on_words_says_what_each_option_means():
    page = Path(__file__, "../../docs/guide/words.md").resolve().read_text(encoding="utf-8")
    for option in {option.name for row in METHODS.values() for option in row.options}:
        assert f"\n| `{option}`<br>`--{option}` | " in page
