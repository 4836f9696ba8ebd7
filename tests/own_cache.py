"""A cache of its own for each test, and what two files of tests ask of it."""

import pytest


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FSMJ_DATA", str(tmp_path / "cache"))
    monkeypatch.delenv("FSMJ_REUTERS_MAT", raising=False)
    return tmp_path / "cache"


def names_in(folder):
    return sorted(p.name for p in folder.iterdir()) if folder.exists() else []


def is_one_sentence(error):
    return "\n" not in str(error.value) and ". " not in str(error.value)
