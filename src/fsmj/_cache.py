"""Where compiled loops are kept: in a folder that belongs to these very sources.

numba takes a kept loop for fresh if the file that it stands in is unchanged. It does not look at
other files whose functions and constants were compiled into the loop, and so would run a mixture
of two versions after an upgrade. Here a change in any of them makes a new folder.
"""

import atexit
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import numba

from fsmj._scratch import scratch_folder

_config: Any = numba.config
PACKAGE = Path(__file__).parent
SOURCES = (  # all that may be compiled into a loop, and how
    "_cache.py", "_sweep.py", "*/_[!_]*.py", "tokens/characters.py",
)  # fmt: skip


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return numba's decorator of that name; what is to be cached goes to our folder."""

    def decorated(function: Callable[..., Any]) -> Any:
        before = _config.CACHE_DIR
        _config.CACHE_DIR = folder()
        try:
            return numba.njit(**options)(function)
        finally:
            _config.CACHE_DIR = before

    return decorated


@cache
def folder() -> str:
    """Make the folder, and remove those of earlier versions of this installation.

    It lies where numba would put it: in the place the user names for it, with the package, or with
    the user. Where nothing can be written, as in a container without a home, it is of this process
    and its children alone. A folder that others know would be no place: what lies there is run.
    """
    for place in _places():
        installation = place / f"compiled-{_digest(str(PACKAGE).encode())}"
        found = installation / stamp()
        try:
            is_new = not found.exists()
            found.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(found, os.W_OK):
            if is_new:
                _remove_all_but(found)
            break
    return str(found)


def _places() -> Iterator[Path]:
    if _config.CACHE_DIR:
        yield Path(_config.CACHE_DIR)
        return
    yield PACKAGE / "__pycache__"
    yield _of_user() / "fsmj"
    stack = ExitStack()
    alone = stack.enter_context(scratch_folder())
    atexit.register(stack.close)
    os.environ["NUMBA_CACHE_DIR"] = str(alone)  # for the children
    yield alone


def stamp() -> str:
    """Return what differs as soon as anything differs that may be compiled into a loop."""
    paths = sorted(path for pattern in SOURCES for path in PACKAGE.glob(pattern))
    return _digest(b"".join(_digest(path.read_bytes()).encode() for path in paths))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _of_user() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home())
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))  # noqa: PTH111


def _remove_all_but(found: Path) -> None:
    for other in found.parent.iterdir():
        if other != found:
            shutil.rmtree(other, ignore_errors=True)


# numba counts the references to an array wherever one is handed on, which can cost more than the
# work itself. Loops that make no arrays do without ("_nrt"): whoever calls them holds the arrays.
# What only compiled code calls compiles a quarter faster without ways in from Python and C.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
_INSIDE: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **_OPTIONS}
kernel = njit(cache=True, nogil=True, **_OPTIONS)
inner = njit(**_INSIDE)
phase = njit(inline="always", **_INSIDE)
