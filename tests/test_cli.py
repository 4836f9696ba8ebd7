import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fsmj import paper
from fsmj.cli.app import COMMANDS, app

runner = CliRunner()


@pytest.fixture
def asked(monkeypatch):
    """What `fsmj reproduce` would have run."""
    calls = []

    def reproduce(folder, sources, progress):
        progress(1, 3)
        calls.append((folder, sources))
        return Path(folder) / "RESULTS.md"

    monkeypatch.setattr(paper, "reproduce", reproduce)
    monkeypatch.setattr("fsmj.cli.reproduce.write_page", lambda *_, **__: None)
    return calls


def failing(monkeypatch, error):
    def reproduce(*args, **options):
        raise error

    monkeypatch.setattr(paper, "reproduce", reproduce)


def test_help_names_every_command():
    result = runner.invoke(app, ["--help"])
    assert result.exit_code == 0
    for name in COMMANDS:
        assert name in result.output


@pytest.mark.parametrize(
    ("options", "sources"),
    [
        ([], None),
        (["--source", "r52"], ["r52"]),
        (["--source", "mat"], ["mat"]),
        (["--source", "both"], ["r52", "mat"]),
    ],
)
def test_reproduce_passes_on_what_it_is_told(asked, options, sources):
    result = runner.invoke(app, ["reproduce", "--results", "there", *options])
    assert result.exit_code == 0
    assert asked == [(Path("there"), sources)]
    assert result.stdout.split() == [str(Path("there", "RESULTS.md"))]
    assert result.stderr == ""


def test_quiet_says_nothing(asked):
    result = runner.invoke(app, ["reproduce", "--quiet"])
    assert result.exit_code == 0
    assert result.output == ""
    assert asked == [(Path("results"), None)]


def test_an_unknown_source_is_refused(asked):
    result = runner.invoke(app, ["reproduce", "--source", "sgml"])
    assert result.exit_code == 2
    assert "sgml" in result.stderr
    assert asked == []


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ValueError("the file is\nnot what it seems"), "the file is not what it seems"),
        (OSError("no network; give the path"), "no network; give the path"),
        (PermissionError(13, "Permission denied", "results"), "results: Permission denied"),
        (ValueError(), "ValueError"),
    ],
)
def test_what_goes_wrong_is_one_sentence_and_status_2(monkeypatch, error, sentence):
    failing(monkeypatch, error)
    result = runner.invoke(app, ["reproduce"])
    assert result.exit_code == 2
    assert result.stderr == f"fsmj: {sentence}\n"
    assert result.stdout == ""


def test_an_interrupt_ends_with_130(monkeypatch):
    failing(monkeypatch, KeyboardInterrupt())
    result = runner.invoke(app, ["reproduce"])
    assert result.exit_code == 130
    assert result.stderr == "fsmj: interrupted\n"


def test_a_bug_is_not_dressed_up(monkeypatch):
    failing(monkeypatch, KeyError("a bug"))
    assert isinstance(runner.invoke(app, ["reproduce"]).exception, KeyError)


def test_a_results_folder_that_is_a_file_is_refused(asked, tmp_path):
    (tmp_path / "results").touch()
    result = runner.invoke(app, ["reproduce", "--results", str(tmp_path / "results")])
    assert result.exit_code == 2
    assert asked == []


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom fsmj.cli.app import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('matplotlib', 'numba') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.long
@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ({"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}, "東京"),
        ({"PYTHONIOENCODING": "cp1252"}, r"\u6771\u4eac"),
    ],
)
def test_words_of_any_script_pass_through_any_pipe(locale, said, tmp_path):
    (tmp_path / "a.csv").write_text("text,label\n東京,a\ngold,b\n", encoding="utf-8")
    command = [sys.executable, "-c", "from fsmj.cli import main; main()", "rank", "a.csv"]
    environment = {**os.environ, **locale}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert said.encode() in done.stdout
    assert b"\r" not in done.stdout


def test_the_bar_is_for_terminals(monkeypatch, capsys):
    from fsmj.cli.terminal import progress_bar

    monkeypatch.setenv("FORCE_COLOR", "1")  # makes Rich take the pipe for a terminal
    with progress_bar("Reuters") as show:
        show(1, 3)
    assert "33%" in capsys.readouterr().err
    with progress_bar("Reuters", quiet=True) as show:
        show(1, 3)
    monkeypatch.delenv("FORCE_COLOR")
    with progress_bar("Reuters") as show:
        show(1, 3)
    assert capsys.readouterr().err == ""


def test_a_terminal_hears_once_that_loops_are_compiled(monkeypatch, capsys):
    from numba import njit

    from fsmj.cli.app import _compilation_said

    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with _compilation_said():
        njit(lambda x: x + 1)(1)
        njit(lambda x: x + 2)(1)
    assert capsys.readouterr().err.count("compiling") == 1
    monkeypatch.setattr("sys.stderr.isatty", lambda: False)
    with _compilation_said():
        njit(lambda x: x + 3)(1)
    assert capsys.readouterr().err == ""
