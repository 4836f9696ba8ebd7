"""Whether one method's lead over another on the same documents is more than luck."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


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
