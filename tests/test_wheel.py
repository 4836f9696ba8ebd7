"""What users install: the wheel alone, in an environment that was empty before."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from test_docs import ROOT, START, blocks_of

pytestmark = pytest.mark.slow
PIP = ["-m", "pip", "--quiet", "--disable-pip-version-check"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, *PIP, "wheel", "--no-deps", "--wheel-dir", folder, ROOT]
    subprocess.run(command, check=True)
    (found,) = folder.glob("fsmj-*.whl")
    return found


def test_it_holds_the_package_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    rooms = {name.split("/")[0] for name in names}
    assert rooms == {"fsmj", f"{wheel.name.split('-py3')[0]}.dist-info"}
    assert "fsmj/py.typed" in names
    assert "fsmj/reporting/vendor/LICENSE.tabulator" in names
    kinds = {Path(name).suffix for name in names if name.startswith("fsmj/")}
    assert not kinds & {".mat", ".csv", ".parquet", ".gz", ".pyc", ".sgm"}
    assert not [name for name in names if "test" in name]


def test_the_readme_works_with_it_alone(wheel, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    tools = tmp_path / "venv" / "bin"
    subprocess.run([tools / "python", *PIP, "install", wheel], check=True)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["PATH"] = f"{tools}{os.pathsep}{environment['PATH']}"

    def run(*command):
        subprocess.run(command, cwd=tmp_path, env=environment, check=True)

    run(tools / "python", "-c", blocks_of(START)[0].source)  # writes news.csv
    blocks = blocks_of(ROOT / "README.md")
    python = "\n".join(block.source for block in blocks if block.language == "python")
    assert python
    run(tools / "python", "-c", python)
    shell = [block.source for block in blocks if block.language == "shell"]
    assert shell
    for block in shell:
        run("bash", "-e", "-o", "pipefail", "-c", block)
    run(tools / "fsmj", "report", "news.csv", "--top", "50", "-o", "report.html")
    assert (tmp_path / "report.html").stat().st_size > 100_000
