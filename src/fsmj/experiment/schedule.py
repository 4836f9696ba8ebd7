"""Do the runs that are not done yet, several at a time where it pays."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, redirect_stdout
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

from fsmj._interruptible import as_they_end, leave_cores_to_others
from fsmj._scratch import scratch_folder
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

# How a process begins: it finds modules where this one does, then does what it is told in a file.
_BEGIN = """
import pickle, sys
with open(sys.argv[1], "rb") as told:
    sys.path[:] = pickle.load(told)
    serve, *rest = pickle.load(told)
serve(*rest)
"""


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
        processors.
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
    for run, came in _in_processes(waiting, jobs) if jobs > 1 else in_turn:
        for message in came.warned:  # most hold for every run on the same documents
            if message not in said:
                warnings.warn(message, stacklevel=2)
            said.add(message)
        if where is not None:
            write(run, came.table, where)
        tables[run] = came.table
        show()
    return results_from((tables[run] for run in runs), [problem.name for problem in listed])


class _Measured(NamedTuple):
    """What came out of a run, and what was warned of."""

    table: pa.Table
    warned: list[str]


def _measured(run: Run) -> _Measured:
    """Measure a run, and keep what is warned of for whoever gathers the runs."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        table = measure(run)
    return _Measured(table, list(dict.fromkeys(str(one.message) for one in warned)))


def seconds_expected(run: Run) -> float:
    """Estimate roughly how long a run takes: whether seconds or minutes."""
    parts = 1 if run.problem.test is not None else run.problem.cv - 1
    return _SECONDS_A_CELL[run.candidate.row.slow] * float(run.problem.train.X.nnz) * parts


def _worthwhile(runs: Sequence[Run]) -> int:
    """Return how many processes to use: one, unless others would save more than they cost."""
    processors = os.cpu_count() or 1
    saved = sum(map(seconds_expected, runs)) * (1 - 1 / processors)
    return processors if saved > _SECONDS_A_PROCESS * processors else 1


def _in_processes(runs: Sequence[Run], n_jobs: int) -> Iterator[tuple[Run, _Measured]]:
    """Measure runs in processes that know nothing of how this one was started.

    Python's own would run the caller's script again, and wait for ever where one cannot start.
    Only this process writes results, so that one that is interrupted leaves nothing behind.
    """
    from joblib import wrap_non_picklable_objects

    added = {n: r for n, r in METHODS.items() if not str(r.rank.__module__).startswith("fsmj.")}
    idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()

    def ask(number: int) -> _Measured:
        process = idle.get()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(b"%d\n" % number)
            process.stdin.flush()
            answer: _Measured | Exception = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            raise OSError(
                "a process was ended from outside, perhaps for lack of memory; "
                "start again to carry on with the runs that are left"
            ) from None
        finally:
            idle.put(process)
        if isinstance(answer, Exception):
            raise answer
        return answer

    with scratch_folder() as folder, ThreadPoolExecutor(n_jobs) as pool, ExitStack() as started:
        told = folder / "runs"
        anything = wrap_non_picklable_objects((_serve, list(runs), added), keep_wrapper=False)
        told.write_bytes(pickle.dumps(sys.path) + pickle.dumps(anything))
        for _ in range(n_jobs):
            process = started.enter_context(subprocess.Popen(
                [sys.executable, "-P", "-c", _BEGIN, told],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                # Ctrl-C is for this process, which ends the others.
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            ))  # fmt: skip
            started.callback(process.kill)
            idle.put(process)
        started.callback(pool.shutdown, wait=False, cancel_futures=True)
        waiting = {pool.submit(ask, number): run for number, run in enumerate(runs)}
        for future in as_they_end(waiting):
            yield waiting[future], future.result()


def _serve(runs: Sequence[Run], added: Mapping[str, Method]) -> None:
    """Read numbers of runs from standard input, a line each, and write what came out of each.

    What a method prints goes to standard error, which carries no answers.
    """
    METHODS.update(added)
    leave_cores_to_others()
    numbers: SimpleQueue[int] = SimpleQueue()
    threading.Thread(target=_listen, args=(numbers,), daemon=True).start()
    with os.fdopen(1, "wb") as answers, redirect_stdout(sys.stderr):
        while True:
            pickle.dump(_answer(runs[numbers.get()]), answers)
            answers.flush()


def _listen(numbers: SimpleQueue[int]) -> None:
    """End this process when the one that started it is gone, even killed."""
    for line in sys.stdin.buffer:
        numbers.put(int(line))
    os._exit(1)


def _answer(run: Run) -> _Measured | Exception:
    try:
        return _measured(run)
    except Exception as reason:  # to be raised again in the process that asked
        return reason
