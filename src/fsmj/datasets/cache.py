"""Downloaded files in the user's cache folder: each is whole and verified, or is not there."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from fsmj._atomic import whole_file
from fsmj._extras import from_extras

with from_extras():
    from platformdirs import user_cache_path


def folder() -> Path:
    """Return the folder of the cached files: `FSMJ_DATA`, or the user's cache directory."""
    chosen = os.environ.get("FSMJ_DATA")
    return Path(chosen).expanduser() if chosen else user_cache_path("fsmj", appauthor=False)


def digest(content: bytes) -> str:
    """Return the sha256 of some bytes in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def recall(name: str, sha256: str) -> bytes | None:
    """Return the cached file of this name; None if it is missing or is not what it should be."""
    try:
        content = (folder() / name).read_bytes()
    except OSError:
        return None
    return content if digest(content) == sha256 else None


def keep(name: str, content: bytes, sha256: str) -> None:
    """Write a verified file into the cache, whole or not at all.

    Two processes may keep the same file at once: both write the same bytes, and the last to
    finish replaces the other's file.
    """
    target = folder() / name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(target) as scratch:
            scratch.write_bytes(content)
    except OSError as error:
        # Windows refuses to replace a file that another process reads at that moment.
        if recall(name, sha256) is None:
            raise OSError(
                f"cannot write {target} ({error.strerror or error}); "
                "make room there, or name another folder in the environment variable FSMJ_DATA"
            ) from error
