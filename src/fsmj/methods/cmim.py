"""cmim: the terms that tell most of the class beside every term taken before."""

from __future__ import annotations

import numpy as np

from fsmj._interruptible import shielded
from fsmj.documents import Documents
from fsmj.methods.ranked import Progress, ProgressHook, Ranked

CHUNK = 10  # steps from one report of progress to the next


def rank_cmim(
    documents: Documents, n_terms: int, *, progress: ProgressHook | None = None
) -> Ranked:
    r"""Take the terms that tell most of the class beside every term taken before.

    With X_m the presence of term m in a document and Y its one class, each step takes the term of
    the largest

    .. math::
        \min\bigl( I(Y; X_m), \min_{s \in S} I(Y; X_m \mid X_s) \bigr)

    Returns
    -------
    Ranked
        Scores that differ by less than 1e-12 nats count as equal; then the lowest column wins.
        Terms that no document contains come last, by column, with a score of 0.

    Notes
    -----
    A score only falls as terms are taken. So an old score is an upper bound, and most candidates
    are never compared with most of the terms taken; the result is the same.

    References
    ----------
    F. Fleuret, "Fast Binary Feature Selection with Conditional Mutual Information", Journal of
    Machine Learning Research 5, 2004, 1531-1555. Here the class may have any number of values.
    """
    from fsmj.methods._cmim import grow, start

    labels, vocabulary = documents.codes, documents.n_terms
    presence, state = start(documents.X, documents.counts, labels)
    empty = np.flatnonzero(state.bounds == -np.inf)
    present = min(n_terms, vocabulary - len(empty))
    order, scores = np.empty(n_terms, np.int64), np.zeros(n_terms)
    order[present:] = empty[: n_terms - present]
    report = Progress(progress)
    report.plan(n_terms)
    for first in range(0, present, CHUNK):
        stop = min(first + CHUNK, present)
        shielded(grow, presence, state, order[:stop], scores[:stop], first)
        report.advance(stop - first)
    report.advance(n_terms - present)
    return Ranked(order, scores / max(documents.n_docs, 1))
