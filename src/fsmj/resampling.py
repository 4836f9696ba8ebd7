"""How sure a ranking is: the same ranking of documents drawn again and again."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from fsmj._extras import from_extras
from fsmj._interruptible import as_they_end
from fsmj.counts import ClassTermCounts
from fsmj.documents import Documents
from fsmj.evidence import Cells, Columns, Floats, log2_ratio
from fsmj.methods.ranked import ProgressHook
from fsmj.methods.table import Method, checked_options, method_named, rank
from fsmj.ranking import Ranking

if TYPE_CHECKING:
    import pandas as pd

FEWEST_DOCUMENTS = 5  # of a class with the word; drawn again and again, fewer always look alike
MOST_TERMS = 100
SURE = 0.95  # of the resamples
_NOTHING = 1e-9  # of the largest score: what rounding leaves of no gain at all
_TAILS = (0.05, 0.95)  # of an interval that holds 90 %
_DRAWN = 1 - np.exp(-1)  # how often a document is drawn at all, where there are many
_NORMAL = 1.6448536269514722  # the same in standard deviations


class Agreement(NamedTuple):
    """How alike several sets of terms are, and between which bounds that lies (90 %)."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class Stability:
    """How a ranking holds when documents are drawn anew; from `fsmj.stability`.

    Attributes
    ----------
    ranking : Ranking
        Of all documents.
    n_terms, n_resamples : int
        How many terms were taken, and how often documents were drawn.
    columns : ndarray of shape (n_listed,)
        The first `n_terms` of the ranking; then all others that some resample has among its
        first `n_terms`, the most frequent first.
    share : ndarray of shape (n_listed,)
        The share of resamples in which the term is among the first `n_terms`.
    rank_low, rank_high : ndarray of shape (n_listed,)
        Between these ranks lies the term in 90 % of the resamples. Ranks beyond `n_terms` are
        not told apart: they are ``n_terms + 1``.
    classes, class_docs : ndarray of shape (n_listed,)
        The class for which the term speaks in all documents, and how many of that class have it.
    verdict : ndarray of shape (n_listed,)
        "sure" where the term is among the first `n_terms` in at least 95 % of the resamples,
        "unsure" where it is in fewer, "few documents" where it is in as many though fewer than 5
        documents of its class have it, and "no gain" where its score is nothing beside the
        largest, as where the terms before it leave nothing to add, so that any other would do.
    log2_ratio, log2_low, log2_high : ndarray of shape (n_listed,)
        How much more frequent the term is there than elsewhere, as a power of 2, and the
        interval that holds 90 % of the resamples.
    agreement : Agreement
        The stability of the set of the first `n_terms` with its interval: 1 if it is always
        the same, 0 if it is no more alike than by chance.
    """

    ranking: Ranking
    n_terms: int
    n_resamples: int
    columns: Columns
    share: Floats
    rank_low: Columns
    rank_high: Columns
    classes: NDArray[Any]
    class_docs: Columns
    verdict: NDArray[np.str_]
    log2_ratio: Floats
    log2_low: Floats
    log2_high: Floats
    agreement: Agreement

    def __repr__(self) -> str:
        return f"Stability({self.sentence})"

    @property
    def terms(self) -> NDArray[Any]:
        """The listed terms by name, or by column if they have no names."""
        names = self.ranking.counts.terms
        return self.columns if names is None else names[self.columns]

    @property
    def sentence(self) -> str:
        """The finding in one sentence."""
        n_terms = self.ranking.counts.n_terms
        if self.n_terms >= n_terms:
            return (
                f"all {n_terms:,} words are taken, so that to be among them in most of "
                f"{self.n_resamples:,} resamples says nothing; take fewer to see how sure each is"
            )
        first = f"the first {len(self.ranking):,}"
        verdicts = self.verdict[: len(self.ranking)].tolist()
        half = ", half of all," if len(self.ranking) == n_terms // 2 else ""
        sure, few, idle = map(verdicts.count, ("sure", "few documents", "no gain"))
        parts = [
            f"{sure:,} of {first} words{half} {'is' if sure == 1 else 'are'} sure: in at least "
            f"95 % of {self.n_resamples:,} resamples {'it is' if sure == 1 else 'they are'} "
            f"among {first} again",
            f"{few:,} more {'is' if few == 1 else 'are'}, too, but fewer than {FEWEST_DOCUMENTS} "
            f"documents of {'its class have it' if few == 1 else 'their class have them'}, too few "
            "to tell" if few else "",
            f"{idle:,} {'adds' if idle == 1 else 'add'} nothing to the words before "
            f"{'it' if idle == 1 else 'them'}" if idle else "",
            "the set's stability is {:.2f} ({:.2f} to {:.2f})".format(*self.agreement),
        ]  # fmt: skip
        return "; ".join(filter(None, parts))

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each listed term; a rank is missing where it is beyond `n_terms`."""
        with from_extras():
            import pandas as pd

        def or_beyond(ranks: Columns) -> Any:
            return pd.Series(ranks, dtype="Int64").where(ranks <= self.n_terms)

        n_ranked = len(self.ranking)
        own = np.full(len(self.columns), self.n_terms + 1)
        own[:n_ranked] = np.arange(1, n_ranked + 1)
        return pd.DataFrame(
            {
                "rank": or_beyond(own),
                "term": self.terms,
                "share_of_resamples": self.share,
                "rank_low": or_beyond(self.rank_low),
                "rank_high": or_beyond(self.rank_high),
                "verdict": self.verdict,
                "class": self.classes,
                "class_docs": pd.Series(self.class_docs, dtype="Int64"),  # whole also when merged
                "log2_ratio": self.log2_ratio,
                "log2_low": self.log2_low,
                "log2_high": self.log2_high,
            }
        )


def stability(
    documents: Documents,
    method: str = "fsmj",
    n_terms: int | None = None,
    n_resamples: int = 200,
    seed: int = 0,
    *,
    n_jobs: int | None = None,
    progress: ProgressHook | None = None,
    **options: Any,
) -> Stability:
    """Draw the documents again and again, rank each time, and see which words stay.

    Parameters
    ----------
    documents : Documents
        Of each class as many are drawn as there are, with replacement; where documents have
        several labels, they are drawn from all together. A class of one document is missing in
        37 % of the resamples, as every single document of a large class is.
    method, **options
        As for `fsmj.rank`.
    n_terms : int, optional
        How many terms to take. By default 100, or half of all where that is less: to be among
        nearly all words says nothing.
    n_resamples : int, default=200
        How often to draw; 2 at least.
    seed : int, default=0
        The result depends on it alone, not on `n_jobs`.
    n_jobs : int, optional
        How many threads to use; by default as many as there are processors.
    progress : callable, optional
        Called as ``progress(done, total)`` after each resample.

    Returns
    -------
    Stability
        How each word holds, and the set of them.

    Notes
    -----
    The stability of the set is that of Nogueira, Sechidis and Brown (2018), On the stability of
    feature selection algorithms, JMLR 18(174), Definition 4 and Corollary 9, over the terms
    that occur in the documents.

    Examples
    --------
    >>> import fsmj
    >>> X, y = [[3, 0, 1], [0, 2, 1]] * 5, ["wheat", "gold"] * 5
    >>> documents = fsmj.Documents(X, y, ["crop", "ore", "the"])
    >>> sure = fsmj.stability(documents, n_terms=2, n_resamples=20)
    >>> sure.terms.tolist(), sure.share.tolist(), sure.verdict.tolist()
    (['crop', 'ore'], [1.0, 1.0], ['sure', 'sure'])
    """
    if not isinstance(documents, Documents):
        raise TypeError(
            f"stability draws documents, so it takes fsmj.Documents, not a "
            f"{type(documents).__name__}"
        )
    if n_terms is None:
        n_terms = usual_size(documents)
    for name, number, least in (("n_terms", n_terms, 1), ("n_resamples", n_resamples, 2)):
        if not isinstance(number, Integral) or number < least:
            raise ValueError(f"{name} must be a whole number, {least} or more; got {number}")
    ranking = rank(documents, method, int(n_terms), **options)
    heard = documents.heard()
    resamples = _Resamples(heard, seed)
    ranker = _ranker(resamples, method, int(n_terms), options)
    taken = _taken(ranker, int(n_resamples), n_jobs, progress)

    columns, ranks = _listed(ranking.order, taken, int(n_terms))
    share = (ranks <= n_terms).mean(axis=0)
    agreement = agreement_of(ranks <= n_terms, int((heard.counts.docs_per_term > 0).sum()))
    low, high = np.quantile(ranks, _TAILS, axis=0, method="inverted_cdf").astype(np.int64)
    class_ = Cells(ranking.counts, ranking.variant).strongest(columns)
    ratios = _Ratios(heard, columns, class_)
    resampled = np.array([ratios.of(resamples.weight(i)) for i in range(n_resamples)])
    log2_low, log2_high = np.quantile(resampled, _TAILS, axis=0)
    return Stability(
        ranking=ranking,
        n_terms=int(n_terms),
        n_resamples=int(n_resamples),
        columns=columns,
        share=share,
        rank_low=low,
        rank_high=high,
        classes=heard.classes[class_],
        class_docs=ratios.n_docs,
        verdict=_verdict(ranking, share, ratios.n_docs),
        log2_ratio=ratios.of(heard.weight),
        log2_low=log2_low,
        log2_high=log2_high,
        agreement=agreement,
    )


def usual_size(documents: Documents) -> int:
    """Return how many terms are taken by default: 100, or half of all where that is less."""
    return max(1, min(MOST_TERMS, int((documents.counts.docs_per_term > 0).sum()) // 2))


def _verdict(ranking: Ranking, share: Floats, class_docs: Columns) -> NDArray[np.str_]:
    idle, size = np.zeros(len(share), bool), np.abs(ranking.scores)
    idle[: len(ranking)] = size <= _NOTHING * size[np.isfinite(size)].max(initial=0)
    few = class_docs < FEWEST_DOCUMENTS
    kinds = ["no gain", "unsure", "few documents"]
    return np.select([idle, share < SURE, few], kinds, "sure")


def agreement_of(chosen: NDArray[np.bool_], n_features: int) -> Agreement:
    r"""Measure how alike several choices of features are (Nogueira, Sechidis and Brown 2018).

    .. math:: \hat\Phi = 1 - \frac{\frac1d \sum_f \frac{M}{M-1} \hat p_f (1 - \hat p_f)}
                                  {\frac{\bar k}{d} (1 - \frac{\bar k}{d})}

    A row of `chosen` is a choice, of M; features that none has may be left out of its columns, but
    not of their number d. It is 1 if all choices are the same; then also if they have all features
    or none, where the formula has no value.
    """
    n_choices, d = len(chosen), n_features
    p, k = chosen.mean(axis=0), chosen.sum(axis=1) / d
    mean_k = k.mean()
    chance = mean_k * (1 - mean_k)
    if chance <= 0:
        return Agreement(1.0, 1.0, 1.0)
    spread = n_choices / (n_choices - 1) * (p * (1 - p)).sum() / d
    value = 1 - spread / chance
    each = chosen @ p / d - k * mean_k + value / 2 * (2 * k * mean_k - k - mean_k + 1)
    deviation = 2 / np.sqrt(n_choices) * np.std(each / chance)
    width = _NORMAL * deviation
    return Agreement(float(value), float(value - width), float(min(1.0, value + width)))


class _Resamples:
    """Which documents are drawn: the i-th time the same ones, whoever asks."""

    def __init__(self, documents: Documents, seed: int) -> None:
        self.documents, self.seed = documents, seed
        everything = np.arange(documents.n_docs)
        self.groups = [everything]
        if documents.has_one_label_each:
            order = np.argsort(documents.codes, kind="stable")
            sizes = np.bincount(documents.codes, minlength=len(documents.classes))
            self.groups = np.split(order, np.cumsum(sizes)[:-1])

    def rows(self, i: int) -> NDArray[np.intp]:
        generator = np.random.default_rng([self.seed, i])
        drawn = []
        for group in self.groups:
            rows = group[generator.integers(len(group), size=len(group))]
            # A single document would be drawn each time: it is missing as often as any other.
            drawn.append(rows if len(rows) > 1 or generator.random() < _DRAWN else rows[:0])
        return np.concatenate(drawn)

    def weight(self, i: int) -> NDArray[Any]:
        times = np.bincount(self.rows(i), minlength=self.documents.n_docs)
        return np.asarray(times * self.documents.weight)

    def source(self, i: int, row: Method) -> ClassTermCounts | Documents:
        """Return what a method ranks: a document drawn several times as such or by its weight."""
        if row.needs == "documents" and not row.takes_weights:
            return self.documents.take(self.rows(i)).heard()
        weighted = self.documents.weighing(self.weight(i))
        if row.needs == "counts" and not row.uses_documents:
            return weighted.counts.heard()
        return weighted.take(np.flatnonzero(weighted.weight)).heard()


Ranker = Callable[[int, ProgressHook], Columns]


def _ranker(resamples: _Resamples, method: str, n_terms: int, options: dict[str, Any]) -> Ranker:
    """Return the function that ranks a resample, and leaves out terms that it does not have."""
    row, chosen = method_named(method), checked_options(method, options)

    def ranked(i: int, hook: ProgressHook) -> Columns:
        source = resamples.source(i, row)
        counts = source.counts if isinstance(source, Documents) else source
        if counts.n_classes < 2:  # the words of all others were not drawn
            return np.empty(0, np.int64)
        hooked = {"progress": hook} if row.slow else {}
        order = row.rank(source, min(n_terms, counts.n_terms), **chosen, **hooked).order
        return np.asarray(order[counts.docs_per_term[order] > 0])

    return ranked


def _taken(
    ranker: Ranker, n_resamples: int, n_jobs: int | None, progress: ProgressHook | None
) -> list[Columns]:
    """Rank all resamples in threads: the compiled loops run without the interpreter's lock."""
    stopped = False

    def hook(done: int, total: int) -> None:
        if stopped:
            raise RuntimeError("nobody waits for this ranking any more")

    n_threads = n_jobs if n_jobs is not None and n_jobs > 0 else os.cpu_count() or 1
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            jobs = [pool.submit(ranker, i, hook) for i in range(n_resamples)]
            for done, job in enumerate(as_they_end(jobs), 1):
                job.result()
                if progress is not None:
                    progress(done, n_resamples)
        except BaseException:
            stopped = True
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [job.result() for job in jobs]


