"""Methods that need the documents themselves, not only their counts: ``cll`` and ``cmim``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from fsmj._matrix import documents_of, membership_of
from fsmj.counts import ClassTermCounts
from fsmj.likelihood import CHUNK, ProgressHook, Report, Run, Setting, best_trial
from fsmj.ranking import Ranking, Variant

TEMPERATURES = (1.0, 0.5, 0.3, 0.2, 0.1)  # what temperature="auto" chooses from, in this order
PILOT_TERMS = 100  # temperatures are compared after so many terms, or n_terms if that is less


@dataclass(frozen=True, eq=False)
class DocumentRanking:
    """Terms in the order in which a method takes them.

    Attributes
    ----------
    order : ndarray of shape (n_ranked,)
        Columns, best first.
    scores : ndarray of shape (n_ranked,)
        The method's score of each at its step, in nats.
    """

    order: NDArray[np.int64]
    scores: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LikelihoodRanking(DocumentRanking):
    """What `cll` returns; the score of a term is the likelihood that it adds.

    Attributes
    ----------
    likelihood : ndarray of shape (n_ranked,)
        The conditional log-likelihood of the training documents under each prefix.
    temperature : float
        The temperature given, or chosen.
    """

    likelihood: NDArray[np.float64]
    temperature: float


class DocumentMethod(NamedTuple):
    """A way to rank from documents, as a row of `DOCUMENT_METHODS`."""

    title: str
    rank: Callable[..., DocumentRanking]
    """Takes ``X, y, n_terms`` and, by name, ``progress`` and options of its own."""


def cll(
    X: Any,
    y: Any,
    n_terms: int | Literal["auto"] | None = None,
    *,
    temperature: float | Literal["auto"] = "auto",
    alpha: float = 1.0,
    screen: int | None = None,
    start: Iterable[int] = (),
    progress: ProgressHook | None = None,
) -> LikelihoodRanking:
    r"""Take the terms with which naive Bayes explains the labels best, one by one.

    Multinomial naive Bayes on the selected terms S gives a document with counts x the scores

    .. math::
        s_i = \log \pi_i + T \sum_{m \in S} x_m
              \Bigl[\log(c_{im} + \alpha) - \log \sum_{m \in S} (c_{im} + \alpha)\Bigr]

    and each step adds the term that most raises the conditional log-likelihood
    :math:`\sum_d \log \mathrm{softmax}(s(d))_{y_d}` of the training documents.

    Parameters
    ----------
    X : {array-like, sparse matrix or array} of shape (n_docs, n_terms)
        Counts, or any non-negative values.
    y : array-like of shape (n_docs,)
        The label of each document; one only.
    n_terms : int or "auto", optional
        Take so many; all by default. With "auto", as many as raise the likelihood of held-out
        documents.
    temperature : float or "auto", default="auto"
        T, positive. Naive Bayes takes dependent terms for independent ones; a T below 1 makes up
        for its overconfidence. With "auto", the one of `TEMPERATURES` under which terms chosen on
        two thirds of the documents give the other third the highest likelihood.
    alpha : float, default=1.0
        Added to every count; positive.
    screen : int, optional
        Look only at so many candidates in a step: those whose gain is largest to first order.
        Faster by a little, and no longer exact; at T near 1 the likelihood suffers.
    start : iterable of int, optional
        Columns to take first, in this order, such as the head of another ranking.
    progress : callable, optional
        Called as ``progress(done, total)``, in steps; `total` grows if more turn out to be needed.

    Returns
    -------
    LikelihoodRanking
        Gains that differ by less than 1e-11 nats per document count as equal; then the lowest
        column wins. Terms that no document contains come last, by column.

    Notes
    -----
    The likelihood is concave in the scores, so a term's gain to first order is an upper bound of
    its gain. It comes for all terms from one pass over the documents; candidates are evaluated
    from the largest down until no bound reaches the best gain. So the choice is that among all
    terms.

    One term alone leaves the likelihood at that of the priors, whichever it is. The first is
    therefore the one that most documents contain, against which later ones can be measured.

    Held-out likelihood, not accuracy, decides on the temperature: it is the criterion itself, and
    has one clear peak where accuracy is flat within its error. So temperatures are tried from 1
    downwards while it rises. The documents of each class go to the folds in turn; the only one
    of a class is never held out.

    Examples
    --------
    >>> from fsmj.documents import cll
    >>> X = [[3, 0, 1, 1], [2, 0, 0, 1], [0, 2, 1, 1], [0, 3, 0, 1]]
    >>> cll(X, ["wheat", "wheat", "gold", "gold"], temperature=1.0).order
    array([3, 0, 1, 2])
    """
    documents, labels = _single_label(X, y, "cll")
    n_docs, vocabulary = documents.shape
    size = None if n_terms == "auto" else _size_of(n_terms, vocabulary)
    temperatures: tuple[float, ...] = TEMPERATURES
    if temperature != "auto":
        temperatures = (_positive(temperature, "temperature", " or 'auto'"),)
    if screen is not None and screen < 1:
        raise ValueError(f"screen must be 1 or more; got {screen}")
    setting = Setting(
        _positive(alpha, "alpha"),
        vocabulary if screen is None else screen,
        _prefix_of(start, vocabulary),
        Report(progress),
    )
    best = None
    if vocabulary and (size is None or len(temperatures) > 1):
        depth = min(PILOT_TERMS, vocabulary if size is None else size)
        best = best_trial(documents, labels, temperatures, setting, depth)
        if size is None:
            size = max(best.peak(), len(setting.prefix))
    chosen = temperatures[0] if best is None else best.temperature
    run = Run(documents, labels, chosen, setting)
    setting.report.plan(size or 0)
    run.extend(size or 0)
    before = np.log(np.bincount(labels) / n_docs)[labels].sum()
    return LikelihoodRanking(
        run.order, np.diff(run.likelihood, prepend=before), run.likelihood, chosen
    )


def cmim(
    X: Any,
    y: Any,
    n_terms: int | None = None,
    *,
    progress: ProgressHook | None = None,
) -> DocumentRanking:
    r"""Take the terms that tell most of the class beside every term taken before.

    With X_m the presence of term m in a document and Y its class, each step takes the term of
    the largest

    .. math::
        \min\bigl( I(Y; X_m), \min_{s \in S} I(Y; X_m \mid X_s) \bigr)

    Parameters
    ----------
    X : {array-like, sparse matrix or array} of shape (n_docs, n_terms)
        Counts, or any non-negative values; only which are positive matters.
    y : array-like of shape (n_docs,)
        The label of each document; one only.
    n_terms : int, optional
        Take so many; all by default.
    progress : callable, optional
        Called as ``progress(done, total)`` in steps.

    Returns
    -------
    DocumentRanking
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

    Examples
    --------
    >>> from fsmj.documents import cmim
    >>> X = [[1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 0, 1]]
    >>> cmim(X, ["wheat", "corn", "gold", "silver"]).order
    array([0, 2, 1])
    """
    from fsmj._cmim import grow, start

    documents, labels = _single_label(X, y, "cmim")
    n_docs, vocabulary = documents.shape
    size = _size_of(n_terms, vocabulary)
    presence, state = start(documents, ClassTermCounts.from_matrix(documents, labels), labels)
    empty = np.flatnonzero(state.bounds == -np.inf)
    present = min(size, vocabulary - len(empty))
    order, scores = np.empty(size, np.int64), np.zeros(size)
    order[present:] = empty[: size - present]
    report = Report(progress)
    report.plan(size)
    for first in range(0, present, CHUNK):
        stop = min(first + CHUNK, present)
        grow(presence, state, order[:stop], scores[:stop], first)
        report.advance(stop - first)
    report.advance(size - present)
    return DocumentRanking(order, scores / max(n_docs, 1))


DOCUMENT_METHODS: dict[str, DocumentMethod] = {
    "cll": DocumentMethod("Conditional likelihood", cll),
    "cmim": DocumentMethod("Conditional mutual information", cmim),
}


def rank_documents(
    X: Any,
    y: Any,
    method: str = "cll",
    n_terms: int | Literal["auto"] | None = None,
    *,
    terms: Iterable[str] | None = None,
    **options: Any,
) -> Ranking:
    """Rank terms by a method that looks at the documents, not only at their counts.

    Parameters
    ----------
    X : {array-like, sparse matrix or array} of shape (n_docs, n_terms)
        Counts, or any non-negative values. A data frame names the terms.
    y : array-like of shape (n_docs,)
        The label of each document; one only.
    method : {"cll", "cmim"}, default="cll"
        Conditional likelihood of naive Bayes, or conditional mutual information.
    n_terms : int or "auto", optional
        Rank the best so many; all by default. ``cll`` can choose the number ("auto").
    terms : iterable of str, optional
        The names of the columns.
    **options
        Of `cll` or `cmim`, such as ``temperature`` or ``progress``.

    Returns
    -------
    Ranking
        As of `rank`, with the method's own scores.

    Examples
    --------
    >>> import fsmj
    >>> X, y = [[3, 0, 1], [2, 0, 1], [0, 2, 1], [0, 3, 1]], ["wheat", "wheat", "gold", "gold"]
    >>> fsmj.rank_documents(X, y, "cmim", 1, terms=["crop", "ore", "the"])
    Ranking('cmim', 1 terms: crop)
    """
    if method not in DOCUMENT_METHODS:
        raise ValueError(
            f"unknown method {method!r}; from documents rank {' or '.join(DOCUMENT_METHODS)}, "
            "for the others count the documents and use rank"
        )
    counts = ClassTermCounts.from_matrix(X, y, terms)
    result = DOCUMENT_METHODS[method].rank(X, y, n_terms, **options)
    return Ranking(counts, method, result.order, result.scores, Variant())


def _single_label(X: Any, y: Any, method: str) -> tuple[csr_array, NDArray[np.int64]]:
    """Return the documents, and the labels as numbers from 0 without gaps."""
    documents = documents_of(X)
    _, membership = membership_of(y, documents.shape[0])
    several = np.flatnonzero(np.diff(membership.indptr) != 1)
    if len(several):
        count = int(np.diff(membership.indptr)[several[0]])
        raise ValueError(
            f"{method} takes documents with one label each, but document {several[0]} has {count}; "
            "use a method that works on counts, such as fsmj"
        )
    classes, labels = np.unique(membership.indices, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"{method} needs two classes at least; check the labels")
    return documents, labels.astype(np.int64)


def _positive(value: Any, name: str, else_: str = "") -> float:
    if isinstance(value, str) or not (np.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be a positive number{else_}; got {value}")
    return float(value)


def _size_of(n_terms: Any, vocabulary: int) -> int:
    if n_terms is None:
        return vocabulary
    if isinstance(n_terms, str) or n_terms < 0:
        raise ValueError(f"n_terms must be a number of terms, 0 or more; got {n_terms!r}")
    return min(int(n_terms), vocabulary)


def _prefix_of(start: Iterable[int], vocabulary: int) -> NDArray[np.int64]:
    prefix = np.asarray(list(start))
    if len(prefix) == 0:
        return np.empty(0, np.int64)
    if prefix.dtype.kind not in "iu" or prefix.min() < 0 or prefix.max() >= vocabulary:
        raise ValueError(f"start must list columns; there are {vocabulary}, counted from 0")
    if len(np.unique(prefix)) < len(prefix):
        raise ValueError("start lists a column twice")
    return prefix.astype(np.int64)
