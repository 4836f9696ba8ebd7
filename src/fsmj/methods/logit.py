"""logit: the terms that a logistic regression asks for next, a few at a time."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from fsmj.documents import Documents
from fsmj.methods.ranked import Progress, ProgressHook, Ranked

PATIENCE = 1.5  # n_terms="auto" ends once the best number is so many times surpassed
FOLDS = 3

Transform = Literal["log", "tf-idf", "none"]


def rank_logit(
    documents: Documents,
    n_terms: int | Literal["auto"],
    *,
    strength: float = 0.3,
    transform: Transform = "log",
    progress: ProgressHook | None = None,
) -> Ranked:
    r"""Take the terms that a logistic regression on those taken before asks for next.

    With the label indicator Y, the present model's probabilities P and the transformed counts x,
    a term's score is what a step along it promises to add to the penalised log-likelihood,

    .. math::
        \frac{1}{2} \sum_i \frac{G_i^2}{H_i + 1/C}, \qquad
        G_i = o_i - e_i, \quad H_i = q\, m_i \Bigl(1 - \frac{m_i}{n}\Bigr), \quad
        m_i = \frac{o_i + e_i}{2}

    with what is observed, :math:`o_i = \sum_d x_d Y_{di}`, what the model expects,
    :math:`e_i = \sum_d x_d P_{di}`, and :math:`n = \sum_d x_d`, :math:`q = \sum_d x_d^2 / n`: a
    Newton step with the curvature midway to where it leads. One sparse product gives it for all
    terms. The best are taken, and the model is fitted again from where it ended.

    C is the option `strength`. Counts are transformed to log(1 + count), to that times the inverse
    document frequency with rows of length 1 ("tf-idf"), or not at all. The number of terms "auto"
    is as many as raise the likelihood of held-out documents.

    Returns
    -------
    Ranked
        Scores that differ by less than 1e-9 of the step's best count as equal; then the lowest
        column wins. Terms that no document contains come last, by column.

    Notes
    -----
    The first `SINGLE` terms are taken one by one, later ones `SHARE` of those taken at a time: the
    number of fits then grows with the logarithm of the number of terms.
    """
    from fsmj.methods._logit import Run, transformed

    report = Progress(progress)
    if not documents.weight.all():
        documents = documents.take(np.flatnonzero(documents.weight))
    x = transformed(documents.X, transform, documents.weight)
    if n_terms == "auto":
        n_terms = _best_size(documents, x, strength, report)
    present = np.flatnonzero(documents.counts.docs_per_term > 0)
    empty = np.flatnonzero(documents.counts.docs_per_term <= 0)
    run = Run(x, documents.codes, documents.weight, strength)
    report.plan(n_terms)
    while len(run.order) < min(n_terms, len(present)):
        before = len(run.order)
        run.extend(min(n_terms, len(present)))
        report.advance(len(run.order) - before)
    rest = empty[: n_terms - len(run.order)]
    report.advance(len(rest))
    order = np.append(run.order, rest)
    return Ranked(order, np.append(run.scores, np.zeros(len(rest))))


def _best_size(documents: Documents, x: csr_array, strength: float, report: Progress) -> int:
    """Return the number of terms with which held-out documents are most likely."""
    from fsmj.methods._logit import Run

    trials = []
    for fold in documents.folds(FOLDS):
        learnt = np.unique(documents.codes[fold.train])
        held = fold.held[np.isin(documents.codes[fold.held], learnt)]
        if len(learnt) < 2 or len(held) == 0:
            continue
        labels = np.searchsorted(learnt, documents.codes)
        run = Run(x[fold.train], labels[fold.train], documents.weight[fold.train], strength)
        trials.append((run, x[held], labels[held], documents.weight[held]))
    if not trials:
        return documents.n_terms
    best, best_size, size = -np.inf, 0, 0
    limit = min(int((run.seen > 0).sum()) for run, *_ in trials)
    while size < limit and size <= max(PATIENCE * best_size, best_size + 20):
        likelihood = 0.0
        report.plan(1)
        for run, held_x, held_labels, weight in trials:
            run.extend(limit)
            likelihood += run.likelihood(held_x, held_labels, weight)
        report.advance(1)
        size = len(trials[0][0].order)
        if likelihood > best:
            best, best_size = likelihood, size
    return best_size
