"""The table of what is compared: each row a method, in one of its variants, and how to rank by it.

To try a method of your own, write a function like those below and add a row to a copy of
`CANDIDATES`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj.experiment.problems import Problem
from fsmj.ranking import Ranking, Variant, rank
from fsmj.scores import Aggregate

AGGREGATES: tuple[Aggregate, ...] = ("max", "sum", "average")  # the order of the paper's panels

RankProblem = Callable[[Problem, Aggregate | None, int | None], Ranking]


class Candidate(NamedTuple):
    """A method in one of its variants."""

    method: str
    """What the `method` column of the results says."""
    rank: RankProblem
    """Takes the problem, the aggregate if there is one, and how many terms to rank."""
    variant: str = ""
    """What the `variant` column says; nothing for the usual form."""
    aggregates: tuple[Aggregate | None, ...] = (None,)
    """In how many ways scores per class become one; None where there are no such scores."""
    rest: tuple[bool, ...] = (False,)
    """Whether to measure without the rest cell, with it, or both."""
    n_terms: int | None = None
    """Rank so many terms only."""
    slow: bool = False
    """Begin with these, so that all processes end at about the same time."""


def ranking_of(
    problem: Problem, method: str, scores: NDArray[np.float64], n_terms: int | None
) -> Ranking:
    """Rank by scores, the largest first; the lowest column among equals, NaN last."""
    order = np.argsort(np.where(np.isnan(scores), np.inf, -scores), kind="stable")[:n_terms]
    return Ranking(problem.counts, method, order, scores[order], Variant())


def _by_counts(
    problem: Problem,
    aggregate: Aggregate | None,
    n_terms: int | None,
    *,
    method: str,
    **options: Any,
) -> Ranking:
    return rank(problem.counts, method, n_terms, aggregate=aggregate or "max", **options)


def _by_documents(
    problem: Problem, aggregate: Aggregate | None, n_terms: int | None, *, method: str
) -> Ranking:
    from fsmj.documents import rank_documents

    return rank_documents(problem.X_train, problem.y_train, method, n_terms)


def _sklearn_chi2(problem: Problem, aggregate: Aggregate | None, n_terms: int | None) -> Ranking:
    from sklearn.feature_selection import chi2

    scores, _ = chi2(problem.X_train, problem.y_train)
    return ranking_of(problem, "sklearn-chi2", scores, n_terms)


def _sklearn_mutual_info(
    problem: Problem, aggregate: Aggregate | None, n_terms: int | None
) -> Ranking:
    from sklearn.feature_selection import mutual_info_classif

    # It sorts the labels anew for each term, and numbers sort faster than names.
    _, labels = np.unique(problem.y_train, return_inverse=True)
    scores = mutual_info_classif(problem.X_train, labels, discrete_features=True, random_state=0)
    return ranking_of(problem, "sklearn-mutual-info", scores, n_terms)


def _fsmj(variant: str = "", **options: Any) -> Candidate:
    rank_by = partial(_by_counts, method="fsmj", **options)
    return Candidate("fsmj", rank_by, variant, rest=(False, True))


def _by_class(method: str, variant: str = "", rest: tuple[bool, ...] = (False,)) -> Candidate:
    name = f"{method}-{variant}" if variant else method
    return Candidate(method, partial(_by_counts, method=name), variant, AGGREGATES, rest)


def _documents(method: str, n_terms: int) -> Candidate:
    return Candidate(method, partial(_by_documents, method=method), n_terms=n_terms, slow=True)


CANDIDATES: dict[str, Candidate] = {
    "fsmj": _fsmj(),
    "fsmj-prior": _fsmj("prior", weights="prior"),
    "fsmj-smoothed": _fsmj("smoothed", alpha=1.0),
    # Without smoothing, a term of one class only is infinitely far from the other classes.
    "fsmj-complement": _fsmj("complement", reference="complement", alpha=1.0),
    "df": Candidate("df", partial(_by_counts, method="df"), rest=(False, True)),
    "ig": _by_class("ig", rest=(False, True)),
    "chi2": _by_class("chi2"),
    "rs": _by_class("rs"),
    "cet": _by_class("cet"),
    "ngl": _by_class("ngl"),
    "mi": _by_class("mi"),
    "chi2-printed": _by_class("chi2", "printed"),
    "ngl-printed": _by_class("ngl", "printed"),
    "sklearn-chi2": Candidate("sklearn-chi2", _sklearn_chi2),
    "sklearn-mutual-info": Candidate("sklearn-mutual-info", _sklearn_mutual_info, slow=True),
    "cmim": _documents("cmim", n_terms=2000),
    "cll": _documents("cll", n_terms=500),
}
