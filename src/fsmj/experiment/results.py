"""Results: what the files of the runs say, as tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fsmj.experiment.runs import COMPARED_AT, settings_in
from fsmj.experiment.significance import holm, mcnemar

KEY = ["method", "variant", "aggregate", "rest"]  # what tells the runs on a problem apart
AVERAGED_OVER = tuple(range(100, 2001, 100))
SIGNIFICANT = 0.05
_FACTS = (
    "problem",
    "fingerprint",
    "n_train",
    "n_test",
    "n_classes",
    "n_terms",
    "citation",
    "part_of",
)


@dataclass(frozen=True, eq=False)
class Results:
    """The runs of an experiment.

    Attributes
    ----------
    problems : pandas.DataFrame
        One row for each problem: problem, n_train, n_test, n_classes, n_terms, citation.
    curves : pandas.DataFrame
        One row for each problem, run and k, as in the files. The parts of a cross-validation are
        one problem: accuracy is that of all documents, macro_f1 the mean over the parts.
    """

    problems: pd.DataFrame
    curves: pd.DataFrame

    def of(self, problem: str) -> pd.DataFrame:
        """Return the curves of one problem."""
        return self.curves[self.curves["problem"] == problem]

    def lines(self, problem: str) -> Iterator[tuple[tuple[str, str, str, bool], pd.DataFrame]]:
        """Yield method, variant, aggregate and rest of each run on a problem, and its curve."""
        for key, line in self.of(problem).groupby(KEY, sort=False):
            method, variant, aggregate, rest = key
            yield (str(method), str(variant), str(aggregate), bool(rest)), line


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
    facts: dict[str, dict[str, object]] = {}
    tables = []
    for path in sorted(Path(folder).glob("runs/*/*.parquet")):
        try:
            table = pq.read_table(path)
            settings = settings_in(table)
        except (pa.ArrowException, ValueError) as reason:
            raise ValueError(
                f"{path} is not a result file ({str(reason).splitlines()[0]}); delete it"
            ) from None
        name = settings["problem"]
        if wanted is not None and name not in wanted:
            continue
        described = {fact: settings.get(fact, "") for fact in _FACTS}
        if facts.setdefault(name, described) != described:
            raise ValueError(
                f"{path} was measured on other documents than the files beside it; delete it"
            )
        tables.append(table.to_pandas().assign(problem=name))
    names = list(facts) if wanted is None else wanted
    missing = [name for name in names if name not in facts]
    if missing or not tables:
        raise ValueError(f"{folder} has no results{f' on {missing[0]}' if missing else ''}")
    order = {name: number for number, name in enumerate(names)}
    curves = pd.concat(tables, ignore_index=True)
    curves = curves.sort_values("problem", key=lambda column: column.map(order), kind="stable")
    described_problems = pd.DataFrame([facts[name] for name in names]).drop(columns="fingerprint")
    return _pooled(described_problems, curves.reset_index(drop=True))


def _pooled(parts: pd.DataFrame, curves: pd.DataFrame) -> Results:
    """Put the parts of a cross-validation together, each document a test document once."""
    single = parts[parts["part_of"] == ""]
    problems = [single.drop(columns="part_of")]
    tables = [curves[curves["problem"].isin(single["problem"])]]
    for whole, described in parts[parts["part_of"] != ""].groupby("part_of", sort=False):
        sizes = described.set_index("problem")["n_test"]
        described = described.assign(
            problem=whole, n_train=round(described["n_train"].mean()), n_test=sizes.sum()
        )
        problems.append(described.drop(columns="part_of").head(1))
        rows = curves[curves["problem"].isin(sizes.index)]
        points = [
            _pooled_point(point, sizes)
            for _, point in rows.groupby([*KEY, "k"], sort=False)
            if len(point) == len(sizes)  # a run that was broken off has parts without results
        ]
        tables.append(pd.DataFrame(points).assign(problem=whole))
    return Results(pd.concat(problems, ignore_index=True), pd.concat(tables, ignore_index=True))


def _pooled_point(point: pd.DataFrame, sizes: pd.Series[int]) -> dict[Any, Any]:
    """Put one size of one run together over the parts."""
    n_test = sizes[point["problem"]].tolist()
    right = None
    if point["right"].notna().all():
        parts = [_bits(row, n) for row, n in zip(point["right"], n_test, strict=True)]
        right = np.packbits(np.concatenate(parts)).tobytes()
    return {
        **point.iloc[0].to_dict(),
        "accuracy": np.average(point["accuracy"], weights=n_test),
        "macro_f1": point["macro_f1"].mean(),
        "seconds": point["seconds"].sum(),
        "right": right,
    }


def averages(results: Results) -> pd.DataFrame:
    """Average each run's accuracy over k = 100, 200, ..., 2000.

    Returns
    -------
    pandas.DataFrame
        One row for each problem and run: problem, method, variant, aggregate, rest, accuracy and
        macro_f1, the best first; NaN for a run that ranks too few terms.
    """
    rows = results.curves[results.curves["k"].isin(AVERAGED_OVER)]
    grouped = rows.groupby(["problem", *KEY], sort=False)
    table = grouped[["accuracy", "macro_f1"]].mean()
    table["points"] = grouped.size()
    every_run = results.curves[["problem", *KEY]].drop_duplicates()
    table = every_run.merge(table.reset_index(), how="left", on=["problem", *KEY])
    most = table.groupby("problem")["points"].transform("max")
    table.loc[table["points"] < most, ["accuracy", "macro_f1"]] = np.nan
    place = {name: number for number, name in enumerate(results.problems["problem"])}
    return (
        table.drop(columns="points")
        .assign(place=table["problem"].map(place))
        .sort_values(["place", "accuracy"], ascending=[True, False], kind="stable")
        .drop(columns="place")
        .reset_index(drop=True)
    )


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
    own = {k: _bits(right, n_test) for k, right in kept.loc[ours, ["k", "right"]].to_numpy()}
    others = kept[~ours & kept["k"].isin(list(own))]
    rows = []
    for k, right in others[["k", "right"]].to_numpy():
        mine, yours = own[k], _bits(right, n_test)
        wins, losses = int((mine & ~yours).sum()), int((yours & ~mine).sum())
        rows.append((mine.mean(), yours.mean(), wins, losses, mcnemar(wins, losses)))
    measured = pd.DataFrame(
        rows, columns=["fsmj_accuracy", "accuracy", "wins", "losses", "p"], index=others.index
    )
    table = pd.concat([others[["problem", *KEY, "k"]], measured], axis=1)
    table["p_holm"] = holm(table["p"])
    clear = table["p_holm"] < SIGNIFICANT
    leads = [clear & (table["wins"] > table["losses"]), clear & (table["wins"] < table["losses"])]
    table["verdict"] = np.select(leads, ["ahead", "behind"], "open")
    return table.reset_index(drop=True)


def _bits(packed: bytes, n_docs: int) -> NDArray[np.bool_]:
    return np.unpackbits(np.frombuffer(packed, np.uint8), count=n_docs).astype(bool)
