"""Do the runs that are not done yet, several at a time."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING

from fsmj.experiment.candidates import CANDIDATES, Candidate
from fsmj.experiment.problems import Problem
from fsmj.experiment.runs import Run, is_done, measure, runs_of, write

if TYPE_CHECKING:
    import pyarrow as pa

ProgressHook = Callable[[int, int], None]


def run_all(
    problems: Iterable[Problem],
    folder: str | os.PathLike[str],
    candidates: Mapping[str, Candidate] = CANDIDATES,
    *,
    n_jobs: int | None = None,
    progress: ProgressHook | None = None,
) -> None:
    """Measure every candidate on every problem, one result file each.

    Parameters
    ----------
    problems : iterable of Problem
        With different names.
    folder : path-like
        The files go to its folder `runs`. A run whose file is there and was made with the same
        settings is not repeated; delete the file if the method itself has changed.
    candidates : mapping of str to Candidate
        What to compare.
    n_jobs : int, optional
        How many processes to use; by default as many as there are processors. With more than
        one, the functions of the candidates must be importable from a module.
    progress : callable, optional
        Called as ``progress(done, total)`` after each run.
    """
    where = Path(folder)
    runs = runs_of(problems, candidates)
    open_runs = [run for run in runs if not is_done(run, where)]
    done = len(runs) - len(open_runs)
    if progress is not None:
        progress(done, len(runs))
    jobs = min(n_jobs or os.cpu_count() or 1, len(open_runs))
    for run, table in _in_processes(open_runs, jobs) if jobs > 1 else _in_turn(open_runs):
        write(run, table, where)
        done += 1
        if progress is not None:
            progress(done, len(runs))


def _in_turn(runs: Sequence[Run]) -> Iterator[tuple[Run, pa.Table]]:
    for run in runs:
        yield run, measure(run)


def _in_processes(runs: Sequence[Run], n_jobs: int) -> Iterator[tuple[Run, pa.Table]]:
    # Only this process writes files, so that one that is interrupted leaves nothing behind.
    others = multiprocessing.active_children()
    pool = ProcessPoolExecutor(
        n_jobs,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start,
        initargs=(list(runs),),
    )
    try:
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
                process.terminate()  # rather than wait for what nobody wants any more
        raise
    finally:
        pool.shutdown(cancel_futures=True)


_runs: list[Run] = []


def _start(runs: list[Run]) -> None:
    """Receive the runs once, rather than the matrices with every run."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # an interrupted process says nothing
    _runs[:] = runs


def _measure(number: int) -> pa.Table:
    return measure(_runs[number])
