"""How many terms are enough: the divergence they reach, and how well naive Bayes does with them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from fsmj.evaluation import Trial, measure
from fsmj.ranking import Ranking
from fsmj.reporting.names import name_of
from fsmj.reporting.summary import AccuracyCurve, DivergenceCurve, Ints, Milestone

WITHOUT_REST, WITH_REST = "selected words alone", "with the rest as one more word"
MILESTONES = (0.5, 0.8, 0.95)
_EVERY, _POINTS = 100, 300  # a drawn line has all k to the first, and so many more


def divergence_curve(ranking: Ranking) -> DivergenceCurve:
    """Return the explained share at the sizes that a line on a page needs."""
    ks = drawn_sizes(len(ranking))
    terms = tuple(name_of(term) for term in ranking.terms[ks - 1])
    explained = ranking.explained
    milestones = [
        Milestone(share, int((explained >= share).argmax()) + 1)
        for share in MILESTONES
        if explained[-1] >= share
    ]
    return DivergenceCurve(ks, explained[ks - 1], terms, tuple(milestones))


def accuracy_curves(trials: Sequence[Trial]) -> tuple[AccuracyCurve, AccuracyCurve]:
    """Measure naive Bayes over the number of terms, without and with the rest cell."""
    return (
        _accuracy_curve(trials, WITHOUT_REST, keep_rest=False),
        _accuracy_curve(trials, WITH_REST, keep_rest=True),
    )


def _accuracy_curve(trials: Sequence[Trial], label: str, *, keep_rest: bool) -> AccuracyCurve:
    with warnings.catch_warnings():
        # The page says so itself.
        warnings.filterwarnings("ignore", message=".* documents count as errors")
        curve = measure(trials, keep_rest=keep_rest)
    ks, mean = curve.ks, curve.accuracy
    if len(trials) > 1:
        scores = np.array([part.accuracy for part in curve.parts])
        spread = scores.std(axis=0)
        error = scores.std(axis=0, ddof=1) / np.sqrt(len(trials))
    else:
        spread = error = np.sqrt(mean * (1 - mean) / trials[0].held.n_docs)
    best = int(mean.argmax())
    enough = int((mean >= mean[best] - error[best]).argmax())
    shown = np.flatnonzero(np.isin(ks, [*drawn_sizes(int(ks[-1])), ks[best], ks[enough]]))
    return AccuracyCurve(
        label, ks[shown], mean[shown], spread[shown],
        int(ks[best]), float(mean[best]), int(ks[enough]), float(mean[enough]),
    )  # fmt: skip


def drawn_sizes(n_terms: int) -> Ints:
    """Return where a line has points: at every k at first, then ever fewer."""
    every = np.arange(1, min(n_terms, _EVERY) + 1)
    rest = np.geomspace(_EVERY, max(n_terms, _EVERY), _POINTS).round().astype(np.int64)
    sizes = np.union1d(every, rest)
    return sizes[sizes <= n_terms]
