"""The house is as ARCHITECTURE.md, CONTRIBUTING.md and the reference say."""

import inspect
import re
from collections import Counter
from pathlib import Path

import pytest

import fsmj

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "fsmj"
MODULES = [path for path in PACKAGE.rglob("*.py") if not path.name.startswith("__")]


def read(page):
    return (ROOT / page).read_text(encoding="utf-8")


def test_no_two_modules_have_the_same_name():
    assert [name for name, n in Counter(path.stem for path in MODULES).items() if n > 1] == []


def test_every_file_has_a_room():
    rooms = {path.name for path in PACKAGE.iterdir() if list(path.glob("*.py"))}
    files = {path.name for path in MODULES if path.parent == PACKAGE}
    table = "".join(re.findall(r"^\| (`.*?) \|", read("ARCHITECTURE.md"), re.M))
    assert set(re.findall(r"`(\w+\.py)`", table)) == files
    assert set(re.findall(r"`(\w+)/`", table)) == rooms


def test_no_file_is_longer_than_a_room_may_be():
    limit = int(re.search(r"past (\d+) lines", read("CONTRIBUTING.md"))[1])
    lengths = {path.name: read(path).count("\n") for path in MODULES}
    assert {name: n for name, n in lengths.items() if n > limit} == {}


@pytest.mark.parametrize("room", ["", "experiment", "paper", "datasets", "divergence"])
def test_every_public_name_is_in_the_reference(room):
    listed = set(re.findall(r"^   (\w+)$", read("docs/api/index.md"), re.M))
    home = getattr(fsmj, room) if room else fsmj
    public = {name: getattr(home, name) for name in home.__all__}
    named = {name for name, it in public.items() if inspect.isclass(it) or inspect.isfunction(it)}
    assert named - listed == set()
    assert [name for name in named if not inspect.getdoc(public[name])] == []
