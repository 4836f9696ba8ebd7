"""Rankings of others, to compare with: rows like those of `fsmj.METHODS`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fsmj.documents import Documents
from fsmj.methods.ranked import Ranked
from fsmj.methods.table import METHODS, Method


def _ranked(scores: NDArray[np.float64], n_terms: int | None) -> Ranked:
    """Rank by scores, the largest first; the lowest column among equals, NaN last."""
    order = np.argsort(np.where(np.isnan(scores), np.inf, -scores), kind="stable")[:n_terms]
    return Ranked(order, scores[order])


def _chi2(documents: Documents, n_terms: int | None) -> Ranked:
    from sklearn.feature_selection import chi2

    return _ranked(chi2(documents.X, documents.codes)[0], n_terms)


def _mutual_info(documents: Documents, n_terms: int | None) -> Ranked:
    from sklearn.feature_selection import mutual_info_classif

    # It sorts the labels anew for each term, and numbers sort faster than names.
    scores = mutual_info_classif(
        documents.X, documents.codes, discrete_features=True, random_state=0
    )
    return _ranked(scores, n_terms)


OUTSIDE: dict[str, Method] = {
    "sklearn-chi2": Method(
        "scikit-learn's chi2", "scikit-learn chi2", _chi2, "documents", marker="1"
    ),
    "sklearn-mutual-info": Method(
        "scikit-learn's mutual_info_classif", "scikit-learn mutual_info_classif", _mutual_info,
        "documents", slow=True, marker="2",
    ),
}  # fmt: skip


def row_of(name: str) -> Method:
    """Return the row of a method of ours or of others; a plain one for a name in neither table."""
    return METHODS.get(name) or OUTSIDE.get(name) or Method(name, name, _unknown)


def _unknown(*_: object) -> Ranked:
    raise ValueError("this method is known from results only")
