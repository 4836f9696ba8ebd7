"""One measurement, in a process of its own: ``python -m peers.measure TASK``, both in JSON."""

from __future__ import annotations

import ctypes
import gc
import json
import resource
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB

from fsmj.experiment import Problem
from peers.corpora import load
from peers.methods import METHODS, Columns, Method
from timing import additional_mib

SIZES = (10, 20, 50, 100, 200, 500)
BRIEF = 1.0  # a call of fewer seconds is repeated, since a single one is at the mercy of chance
REPEATS = 5
STRENGTH = 3.0  # C of the logistic regression, the same for all
GIB = 1 << 30


class Task(NamedTuple):
    """What is asked of a method."""

    method: str
    corpus: str
    n_words: int | None
    """How many words it may choose from, the most frequent ones; all, if None."""
    n_terms: int
    """How many it shall choose."""


class Limits(NamedTuple):
    """How much CPU time a method may take, and how much memory on top of its input."""

    seconds: int
    gib: float

    def impose(self) -> None:
        """End this process when it takes longer from here on; refuse it more memory."""
        spent = time.process_time()
        seconds = int(spent + self.seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        present = pages * resource.getpagesize()
        room = present + int(self.gib * GIB)
        resource.setrlimit(resource.RLIMIT_AS, (room, room))


class Cost(NamedTuple):
    """What a call took."""

    cpu_seconds: float
    wall_seconds: float
    additional_mib: float


def measure(task: Task, limits: Limits) -> dict[str, Any]:
    """Ask a method for terms; return what that took, and the accuracies with these terms."""
    method, problem = METHODS[task.method], load(task.corpus, task.n_words)
    warm_up(method, problem)
    limits.impose()
    X, y = problem.train.X, problem.train.y
    columns, cost = timed(lambda: method.select(X, y, task.n_terms))
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    asked = SIZES if method.ordered else (task.n_terms,)
    sizes = [k for k in asked if k <= len(columns)]  # fewer than asked for, if there are no more
    return {
        **cost._asdict(),
        **{f"accuracy_{k}": naive_bayes(problem, columns[:k]) for k in sizes},
        **{f"logistic_{k}": logistic_regression(problem, columns[:k]) for k in sizes},
        "accuracy_all": naive_bayes(problem, np.arange(problem.train.n_terms)),
        "chosen": len(columns),
        "words": problem.train.n_terms,
        "documents": problem.train.n_docs,
    }


def warm_up(method: Method, problem: Problem) -> None:
    """Let the method import and compile what it needs, on a few made-up documents."""
    like = problem.train.X
    few = csr_array(np.random.default_rng(0).poisson(0.7, size=(60, 30)).astype(like.dtype))
    few.indices = few.indices.astype(like.indices.dtype)
    few.indptr = few.indptr.astype(like.indptr.dtype)
    method.select(few, np.resize(problem.train.classes[:3], 60), 5)


def timed(call: Callable[[], Columns]) -> tuple[Columns, Cost]:
    """Return what a call returns, and what it takes; the median, if it is brief."""
    results: list[Columns] = []
    costs: list[tuple[float, float]] = []

    def once() -> None:
        cpu, wall = time.process_time(), time.perf_counter()
        results.append(call())
        costs.append((time.process_time() - cpu, time.perf_counter() - wall))

    _give_back_memory()
    mib = additional_mib(once)
    if costs[0][0] < BRIEF:
        for _ in range(REPEATS - 1):
            once()
    cpu, wall = (statistics.median(column) for column in zip(*costs, strict=True))
    return results[0], Cost(cpu, wall, mib)


def _give_back_memory() -> None:
    """Return what loading left over to the system, or the call would use it unseen (glibc only)."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


def naive_bayes(problem: Problem, columns: Columns | NDArray[Any]) -> float:
    """Return the test accuracy of naive Bayes on some columns."""
    train, test = problem.train, problem.tested
    model = MultinomialNB().fit(train.X[:, columns], train.y)
    return float(model.score(test.X[:, columns], test.y))


def logistic_regression(problem: Problem, columns: Columns) -> float:
    """Return that of logistic regression on log(1 + count)."""
    train, test = problem.train, problem.tested
    model = LogisticRegression(C=STRENGTH, max_iter=200)
    model.fit(train.X[:, columns].log1p(), train.y)
    return float(model.score(test.X[:, columns].log1p(), test.y))


def main() -> None:
    """Print what came out as the last line."""
    task, limits = json.loads(sys.argv[1])
    warnings.simplefilter("ignore")  # theirs, about their own future
    try:
        outcome = {"status": "done", **measure(Task(*task), Limits(*limits))}
    except MemoryError as reason:
        outcome = {"status": "memory", "reason": _first_line(reason)}
    except ImportError as reason:
        outcome = {"status": "absent", "reason": _first_line(reason)}
    except Exception as reason:
        outcome = {"status": "failed", "reason": f"{type(reason).__name__}: {_first_line(reason)}"}
    print(json.dumps(outcome), flush=True)


def _first_line(reason: BaseException) -> str:
    return next(iter(str(reason).strip().splitlines()), "")


if __name__ == "__main__":
    main()
