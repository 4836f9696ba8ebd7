"""Commands killed at the worst moment: no half-written output, and nothing that stays for good."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

import fsmj
from fsmj.cli.app import app

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
    "a pipe": ["count", "-", "-o", "out.parquet"],
}
# Every command in a process of its own, forked where all has been imported and no thread runs.
# It is killed when its output is complete but has not taken its place.
DRIVER = """
import io, json, os, pathlib, signal, sys
import numba, pandas, sklearn.naive_bayes
from fsmj.cli.app import app
content = open("news.csv", "rb").read()
def killed(self, target):
    os.kill(os.getpid(), signal.SIGKILL)
statuses = {}
for name, arguments in json.loads(sys.argv[1]).items():
    child = os.fork()
    if child == 0:
        pathlib.Path.replace = killed
        sys.stdin = io.TextIOWrapper(io.BytesIO(content))
        sys.stderr = sys.stdout = open(os.devnull, "w")
        os.chdir(name)
        app(arguments)
        os._exit(99)
    statuses[name] = os.waitpid(child, 0)[1]
print(json.dumps(statuses))
"""


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
        if name != "compare":
            (here / name / arguments[-1]).write_text("as it was")
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, json.dumps(COMMANDS)],
        cwd=here, capture_output=True, text=True,
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
    if name == "compare":
        assert not [path for path in (folder / "out").rglob("[!.]*") if path.is_file()]
    else:
        assert seen == before | {arguments[-1]}
        assert (folder / arguments[-1]).read_text() == "as it was"
    # The next run takes no harm, and removes what it finds.
    monkeypatch.chdir(folder)
    grow_old(folder)
    done = CliRunner().invoke(app, arguments, input=(folder / "news.csv").read_bytes())
    assert done.exit_code == 0, done.output
    assert not list(folder.rglob(".*fsmj-*"))


def test_the_next_process_removes_scratch_folders(tmp_path, monkeypatch):
    from fsmj import _scratch

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
