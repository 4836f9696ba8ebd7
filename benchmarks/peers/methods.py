"""The methods compared: each takes sparse counts and labels, and gives columns.

A package that needs a dense matrix gets one, and pays for it. Packages are imported when a method
runs, so that one that is missing stops no other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Columns = NDArray[np.int64]
Select = Callable[[csr_array, NDArray[Any], int], Columns]


class Method(NamedTuple):
    """A way to choose terms, as a row of `METHODS`."""

    title: str
    package: str
    """The distribution it comes from, as pip knows it."""
    select: Select
    """Takes ``X, y, n_terms``."""
    ordered: bool = True
    """Whether the columns come best first; if not, each number of terms needs a call of its own."""


def fsmj_rank(method: str) -> Select:
    """Count, then rank."""

    def select(X: csr_array, y: NDArray[Any], n_terms: int) -> Columns:
        import fsmj

        return fsmj.rank(fsmj.ClassTermCounts.from_matrix(X, y), method, n_terms).order

    return select


def fsmj_documents(method: str) -> Select:
    """Rank from the documents."""

    def select(X: csr_array, y: NDArray[Any], n_terms: int) -> Columns:
        import fsmj

        return fsmj.rank_documents(X, y, method, n_terms).order

    return select


def select_k_best(score: str) -> Select:
    """Fit scikit-learn's `SelectKBest` with one of its scores."""

    def select(X: csr_array, y: NDArray[Any], n_terms: int) -> Columns:
        from sklearn import feature_selection

        scores = (
            feature_selection.SelectKBest(getattr(feature_selection, score), k=n_terms)
            .fit(X, y)
            .scores_
        )
        # Ties as SelectKBest breaks them; words without a score come last there, too.
        comparable = np.where(np.isnan(scores), -np.inf, scores)
        return np.argsort(comparable, kind="stable")[::-1][:n_terms]

    return select


def recursive_elimination(X: csr_array, y: NDArray[Any], n_terms: int) -> Columns:
    """Drop a tenth of the words at a time, those with the smallest weights in a linear SVM.

    Naive Bayes would not do as the estimator: its weights are largest for the rarest words.
    """
    from sklearn.feature_selection import RFE
    from sklearn.svm import LinearSVC

    chosen = RFE(LinearSVC(random_state=0), n_features_to_select=n_terms, step=0.1).fit(X, y)
    return np.flatnonzero(chosen.support_)


def mrmr_selection(X: csr_array, y: NDArray[Any], n_terms: int) -> Columns:
    """Run ``mrmr_classif`` in one process, which takes less time than handing the data to two."""
    import pandas as pd
    from mrmr import mrmr_classif

    table = pd.DataFrame(X.toarray())
    return np.array(mrmr_classif(table, pd.Series(y), n_terms, n_jobs=1, show_progress=False))


def scikit_lego(X: csr_array, y: NDArray[Any], n_terms: int) -> Columns:
    """Fit ``MaximumRelevanceMinimumRedundancy``, which wants classes as numbers."""
    from sklego.feature_selection import MaximumRelevanceMinimumRedundancy

    _, codes = np.unique(y, return_inverse=True)
    selector = MaximumRelevanceMinimumRedundancy(n_terms, kind="classification")
    return np.asarray(selector.fit(X.toarray(), codes).selected_features_)


def feature_engine(X: csr_array, y: NDArray[Any], n_terms: int) -> Columns:
    """Fit ``MRMR`` with F-statistic and correlation; its mutual information takes far longer.

    Words that no document contains are left out: it would take them first.
    """
    import pandas as pd
    from feature_engine.selection import MRMR

    table = pd.DataFrame(X.toarray()).iloc[:, np.flatnonzero(X.sum(axis=0))]
    selector = MRMR(method="FCQ", max_features=n_terms).fit(table, pd.Series(y))
    return np.setdiff1d(table.columns, selector.features_to_drop_)


def shifterator(X: csr_array, y: NDArray[Any], n_terms: int) -> Columns:
    """Sum what each word adds to the JS divergence between one class and the rest, over classes.

    The sum gives better words than the maximum.
    """
    import collections
    import collections.abc

    # Shifterator 0.3.0 asks for a name that Python 3.10 moved.
    collections.Mapping = collections.abc.Mapping  # type: ignore[attr-defined]
    from shifterator import JSDivergenceShift

    total, scores = X.sum(axis=0), np.zeros(X.shape[1])
    for class_ in np.unique(y):
        own = X[y == class_].sum(axis=0)
        shift = JSDivergenceShift(_frequencies(own), _frequencies(total - own))
        scores[list(shift.type2shift_score)] += np.abs(list(shift.type2shift_score.values()))
    return np.argsort(-scores, kind="stable")[:n_terms]


def _frequencies(counts: NDArray[Any]) -> dict[int, int]:
    present = np.flatnonzero(counts)
    return dict(zip(present.tolist(), counts[present].tolist(), strict=True))


METHODS: dict[str, Method] = {
    "fsmj": Method("fsmj: FSMJ", "fsmj", fsmj_rank("fsmj")),
    "ig": Method("fsmj: information gain", "fsmj", fsmj_rank("ig")),
    "cmim": Method("fsmj: CMIM", "fsmj", fsmj_documents("cmim")),
    "cll": Method("fsmj: CLL", "fsmj", fsmj_documents("cll")),
    "chi2": Method("scikit-learn: chi2", "scikit-learn", select_k_best("chi2")),
    "f_classif": Method("scikit-learn: f_classif", "scikit-learn", select_k_best("f_classif")),
    "mutual_info": Method(
        "scikit-learn: mutual_info_classif", "scikit-learn", select_k_best("mutual_info_classif")
    ),
    "rfe": Method("scikit-learn: RFE", "scikit-learn", recursive_elimination, ordered=False),
    "mrmr_selection": Method("mrmr_selection", "mrmr_selection", mrmr_selection),
    "scikit_lego": Method("scikit-lego: mRMR", "scikit-lego", scikit_lego),
    "feature_engine": Method(
        "feature-engine: MRMR", "feature-engine", feature_engine, ordered=False
    ),
    "shifterator": Method("shifterator: JSD shift", "shifterator", shifterator),
}
