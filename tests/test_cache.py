"""Where compiled loops are kept."""

import os
from pathlib import Path

import pytest

from fsmj import _cache


@pytest.fixture
def without_place(monkeypatch, tmp_path):
    """Neither the installation nor a home can be written to; return the system's scratch."""
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setattr(_cache.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "/nowhere/at/all")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    return tmp_path


def test_a_folder_of_its_own_where_there_is_no_other(without_place):
    _cache.keep_compiled()
    folder = Path(os.environ["NUMBA_CACHE_DIR"])
    assert folder.parent == without_place
    if os.name == "posix":
        assert folder.stat().st_mode & 0o077 == 0, "what lies there is run"


def test_a_place_that_can_be_used_is_left_to_numba(without_place, monkeypatch):
    home = without_place / "home"
    home.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "not yet there"))
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) == home)
    _cache.keep_compiled()
    assert "NUMBA_CACHE_DIR" not in os.environ


def test_the_users_own_choice_stays(without_place, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", "chosen")
    _cache.keep_compiled()
    assert os.environ["NUMBA_CACHE_DIR"] == "chosen"
