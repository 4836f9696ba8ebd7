"""Commands killed at the worst moment: no half-written output, and nothing that stays for good."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fsmj
from fsmj import _scratch
from fsmj.cli.app import app
from fsmj.experiment import Problem, named_candidates
from fsmj.paper import setup

pytestmark = pytest.mark.long
TEXTS = [("gold bar", "metal"), ("gold mine", "metal"), ("crude oil", "fuel"), ("oil well", "fuel")]
COMMANDS = {
    "rank": ["rank", "news.csv", "-o", "out.csv"],
    "count": ["count", "news.csv", "-o", "out.parquet"],
    "merge": ["merge", "counts.parquet", "counts.parquet", "-o", "out.parquet"],
    "train": ["train", "news.csv", "-o", "out.parquet"],
    "classify": ["classify", "model.parquet", "news.csv", "--text", "text", "-o", "out.csv"],
    "report": ["report", "news.csv", "-o", "out.html"],
    "compare": ["compare", "news.csv", "--methods", "df", "--cv", "2", "-o", "out"],
    "rank by class": ["rank", "news.csv", "--by-class", "-o", "out.parquet"],
    "evaluate": ["evaluate", "model.parquet", "news.csv", "--confusion", "out.csv"],
    "figures": ["report", "news.csv", "--figures", "out"],
    "reproduce": ["reproduce", "--source", "mat", "--quiet", "--results", "out"],
    "a pipe": ["count", "-", "-o", "out.parquet"],
}
# Every command in a process of its own, forked where all has been imported and no thread runs.
# It is killed when its output is complete but has not taken its place.
DRIVER = """
import io, json, os, pathlib, signal, sys
import numba, pandas, sklearn.naive_bayes
from fsmj.cli.app import app
from fsmj.experiment import schedule
from test_kill import small_experiment
small_experiment()
schedule._worthwhile = lambda runs: 2  # processes
content = open("news.csv", "rb").read()
def killed(self, target):
    os.kill(os.getpid(), signal.SIGKILL)
statuses = {}
for name, arguments in json.loads(sys.argv[1]).items():
    child = os.fork()
    if child == 0:
        pathlib.Path.replace = killed
        sys.stdin = io.TextIOWrapper(io.BytesIO(content))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os.chdir(name)
        app(arguments)
        os._exit(99)
    statuses[name] = os.waitpid(child, 0)[1]
print(json.dumps(statuses))
"""


def small_experiment():
    """Let the paper's experiment be a small one."""
    documents = fsmj.Documents([[2, 1, 0], [0, 1, 3]] * 9, ["a", "b"] * 9)
    setup.problems_from = lambda source: [Problem("Reuters-10 (matrix)", documents, cv=2)]
    setup.candidates = lambda: named_candidates(["fsmj", "df", "ig", "rs", "ngl", "mi"])


def processes_in(folder):
    """The numbers of processes that work in a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if path.readlink() == folder:
                found.append(int(path.parent.name))
        except OSError:  # it has just ended, or is somebody else's
            continue
    return found


def prepare(folder):
    rows = "".join(f"{text},{label}\n" for text, label in TEXTS * 5)
    (folder / "news.csv").write_text("text,label\n" + rows)
    counts = fsmj.count_files(folder / "news.csv")
    counts.save(folder / "counts.parquet")
    fsmj.TextModel(counts).save(folder / "model.parquet")


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The folder of the folders where each command was killed, with an output of before."""
    here = tmp_path_factory.mktemp("killed")
    prepare(here)
    for name, arguments in COMMANDS.items():
        (here / name).mkdir()
        prepare(here / name)
        if arguments[-1] != "out":
            (here / name / arguments[-1]).write_text("as it was")
    (here / "scratch").mkdir()
    paths = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, json.dumps(COMMANDS)],
        cwd=here, capture_output=True, text=True,
        env={**os.environ, "TMPDIR": str(here / "scratch"), "PYTHONPATH": paths},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout).values()) == {9}, done.stdout
    return here


def grow_old(folder):
    """Let nothing in a folder look as if it had just been begun."""
    past = time.time() - 1000
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (past, past))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_leaves_what_was_there(killed, name, monkeypatch):
    folder, arguments = killed / name, COMMANDS[name]
    seen = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    before = {"news.csv", "counts.parquet", "model.parquet"}
    if arguments[-1] == "out":
        assert not [path for path in (folder / "out").rglob("[!.]*") if path.is_file()]
    else:
        assert seen == before | {arguments[-1]}
        assert (folder / arguments[-1]).read_text() == "as it was"
    # The next run takes no harm, and removes what it finds.
    monkeypatch.chdir(folder)
    monkeypatch.setattr("tempfile.tempdir", str(killed / "scratch"))
    for changed in ("problems_from", "candidates"):
        monkeypatch.setattr(setup, changed, getattr(setup, changed))
    small_experiment()
    grow_old(folder)
    grow_old(killed / "scratch")
    _scratch._remove_abandoned_folders.cache_clear()
    done = CliRunner().invoke(app, arguments, input=(folder / "news.csv").read_bytes())
    assert done.exit_code == 0, done.output
    assert not list(folder.rglob(".*fsmj-*"))
    assert not list((killed / "scratch").glob("fsmj-*"))


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="this system has no /proc")
def test_no_process_outlives_its_command(killed):
    for _ in range(300):
        left = {name: processes_in(killed / name) for name in COMMANDS}
        if not any(left.values()):
            break
        time.sleep(0.1)
    assert not any(left.values())


def test_the_next_process_removes_scratch_folders(tmp_path, monkeypatch):
    code = (
        "import os, signal\nfrom fsmj._scratch import scratch_folder\n"
        "with scratch_folder() as folder:\n"
        "    (folder / 'run.arrow').write_bytes(b'x')\n    os.kill(os.getpid(), signal.SIGKILL)"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment)
    assert done.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    grow_old(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    _scratch._remove_abandoned_folders.cache_clear()
    with _scratch.scratch_folder() as mine:
        assert list(tmp_path.iterdir()) == [mine] != [left]
        grow_old(tmp_path)
        _scratch._remove_abandoned_folders.cache_clear()
        with _scratch.scratch_folder():
            assert mine.exists(), "what is in use stays, however old it is"
    assert list(tmp_path.iterdir()) == []
