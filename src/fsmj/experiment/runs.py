"""Runs: one ranking of one problem, measured over the number of terms, in a file of its own."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj._atomic import whole_file
from fsmj.curves import sweep
from fsmj.experiment.candidates import Candidate
from fsmj.experiment.problems import Problem
from fsmj.scores import Aggregate

if TYPE_CHECKING:
    import pyarrow as pa

COMPARED_AT = (10, 20, 50, 100, 200, 500, 1000, 2000)  # where every document's result is kept
NAIVE_BAYES_ALPHA = 1.0
_SETTINGS = b"fsmj"
_FORMAT = 1  # to be raised when the files' contents change


class Run(NamedTuple):
    """A candidate with all choices made, on one problem."""

    problem: Problem
    candidate: Candidate
    aggregate: Aggregate | None
    rest: bool

    @property
    def name(self) -> str:
        """What its file is called."""
        method, variant = self.candidate.method, self.candidate.variant
        parts = (method, variant, self.aggregate, "rest" if self.rest else "")
        return "_".join(part for part in parts if part)

    def path(self, folder: Path) -> Path:
        """Where its file is, in a folder of results."""
        return folder / "runs" / self.problem.slug / f"{self.name}.parquet"

    @property
    def settings(self) -> dict[str, Any]:
        """All that the outcome depends on, and what tables and figures say of the problem."""
        problem = self.problem
        n_docs, n_terms = problem.X_train.shape
        return {
            "format": _FORMAT,
            "fsmj": version("fsmj"),
            "problem": problem.name,
            "fingerprint": problem.fingerprint,
            "n_train": n_docs,
            "n_test": len(problem.y_test),
            "n_classes": problem.counts.n_classes,
            "n_terms": n_terms,
            "citation": problem.citation,
            "method": self.candidate.method,
            "variant": self.candidate.variant,
            "aggregate": self.aggregate or "",
            "rest": self.rest,
            "n_ranked": self.candidate.n_terms,
            "alpha": NAIVE_BAYES_ALPHA,
            **({"part_of": problem.part_of} if problem.part_of else {}),
        }


def runs_of(problems: Iterable[Problem], candidates: Mapping[str, Candidate]) -> list[Run]:
    """List every run, the slow ones first."""
    runs = [
        Run(problem, candidate, aggregate, rest)
        for problem in problems
        for candidate in candidates.values()
        for aggregate in candidate.aggregates
        for rest in candidate.rest
    ]
    paths = [(run.problem.slug, run.name) for run in runs]
    twice = next(
        (run for run, path in zip(runs, paths, strict=True) if paths.count(path) > 1), None
    )
    if twice is not None:
        raise ValueError(
            f"two runs are called {twice.name} on {twice.problem.name}; "
            "give the problems different names, or the candidates different variants"
        )
    return sorted(runs, key=lambda run: not run.candidate.slow)


def is_done(run: Run, folder: Path) -> bool:
    """Tell whether the run's file is there and was made with the same settings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_metadata(run.path(folder)).metadata or {}
    except (OSError, pa.ArrowException):
        return False
    return bool(metadata.get(_SETTINGS) == _encoded(run.settings))


def settings_in(table: pa.Table) -> dict[str, Any]:
    """Return the settings with which a result file was made."""
    found = (table.schema.metadata or {}).get(_SETTINGS)
    if found is None:
        raise ValueError("it does not say with which settings it was made")
    settings: dict[str, Any] = json.loads(found)
    return settings


def measure(run: Run) -> pa.Table:
    """Rank on the training documents, and classify the test documents at every size.

    Returns
    -------
    pyarrow.Table
        One row for each k: method, aggregate, variant, rest, k, accuracy, macro_f1, seconds (of
        the ranking, the same in each row) and right, a bit for each test document, 1 where it
        is classified right; only at the k of `COMPARED_AT`.
    """
    import pyarrow as pa

    problem = run.problem
    counts = problem.counts  # counted before the clock starts: a cost that all methods share
    start = time.perf_counter()
    ranking = run.candidate.rank(problem, run.aggregate, run.candidate.n_terms)
    seconds = time.perf_counter() - start

    def at(ks: NDArray[np.int64], predictions: bool) -> Any:
        with warnings.catch_warnings():  # the same for every run: `Problem.unseen` says it once
            warnings.filterwarnings("ignore", message=".* test documents count as errors")
            return sweep(
                ranking, counts, problem.X_test, problem.y_test, ks, NAIVE_BAYES_ALPHA, run.rest,
                predictions=predictions,
            )  # fmt: skip

    curve = at(sizes_up_to(len(ranking)), predictions=False)
    n_rows = len(curve.ks)
    right: list[bytes | None] = [None] * n_rows
    compared = np.array([k for k in COMPARED_AT if k <= len(ranking)], np.int64)
    if len(compared):
        for k, labels in zip(compared, at(compared, predictions=True).predictions, strict=True):
            row = int(np.searchsorted(curve.ks, k))
            right[row] = np.packbits(labels == problem.y_test).tobytes()
    columns = {
        "method": pa.array([run.candidate.method] * n_rows),
        "aggregate": pa.array([run.aggregate or ""] * n_rows),
        "variant": pa.array([run.candidate.variant] * n_rows),
        "rest": pa.array([run.rest] * n_rows),
        "k": pa.array(curve.ks),
        "accuracy": pa.array(curve.accuracy),
        "macro_f1": pa.array(curve.macro_f1),
        "seconds": pa.array([seconds] * n_rows, pa.float64()),
        "right": pa.array(right, pa.binary()),
    }
    return pa.table(columns, metadata={_SETTINGS: _encoded(run.settings)})


def write(run: Run, table: pa.Table, folder: Path) -> None:
    """Write the run's file, whole or not at all."""
    import pyarrow.parquet as pq

    path = run.path(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as scratch:
        pq.write_table(table, scratch, compression="zstd")


def sizes_up_to(n_terms: int) -> NDArray[np.int64]:
    """Return the numbers of terms to measure at: all to 200, tens to 2,000, then ever fewer."""
    grid = [np.arange(1, 201), np.arange(210, 2001, 10)]
    if n_terms > 2000:
        grid.append(np.geomspace(2000, n_terms, 20).round().astype(np.int64))
    sizes = np.unique(np.concatenate([*grid, [n_terms]]))
    return sizes[(sizes >= 1) & (sizes <= n_terms)]


def _encoded(settings: dict[str, Any]) -> bytes:
    return json.dumps(settings, sort_keys=True).encode()
