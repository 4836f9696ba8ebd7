"""Forward selection by logistic regression: the run, and what it works on."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, diags_array

SINGLE = 20  # terms are taken one by one up to this number,
SHARE = 0.05  # then this share of those taken at a time
TIE = 9  # scores that agree to so many digits, relative to the best, are equal
ITERATIONS = 20  # of the solver, a fit: it goes on from the last
COARSE = 2.0**-17  # of the largest coefficient: what is finer differs between processors


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


def without_last_digits(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round numbers to the same digit, a small share of the largest."""
    step = COARSE * 2.0 ** np.frexp(np.abs(numbers).max())[1]
    rounded: NDArray[np.float64] = np.round(numbers / step) * step
    return rounded


def rows_of(x: Any, rows: NDArray[Any]) -> csr_array:
    """Return some rows."""
    return csr_array(x[rows])


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
        # Processors round differently, and fits that go on from each other would magnify that
        # until the rankings differed: so no fit hands its last digits on.
        self.model.coef_, self.model.intercept_ = (
            without_last_digits(fitted) for fitted in (self.model.coef_, self.model.intercept_)
        )
        self.probabilities = self.model.predict_proba(chosen)

    def likelihood(self, x: csr_array, labels: NDArray[np.int64], weight: NDArray[Any]) -> float:
        """Return the log-likelihood of other documents."""
        log_p = self.model.predict_log_proba(csr_array(csc_array(x)[:, self.order]))
        return float(weight @ np.maximum(log_p[np.arange(len(labels)), labels], -700))
