"""What is measured: first the whole task, and what is less only of those who cannot do it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from peers.measure import SIZES, Limits, Task
from peers.methods import METHODS, Method

Row = dict[str, Any]
Run = Callable[[Task], Row]


class Rung(NamedTuple):
    """How much is asked: so many terms, of all words or of the most frequent ones."""

    n_words: int | None
    n_terms: int


ALREADY = {"time": "out of time", "memory": "out of memory", "failed": "failed"}
RUNGS = (Rung(None, 500), Rung(2000, 100), Rung(2000, 20))


def climb_down(
    run: Run,
    corpora: Iterable[str],
    methods: Mapping[str, Method] = METHODS,
    rungs: Iterable[Rung] = RUNGS,
) -> Iterator[Row]:
    """Ask every method on every corpus for the most that it can do.

    Parameters
    ----------
    run : callable
        Takes a task; returns its ``status``, and what was measured if that is ``done``.
    corpora : iterable of str
        From small to large: what was too much on one is not tried on those after it.
    methods : mapping of str to Method
        What to ask.
    rungs : iterable of Rung
        From the whole task to the least; the first that a method can do is its last.

    Yields
    ------
    dict
        The task, and what `run` returned. A method whose columns come in no order is also asked
        for every smaller number of terms; ``rung`` is False for these.
    """
    too_much: dict[tuple[str, Rung], str] = {}
    for corpus in corpora:
        for name, method in methods.items():
            for rung in rungs:
                task = Task(name, corpus, *rung)
                if (name, rung) in too_much:
                    row = {"status": "untried", "reason": too_much[name, rung]}
                    yield task._asdict() | {"rung": True} | row
                    continue
                row = run(task)
                yield task._asdict() | {"rung": True} | row
                if row["status"] == "done":
                    yield from _smaller(run, task, method)
                    break
                if row["status"] == "absent":
                    break
                too_much[name, rung] = f"already {ALREADY[row['status']]} on {corpus}"


def _smaller(run: Run, task: Task, method: Method) -> Iterator[Row]:
    if not method.ordered:
        for k in SIZES:
            if k < task.n_terms:
                smaller = task._replace(n_terms=k)
                yield smaller._asdict() | {"rung": False} | run(smaller)


class Journal:
    """Rows in a file, each written as soon as it is there: what was measured is not run again.

    What ran out of time is, when it may now take longer.

    Parameters
    ----------
    path : Path
        A line of JSON for each row.
    where : dict
        The machine and the versions; rows from elsewhere are not taken.
    limits : Limits
        What a call may take now.
    """

    def __init__(self, path: Path, where: Row, limits: Limits) -> None:
        self.path = path
        self.where = where
        self.limits = limits
        self._rows: dict[Task, Row] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._take(json.loads(line))

    def _take(self, entry: Row) -> None:
        row = entry["row"]
        outrun = row["status"] == "time" and row["limit_seconds"] < self.limits.seconds
        if entry["where"] == self.where and not outrun:
            self._rows[Task(*entry["task"])] = row

    def recorded(self, run: Run) -> Run:
        """Make `run` look here first, and write down what it returns."""

        def once(task: Task) -> Row:
            if task not in self._rows:
                limits = {f"limit_{name}": value for name, value in self.limits._asdict().items()}
                self._rows[task] = run(task) | limits
                self._append(task)
            return self._rows[task]

        return once

    def _append(self, task: Task) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        entry = {"task": task, "where": self.where, "row": self._rows[task]}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
