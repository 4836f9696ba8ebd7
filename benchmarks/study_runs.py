"""The runs of the study: choices by cross-validation on the training part, one look at the test.

The cross-validation of a training part is a problem of its own, so that `fsmj.experiment` runs it
like any other: one file a run, and nothing is done twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from fsmj.experiment import Candidate, Problem, Results, all_candidates, run_all
from fsmj.experiment.runs import COMPARED_AT
from fsmj.experiment.schedule import ProgressHook

FOLDS = 3
METHOD = ["method", "rest"]  # what is compared
OPTION = ["variant", "aggregate"]  # what a method leaves open: chosen anew at each k
_KEYS = ("fsmj", "fsmj-prior", "ig", "chi2", "cmim", "cll")
_FOLD = ", fold "

COMPARED: dict[str, Candidate] = {
    name: one._replace(n_terms=max(COMPARED_AT))
    for name, one in all_candidates().items()
    if one.key in _KEYS
}
# How far folds foretell the test part is checked on the two methods whose outcomes differ most.
CHECKED = {name: COMPARED[name] for name in ("cll", "fsmj_prior")}


def validate(
    problems: Sequence[Problem],
    folder: Path,
    candidates: Mapping[str, Candidate] = COMPARED,
    *,
    n_jobs: int | None = 1,
    progress: ProgressHook | None = None,
) -> pd.DataFrame:
    """Cross-validate every option of every method on the training parts.

    Returns
    -------
    pandas.DataFrame
        One row for each problem, method, option and k: the mean accuracy over the folds.
    """
    parts = [Problem(problem.name, problem.train, cv=FOLDS) for problem in problems]
    return _means(run_all(parts, folder, candidates, n_jobs=n_jobs, progress=progress))


def validate_on_test(
    problems: Sequence[Problem],
    folder: Path,
    candidates: Mapping[str, Candidate] = CHECKED,
    *,
    n_jobs: int | None = 1,
    progress: ProgressHook | None = None,
) -> pd.DataFrame:
    """Measure what was trained for the folds on the test parts instead; as `validate`."""
    folds = [
        Problem(f"{problem.name}{_FOLD}{number}", problem.train.take(rows), problem.test)
        for problem in problems
        for number, (rows, _) in enumerate(problem.train.folds(FOLDS), start=1)
    ]
    return _means(run_all(folds, folder, candidates, n_jobs=n_jobs, progress=progress))


def _means(results: Results) -> pd.DataFrame:
    curves = results.curves[results.curves["k"].isin(COMPARED_AT)]
    curves = curves.assign(problem=curves["problem"].str.split(_FOLD).str[0])
    accuracy = curves.groupby(["problem", "k", *METHOD, *OPTION], sort=False)["accuracy"].mean()
    return accuracy.rename("cv_accuracy").reset_index()


def transfer_of(validated: pd.DataFrame, on_test: pd.DataFrame) -> pd.DataFrame:
    """Put side by side what the same training documents gave on the folds and on the test part."""
    pair = on_test.merge(validated, on=["problem", "k", *METHOD, *OPTION])
    return pair.rename(columns={"cv_accuracy_x": "test", "cv_accuracy_y": "held_out"})


def choose(validated: pd.DataFrame) -> pd.DataFrame:
    """Keep each method's best option at each k; the first by name among equals."""
    ordered = validated.sort_values(OPTION, kind="stable")
    best = ordered.groupby(["problem", "k", *METHOD], sort=False)["cv_accuracy"].idxmax()
    return validated.loc[sorted(best)].reset_index(drop=True)


def look_at_test(
    problems: Sequence[Problem],
    chosen: pd.DataFrame,
    folder: Path,
    candidates: Mapping[str, Candidate] = COMPARED,
    *,
    n_jobs: int | None = 1,
    progress: ProgressHook | None = None,
) -> pd.DataFrame:
    """Measure what was chosen, and nothing else, on the test parts.

    Returns
    -------
    pandas.DataFrame
        `chosen` with accuracy, macro_f1, seconds and right, as in the files of the runs.
    """
    measured = []
    for problem in problems:
        rows = chosen[chosen["problem"] == problem.name]
        keys = set(rows[[*METHOD, *OPTION]].itertuples(index=False, name=None))
        kept = {
            name: one
            for name, one in candidates.items()
            if (one.method, one.rest, one.variant, one.aggregate) in keys
        }
        results = run_all([problem], folder, kept, n_jobs=n_jobs, progress=progress)
        measured.append(results.curves)
    return chosen.merge(pd.concat(measured), on=["problem", "k", *METHOD, *OPTION])
