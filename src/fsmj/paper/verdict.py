"""The verdict: where the paper's claim holds and where it does not, worded from the numbers."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from fsmj.experiment.candidates import Candidate
from fsmj.experiment.results import SIGNIFICANT, Results, labels_of
from fsmj.experiment.runs import COMPARED_AT
from fsmj.experiment.sheets import markdown
from fsmj.paper.panels import FEW_LINES
from fsmj.paper.setup import AVERAGED_OVER, is_papers

FEW_TERMS = 200
_FSMJ = Candidate("fsmj").label
_WITH_REST = Candidate("fsmj", rest=True).label


def verdict_on(results: Results, mean: pd.DataFrame, compared: pd.DataFrame, problem: str) -> str:
    """Say how the paper's claim fares on one problem, by its `averages` and `comparisons`."""
    curves = results.of(problem)
    mean, compared = (table[table["problem"] == problem] for table in (mean, compared))
    rivals = _by_size(curves[is_papers(curves)])
    if _FSMJ not in rivals or rivals.shape[1] < 2:
        return "FSMJ or the methods to compare it with have not been run."
    own = rivals.pop(_FSMJ)
    parts = [
        _on_average(mean),
        _at_each(own, rivals),
        _significance(compared),
        _few_terms(own, rivals),
        _rest_cell(curves),
        _beyond(mean),
        _clearly_better(compared),
    ]
    return "\n\n".join(part for part in parts if part)


def headline(mean: pd.DataFrame, compared: pd.DataFrame) -> str:
    """Say in one paragraph how the claim fares on all problems."""
    papers = mean[is_papers(mean)].dropna(subset="accuracy")
    own = papers[papers["method"] == "fsmj"].set_index("problem")["accuracy"]
    best = papers[papers["method"] != "fsmj"].groupby("problem")["accuracy"].max()
    leads = (own - best).dropna()
    tests = compared[is_papers(compared)]
    if leads.empty or tests.empty:
        return ""
    pairs = tests.groupby(["problem", "k"])["verdict"]
    clear = pairs.agg(lambda column: bool((column == "ahead").all()))
    worse = pairs.agg(lambda column: bool((column == "behind").any()))
    at = sorted({int(k) for _, k in worse[worse].index})
    return (
        f"**In short.** On average over k = 100, 200, …, {max(AVERAGED_OVER)}, FSMJ is ahead of "
        f"every classical ranking on {(leads > 0).sum()} of {len(leads)} corpora; its lead over "
        f"the best of them is between {leads.min():.4f} and {leads.max():.4f}. It is significantly "
        f"ahead of all of them in {clear.sum()} of {len(clear)} pairs of corpus and number of "
        f"terms, and significantly behind at least one in {worse.sum()}"
        f"{f' (k = {_listed(at)})' if at else ''}."
    )


def few_terms_table(curves: pd.DataFrame) -> str:
    """Lay out the accuracies at few and many terms, with and without the rest cell."""
    wide = _by_size(curves[curves["k"].isin(COMPARED_AT)])
    rows = [
        [line, *("–" if pd.isna(cell) else f"{cell:.3f}" for cell in wide[line])]
        for line in (candidate.label for candidate in FEW_LINES)
        if line in wide
    ]
    return markdown(["accuracy", *(f"k = {k}" for k in wide.index)], rows)


def _by_size(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the accuracies: a row for each k, a column for each run, by its label."""
    labelled = curves.assign(label=labels_of(curves))
    return labelled.pivot_table(index="k", columns="label", values="accuracy", sort=False)


def _on_average(mean: pd.DataFrame) -> str:
    papers = mean[is_papers(mean)].dropna(subset="accuracy")
    own = papers.loc[papers["method"] == "fsmj", "accuracy"]
    others = papers[papers["method"] != "fsmj"]
    if own.empty or others.empty:
        return "There are too few terms for averages over the paper's range."
    best, leader = others["accuracy"].iloc[0], labels_of(others).iloc[0]
    ahead = int((others["accuracy"] < own.iloc[0]).sum())
    lead = own.iloc[0] - best
    stands = "level" if lead == 0 else f"{'ahead' if lead > 0 else 'behind'} by {abs(lead):.4f}"
    verdict = "**holds**" if ahead == len(others) else "**does not hold**"
    last = max(AVERAGED_OVER)
    return (
        f"- *Ahead on average: the claim {verdict}.* Over k = 100, 200, …, {last} FSMJ reaches "
        f"{own.iloc[0]:.4f} on average, and is ahead of {ahead} of the {len(others)} classical "
        f"rankings. The best of them is {leader} with {best:.4f}: FSMJ is {stands}."
    )


def _at_each(own: pd.Series[float], rivals: pd.DataFrame) -> str:
    sizes = [k for k in AVERAGED_OVER if k in own.index]
    if not sizes:
        return ""
    best = rivals.loc[sizes].max(axis=1)
    behind = [k for k in sizes if own[k] < best[k]]
    verdict = "**holds**" if not behind else "**does not hold everywhere**"
    text = (
        f"- *Ahead at every number of terms: the claim {verdict}.* FSMJ is behind no classical "
        f"ranking at {len(sizes) - len(behind)} of these {len(sizes)} numbers of terms"
    )
    if not behind:
        return text + "."
    widest = max(behind, key=lambda k: best[k] - own[k])
    leader = rivals.loc[widest].idxmax()
    return (
        f"{text}, and behind the best of them at k = {_listed(behind)}; most at k = {widest}, "
        f"by {best[widest] - own[widest]:.4f} ({leader})."
    )


def _significance(compared: pd.DataFrame) -> str:
    papers = compared[is_papers(compared)]
    if papers.empty:
        return ""
    counted = papers.groupby("k")["verdict"].value_counts().unstack(fill_value=0)
    counted = counted.reindex(columns=["ahead", "open", "behind"], fill_value=0)
    everywhere = [k for k, row in counted.iterrows() if row["open"] == row["behind"] == 0]
    lost = [k for k, row in counted.iterrows() if row["behind"]]
    verdict = (
        "**holds**" if len(everywhere) == len(counted)
        else "**does not hold**" if not everywhere
        else f"**holds at k = {_listed(everywhere)} only**"
    )  # fmt: skip
    rows = [
        [f"{k}", *(f"{row[name]}" for name in counted.columns)] for k, row in counted.iterrows()
    ]
    table = markdown(["k", "FSMJ ahead", "open", "FSMJ behind"], rows)
    setback = (
        f"It is significantly behind some at k = {_listed(lost)}." if lost
        else "It is significantly behind none."
    )  # fmt: skip
    return (
        f"- *A significant margin over all: the claim {verdict}* (paired tests on the same "
        f"documents, {SIGNIFICANT:.0%} after Holm's correction). {setback} Of the classical "
        f"rankings:\n\n{table}"
    )


def _few_terms(own: pd.Series[float], rivals: pd.DataFrame) -> str:
    few = rivals.index[rivals.index < min(AVERAGED_OVER)]
    mean = rivals.loc[few].mean()
    if mean.dropna().empty:
        return ""
    best = str(mean.idxmax())
    to_200 = [k for k in own.index if k <= FEW_TERMS]
    behind = [k for k in to_200 if own[k] < rivals[best][k]]
    text = (
        f"- *Few terms.* Below k = {min(AVERAGED_OVER)}, the best classical ranking on average is "
        f"{best} with {mean[best]:.3f}, FSMJ has {own.loc[few].mean():.3f}. "
    )
    if not behind:
        return text + f"FSMJ is behind it at none of the {len(to_200)} numbers to {FEW_TERMS}."
    return (
        f"{text}FSMJ is behind it at {len(behind)} of the {len(to_200)} numbers of terms to "
        f"{FEW_TERMS}, the last time at k = {max(behind)}."
    )


def _rest_cell(curves: pd.DataFrame) -> str:
    pair = _by_size(curves[(curves["method"] == "fsmj") & (curves["variant"] == "")])
    if pair.shape[1] != 2:
        return ""
    without, given = pair[_FSMJ], pair[_WITH_REST]
    sizes = [k for k in COMPARED_AT if k in pair.index]
    gain = given - without
    better, worse = [k for k in sizes if gain[k] > 0], [k for k in sizes if gain[k] < 0]
    effects = [f"raises FSMJ's accuracy at k = {_listed(better)}"] if better else []
    effects += [f"lowers it at k = {_listed(worse)}"] if worse else []
    if not effects:
        return ""
    widest = max(sizes, key=lambda k: abs(gain[k]))
    return (
        "- *The rest cell.* FSMJ scores the selected terms together with all others as one cell, "
        f"the classifier sees the selected ones only. To give it that cell too "
        f"{' and '.join(effects)}; the largest change is at k = {widest}, from "
        f"{without[widest]:.3f} to {given[widest]:.3f}."
    )


def _beyond(mean: pd.DataFrame) -> str:
    """Name what is not in the paper and does better than FSMJ as it is in the paper."""
    papers = is_papers(mean)
    own, others = mean.loc[papers & (mean["method"] == "fsmj"), "accuracy"], mean[~papers]
    if own.dropna().empty or others["accuracy"].dropna().empty:
        return ""
    better = others[others["accuracy"] > own.iloc[0]]
    if better.empty:
        return "- *Beyond the paper.* No variant and no outside method has a higher average."
    named = [
        f"{label} ({accuracy:.4f})"
        for label, accuracy in zip(labels_of(better), better["accuracy"], strict=True)
    ]
    return f"- *Beyond the paper.* A higher average than FSMJ's have: {'; '.join(named)}."


def _clearly_better(compared: pd.DataFrame) -> str:
    """Name the outside methods that are significantly ahead of FSMJ, and where."""
    outside = ~is_papers(compared) & (compared["method"] != "fsmj") & ~compared["rest"]
    better = compared[outside & (compared["verdict"] == "behind")]
    named = [
        f"{label} (k = {_listed(sorted(run['k']))})"
        for label, run in better.groupby(labels_of(better), sort=True)
    ]
    if not named:
        return "- *Outside methods.* None is significantly ahead of FSMJ at any tested k."
    return f"- *Outside methods.* Significantly ahead of FSMJ are {'; '.join(named)}."


def _listed(numbers: Sequence[object]) -> str:
    words = [str(number) for number in numbers]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
