"""Scratch folders and files that a later process removes where theirs was killed.

Who uses one holds a lock on it, which the system takes away when the process ends, however it
ends. So nothing that is in use is ever removed, and nothing else stays.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

_PREFIX = "fsmj-"
_LOCK = "in-use"
_YOUNG = 60  # seconds in which what was just made may not be locked yet


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Lend an empty folder, and remove it with all that is in it."""
    _remove_abandoned_folders()
    with tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as name:
        handle = os.open(Path(name, _LOCK), os.O_CREAT | os.O_RDWR)
        try:
            hold(handle)
            yield Path(name)
        finally:
            os.close(handle)


def hold(handle: int) -> None:
    """Lock an open file until it is closed; Windows keeps open files from being removed anyway."""
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # a file system without locks: then nobody removes anything
            return


def is_abandoned(path: Path) -> bool:
    """Whether a file of this user is not young, and no process holds it."""
    found = path.lstat()
    if sys.platform == "win32":
        return time.time() - found.st_mtime > _YOUNG
    import fcntl

    if time.time() - found.st_mtime <= _YOUNG or found.st_uid != os.getuid():
        return False
    handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


@cache
def _remove_abandoned_folders() -> None:
    """Once a process, remove what killed ones have left."""
    for lock in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/{_LOCK}"):
        try:
            if not lock.parent.is_symlink() and is_abandoned(lock):
                lock.unlink()
                shutil.rmtree(lock.parent)
        except OSError:
            continue
