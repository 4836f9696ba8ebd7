"""Do the runs that are not done yet, several at a time where it pays."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fsmj.experiment.candidates import Candidate, all_candidates
from fsmj.experiment.problems import Problem
from fsmj.experiment.results import Results, results_from
from fsmj.experiment.runs import Run, measure, read, runs_of, write
from fsmj.methods.table import METHODS, Method

if TYPE_CHECKING:
    import pyarrow as pa

ProgressHook = Callable[[int, int, str], None]

# Seconds of a common machine: what a cell of the training documents costs in a run, quick or slow,
# and what a process costs before it has done anything (it imports, and loads what was compiled).
_SECONDS_A_CELL = {False: 3e-7, True: 1.2e-5}
_SECONDS_A_PROCESS = 2.5


class Measured(NamedTuple):
    """What came out of a run, and what was warned of."""

    table: pa.Table
    warned: list[str]


def run_all(
    problems: Iterable[Problem],
    folder: str | os.PathLike[str] | None = None,
    candidates: Mapping[str, Candidate] | None = None,
    *,
    n_jobs: int | None = None,
    progress: ProgressHook | None = None,
) -> Results:
    """Measure every candidate on every problem.

    Parameters
    ----------
    problems : iterable of Problem
        With different names.
    folder : path-like, optional
        Each run's result goes to a file of its own in its folder `runs`. A run whose file is
        there and was made with the same settings is not repeated; delete the file if the method
        itself has changed. Without a folder, nothing is written.
    candidates : mapping of str to Candidate, optional
        What to compare; by default `all_candidates`.
    n_jobs : int, optional
        How many processes to use; by default one for small work and else as many as there are
        processors. With more than one, a method that was added to `fsmj.METHODS` must be a
        function that can be imported from a module.
    progress : callable, optional
        Called as ``progress(done, total, running)`` before, between and after the runs; `running`
        names what is being measured.

    Returns
    -------
    Results
        Of these runs.
    """
    where = None if folder is None else Path(folder)
    listed = list(problems)
    runs = runs_of(listed, all_candidates() if candidates is None else candidates)
    tables: dict[Run, pa.Table] = {}
    if where is not None:
        there = ((run, read(run, where)) for run in runs)
        tables = {run: table for run, table in there if table is not None}
    waiting = [run for run in runs if run not in tables]

    def show() -> None:
        if progress is not None:
            left = [run.candidate.label for run in waiting if run not in tables]
            progress(len(tables), len(runs), ", ".join(dict.fromkeys(left[:jobs])))

    jobs = min(n_jobs or _worthwhile(waiting), len(waiting))
    said: set[str] = set()
    show()
    in_turn = ((run, _measured(run)) for run in waiting)
    for run, measured in _in_processes(waiting, jobs) if jobs > 1 else in_turn:
        for message in measured.warned:  # most hold for every run on the same documents
            if message not in said:
                warnings.warn(message, stacklevel=2)
            said.add(message)
        if where is not None:
            write(run, measured.table, where)
        tables[run] = measured.table
        show()
    return results_from((tables[run] for run in runs), [problem.name for problem in listed])


def seconds_expected(run: Run) -> float:
    """Estimate roughly how long a run takes: whether seconds or minutes."""
    parts = 1 if run.problem.test is not None else run.problem.cv - 1
    return _SECONDS_A_CELL[run.candidate.row.slow] * float(run.problem.train.X.nnz) * parts


def _worthwhile(runs: Sequence[Run]) -> int:
    """Return how many processes to use: one, unless others would save more than they cost."""
    processors = os.cpu_count() or 1
    saved = sum(map(seconds_expected, runs)) * (1 - 1 / processors)
    return processors if saved > _SECONDS_A_PROCESS * processors else 1


def _measured(run: Run) -> Measured:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        table = measure(run)
    return Measured(table, list(dict.fromkeys(str(one.message) for one in warned)))


def _in_processes(runs: Sequence[Run], n_jobs: int) -> Iterator[tuple[Run, Measured]]:
    # Only this process writes files, so that one that is interrupted leaves nothing behind.
    others = multiprocessing.active_children()
    added = {n: r for n, r in METHODS.items() if not str(r.rank.__module__).startswith("fsmj.")}
    spawning = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(n_jobs, spawning, _start, (list(runs), added))
    try:
        with _signals_held():
            waiting = {pool.submit(_measure, number): run for number, run in enumerate(runs)}
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    except BrokenProcessPool:
        raise OSError(
            "a process was ended from outside, perhaps for lack of memory; "
            "start again to carry on with the runs that are left"
        ) from None
    except BaseException:
        for process in multiprocessing.active_children():
            if process not in others:
                process.kill()  # rather than wait for what nobody wants any more
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _signals_held() -> Iterator[None]:
    """Let the processes that start meanwhile never see Ctrl-C: this one ends them.

    Nor is this one ended while it tells them what to do: they would complain of half a sentence.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # its start would let interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_runs: list[Run] = []


def _start(runs: list[Run], added: dict[str, Method]) -> None:
    """Receive the runs once, rather than the documents with every run."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    METHODS.update(added)
    _runs[:] = runs


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, even killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _measure(number: int) -> Measured:
    return _measured(_runs[number])
