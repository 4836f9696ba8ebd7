"""Where compiled loops are kept."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from fsmj import _cache


@pytest.fixture
def places(monkeypatch, tmp_path):
    """Three places of its own for a package: with it, with the user, and for scratch."""
    for name in ("package", "user", "scratch"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(_cache, "PACKAGE", tmp_path / "package")
    monkeypatch.setattr(_cache, "_of_user", lambda: tmp_path / "user")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")  # what is set here ends with the test
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    (tmp_path / "package" / "_sweep.py").write_text("one = 1")
    yield tmp_path
    _cache.folder.cache_clear()


def place_of(places):
    _cache.folder.cache_clear()
    found = Path(_cache.folder())
    assert found.is_dir()
    return found.relative_to(places).parts[0]


def test_with_the_package_then_with_the_user_then_nowhere(places, monkeypatch):
    assert place_of(places) == "package"
    shutil.rmtree(places / "package" / "__pycache__")
    (places / "package" / "__pycache__").write_text("no folder can be made here")
    assert place_of(places) == "user"
    shutil.rmtree(places / "user")
    (places / "user").write_text("nor here")
    assert place_of(places) == "scratch"
    (alone,) = (places / "scratch").iterdir()
    assert os.environ["NUMBA_CACHE_DIR"] == str(alone), "children find it"
    if os.name == "posix":
        assert alone.stat().st_mode & 0o077 == 0, "what lies there is run"


def test_the_users_own_choice_comes_first(places, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(places / "chosen"))
    assert place_of(places) == "chosen"


def test_other_sources_have_another_folder_and_earlier_ones_go(places):
    folders = []
    for content in ("one = 1", "one = 2"):
        (places / "package" / "_sweep.py").write_text(content)
        _cache.folder.cache_clear()
        folders.append(Path(_cache.folder()))
    assert folders[0] != folders[1]
    assert list(folders[0].parent.iterdir()) == [folders[1]]


@pytest.mark.long
def test_a_loop_is_compiled_anew_where_another_file_has_changed(tmp_path):
    """The package is copied; what a loop calls changes, in a file that is not the loop's."""
    package = tmp_path / "fsmj"
    shutil.copytree(_cache.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "methods" / "_called.py").write_text(
        "import numba\n@numba.njit\ndef called():\n    return 1\n"
    )
    (package / "methods" / "_caller.py").write_text(
        "from fsmj._cache import njit\nfrom fsmj.methods._called import called\n"
        "@njit(cache=True)\ndef caller():\n    return called()\n"
    )
    code = (
        "from fsmj.methods._caller import caller\n"
        "print(caller(), *caller.stats.cache_hits.values())"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}

    def said():
        run = [sys.executable, "-c", code]
        return subprocess.run(run, env=environment, capture_output=True, text=True).stdout.split()

    assert said() == ["1"]
    assert said() == ["1", "1"], "it was kept"
    (package / "methods" / "_called.py").write_text(
        (package / "methods" / "_called.py").read_text().replace("1", "2")
    )
    assert said() == ["2"]


def test_what_is_compiled_comes_from_files_that_are_looked_at():
    looked_at = {path for pattern in _cache.SOURCES for path in _cache.PACKAGE.glob(pattern)}
    sources = {path: path.read_text(encoding="utf-8") for path in _cache.PACKAGE.rglob("*.py")}
    decorators = r"from fsmj\._cache import .*\b(njit|kernel|inner|phase)\b"
    kernels = [path for path, source in sources.items() if re.search(decorators, source)]
    assert len(kernels) > 10
    assert looked_at >= {*kernels, _cache.PACKAGE / "_cache.py"}, "it says how they are compiled"
    for path in kernels:
        assert not re.search("numba.*njit", sources[path]), "ours looks at all files"
        for node in ast.walk(ast.parse(sources[path])):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fsmj."):
                source = _cache.PACKAGE.joinpath(*node.module.split(".")[1:]).with_suffix(".py")
                # A class stands there for its type alone, and Python calls what runs a loop.
                types = all(re.match("[A-Z][a-z]", name.name) for name in node.names)
                runs = source.name in ("_cache.py", "_interruptible.py")
                assert types or runs or source in looked_at, (path, source)
