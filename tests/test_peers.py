"""The comparison with peers: its page equals its numbers, and failures are called by their name."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from pages import filled
from peers import measure, page, plan, runner
from peers.figures import STYLES, draw_figures
from peers.measure import SIZES, Limits, Task
from peers.methods import METHODS, Method

pytestmark = pytest.mark.long
DOCS = Path(__file__).parent.parent / "docs"
LIMITS = Limits(seconds=1, gib=0.5)

STAND_INS = """
import numpy as np
from scipy.sparse import csr_array
from fsmj import Documents
from fsmj.experiment import Problem
from peers import measure
from peers.corpora import CORPORA
from peers.methods import METHODS, Method

X = csr_array(np.kron(np.eye(4, 25, dtype=int), [[4], [3]]))
y = np.array(["wheat", "wheat", "gold", "gold", "wheat", "wheat", "gold", "gold"])
CORPORA["toy"] = lambda: Problem("toy", Documents(X, y), Documents(X, y))


def endless(X, y, n_terms):
    while X.shape[1] == 25:  # the warm-up has more
        pass


def greedy_for_memory(X, y, n_terms):
    return X.shape[1] == 25 and np.ones((1 << 30, n_terms))


def careless(X, y, n_terms):
    raise KeyError("no such word")


def fatal(X, y, n_terms):
    import os
    os.abort()


def missing(X, y, n_terms):
    import a_package_that_nobody_has


def few(X, y, n_terms):
    return np.arange(15)


def first(X, y, n_terms):
    return np.arange(n_terms)


for select in (endless, greedy_for_memory, careless, fatal, missing, few, first):
    METHODS[select.__name__] = Method(select.__name__, "none", select)
