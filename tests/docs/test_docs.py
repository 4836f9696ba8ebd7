"""The examples of the README, the guide and the gallery run, and print what the pages show."""

import doctest
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from typer.testing import CliRunner

from fsmj.cli.app import app
from fsmj.methods.table import METHODS

ROOT = Path(__file__).parents[2]
START = ROOT / "docs/guide/start.md"
PAGES = [ROOT / "README.md", ROOT / "docs/index.md", *sorted(ROOT.glob("docs/guide/*.md"))]
GALLERY = sorted(ROOT.glob("examples/plot_*.py"))
pytestmark = pytest.mark.network
WIDTH = "100"  # characters of a terminal
SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    """A fenced block of a page: Python or shell to run, or text that the block before prints."""

    language: str
    source: str
    line: int


class Done(NamedTuple):
    """What became of a command."""

    code: int
    stdout: str
    stderr: str


def blocks_of(page):
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```(\w+)\n(.*?)^```$", text, flags=re.M | re.S)
    return [Block(m[1], m[2], text.count("\n", 0, m.start(2))) for m in found]


def run_python(block, page, names, capfd):
    # Empty lines in front let a traceback name the line of the page.
    exec(compile("\n" * block.line + block.source, str(page), "exec"), names)
    return capfd.readouterr().out


def run_shell(block):
    """Run the `fsmj` commands of a block; other lines are only to be read."""
    printed = ""
    for prompted in block.source.replace("\\\n", "").splitlines():
        line = prompted.removeprefix("$ ")
        if "fsmj " not in line:
            continue
        done = run_in_shell(line) if set(line) & set("|<>") else run_here(line)
        assert done.code == 0, f"{line}\n{done.stderr}"
        printed += done.stdout
    return printed


def run_here(line):
    """Run a command in this process: to load the libraries anew takes longer than most of them."""
    arguments = shlex.split(line)[1:]
    done = CliRunner(env={"COLUMNS": WIDTH}).invoke(app, arguments, catch_exceptions=False)
    return Done(done.exit_code, done.stdout, done.stderr)


def run_in_shell(line):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": WIDTH}
    command = ["bash", "-o", "pipefail", "-c", line]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    return Done(done.returncode, done.stdout, done.stderr)


def run(page, capfd):
    names, printed = {}, None
    for block in blocks_of(page):
        if block.language == "python":
            printed = run_python(block, page, names, capfd)
        elif block.language in ("shell", "console"):
            printed = run_shell(block)
        elif block.language == "text" and printed is not None:
            same = doctest.OutputChecker().check_output(block.source, printed, SAME)
            assert same, f"{page.name}, line {block.line}: the block before prints\n{printed}"
            printed = None


@pytest.fixture(scope="module")
def news(tmp_path_factory):
    """The files that the guide's first page writes, and all its other pages read."""
    folder = tmp_path_factory.mktemp("news")
    first = next(block for block in blocks_of(START) if block.language == "python")
    subprocess.run([sys.executable, "-c", first.source], cwd=folder, check=True)
    return folder


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in, figures without windows; methods that are added go again."""
    mpl.use("Agg")
    before = dict(METHODS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plt, "show", lambda: None)
    yield tmp_path
    plt.close("all")
    METHODS.clear()
    METHODS.update(before)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_prints_what_it_shows(page, news, here, capfd):
    shutil.copytree(news, here, dirs_exist_ok=True)
    run(page, capfd)


@pytest.mark.parametrize("script", GALLERY, ids=lambda script: script.stem)
def test_a_gallery_script_draws_its_figure(script, here):
    runpy.run_path(str(script), run_name="__main__")
    assert plt.get_fignums()


def test_a_wrong_output_is_noticed(tmp_path, capfd):
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n")
    with pytest.raises(AssertionError, match=r"page\.md, line 5"):
        run(page, capfd)


@pytest.mark.parametrize("page", sorted(ROOT.glob("*.md")), ids=lambda page: page.stem)
def test_links_between_files_lead_somewhere(page):
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []
