"""How methods compare: the runs of an experiment, read from its folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fsmj._names import counted
from fsmj.experiment.candidates import KEY, Candidate
from fsmj.experiment.results import averages, comparisons
from fsmj.experiment.runs import COMPARED_AT
from fsmj.paper.setup import AVERAGED_OVER
from fsmj.paper.verdict import headline
from fsmj.reporting.summary import Comparison, Contest, Duel, Fact, Ints, Line, Rival

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
    verdict = headline(averages(results, AVERAGED_OVER), compared) if len(contests) > 1 else ""
    rows = [candidate.row for problem in results.problems["problem"]
            for candidate, _ in results.lines(str(problem))]  # fmt: skip
    names = {row.label: row.title for row in rows if row.title != row.label}
    methods = tuple(Fact(label, title) for label, title in names.items())
    return Comparison(verdict.removeprefix("**In short.** "), contests, methods)


def leaders(comparison: Comparison) -> list[str]:
    """Say which runs do best, comparing each with the others at the same sizes only.

    Some runs rank few terms. So first all runs are compared at the sizes that all have; then
    those that go on, at all of their sizes.
    """
    shared = _best([contest.lines for contest in comparison.contests], comparison)
    if shared is None:
        most = max(len(contest.lines) for contest in comparison.contests)
        return [f"Rankings compared: {most:,}"]
    longest = _best([_longest(contest) for contest in comparison.contests], comparison)
    said = ["Best average accuracy with {}: {}".format(*shared)]
    if longest is not None and longest[0] != shared[0]:
        said.append("Of those that rank more words, best with {}: {}".format(*longest))
    return said


def _best(compared: Sequence[tuple[Line, ...]], comparison: Comparison) -> tuple[str, str] | None:
    """Return at which sizes runs are compared, and which of them are best."""
    found, sizes = [], set()
    for lines, contest in zip(compared, comparison.contests, strict=True):
        common = shared_sizes(lines, contest.ks)
        if len(common):
            means = [line.accuracy[common].mean() for line in lines]
            found.append(lines[int(np.argmax(means))].label)
            sizes |= {int(contest.ks[common[0]]), int(contest.ks[common[-1]])}
    if not found:
        return None
    (leader, count), *others = Counter(found).most_common()
    where = f" on {count} of {len(found)} corpora" if len(found) > 1 else ""
    named = [f"“{leader}”{where}", *(f"“{label}” on {count}" for label, count in others)]
    least = f"{min(sizes):,} to " if len(sizes) > 1 else ""
    return f"{least}{counted(max(sizes))}", ", ".join(named)


def _longest(contest: Contest) -> tuple[Line, ...]:
    """Return the runs that were measured at the most terms."""
    ends = [np.flatnonzero(~np.isnan(line.accuracy)).max(initial=-1) for line in contest.lines]
    return tuple(line for line, end in zip(contest.lines, ends, strict=True) if end == max(ends))


def shared_sizes(lines: tuple[Line, ...], ks: Ints) -> Ints:
    """Return the places of the sizes at which all runs are compared, as `averages` does."""
    common = np.flatnonzero(~np.isnan([line.accuracy for line in lines]).any(axis=0))
    compared = common[np.isin(ks[common], COMPARED_AT)]
    return compared if len(compared) else common[-1:]


def _contest(
    results: Results, problem: str, n_test: int, mean: pd.DataFrame, compared: pd.DataFrame
) -> Contest:
    mean, compared = (table[table["problem"] == problem] for table in (mean, compared))
    ks = np.sort(results.of(problem)["k"].unique()).astype(np.int64)
    sizes = tuple(int(k) for k in sorted(compared["k"].unique()))
    lines, rivals = [], []
    for candidate, run in results.lines(problem):
        average = float(_of_run(mean, candidate)["accuracy"].iloc[0])
        accuracy = run.set_index("k")["accuracy"].reindex(ks).to_numpy(float)
        label, row = candidate.label, candidate.row
        method, variant, aggregate, rest, _ = candidate
        look = row.colour, row.marker, row.needs
        lines.append(Line(label, method, variant, aggregate, rest, average, accuracy, *look))
        duels = _of_run(compared, candidate)
        if len(duels):
            rivals.append(Rival(label, _duels(duels, sizes)))
    up_to = int(mean["up_to"].max())
    return Contest(problem, n_test, ks, tuple(_best_first(lines)), sizes, tuple(rivals), up_to)


def _of_run(table: pd.DataFrame, candidate: Candidate) -> pd.DataFrame:
    return table[(table[KEY] == list(candidate[: len(KEY)])).all(axis=1)]


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
