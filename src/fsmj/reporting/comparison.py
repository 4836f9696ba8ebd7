"""How methods compare: the runs of an experiment, read from its folder."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from fsmj.experiment.labels import label_of
from fsmj.experiment.results import KEY, averages, comparisons
from fsmj.experiment.verdict import headline
from fsmj.reporting.summary import Comparison, Contest, Duel, Line, Rival

if TYPE_CHECKING:
    import pandas as pd

    from fsmj.experiment.results import Results


def comparison_of(results: Results) -> Comparison:
    """Summarise the runs of an experiment."""
    mean, compared = averages(results), comparisons(results)
    contests = tuple(
        _contest(results, str(problem), int(n_test), mean, compared)
        for problem, n_test in results.problems[["problem", "n_test"]].to_numpy()
    )
    # On one corpus there is nothing to sum up that the table below does not say.
    verdict = headline(mean, compared) if len(contests) > 1 else ""
    return Comparison(verdict.removeprefix("**In short.** "), contests)


def leaders(comparison: Comparison) -> str:
    """Say in one sentence which runs do best on average."""
    known = [
        [line for line in contest.lines if not np.isnan(line.average)]
        for contest in comparison.contests
    ]
    best = Counter(max(lines, key=lambda line: line.average).label for lines in known if lines)
    if not best:
        return f"Rankings compared: {max(len(contest.lines) for contest in comparison.contests):,}"
    (leader, count), *others = best.most_common()
    where = f" on {count} of {len(known)} corpora" if len(known) > 1 else ""
    named = [f"“{leader}”{where}", *(f"“{label}” on {count}" for label, count in others)]
    return f"Best average accuracy: {', '.join(named)}"


def _contest(
    results: Results, problem: str, n_test: int, mean: pd.DataFrame, compared: pd.DataFrame
) -> Contest:
    mean, compared = (table[table["problem"] == problem] for table in (mean, compared))
    ks = np.sort(results.of(problem)["k"].unique()).astype(np.int64)
    sizes = tuple(int(k) for k in sorted(compared["k"].unique()))
    lines, rivals = [], []
    for key, run in results.lines(problem):
        label = label_of(*key)
        average = float(_of_run(mean, key)["accuracy"].iloc[0])
        accuracy = run.set_index("k")["accuracy"].reindex(ks).to_numpy(float)
        lines.append(Line(label, *key, average, accuracy))
        duels = _of_run(compared, key)
        if len(duels):
            rivals.append(Rival(label, _duels(duels, sizes)))
    return Contest(problem, n_test, ks, tuple(_best_first(lines)), sizes, tuple(rivals))


def _of_run(table: pd.DataFrame, key: tuple[str, str, str, bool]) -> pd.DataFrame:
    return table[(table[KEY] == list(key)).all(axis=1)]


def _best_first(lines: list[Line]) -> list[Line]:
    """Put FSMJ as in the paper first, then the others by their average."""
    return sorted(
        lines,
        key=lambda line: (
            (line.method, line.variant, line.rest) != ("fsmj", "", False),
            np.nan_to_num(-line.average, nan=np.inf),
        ),
    )


def _duels(run: pd.DataFrame, sizes: tuple[int, ...]) -> tuple[Duel | None, ...]:
    columns = run[["k", "wins", "losses", "p_holm", "verdict"]].itertuples(index=False, name=None)
    at = {k: Duel(int(wins), int(losses), float(p), sign) for k, wins, losses, p, sign in columns}
    return tuple(at.get(k) for k in sizes)
