"""What the paper compares, on which documents, and the numbers that its text quotes."""

from __future__ import annotations

import os
from typing import Literal

import pandas as pd

from fsmj.datasets import cache, mat, reuters
from fsmj.experiment import Candidate, Problem, all_candidates

Source = Literal["r52", "mat"]
TOPICS = (10, 20)
MIN_DOCS = 4  # "less than 3 documents" of the paper, read so that its 7,789 terms come out
AVERAGED_OVER = tuple(range(100, 2001, 100))
CLASSICAL = ("df", "ig", "chi2", "rs", "cet", "ngl", "mi")
"""Its text names MI and its equations DF among the six; both are taken."""

QUOTED: dict[tuple[int, str, str], float] = {
    (10, "ngl", "sum"): 0.76,
    (10, "cet", "average"): 0.89,
    (10, "ngl", "average"): 0.77,
    (20, "ngl", "sum"): 0.60,
    (20, "cet", "average"): 0.85,
    (20, "ngl", "average"): 0.73,
}
"""Average accuracies of section IV: by number of topics, method and aggregate."""


def quoted(problem: str, method: str, aggregate: str) -> float | None:
    """Return what the paper quotes on Reuters-10 or Reuters-20; None for anything else.

    Examples
    --------
    >>> quoted("Reuters-20 (R52)", "ngl", "sum")
    0.6
    """
    for topics in TOPICS:
        if problem.split(" (")[0] == f"Reuters-{topics}":
            return QUOTED.get((topics, method, aggregate))
    return None


def is_papers(table: pd.DataFrame) -> pd.Series[bool]:
    """Tell which rows are of the runs that the paper compares."""
    known = table["method"].isin(["fsmj", *CLASSICAL])
    return known & (table["variant"] == "") & ~table["rest"]


def candidates() -> dict[str, Candidate]:
    """Return all that can be compared, and the rest cell for the best rivals with few terms."""
    known = all_candidates()
    rivals = [one._replace(rest=True) for one in known.values() if one.key in ("df", "ig")]
    return known | {rival.name: rival for rival in rivals}


def problems_from(source: Source) -> list[Problem]:
    """Load Reuters-10 and Reuters-20.

    Both have the same terms: those in at least 4 training documents of Reuters-20.
    """
    if source == "mat":
        return [Problem(*reuters(topics, "mat")) for topics in TOPICS]
    larger = reuters(TOPICS[1], min_docs=MIN_DOCS)
    return [Problem(*reuters(TOPICS[0], terms=larger.train.terms)), Problem(*larger)]


def sources_at_hand() -> list[Source]:
    """Return R52, and the paper's matrix if it is on this machine."""
    supplied = bool(os.environ.get("FSMJ_REUTERS_MAT"))
    cached = (cache.folder() / mat.NAME).exists()
    return ["r52", "mat"] if supplied or cached else ["r52"]