def _listed(first: Columns, taken: list[Columns], n_terms: int) -> tuple[Columns, Columns]:
    """Return the terms to list, and their ranks in each resample, a row for each."""
    seen, times = np.unique(np.concatenate(taken), return_counts=True)
    others = ~np.isin(seen, first)
    by_times = np.argsort(-times[others], kind="stable")
    columns = np.concatenate([first, seen[others][by_times]])
    place = np.argsort(columns)
    ranks = np.full((len(taken), len(columns)), n_terms + 1)
    for row, order in zip(ranks, taken, strict=True):
        row[place[np.searchsorted(columns, order, sorter=place)]] = np.arange(1, len(order) + 1)
    return columns, ranks


class _Ratios:
    """The log ratios of some terms, each in one class, for any weights of the documents."""

    def __init__(self, documents: Documents, columns: Columns, class_: Columns) -> None:
        X = csr_array(documents.X[:, columns])
        n_labels = np.diff(documents.membership.indptr)
        member = csr_array(documents.membership[:, class_])
        # A document with several labels counts in each of its classes.
        self.inside = csr_array(X.multiply(member)).T
        self.n_docs = np.asarray((self.inside > 0).sum(axis=1)).ravel()
        self.all = csr_array(X.multiply(n_labels[:, None])).T
        self.length = np.asarray(documents.X.sum(axis=1)).ravel()
        self.membership, self.class_ = documents.membership.T, class_

    def of(self, weight: NDArray[Any]) -> Floats:
        inside, total = self.inside @ weight, self.all @ weight
        tokens = np.asarray(self.membership @ (self.length * weight))
        here = tokens[self.class_]
        return log2_ratio(inside, here, total - inside, tokens.sum() - here)
