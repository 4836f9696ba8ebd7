"""Results: what the files of the runs say, as tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fsmj.experiment.candidates import KEY, Candidate
from fsmj.experiment.runs import COMPARED_AT, settings_in

if TYPE_CHECKING:
    import pyarrow as pa

SIGNIFICANT = 0.05
_FACTS = (
    "problem", "fingerprint", "n_train", "n_test", "n_classes", "n_terms", "cv", "citation"
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Results:
    """The runs of an experiment.

    Attributes
    ----------
    problems : pandas.DataFrame
        One row for each problem: problem, n_train, n_test, n_classes, n_terms, cv (in how many
        parts it was cross-validated, 0 where there were test documents), citation.
    curves : pandas.DataFrame
        One row for each problem, run and k, as in the files. Of a cross-validation, accuracy and
        macro_f1 are the means over its parts.
    """

    problems: pd.DataFrame
    curves: pd.DataFrame

    def of(self, problem: str) -> pd.DataFrame:
        """Return the curves of one problem."""
        return self.curves[self.curves["problem"] == problem]

    def lines(self, problem: str) -> Iterator[tuple[Candidate, pd.DataFrame]]:
        """Yield each run on a problem, and its curve."""
        for key, line in self.of(problem).groupby(KEY, sort=False):
            method, variant, aggregate, rest = key
            yield Candidate(str(method), str(variant), str(aggregate), bool(rest)), line


def labels_of(table: pd.DataFrame) -> pd.Series[str]:
    """Name the run of each row."""
    names = [Candidate(*key).label for key in table[KEY].itertuples(index=False, name=None)]
    return pd.Series(names, table.index, "str")


def read_results(folder: str | os.PathLike[str], problems: Iterable[str] | None = None) -> Results:
    """Read the files of the runs.

    Parameters
    ----------
    folder : path-like
        The folder given to `run_all`.
    problems : iterable of str, optional
        The names of the problems to read, in the order wanted; all by default.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    wanted = None if problems is None else list(problems)
    tables = []
    for path in sorted(Path(folder).glob("runs/*/*.parquet")):
        try:
            table = pq.read_table(path)
            name = settings_in(table)["problem"]
        except (pa.ArrowException, ValueError) as reason:
            raise ValueError(
                f"{path} is not a result file ({str(reason).splitlines()[0]}); delete it"
            ) from None
        if wanted is None or name in wanted:
            tables.append(table)
    names = wanted or list(dict.fromkeys(settings_in(table)["problem"] for table in tables))
    try:
        return results_from(tables, names)
    except ValueError as reason:
        raise ValueError(f"{folder}: {reason}") from None


def results_from(tables: Iterable[pa.Table], names: Sequence[str]) -> Results:
    """Put the tables of runs together, the problems in the order of their names."""
    facts: dict[str, dict[str, object]] = {}
    curves = []
    for table in tables:
        settings = settings_in(table)
        name = settings["problem"]
        described = {fact: settings.get(fact, "") for fact in _FACTS}
        if facts.setdefault(name, described) != described:
            raise ValueError(
                f"some runs on {name} were measured on other documents than the others; "
                f"delete the files of {settings['method']} or of the others"
            )
        curves.append(table.to_pandas().assign(problem=name))
    missing = [name for name in names if name not in facts]
    if missing or not curves:
        raise ValueError(f"there are no results{f' on {missing[0]}' if missing else ''}")
    order = {name: number for number, name in enumerate(names)}
    every = pd.concat(curves, ignore_index=True)
    every = every.sort_values("problem", key=lambda column: column.map(order), kind="stable")
    problems = pd.DataFrame([facts[name] for name in names]).drop(columns="fingerprint")
    return Results(problems, every.reset_index(drop=True))


def averages(results: Results, over: Iterable[int] | None = None) -> pd.DataFrame:
    """Average each run's accuracy over numbers of terms, the same for all runs on a problem.

    Parameters
    ----------
    results : Results
        The runs.
    over : iterable of int, optional
        The numbers of terms. By default those of 10, 20, 50, 100, 200, 500, 1000 and 2000 that
        every run on the problem has: a method that ranks 500 terms only is compared with the
        others up to 500, where like is compared with like.

    Returns
    -------
    pandas.DataFrame
        One row for each problem and run: problem, method, variant, aggregate, rest, accuracy,
        macro_f1 and up_to, the largest number of terms; the best first. If `over` is given, NaN
        for a run that ranks too few terms.
    """
    wanted = None if over is None else list(over)
    tables = [_averages(results.of(str(name)), wanted) for name in results.problems["problem"]]
    return pd.concat(tables, ignore_index=True)


