"""logit: the terms that a logistic regression asks for next, a few at a time."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, diags_array

from fsmj.documents import Documents
from fsmj.methods.ranked import Progress, ProgressHook, Ranked

PATIENCE = 1.5  # n_terms="auto" ends once the best number is so many times surpassed
FOLDS = 3
SINGLE = 20  # terms are taken one by one up to this number,
SHARE = 0.05  # then this share of those taken at a time
TIE = 9  # scores that agree to so many digits, relative to the best, are equal
ITERATIONS = 20  # of the solver, a fit: it goes on from the last

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


def transformed(counts: csr_array, transform: str, weight: NDArray[Any]) -> csr_array:
    """Return the counts as the classifier will see them; a document of weight 2 is two."""
    x = csr_array(counts, dtype=np.float64, copy=True)
    if transform == "none":
        return x
    x.data = np.log1p(x.data)
    if transform == "tf-idf":
        of_cell = np.repeat(weight, np.diff(x.indptr))
        containing = np.bincount(x.indices, of_cell, minlength=x.shape[1])
        x = csr_array(x @ diags_array(np.log((1 + weight.sum()) / (1 + containing)) + 1))
        length = np.sqrt(np.asarray(x.multiply(x).sum(axis=1)).ravel())
        x = csr_array(diags_array(1 / np.where(length > 0, length, 1)) @ x)
    return x


class Run:
    """A forward selection over some documents, which can be carried on."""

    def __init__(
        self, x: csr_array, labels: NDArray[np.int64], weight: NDArray[Any], strength: float
    ) -> None:
        from sklearn.linear_model import LogisticRegression

        self.x, self.labels, self.weight = csc_array(x), labels, np.asarray(weight, np.float64)
        self.turned = csr_array(x.T)
        self.seen = np.diff(self.x.indptr)  # documents with each term
        self.free = self.seen > 0
        self.indicator = np.eye(int(labels.max()) + 1)[labels]
        self.observed = self.turned @ (self.weight[:, None] * self.indicator)
        self.total = np.where(self.free, self.turned @ self.weight, 1)[:, None]
        self.size = (csr_array(x.multiply(x).T) @ self.weight)[:, None] / self.total
        self.strength = strength
        self.model = LogisticRegression(
            C=strength, warm_start=True, max_iter=ITERATIONS, tol=1e-3, solver="lbfgs"
        )
        prior = self.weight @ self.indicator
        self.probabilities = np.tile(prior / prior.sum(), (len(labels), 1))
        self.order, self.scores = np.empty(0, np.int64), np.empty(0)

    def extend(self, n_terms: int) -> None:
        """Take the next few terms, not more than there may be."""
        size = 1 if len(self.order) < SINGLE else int(SHARE * len(self.order)) or 1
        scores = self.score()
        best = scores.max()
        rounded = np.round(scores / best, TIE) if best > 0 else np.where(self.free, 0.0, -1.0)
        size = min(size, n_terms - len(self.order), int(self.free.sum()))
        taken = np.argsort(-rounded, kind="stable")[:size]
        self.order = np.append(self.order, taken)
        self.scores = np.append(self.scores, np.maximum(scores[taken], 0))
        self.free[taken] = False
        self.fit(size)

    def score(self) -> NDArray[np.float64]:
        """Return what a step along each free term promises to add; -1 for the others."""
        slope = self.turned @ (self.weight[:, None] * (self.indicator - self.probabilities))
        middle = self.observed - slope / 2
        curvature = self.size * middle * (1 - middle / self.total) + 1 / self.strength
        scores = 0.5 * (slope * slope / curvature).sum(axis=1)
        return np.where(self.free, scores, -1.0)

    def fit(self, added: int) -> None:
        """Fit the model to the terms taken, the last `added` of them new."""
        from sklearn.exceptions import ConvergenceWarning

        if hasattr(self.model, "coef_"):
            new = np.zeros((len(self.model.coef_), added))
            self.model.coef_ = np.hstack([self.model.coef_, new])
        chosen = csr_array(self.x[:, self.order])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # it goes on in the next fit
            self.model.fit(chosen, self.labels, sample_weight=self.weight)
        self.probabilities = self.model.predict_proba(chosen)

    def likelihood(self, x: csr_array, labels: NDArray[np.int64], weight: NDArray[Any]) -> float:
        """Return the log-likelihood of other documents."""
        log_p = self.model.predict_log_proba(csr_array(csc_array(x)[:, self.order]))
        return float(weight @ np.maximum(log_p[np.arange(len(labels)), labels], -700))
