"""Write a file whole or not at all."""

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path

from fsmj._scratch import hold, is_abandoned, scratch_folder

_MARK = ".fsmj-"  # by which our scratch files are known: no others may be removed


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Lend a scratch path beside `path`, and move it there when the block ends well.

    Whatever goes wrong inside the block, an earlier file at `path` stays as it was. A link is
    followed; into a pipe or device, which cannot be replaced, the scratch file is copied.
    """
    target = Path(os.path.realpath(path))
    require_place(target)
    if target.exists() and not target.is_file():
        with scratch_folder() as folder:
            yield folder / target.name
            with (folder / target.name).open("rb") as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink)
        return
    _remove_abandoned(target)
    scratch = target.with_name(f"{_beginning(target)}{secrets.token_hex(8)}")
    try:  # from here on, whatever an interrupt cuts short
        handle = os.open(scratch, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)
        try:
            hold(handle)
            yield scratch
        finally:
            os.close(handle)
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)


def require_place(path: Path) -> None:
    """Refuse a path that no file can take: a folder, or one where nothing can be written."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder; name a file", str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path.parent))
    special = path.exists() and not path.is_file()
    if not os.access(path if special else path.parent, os.W_OK):
        raise PermissionError(errno.EACCES, "nothing can be written here", str(path.parent))


def _remove_abandoned(target: Path) -> None:
    """Remove what a killed process left half-written."""
    for scratch in target.parent.glob(f"{escape(_beginning(target))}*"):
        try:
            if is_abandoned(scratch):
                scratch.unlink()
        except OSError:
            continue


def _beginning(target: Path) -> str:
    """Return how the scratch files for a target are called; a name of 255 bytes cannot grow."""
    return f".{target.name[:40]}{_MARK}"
