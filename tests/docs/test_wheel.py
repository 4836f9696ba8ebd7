"""What users install: wheel and sdist, each in an environment that was empty before."""

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from test_docs import ROOT, START, blocks_of

pytestmark = [pytest.mark.network, pytest.mark.slow]
TOOLS = "Scripts" if os.name == "nt" else "bin"
PIP = ["-m", "pip", "--quiet", "--disable-pip-version-check"]


def run(*command, cwd=None):
    """Run a command that finds what is installed beside it, and nothing of this checkout."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    path = f"{Path(command[0]).parent}{os.pathsep}{environment['PATH']}"
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env={**environment, "PATH": path}, check=True
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist, the wheel that is made of it, and the wheel of this checkout."""
    folder = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    run(
        sys.executable, "-m", "build", "--no-isolation", "--wheel",
        "--outdir", folder / "checkout", ROOT,
    )  # fmt: skip
    return [next(folder.glob(name)) for name in ("*.tar.gz", "*.whl", "checkout/*.whl")]


def contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def environment_with(requirement, folder):
    run(sys.executable, "-m", "venv", folder)
    python = folder / TOOLS / "python"
    run(python, *PIP, "install", "--no-compile", requirement)
    return python


def test_the_wheel_holds_the_package_and_nothing_else(built):
    names = list(contents(built[1]))
    stem = built[1].name.split("-py3")[0]
    about, beside = f"{stem}.dist-info", f"{stem}.data"
    assert {name.split("/")[0] for name in names} == {"fsmj", about, beside}
    proofs = {f"share/doc/fsmj/theory/{path.name}" for path in ROOT.glob("docs/theory/*.md")}
    assert {n.partition("/data/")[2] for n in names if n.startswith(beside)} == proofs
    assert "fsmj/py.typed" in names
    licences = {Path(n).name for n in names if n.startswith(f"{about}/licenses/")}
    assert licences == {"LICENSE", "LICENSE.tabulator", "LICENSE.uplot"}
    kinds = {Path(name).suffix for name in names if name.startswith("fsmj/")}
    assert not kinds & {".mat", ".csv", ".parquet", ".gz", ".pyc", ".nbc", ".nbi", ".sgm"}
    assert not [name for name in names if "test" in name]


def test_the_sdist_holds_all_to_build_and_test_the_same_wheel(built):
    sdist, of_sdist, of_checkout = built
    assert contents(of_sdist) == contents(of_checkout)
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    for folder in ("tests", "benchmarks", "docs/guide", "examples"):
        ours = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).glob("*.[mp][dy]")}
        assert ours <= held
    assert not [name for name in held if re.search(r"\.venv|__pycache__|\.parquet$|\.mat$", name)]


def test_the_readme_works_with_the_wheel_alone(built, tmp_path):
    python = environment_with(f"fsmj[all] @ {built[1].as_uri()}", tmp_path / "venv")
    run(python, "-c", blocks_of(START)[0].source, cwd=tmp_path)  # writes news.csv
    blocks = blocks_of(ROOT / "README.md")
    source = "\n".join(block.source for block in blocks if block.language == "python")
    assert source
    run(python, "-c", source, cwd=tmp_path)
    shell = [block.source for block in blocks if block.language == "shell"]
    assert shell
    for block in shell:
        script = tmp_path / "block.sh"
        script.write_text(f"PATH={python.parent}:$PATH\n{block}", encoding="utf-8")
        run("bash", "-e", "-o", "pipefail", script, cwd=tmp_path)
    run(
        python.parent / "fsmj",
        "report",
        "news.csv",
        "--top",
        "50",
        "-o",
        "report.html",
        cwd=tmp_path,
    )
    assert (tmp_path / "report.html").stat().st_size > 100_000


def test_selectors_work_with_the_sdist_alone(built, tmp_path):
    python = environment_with(built[0], tmp_path / "venv")
    installed = subprocess.run([python, *PIP, "list"], capture_output=True, text=True, check=True)
    assert not re.search(
        r"^(pandas|pyarrow|matplotlib|typer|jinja2) ", installed.stdout, re.M | re.I
    )
    first = next(b for b in blocks_of(ROOT / "README.md") if b.language == "python")
    run(python, "-c", first.source, cwd=tmp_path)
    refused = subprocess.run([python.parent / "fsmj", "rank"], capture_output=True, text=True)
    assert refused.returncode == 2
    assert "pip install 'fsmj[cli]'" in refused.stderr