measure.main()
"""


@pytest.fixture(scope="module")
def worker(tmp_path_factory):
    script = tmp_path_factory.mktemp("peers") / "stand_ins.py"
    script.write_text(STAND_INS)
    return [sys.executable, str(script)]


@pytest.mark.parametrize(
    ("method", "status", "reason"),
    [
        ("endless", "time", None),
        ("greedy_for_memory", "memory", "Unable to allocate"),
        ("careless", "failed", "KeyError: 'no such word'"),
        ("fatal", "failed", "ended by SIGABRT"),
        ("missing", "absent", "a_package_that_nobody_has"),
    ],
)
def test_a_failure_is_reported_as_what_it_is(worker, method, status, reason):
    row = runner.run(Task(method, "toy", None, 2), LIMITS, worker)
    assert row["status"] == status
    assert reason is None or reason in row["reason"]


def test_a_process_that_only_waits_is_ended(monkeypatch):
    monkeypatch.setattr(runner, "PATIENCE", 0)
    monkeypatch.setattr(runner, "GRACE", 0.5)
    waits = [sys.executable, "-c", "import time; time.sleep(60)"]
    assert runner.run(Task("any", "toy", None, 2), LIMITS, waits) == {"status": "time"}


def test_a_finished_measurement_has_costs_and_accuracies(worker):
    row = runner.run(Task("first", "toy", None, 20), LIMITS, worker)
    assert row["status"] == "done"
    assert row["cpu_seconds"] >= 0
    assert row["accuracy_10"] == row["accuracy_20"] == row["accuracy_all"] == 1
    assert row["logistic_10"] == row["logistic_20"] == 1
    assert "accuracy_50" not in row
    assert (row["documents"], row["words"]) == (8, 25)


def test_a_method_that_finds_fewer_words_has_no_accuracy_of_more(worker):
    row = runner.run(Task("few", "toy", None, 20), LIMITS, worker)
    assert (row["status"], row["chosen"]) == ("done", 15)
    assert "accuracy_10" in row
    assert "accuracy_20" not in row


@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")  # at the largest C; as it runs
@pytest.mark.parametrize("name", ["l1_svm", "l1_logistic"])
def test_a_penalty_is_found_that_leaves_as_many_words_as_asked_for(name):
    rng = np.random.default_rng(0)
    y = np.repeat(["gold", "oil", "wheat"], 40)
    telling = np.kron(np.eye(3), np.ones((40, 10)))  # ten words for each class, of 60
    X = csr_array(rng.poisson(0.3 + np.hstack([telling, np.zeros((120, 30))])))
    for n_terms in (3, 8, 20):
        columns = METHODS[name].select(X, y, n_terms)
        assert len(set(columns.tolist())) == len(columns) == n_terms
    assert set(METHODS[name].select(X, y, 8)) <= set(range(30)), "words that tell a class"
    silent = csr_array(np.hstack([X.toarray()[:, :5], np.zeros((120, 5), int)]))
    assert set(METHODS[name].select(silent, y, 8)) <= set(range(5)), "no word without a weight"


def test_a_failed_install_says_why(tmp_path):
    reason = runner.install(str(tmp_path / "nothing-here"))
    assert "nothing-here" in reason
    pip = tmp_path / "pip"
    pip.write_text(f"#!{sys.executable}\n")
    pip.chmod(0o755)
    assert runner.install("anything", python=str(pip)) == ""


# The plan


def scripted(statuses):
    """Answer tasks from a table, done where it has none; note what was asked."""
    asked = []

    def run(task):
        asked.append(task)
        return {"status": statuses.get((task.method, task.corpus, *task[2:]), "done")}

    return run, asked


def methods(**ordered):
    return {name: Method(name, "none", None, flag) for name, flag in ordered.items()}


def test_the_first_rung_that_is_done_is_the_last_that_is_asked():
    run, asked = scripted({("slow", "small", None, 500): "time"})
    list(plan.climb_down(run, ["small"], methods(quick=True, slow=True)))
    assert asked == [
        Task("quick", "small", None, 500),
        Task("slow", "small", None, 500),
        Task("slow", "small", 2000, 100),
    ]


def test_what_was_too_much_on_a_small_corpus_is_not_tried_on_a_larger_one():
    run, asked = scripted({("slow", "small", None, 500): "memory"})
    rows = list(plan.climb_down(run, ["small", "large"], methods(slow=True)))
    assert Task("slow", "large", None, 500) not in asked
    assert [row["status"] for row in rows] == ["memory", "done", "untried", "done"]
    assert rows[2]["reason"] == "already out of memory on small"


def test_a_method_without_an_order_is_asked_for_every_size():
    run, _ = scripted({})
    rows = list(plan.climb_down(run, ["small"], methods(bag=False)))
    assert [row["n_terms"] for row in rows] == [500, *SIZES[:-1]]
    assert [row["rung"] for row in rows] == [True] + [False] * 5


def test_an_absent_package_is_asked_once():
    run, asked = scripted({("gone", "small", None, 500): "absent"})
    list(plan.climb_down(run, ["small"], methods(gone=True)))
    assert len(asked) == 1


def test_a_broken_run_goes_on_where_it_stopped(tmp_path):
    path, where = tmp_path / "deep" / "journal.jsonl", {"python": "3"}
    run, asked = scripted({("slow", "small", None, 500): "time"})
    tasks = [Task("quick", "small", None, 500), Task("slow", "small", None, 500)]

    def measured(limits, where):
        recorded = plan.Journal(path, where, limits).recorded(run)
        return [recorded(task)["status"] for task in tasks]

    assert measured(LIMITS, where) == measured(LIMITS, where) == ["done", "time"]
    assert asked == tasks
    measured(LIMITS._replace(seconds=2), where)
    assert asked[2:] == tasks[1:], "what ran out of time is tried again with more time"
    measured(LIMITS, {"python": "4"})
    assert asked[3:] == tasks, "figures of another machine or version are not taken"


# The page


@pytest.fixture(scope="module")
def table():
    return pd.read_csv(DOCS / "peers.csv")


def test_the_page_has_what_the_numbers_give(table):
    text = (DOCS / "peers.md").read_text(encoding="utf-8")
    blocks = page.tables(table)
    assert re.findall("<!-- table:(.*?) -->", text), "the page has tables"
    assert set(re.findall("<!-- table:(.*?) -->", text)) == set(blocks)
    assert filled(text, blocks, blocks.__getitem__) == text


def test_every_method_is_in_every_table(table):
    assert set(table["method"]) == set(METHODS)
    blocks = page.tables(table)
    for name, block in blocks.items():
        if name.startswith("cost"):
            assert all(METHODS[key].title in block for key in METHODS), name


def row_of(**changes):
    row = {"method": "chi2", "corpus": "toy", "n_words": np.nan, "n_terms": 2000, "rung": True,
           "status": "done", "reason": "", "cpu_seconds": 0.25, "wall_seconds": 2.0,
           "additional_mib": 12.3, "accuracy_all": 0.9, "words": 5000, "documents": 10,
           "limit_seconds": 600, "limit_gib": 8, "load": 1.0}  # fmt: skip
    return row | {f"accuracy_{k}": 0.5 for k in SIZES} | changes


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "| 250 ms | 2.0 s | 12 MiB |"),
        ({"chosen": 1234}, "| 2,000 of all words; found 1,234 | 250 ms |"),
        ({"chosen": 2000}, "| 2,000 of all words | 250 ms |"),
        ({"status": "time"}, "not done in 600\N{NO-BREAK SPACE}s"),
        ({"status": "memory"}, "more than 8 GiB needed"),
        ({"status": "untried", "reason": "already failed on x"}, "not tried: already failed on x"),
        ({"status": "failed", "reason": "a`b|c"}, r"failed: `a'b\|c`"),
        ({"status": "absent", "reason": "No module"}, "absent: `No module`"),
    ],
)
def test_costs_or_the_reason_why_there_are_none(changes, text):
    assert text in page.cost(pd.DataFrame([row_of(**changes)]))


def test_times_are_compared_where_all_words_were_asked_for():
    rows = [
        row_of(method="fsmj", cpu_seconds=0.5),
        row_of(method="chi2", cpu_seconds=0.25),
        row_of(method="mrmr_selection", status="time", cpu_seconds=np.nan),
        row_of(method="mrmr_selection", n_words=2000, n_terms=100, cpu_seconds=3.0),
        row_of(method="scikit_lego", status="memory", cpu_seconds=np.nan),
    ]
    lines = page.ratios(pd.DataFrame(rows)).splitlines()[2:]
    assert lines == [
        "| scikit-learn: chi2 | 0.5 |",
        "| mrmr_selection | more than 1,200 |",
        "| scikit-lego: mRMR | – |",
    ]


def test_the_best_of_all_words_is_bold_and_single_sizes_make_one_row():
    nothing = {f"accuracy_{k}": np.nan for k in SIZES}
    rows = [
        row_of(accuracy_10=0.7),
        row_of(method="mrmr_selection", n_words=2000, n_terms=20, accuracy_10=0.8),
        row_of(method="rfe", **nothing | {"accuracy_500": 0.6}),
        row_of(method="rfe", rung=False, n_terms=10, **nothing | {"accuracy_10": 0.4}),
    ]
    lines = page.accuracy(pd.DataFrame(rows)).splitlines()[2:]
    assert lines[0].split(" | ")[1] == "**0.700**"
    assert lines[1].split(" | ")[:2] == ["| mrmr_selection (of the 2,000 most frequent)", "0.800"]
    assert lines[2] == f"| scikit-learn: RFE | 0.400 |{' – |' * 4} **0.600** |"


def test_the_figures_can_be_drawn_of_it(table, tmp_path):
    assert set(STYLES) == set(METHODS)
    for path in draw_figures(table, tmp_path):
        assert path.stat().st_size > 10_000
        assert (DOCS / path.name).exists()


def test_what_the_worker_is_told_is_what_it_measures(monkeypatch, capsys):
    monkeypatch.setattr(measure, "measure", lambda task, limits: {"told": [task, limits]})
    told = [["chi2", "toy", None, 10], [1, 0.5]]
    monkeypatch.setattr(sys, "argv", ["measure", json.dumps(told)])
    measure.main()
    assert json.loads(capsys.readouterr().out)["told"] == told
