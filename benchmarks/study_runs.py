"""The runs of the study: choices by cross-validation on the training part, one look at the test.

Folds of the training part are problems of their own, so that `fsmj.experiment` runs them like any
other: one file a run, and nothing is done twice.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from fsmj.experiment import CANDIDATES, Candidate, Problem, read_results, run_all
from fsmj.experiment.runs import COMPARED_AT
from fsmj.experiment.schedule import ProgressHook

FOLDS = 3
METHOD = ["method", "rest"]  # what is compared
OPTION = ["variant", "aggregate"]  # what a method leaves open: chosen anew at each k
_NAMES = ("fsmj", "fsmj-prior", "ig", "chi2", "cmim", "cll")
_FOLD = ", fold "

COMPARED: dict[str, Candidate] = {
    name: CANDIDATES[name]._replace(n_terms=max(COMPARED_AT)) for name in _NAMES
}
# The rest cell belongs to FSMJ's criterion; to the other methods it means nothing.
COMPARED["ig"] = COMPARED["ig"]._replace(rest=(False,))
# How far folds foretell the test part is checked on the two methods whose outcomes differ most.
CHECKED = {
    "cll": COMPARED["cll"],
    "fsmj-prior": COMPARED["fsmj-prior"]._replace(rest=(False,)),
}


def folds_of(problem: Problem, *, on_test: bool = False) -> list[Problem]:
    """Split the training part, class by class; what is held out takes the place of the test part.

    With `on_test` the test part stays in its place: the same training documents, measured there.
    Without, it goes into none of the folds.
    """
    X, y = problem.X_train, problem.y_train
    with warnings.catch_warnings():
        # R52 has classes of one document. Held out, it is an error of every method alike.
        warnings.filterwarnings("ignore", message="The least populated class")
        splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))

    def fold(number: int, train: NDArray[np.intp], held: NDArray[np.intp]) -> Problem:
        measured = (problem.X_test, problem.y_test) if on_test else (X[held], y[held])
        name = f"{problem.name}{_FOLD}{number}"
        return Problem(name, X[train], y[train], *measured, problem.terms, problem.citation)

    return [fold(number, *rows) for number, rows in enumerate(splits, start=1)]


def validate(
    problems: Sequence[Problem],
    folder: Path,
    candidates: Mapping[str, Candidate] = COMPARED,
    *,
    on_test: bool = False,
    n_jobs: int | None = 1,
    progress: ProgressHook | None = None,
) -> pd.DataFrame:
    """Cross-validate every option of every method on the training parts.

    With `on_test`, measure what was trained on the folds on the test parts instead.

    Returns
    -------
    pandas.DataFrame
        One row for each problem, method, option and k: the mean accuracy over the folds.
    """
    folds = [fold for problem in problems for fold in folds_of(problem, on_test=on_test)]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* test documents count as errors")
        run_all(folds, folder, candidates, n_jobs=n_jobs, progress=progress)
    curves = read_results(folder, [fold.name for fold in folds]).curves
    curves = curves[curves["k"].isin(COMPARED_AT)]
    curves = curves.assign(problem=curves["problem"].str.rpartition(_FOLD)[0])
    keys = ["problem", "k", *METHOD, *OPTION]
    accuracy = curves.groupby(keys, sort=False)["accuracy"].mean()
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
    for problem in problems:
        rows = chosen[chosen["problem"] == problem.name]
        run_all([problem], folder, _only(rows, candidates), n_jobs=n_jobs, progress=progress)
    results = read_results(folder, [problem.name for problem in problems])
    return chosen.merge(results.curves, on=["problem", "k", *METHOD, *OPTION])


def _only(chosen: pd.DataFrame, candidates: Mapping[str, Candidate]) -> dict[str, Candidate]:
    """Leave out the options that were not chosen at any k."""
    keys = {tuple(key) for key in chosen[[*OPTION, *METHOD]].itertuples(index=False, name=None)}
    kept = {}
    for name, row in candidates.items():
        taken = [
            (aggregate, rest)
            for aggregate in row.aggregates
            for rest in row.rest
            if (row.variant, aggregate or "", row.method, rest) in keys
        ]
        if taken:
            aggregates, rests = (tuple(dict.fromkeys(part)) for part in zip(*taken, strict=True))
            kept[name] = row._replace(aggregates=aggregates, rest=rests)
    return kept
