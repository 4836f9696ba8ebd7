"""What the paper compares, and the numbers that its text quotes."""

from __future__ import annotations

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
    for topics in (10, 20):
        if problem.split(" (")[0] == f"Reuters-{topics}":
            return QUOTED.get((topics, method, aggregate))
    return None
