"""FSMJCV: the number of terms chosen by cross-validation over all of them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from fsmj.divergence import require
from fsmj.documents import Documents, Fold
from fsmj.evaluation import Curve, Trial, by_method, fewest_within_error, folds_of, measure, trial
from fsmj.methods.keywords import AnyMethod
from fsmj.selection import Selector

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(method: Any) -> Any:
        """Leave the method as it is."""
        return method


Scoring = Literal["accuracy", "f1_macro", "neg_log_loss"]


class FSMJCV(AnyMethod, CallbackSupportMixin, Selector):  # type: ignore[misc]
    """A selector that chooses the number of terms itself.

    Naive Bayes is cross-validated on every prefix of the ranking, in one sweep a fold; then the
    terms are ranked on all documents and the best number of them is kept.

    Parameters
    ----------
    cv : int, splitter or iterable, default=5
        The folds; stratified where it is a number.
    scoring : {"accuracy", "f1_macro", "neg_log_loss"}, default="accuracy"
        What is to be highest.
    method : str, default="fsmj"
        A key of `fsmj.METHODS`.
    one_standard_error : bool, default=False
        Take the fewest terms whose mean score lies within one standard error of the best, instead
        of the best.
    keep_rest : bool, default=False
        Append the rest of the document as one more column, and let naive Bayes see it.
    n_jobs : int, optional
        How many folds to rank at a time, as in scikit-learn.
    verbose : bool, default=False
        Report each fold on standard error. scikit-learn's callbacks, where the installed
        version has them, work too: ``set_callbacks(ProgressBar())``.
    **options
        Those of the method, as for `fsmj.rank`.

    Attributes
    ----------
    n_features_ : int
        The number chosen.
    cv_results_ : dict of ndarrays
        ``n_features`` and, for each of them, ``mean_test_score``, ``std_test_score`` and each
        fold's ``split0_test_score``, ...
    best_score_ : float
        The mean score at `n_features_`.
    counts_, ranking_, support_, divergence_, explained_divergence_, contributions_
        As those of `FSMJ`, of all documents.

    Examples
    --------
    >>> from fsmj import FSMJCV
    >>> X, y = [[3, 0, 1], [2, 0, 1], [0, 2, 1], [0, 3, 1]], [0, 0, 1, 1]
    >>> FSMJCV(cv=2).fit(X, y).n_features_
    2
    """

    def __init__(
        self,
        cv: Any = 5,
        scoring: Scoring = "accuracy",
        *,
        method: str = "fsmj",
        one_standard_error: bool = False,
        keep_rest: bool = False,
        n_jobs: int | None = None,
        verbose: bool = False,
        **options: Any,
    ) -> None:
        self.cv = cv
        self.scoring = scoring
        self.method = method
        self.one_standard_error = one_standard_error
        self.keep_rest = keep_rest
        self.n_jobs = n_jobs
        self.verbose = verbose
        self._take_options(options)

    n_features_to_select = None
    explained_divergence = None

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, groups: Any = None
    ) -> Self:
        """Choose the number of terms by cross-validation, and rank on all documents.

        Parameters
        ----------
        X, y, sample_weight
            As for `FSMJ.fit`, with one label each; scores are not weighted.
        groups : array-like of shape (n_docs,), optional
            For splitters that keep groups together.

        Returns
        -------
        self
            Fitted.
        """
        require(self.scoring, Scoring, "scoring")
        documents = self._documents(X, y, sample_weight, reset=True)
        if not documents.has_one_label_each:
            raise ValueError("cross-validation needs one label per document; use FSMJ with several")
        tried = self._tried(documents, folds_of(documents, self.cv, groups))
        curve = measure(tried, keep_rest=self.keep_rest, log_loss=self.scoring == "neg_log_loss")
        scores = np.array([_score(part, self.scoring) for part in curve.parts or (curve,)])
        self._choose(curve.ks, scores)
        if self.verbose:
            self._say(curve.ks, scores)
        self._fit(documents)
        return self

    def _tried(self, documents: Documents, folds: list[Fold]) -> Iterator[Trial]:
        from joblib import Parallel, delayed

        # A slow method ranks no more terms in a fold than in a comparison.
        ranker = by_method(self.method, **self._options())
        jobs = (delayed(trial)(documents, ranker, fold) for fold in folds)
        yield from self._reported(Parallel(self.n_jobs, return_as="generator")(jobs), len(folds))

    def _size(self) -> int:
        check_is_fitted(self, "n_features_")
        return self.n_features_

    def _say(self, ks: NDArray[np.int64], scores: NDArray[np.float64]) -> None:
        for number, row in enumerate(scores, 1):
            best = row.argmax()
            print(
                f"fold {number} of {len(scores)}: {self.scoring} {row[best]:.4f} "
                f"with {ks[best]} terms",
                file=sys.stderr,
            )

    def _reported(self, tried: Iterable[Trial], n_folds: int) -> Iterator[Trial]:
        """Pass the trials on, telling scikit-learn's callbacks of each where it has them."""
        if not hasattr(self, "_init_callback_context"):
            yield from tried
            return
        root, remaining = self._init_callback_context(max_subtasks=n_folds), iter(tried)
        root.call_on_fit_task_begin(estimator=self)
        for _ in range(n_folds):
            task = root.subcontext(task_name="fold")
            task.call_on_fit_task_begin(estimator=self)
            yield next(remaining)
            task.call_on_fit_task_end(estimator=self)
        root.call_on_fit_task_end(estimator=self)

    def _choose(self, ks: NDArray[np.int64], scores: NDArray[np.float64]) -> None:
        mean, deviation = scores.mean(axis=0), scores.std(axis=0)
        best = fewest_within_error(scores) if self.one_standard_error else int(mean.argmax())
        self.n_features_ = int(ks[best])
        self.best_score_ = float(mean[best])
        self.cv_results_ = {
            "n_features": ks,
            "mean_test_score": mean,
            "std_test_score": deviation,
            **{f"split{f}_test_score": row for f, row in enumerate(scores)},
        }


def _score(curve: Curve, scoring: Scoring) -> NDArray[np.float64]:
    if scoring == "neg_log_loss":
        assert curve.log_loss is not None
        return -curve.log_loss
    return curve.accuracy if scoring == "accuracy" else curve.macro_f1
