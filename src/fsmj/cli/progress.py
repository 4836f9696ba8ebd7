"""A progress bar on a terminal, and nothing in a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Show(Protocol):
    """What moves a bar."""

    def __call__(self, done: float, total: float, what: str = "") -> None:
        """Show how much is done, and name what is being done."""


@contextmanager
def progress_bar(title: str, quiet: bool = False) -> Iterator[Show]:
    """Lend a function ``show(done, total, what)`` that moves a bar on standard error."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda done, total, what="": None
        return
    columns = (
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=None)

        def show(done: float, total: float, what: str = "") -> None:
            described = escape(f"{title}: {what}" if what else title)
            bar.update(task, completed=done, total=total, description=described)

        yield show
