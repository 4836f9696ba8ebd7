"""A place for compiled loops where there is none, as in a container without a home."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path


def keep_compiled() -> None:
    """Give numba a folder of this process alone, unless it can use the package's or the user's.

    Without one, numba refuses to compile what is to be kept. A folder that others know would be
    no place for it: what lies there is run.
    """
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    of_user = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    if not any(_can_be_written(place) for place in (Path(__file__).parent, Path(of_user))):
        folder = tempfile.mkdtemp(prefix="fsmj-compiled-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        os.environ["NUMBA_CACHE_DIR"] = folder


def _can_be_written(place: Path) -> bool:
    there = next(path for path in (place, *place.parents, Path()) if path.is_dir())
    return os.access(there, os.W_OK)
