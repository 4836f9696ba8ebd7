"""Write a file whole or not at all."""

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path

_MARK = ".fsmj-"  # by which our scratch files are known: no others may be removed
_ABANDONED_SECONDS = 3600


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Lend a scratch path beside `path`, and move it there when the block ends well.

    Whatever goes wrong inside the block, an earlier file at `path` stays as it was. A link is
    followed; into a pipe or device, which cannot be replaced, the scratch file is copied.
    """
    target = Path(os.path.realpath(path))
    require_place(target)
    special = target.exists() and not target.is_file()
    folder = None if special else target.parent
    _remove_abandoned(target)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}{_MARK}", dir=folder)
    os.close(handle)
    scratch = Path(name)
    try:
        yield scratch
        if special:
            with scratch.open("rb") as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink)
        else:
            umask = os.umask(0)
            os.umask(umask)
            scratch.chmod(0o666 & ~umask)  # mkstemp's files are private; ours are ordinary
            scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)


def require_place(path: Path) -> None:
    """Refuse a path that no file can take: a folder, or one in a folder that is not there."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder; name a file", str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(path.parent))


def _remove_abandoned(target: Path) -> None:
    """Remove what a killed process left half-written; younger files may still be in use."""
    for scratch in target.parent.glob(f".{escape(target.name)}{_MARK}*"):
        try:
            if time.time() - scratch.stat().st_mtime > _ABANDONED_SECONDS:
                scratch.unlink()
        except OSError:
            continue
