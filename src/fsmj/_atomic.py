"""Write a file whole or not at all."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Lend a scratch path beside `path`, and move it there when the block ends well.

    Whatever goes wrong inside the block, an earlier file at `path` stays as it was.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(target.parent))
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    scratch = Path(name)
    try:
        yield scratch
        umask = os.umask(0)
        os.umask(umask)
        scratch.chmod(0o666 & ~umask)  # mkstemp's files are private; ours are ordinary
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)
