"""Scratch folders and files that a later process removes where theirs was killed.

Who uses one holds a lock on it, which the system takes away when the process ends, however it
ends. So nothing that is in use is ever removed, and nothing else stays.
"""

from __future__ import annotations

import atexit
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

_PREFIX = "fsmj-scratch-"
_OURS = re.compile(_PREFIX + "[0-9a-f]{16}")  # no folder of anybody else is removed
_LOCK = "in-use"
_YOUNG = 60  # seconds in which what was just made may not be locked yet
_lent: set[Path] = set()


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Lend an empty folder, and remove it with all that is in it."""
    _remove_abandoned_folders()
    folder = Path(tempfile.gettempdir(), _PREFIX + secrets.token_hex(8))
    _lent.add(folder)
    handle = -1
    try:  # from here on, whatever an interrupt cuts short
        folder.mkdir(mode=0o700)
        handle = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR)
        hold(handle)
        yield folder
    finally:
        _remove(folder, handle)


def _remove(folder: Path, handle: int) -> None:
    """Remove a folder for certain: an interrupt meanwhile is raised afterwards."""
    interrupt: BaseException | None = None
    while folder in _lent:
        try:
            if handle >= 0:
                handle, closing = -1, handle
                os.close(closing)
            shutil.rmtree(folder, ignore_errors=True)
            _lent.discard(folder)
        except (KeyboardInterrupt, SystemExit) as reason:
            interrupt = reason
    if interrupt is not None:
        raise interrupt


@atexit.register
def _remove_lent() -> None:
    """Remove what nobody has given back, such as that of a reading that was not read to its end."""
    for folder in _lent:
        shutil.rmtree(folder, ignore_errors=True)


def hold(handle: int) -> None:
    """Lock an open file until it is closed; Windows keeps open files from being removed anyway."""
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # a file system without locks: then nobody removes anything
            return


def is_abandoned(path: Path) -> bool:
    """Whether a file or folder of this user is not young, and no process holds it."""
    found = path.lstat()
    if sys.platform == "win32":
        return time.time() - found.st_mtime > _YOUNG
    import fcntl

    if time.time() - found.st_mtime <= _YOUNG or found.st_uid != os.getuid():
        return False
    access = os.O_RDONLY if stat.S_ISDIR(found.st_mode) else os.O_RDWR
    handle = os.open(path, access | os.O_NOFOLLOW)
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
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        lock = folder / _LOCK  # the removal itself may have been cut short after this one
        try:
            ours = _OURS.fullmatch(folder.name) and not folder.is_symlink()
            if ours and is_abandoned(lock if lock.exists() else folder):
                lock.unlink(missing_ok=True)
                shutil.rmtree(folder)
        except OSError:
            continue
