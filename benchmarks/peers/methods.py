"""The methods compared: each takes sparse counts and labels, and gives columns.

A package that needs a dense matrix gets one, and pays for it. Packages are imported when a method
runs, so that one that is missing stops no other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Columns = NDArray[np.int64]
Select = Callable[[csr_array, NDArray[Any], int], Columns]
TINY = 1e-10  # a smaller weight is none
LARGEST_C = 100.0  # where the training documents are fitted, and hardly a word is added
BISECTIONS = 6


class Method(NamedTuple):
    """A way to choose terms, as a row of `METHODS`."""

    title: str
    package: str
    """The distribution it comes from, as pip knows it."""
    select: Select
    """Takes ``X, y, n_terms``; may give fewer columns, if the method finds no more."""
    ordered: bool = True
    """Whether the columns come best first; if not, each number of terms needs a call of its own."""


def fsmj_rank(method: str) -> Select:
    """Take the documents up, then rank."""

    def select(X: csr_array, y: NDArray[Any], n_terms: int) -> Columns:
        import fsmj

        return fsmj.rank(fsmj.Documents(X, y), method, n_terms).order

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
    """Drop a fifth of the words at a time, those with the smallest weights in a linear SVM.

    Naive Bayes would not do as the estimator: its weights are largest for the rarest words.
    """
    from sklearn.feature_selection import RFE
    from sklearn.svm import LinearSVC

    chosen = RFE(LinearSVC(random_state=0), n_features_to_select=n_terms, step=0.2).fit(X, y)
    return np.flatnonzero(chosen.support_)


def l1_svm(X: csr_array, y: NDArray[Any], n_terms: int) -> Columns:
    """Take the words that a linear SVM with an L1 penalty gives a weight."""
    from sklearn.svm import LinearSVC

    def model(C: float) -> Any:
        return LinearSVC(penalty="l1", dual=False, C=C, random_state=0)

    return _weighted(X, y, n_terms, model, "squared_hinge", "coef_")


def l1_logistic(X: csr_array, y: NDArray[Any], n_terms: int) -> Columns:
    """Take the words that a logistic regression with an L1 penalty gives a weight.

    One for each class against the rest, which takes far less time than one for all classes.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    def model(C: float) -> Any:
        return OneVsRestClassifier(
            LogisticRegression(l1_ratio=1, solver="liblinear", C=C, random_state=0)
        )

    def weights(fitted: Any) -> NDArray[Any]:
        return np.vstack([one.coef_ for one in fitted.estimators_])

    return _weighted(X, y, n_terms, model, "log", weights)


def _weighted(
    X: csr_array,
    y: NDArray[Any],
    n_terms: int,
    model: Callable[[float], Any],
    loss: Literal["squared_hinge", "log"],
    weights: Any,
) -> Columns:
    """Fit `SelectFromModel` with the C that gives so many words a weight, or fewer if none does.

    The number of words rises with C, but in jumps: of a few words too many, those with the
    smallest weights are left out.
    """
    from sklearn.feature_selection import SelectFromModel
    from sklearn.svm import l1_min_c

    def chosen(C: float) -> Columns:
        selector = SelectFromModel(model(C), threshold=TINY, importance_getter=weights).fit(X, y)
        return np.flatnonzero(selector.get_support())

    low = l1_min_c(X, y, loss=loss)  # below this, no word has a weight
    high, columns = low, np.empty(0, np.int64)
    while len(columns) < n_terms and high < LARGEST_C:
        low, high = high, min(high * 4, LARGEST_C)
        columns = chosen(high)
    if len(columns) <= n_terms:
        return columns
    for _ in range(BISECTIONS):
        middle = float(np.sqrt(low * high))
        tried = chosen(middle)
        if len(tried) < n_terms:
            low = middle
        else:
            high, columns = middle, tried
        if len(columns) == n_terms:
            return columns
    selector = SelectFromModel(
        model(high), threshold=TINY, max_features=n_terms, importance_getter=weights
    )
    return np.flatnonzero(selector.fit(X, y).get_support())


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
    "bound": Method("fsmj: bound", "fsmj", fsmj_rank("bound")),
    "cmim": Method("fsmj: CMIM", "fsmj", fsmj_rank("cmim")),
    "logit": Method("fsmj: logit", "fsmj", fsmj_rank("logit")),
    "cll": Method("fsmj: CLL", "fsmj", fsmj_rank("cll")),
    "chi2": Method("scikit-learn: chi2", "scikit-learn", select_k_best("chi2")),
    "f_classif": Method("scikit-learn: f_classif", "scikit-learn", select_k_best("f_classif")),
    "mutual_info": Method(
        "scikit-learn: mutual_info_classif", "scikit-learn", select_k_best("mutual_info_classif")
    ),
    "rfe": Method("scikit-learn: RFE", "scikit-learn", recursive_elimination, ordered=False),
    "l1_svm": Method("scikit-learn: L1 linear SVM", "scikit-learn", l1_svm, ordered=False),
    "l1_logistic": Method(
        "scikit-learn: L1 logistic regression", "scikit-learn", l1_logistic, ordered=False
    ),
    "mrmr_selection": Method("mrmr_selection", "mrmr_selection", mrmr_selection),
    "scikit_lego": Method("scikit-lego: mRMR", "scikit-lego", scikit_lego),
    "feature_engine": Method(
        "feature-engine: MRMR", "feature-engine", feature_engine, ordered=False
    ),
    "shifterator": Method("shifterator: JSD shift", "shifterator", shifterator),
}