def _averages(curves: pd.DataFrame, over: list[int] | None) -> pd.DataFrame:
    keys = ["problem", *KEY]
    if over is None:
        # All runs have the sizes to that of the shortest, as all go by `sizes_up_to`.
        common = curves.groupby(keys)["k"].max().min()
        over = [k for k in COMPARED_AT if k <= common] or [int(common)]
    grouped = curves[curves["k"].isin(over)].groupby(keys, sort=False)
    table = grouped[["accuracy", "macro_f1"]].mean().assign(up_to=grouped["k"].max())
    reached = grouped.size()
    table[reached < reached.max()] = np.nan
    every_run = curves[keys].drop_duplicates()
    table = every_run.merge(table.reset_index(), how="left", on=keys)
    return table.sort_values("accuracy", ascending=False, kind="stable")


def comparisons(results: Results) -> pd.DataFrame:
    """Compare FSMJ, as in the paper, with every other run on the same test documents.

    Returns
    -------
    pandas.DataFrame
        One row for each problem, other run and k of `COMPARED_AT`: problem, method, variant,
        aggregate, rest, k, the accuracies of FSMJ and of the other, wins (documents that only
        FSMJ gets right), losses, p (exact McNemar test), p_holm and verdict: "ahead", "behind"
        or "open", as far as FSMJ is concerned. Holm's correction is over all comparisons on
        a problem.
    """
    sizes = results.problems.set_index("problem")["n_test"]
    tables = [_comparisons(results.of(str(name)), int(n)) for name, n in sizes.items()]
    return pd.concat(tables, ignore_index=True)


def _comparisons(curves: pd.DataFrame, n_test: int) -> pd.DataFrame:
    kept = curves[curves["k"].isin(COMPARED_AT) & curves["right"].notna()]
    ours = (kept["method"] == "fsmj") & (kept["variant"] == "") & ~kept["rest"]
    own = kept[ours].set_index("k")
    others = kept[~ours & kept["k"].isin(own.index)]
    rows = []
    for k, accuracy, right in others[["k", "accuracy", "right"]].to_numpy():
        mine, yours = bits(own["right"][k], n_test), bits(right, n_test)
        wins, losses = int((mine & ~yours).sum()), int((yours & ~mine).sum())
        rows.append((own["accuracy"][k], accuracy, wins, losses, mcnemar(wins, losses)))
    measured = pd.DataFrame(
        rows, columns=["fsmj_accuracy", "accuracy", "wins", "losses", "p"], index=others.index
    )
    table = pd.concat([others[["problem", *KEY, "k"]], measured], axis=1)
    table["p_holm"] = holm(table["p"])
    return table.assign(verdict=verdicts(table)).reset_index(drop=True)


def mcnemar(wins: int, losses: int) -> float:
    """Return the two-sided p-value of the exact McNemar test.

    Wins are documents that only the first of two classifiers gets right, losses those that only
    the second does. Under the null hypothesis, such a document is as likely to be either's.

    Examples
    --------
    >>> mcnemar(8, 2)
    0.109375
    """
    from scipy.stats import binomtest

    if wins + losses == 0:
        return 1.0
    return float(binomtest(wins, wins + losses, 0.5).pvalue)


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return a family's adjusted p-values: below 5 % in at most 5 % of families by chance.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    return adjusted


def verdicts(tests: pd.DataFrame) -> pd.Series[str]:
    """Say of each test, from wins, losses and p_holm: "ahead", "behind" or "open"."""
    clear = tests["p_holm"] < SIGNIFICANT
    leads = [clear & (tests["wins"] > tests["losses"]), clear & (tests["wins"] < tests["losses"])]
    return pd.Series(np.select(leads, ["ahead", "behind"], "open"), tests.index)


def bits(packed: bytes, n_docs: int) -> NDArray[np.bool_]:
    """Unpack which documents were classified right."""
    return np.unpackbits(np.frombuffer(packed, np.uint8), count=n_docs).astype(bool)
