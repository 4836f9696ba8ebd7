"""What works, and what is said, where the packages of the extras are not installed."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from fsmj._extras import EXTRAS

pytestmark = pytest.mark.long
ROOT = Path(__file__).parent.parent

# The packages are there, but an import of them fails as if they were not.
WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""
SELECT = """
import numpy as np, fsmj

X, y = np.array([[2, 1, 0], [1, 1, 0], [0, 1, 2], [0, 1, 1]] * 5), np.array(list("aabb") * 5)
for method in fsmj.METHODS:
    fsmj.TermSelector(method, 2).fit(X, y).transform(X)
fsmj.FSMJ(2).partial_fit(X, y).transform(X)
print(fsmj.FSMJCV(cv=2).fit(X, y).get_support())
counts = fsmj.ClassTermCounts.from_matrix(X, y, terms=["x", "y", "z"])
print(sorted(fsmj.rank(counts, n_terms=2).terms))
more = fsmj.ClassTermCounts.from_matrix(X, y, terms=["w", "x", "z"])
print((counts + more).restrict(["w", "x"]))
"""
NEEDING = {
    "text": [
        "fsmj.count_texts",
        "fsmj.TextModel",
        "fsmj.TermVectorizer",
        "fsmj.experiment.run_all",
        "fsmj.datasets.r8",
        "fsmj.rank(counts).to_frame()",
        "fsmj.rank(counts).by_class()",
        "counts.save('counts.parquet')",
        "fsmj.load_counts(__file__)",
        "fsmj.report(counts).save('report.html')",
    ],
    "plot": [
        "fsmj.ClassWordsDisplay.from_ranking(fsmj.rank(counts))",
        "fsmj.experiment.draw_curves(None, 'a', None)",
        "fsmj.report(counts).save_figures('.')",
    ],
    "spark": ["fsmj.spark"],
}
DOORS = """
import fsmj

counts = fsmj.ClassTermCounts.from_matrix([[1, 0], [0, 1]], ["a", "b"])
for door in {doors}:
    try:
        eval(door)
    except ImportError as error:
        print(f"{{door}}: {{error}}")
    else:
        print(f"{{door}}: nothing is missing")
"""


def run_without(packages, source, folder):
    script = folder / "script.py"
    script.write_text(WITHOUT.format(packages=set(packages)) + source, encoding="utf-8")
    return subprocess.run(
        [sys.executable, script], cwd=folder, capture_output=True, text=True, timeout=300
    )


def test_selectors_need_no_extra(tmp_path):
    done = run_without([p for brought in EXTRAS.values() for p in brought], SELECT, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("ClassTermCounts(2 classes × 2 terms")


@pytest.mark.parametrize("extra", NEEDING)
def test_a_missing_package_names_its_extra(extra, tmp_path):
    done = run_without(EXTRAS[extra], DOORS.format(doors=NEEDING[extra]), tmp_path)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert len(said) == len(NEEDING[extra])
    for line in said:
        assert f"pip install 'fsmj[{extra}]'" in line


def test_the_command_says_what_it_needs(tmp_path):
    done = run_without(EXTRAS["cli"], "from fsmj.cli import main\nmain()", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert "pip install 'fsmj[cli]'" in done.stderr


def test_the_table_is_that_of_the_installation():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    brought = {
        extra: tuple(one.partition(">")[0] for one in listed if not one.startswith("fsmj["))
        for extra, listed in project["optional-dependencies"].items()
    }
    assert brought.pop("all") == ()
    assert brought == EXTRAS
