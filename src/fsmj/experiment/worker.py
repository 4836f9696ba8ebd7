"""What a process of `run_all` does: measure the runs whose numbers it reads."""

from __future__ import annotations

import os
import pickle
import sys
import threading
import warnings
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from queue import SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

from fsmj._interruptible import leave_cores_to_others
from fsmj.experiment.runs import Run, measure
from fsmj.methods.table import METHODS, Method

if TYPE_CHECKING:
    import pyarrow as pa


class Measured(NamedTuple):
    """What came out of a run, and what was warned of."""

    table: pa.Table
    warned: list[str]


def measured(run: Run) -> Measured:
    """Measure a run, and keep what is warned of for whoever gathers the runs."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        table = measure(run)
    return Measured(table, list(dict.fromkeys(str(one.message) for one in warned)))


def serve(runs: Sequence[Run], added: Mapping[str, Method]) -> None:
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


def _answer(run: Run) -> Measured | Exception:
    try:
        return measured(run)
    except Exception as reason:  # to be raised again in the process that asked
        return reason
