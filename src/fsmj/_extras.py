"""Packages that an extra of the installation brings: said in one sentence where one is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

EXTRAS = {
    "text": ("jinja2", "pandas", "platformdirs", "pyarrow"),
    "cli": ("rich", "typer"),
    "plot": ("matplotlib",),
    "spark": ("pyspark",),
}


@contextmanager
def from_extras() -> Iterator[None]:
    """Import what an extra brings; where it is missing, say which extra to install.

    Examples
    --------
    >>> with from_extras():
    ...     import pandas as pd
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        extra = next((extra for extra, brought in EXTRAS.items() if package in brought), None)
        if extra is None:
            raise
        raise ModuleNotFoundError(
            f"this needs {package}, which is not installed: pip install 'fsmj[{extra}]'",
            name=package,
        ) from None
