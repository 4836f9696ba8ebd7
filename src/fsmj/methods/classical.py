"""The classical scores as methods: every term scored on its own, the best first."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, vstack

from fsmj.counts import ClassTermCounts
from fsmj.methods.ranked import Ranked
from fsmj.scores import CLASS_SCORES, Aggregate, DocumentTable, combined

_BLOCK = 1 << 20  # cells of a dense table at a time


def rank_df(counts: ClassTermCounts, n_terms: int) -> Ranked:
    """Rank by the number of documents with the term."""
    return best_first(counts, counts.docs_per_term.astype(np.float64), n_terms)


def by_class(name: str) -> Callable[..., Ranked]:
    """Return the function that ranks by one of `fsmj.scores.CLASS_SCORES`."""

    def rank_scores(
        counts: ClassTermCounts, n_terms: int, *, aggregate: Aggregate = "max"
    ) -> Ranked:
        return best_first(counts, term_scores(counts, name, aggregate), n_terms)

    return rank_scores


def term_scores(
    counts: ClassTermCounts, method: str, aggregate: Aggregate = "max"
) -> NDArray[np.float64]:
    """Score every term by one of `fsmj.scores.CLASS_SCORES`, from the numbers of documents.

    Examples
    --------
    >>> import fsmj
    >>> counts = fsmj.ClassTermCounts.from_matrix([[2, 1], [0, 1], [0, 1]], [0, 1, 1])
    >>> term_scores(counts, "chi2").round(3)
    array([3., 0.])
    """
    from fsmj.methods._columns import distinct_columns

    # Terms with the same numbers score the same: work each case out once.
    total = csc_array(counts.docs_per_term[None, :])
    distinct, group = distinct_columns(csc_array(vstack([counts.doc_counts, total], format="csc")))
    n_docs = float(counts.n_docs)
    of_class = counts.docs_per_class.astype(np.float64)[:, None]
    scores = np.empty(distinct.shape[1])
    step = max(1, _BLOCK // counts.n_classes)
    for first in range(0, len(scores), step):
        block = distinct[:, first : first + step].toarray()
        table = DocumentTable(block[:-1], block[-1:], of_class, n_docs)
        scores[first : first + step] = combined(CLASS_SCORES[method](table), table, aggregate)
    return scores[group]


def best_first(
    counts: ClassTermCounts, scores: NDArray[np.float64], n_terms: int | None = None
) -> Ranked:
    """Take the largest scores first, of equals the lowest column, terms of no document last."""
    # Equal scores must stay equal whatever the order of a machine's sums: 12 digits decide,
    # and what rounding leaves of 0 is 0.
    cleaned = np.where(np.abs(scores) < 1e-14, 0, scores)
    with np.errstate(divide="ignore"):
        digits = np.where(cleaned == 0, 0, np.floor(np.log10(np.abs(cleaned))))
    rounded = np.round(cleaned / 10.0**digits, 12) * 10.0**digits
    order = np.lexsort((-rounded, counts.docs_per_term <= 0))[:n_terms]
    return Ranked(order, scores[order])
