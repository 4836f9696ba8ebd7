"""What people see: sentences and progress on standard error, tables on standard output."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from fsmj._names import name_of, short_names

_ENDLESS = re.compile(r"\S{300,}")
_WIDEST = 40  # characters of a term or label in a table
_NARROWEST = 10  # to which it is cut short on a narrow screen
_EIGHTHS = " ▏▎▍▌▋▊▉█"

WORDLESS = "{} without any of the model's words got the most frequent label"


def say(sentence: str) -> None:
    """Tell the user something that is not the result; names without an end are cut short.

    A result is worth more than a message, so it does not matter if nobody can read this.
    """
    short = _ENDLESS.sub(lambda name: f"{name[0][:200]}…", sentence)
    with suppress(OSError):
        print(f"fsmj: {visible(short)}", file=sys.stderr)


def visible(text: str) -> str:
    r"""Make visible what a terminal would obey.

    Examples
    --------
    >>> visible("red\x1b[31m")
    'red�[31m'
    """
    return "".join(c if c.isprintable() or c in "\t\n" else "�" for c in text)


def shown(value: Any, widest: int = _WIDEST) -> str:
    r"""Return a term or label as one short line: what a terminal would obey becomes visible.

    Examples
    --------
    >>> shown("red\x1b[31m")
    'red�[31m'
    """
    text = "".join(c if c.isprintable() else "�" for c in str(value))
    return name_of(text, widest)


def number(value: float) -> str:
    """Return a score with about three digits.

    Examples
    --------
    >>> number(0.01234), number(1934.2), number(-3e-10)
    ('0.0123', '1,934', '0')
    """
    if abs(value) < 1e-9:  # what rounding leaves of 0
        return "0"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def bar(share: float, width: int = 12) -> str:
    """Return a bar for a share between 0 and 1.

    Examples
    --------
    >>> bar(0.5, width=4)
    '██'
    """
    whole, eighth = divmod(round(max(0.0, min(share, 1.0)) * width * 8), 8)
    return "█" * whole + _EIGHTHS[eighth].strip()


def print_table(
    columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[Any]], spare: Sequence[str] = ()
) -> None:
    """Print a table; each column is a header and "left" or "right".

    Where a screen is too narrow, columns without a header are left out, then those to `spare`,
    and texts are cut short so that they still differ.
    Numbers stand to the right and are never cut: without its last digits, a number is another.
    """
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(soft_wrap=False)
    if not console.is_terminal:  # nobody's screen is too narrow
        console = Console(width=200, no_color=True)
    cells = [[cell if isinstance(cell, Text) else Text(str(cell)) for cell in row] for row in rows]
    shown = range(len(columns))
    widths = [
        max(cell_len(text) for text in (columns[i][0], *(row[i].plain for row in cells)))
        for i in shown
    ]

    def least(i: int) -> int:
        header, side = columns[i]
        return widths[i] if side == "right" else min(widths[i], max(_NARROWEST, cell_len(header)))

    if sum(widths) + 2 * len(widths) > console.width:
        shown = [i for i in shown if columns[i][0] or columns[i][1] == "right"]  # type: ignore[assignment]
    for header in spare:
        if sum(least(i) + 2 for i in shown) > console.width:
            shown = [i for i in shown if columns[i][0] != header]  # type: ignore[assignment]
    excess = sum(widths[i] + 2 for i in shown) - console.width
    for i in sorted(shown, key=lambda i: -widths[i]):
        if columns[i][1] == "left" and excess > 0:
            kept = max(least(i), widths[i] - excess)
            if kept < widths[i]:
                excess -= widths[i] - kept
                widths[i] = kept
                short = short_names([row[i].plain for row in cells], kept)
                for row in cells:
                    row[i].plain = short.get(row[i].plain, row[i].plain)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for i in shown:
        header, side = columns[i]
        table.add_column(
            header, justify=side, no_wrap=True, overflow="ellipsis", width=widths[i]  # type: ignore[arg-type]
        )  # fmt: skip
    for row in cells:
        table.add_row(*(row[i] for i in shown))
    if excess > 0:
        console = Console(width=console.width + excess)
    console.print(table)


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
