"""The commands run in this process or in one of their own, on eight small texts."""

import sys

import pandas as pd
import pytest
from typer.testing import CliRunner

import fsmj
from fsmj.cli.app import app

TEXTS = [
    "gold ore and gold price", "the gold price rose", "gold mine, ore", "silver and gold ore",
    "wheat crop and grain", "grain harvest", "the wheat harvest", "corn and wheat grain",
]  # fmt: skip
LABELS = ["metal"] * 4 + ["grain"] * 4
HOSTILE = "<script>alert('x')</script>; DROP TABLE \"counts\" --"
COMMAND = [sys.executable, "-c", "from fsmj.cli.app import main; main()"]


def run(*arguments, stdin=None, status=0):
    result = CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)
    problem = result.exception
    if problem is not None and not isinstance(problem, SystemExit):
        raise problem
    assert result.exit_code == status, result.output
    return result


def refused(*arguments, stdin=None):
    """What is said when the arguments are refused; nothing else is written."""
    result = run(*arguments, stdin=stdin, status=2)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr


@pytest.fixture
def news(tmp_path):
    path = tmp_path / "news.csv"
    pd.DataFrame({"body": TEXTS, "topic": LABELS}).to_csv(path, index=False)
    return path


@pytest.fixture
def counts():
    return fsmj.count_texts(TEXTS, LABELS)


@pytest.fixture
def model(news, tmp_path):
    path = tmp_path / "model.parquet"
    run("train", news, "--top", 6, "-o", path, "-q")
    return path
