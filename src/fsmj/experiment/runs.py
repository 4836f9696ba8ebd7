"""Runs: one ranking of one problem, measured over the number of terms, in a file of its own."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj._atomic import whole_file
from fsmj.documents import Documents
from fsmj.evaluation import Curve
from fsmj.evaluation import measure as measure_trials
from fsmj.experiment.candidates import KEY, Candidate
from fsmj.experiment.problems import Problem
from fsmj.ranking import Ranking

if TYPE_CHECKING:
    import pyarrow as pa

COMPARED_AT = (10, 20, 50, 100, 200, 500, 1000, 2000)  # where every document's result is kept
NAIVE_BAYES_ALPHA = 1.0
_SETTINGS = b"fsmj"
_FORMAT = 2  # to be raised when the files' contents change


class Run(NamedTuple):
    """A candidate on a problem."""

    problem: Problem
    candidate: Candidate

    def path(self, folder: Path) -> Path:
        """Where its file is, in a folder of results."""
        return folder / "runs" / self.problem.slug / f"{self.candidate.name}.parquet"

    @property
    def settings(self) -> dict[str, Any]:
        """All that the outcome depends on, and what tables and figures say of the problem."""
        problem, candidate = self
        return {
            "format": _FORMAT,
            "fsmj": version("fsmj"),
            "problem": problem.name,
            "fingerprint": problem.fingerprint,
            "n_train": problem.train.n_docs,
            "n_test": problem.n_test,
            "n_classes": len(problem.train.classes),
            "n_terms": problem.train.n_terms,
            "cv": problem.cv if problem.test is None else 0,
            "citation": problem.citation,
            **{key: getattr(candidate, key) for key in KEY},
            "n_ranked": candidate.n_terms,
            "alpha": NAIVE_BAYES_ALPHA,
        }


def runs_of(problems: Iterable[Problem], candidates: Mapping[str, Candidate]) -> list[Run]:
    """List every run, the slow ones first."""
    runs = [Run(problem, candidate) for problem in problems for candidate in candidates.values()]
    seen: set[Path] = set()
    for run in runs:
        path = run.path(Path())
        if path in seen:
            raise ValueError(
                f"two runs are called {run.candidate.name} on {run.problem.name}; "
                "give the problems different names"
            )
        seen.add(path)
    return sorted(runs, key=lambda run: not run.candidate.row.slow)


def read(run: Run, folder: Path) -> pa.Table | None:
    """Return what the run's file holds, if it is there and was made with the same settings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(run.path(folder))
    except (OSError, pa.ArrowException):
        return None
    found = (table.schema.metadata or {}).get(_SETTINGS)
    return table if found == _encoded(run.settings) else None


def settings_in(table: pa.Table) -> dict[str, Any]:
    """Return the settings with which a result file was made."""
    found = (table.schema.metadata or {}).get(_SETTINGS)
    if found is None:
        raise ValueError("it does not say with which settings it was made")
    settings: dict[str, Any] = json.loads(found)
    return settings


def measure(run: Run) -> pa.Table:
    """Rank on training documents, and classify those held out at every size: a row for each.

    `seconds` are those of the ranking, the same in each row; `right` is a bit for each document
    tested, 1 where it is classified right, only at the k of `COMPARED_AT`.
    """
    import pyarrow as pa

    problem, candidate = run
    seconds = 0.0

    def timed(documents: Documents) -> Ranking:
        nonlocal seconds
        documents.counts  # noqa: B018 - before the clock starts: a cost that all methods share
        start = time.perf_counter()
        ranking = candidate.rank(documents)
        seconds += time.perf_counter() - start
        return ranking

    tried = [split.trial(timed) for split in problem.splits]

    def at(ks: NDArray[np.int64], predictions: bool) -> Curve:
        return measure_trials(tried, ks, NAIVE_BAYES_ALPHA, candidate.rest, predictions=predictions)

    n_ranked = min(len(trial.ranking) for trial in tried)
    curve = at(sizes_up_to(n_ranked), predictions=False)
    compared = np.array([k for k in COMPARED_AT if k <= n_ranked], np.int64)
    right: dict[int, bytes] = {}
    if len(compared):
        given = at(compared, predictions=True).predictions
        assert given is not None
        truth = problem.tested.y
        right = {
            int(k): np.packbits(g == truth).tobytes() for k, g in zip(compared, given, strict=True)
        }
    n_rows = len(curve.ks)
    columns = {
        **{key: pa.array([getattr(candidate, key)] * n_rows) for key in KEY},
        "k": pa.array(curve.ks),
        "accuracy": pa.array(curve.accuracy),
        "macro_f1": pa.array(curve.macro_f1),
        "seconds": pa.array([seconds] * n_rows, pa.float64()),
        "right": pa.array([right.get(k) for k in curve.ks.tolist()], pa.binary()),
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
