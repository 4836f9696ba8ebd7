"""Rankings: terms in the order in which to take them, and how far they carry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj.counts import ClassTermCounts
from fsmj.divergence import Reference, Weights, class_weights, contributions, require

if TYPE_CHECKING:
    import pandas as pd

    from fsmj.scores import Aggregate

_BLOCK = 1 << 20  # cells of a dense table at a time
_ROUNDING = 1e-12  # a divergence below this is what rounding leaves of 0


class Variant(NamedTuple):
    """Which form of the JS divergence is meant; see `fsmj.divergence.jensen_shannon`."""

    reference: Reference = "mixture"
    weights: Weights = "uniform"
    alpha: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """Terms in the order in which a method takes them.

    Attributes
    ----------
    counts : ClassTermCounts
        What was ranked.
    method : str
        A key of `METHODS`.
    order : ndarray of shape (n_ranked,)
        Columns of `counts`, best first.
    scores : ndarray of shape (n_ranked,)
        The method's score of each; of ``fsmj``, the gain in JS divergence at its step.
    variant : Variant
        The form of the JS divergence that `divergence` and `contributions` use.
    """

    counts: ClassTermCounts
    method: str
    order: NDArray[np.int64]
    scores: NDArray[np.float64]
    variant: Variant

    def __len__(self) -> int:
        return len(self.order)

    def __repr__(self) -> str:
        first = ", ".join(str(term) for term in self.terms[:5])
        more = ", …" if len(self) > 5 else ""
        return f"Ranking({self.method!r}, {len(self):,} terms: {first}{more})"

    @property
    def terms(self) -> NDArray[Any]:
        """The ranked terms by name, or by column if they have no names."""
        return self.order if self.counts.terms is None else self.counts.terms[self.order]

    @cached_property
    def divergence(self) -> NDArray[np.float64]:
        """The JS divergence of each prefix: its terms as cells, and all else as one more cell.

        It never falls (Theorem 1) and ends at that of the whole vocabulary.
        """
        if self.method == "fsmj":
            return np.cumsum(self.scores)
        return _divergence_of_prefixes(self.counts, self.order, self.variant)

    @cached_property
    def total_divergence(self) -> float:
        """The JS divergence of the whole vocabulary."""
        p = _Probabilities(self.counts, self.variant)
        total = p.contributions(None).sum()
        for columns in _blocks(np.arange(self.counts.n_terms), self.counts.n_classes):
            total += p.contributions(columns).sum()
        return float(total)

    @property
    def explained(self) -> NDArray[np.float64]:
        """The share of the whole vocabulary's JS divergence that each prefix reaches.

        It is 1 where there is nothing to explain.
        """
        if self.total_divergence < _ROUNDING:
            return np.ones(len(self))
        return np.minimum(self.divergence / self.total_divergence, 1)

    def contributions(self, n_terms: int | None = None) -> NDArray[np.float64]:
        """Return what each class adds to a term's part of the JS divergence.

        Parameters
        ----------
        n_terms : int, optional
            Of the first so many terms; of all by default.

        Returns
        -------
        ndarray of shape (n_ranked, n_classes)
            In the order of the ranking. A term speaks for the classes with positive numbers,
            where it is more frequent than in the reference, and against the others.
        """
        order = self.order[:n_terms]
        result = np.empty((len(order), self.counts.n_classes))
        p, done = _Probabilities(self.counts, self.variant), 0
        for columns in _blocks(order, self.counts.n_classes):
            result[done : done + len(columns)] = p.contributions(columns).T
            done += len(columns)
        return result

    def to_frame(self, n_terms: int | None = None) -> pd.DataFrame:
        """Return the first `n_terms` (all by default) as a table.

        Returns
        -------
        pandas.DataFrame
            The rank (from 1), the term, its score, the JS divergence reached and its share of
            the whole, and the class for which the term speaks most.
        """
        import pandas as pd

        size = len(self.order[:n_terms])
        strongest = self.contributions(n_terms).argmax(axis=1)
        return pd.DataFrame(
            {
                "rank": np.arange(1, size + 1),
                "term": self.terms[:size],
                "score": self.scores[:size],
                "divergence": self.divergence[:size],
                "explained": self.explained[:size],
                "class": self.counts.classes[strongest],
            }
        )


class Method(NamedTuple):
    """A way to rank, as a row of `METHODS`."""

    title: str
    rank: Callable[[ClassTermCounts, int, Variant, Aggregate], tuple[Any, Any]]
    """Gives the columns and scores of the best terms."""
    by_class: bool
    """Whether it scores each class on its own, so that an aggregate applies."""


def rank(
    counts: ClassTermCounts,
    method: str = "fsmj",
    n_terms: int | None = None,
    *,
    reference: Reference = "mixture",
    weights: Weights = "uniform",
    alpha: float = 0.0,
    aggregate: Aggregate = "max",
) -> Ranking:
    """Order the terms by how well they tell the classes apart.

    Parameters
    ----------
    counts : ClassTermCounts
        Two classes at least, each with a token.
    method : str, default="fsmj"
        ``fsmj`` (Algorithm 1 of the paper) or a classical score: ``df``, ``ig``, ``chi2``, ``rs``,
        ``cet``, ``ngl``, ``mi``, ``chi2-printed``, ``ngl-printed``. Two more methods, ``cll`` and
        ``cmim``, need the documents: see `rank_documents`.
    n_terms : int, optional
        Rank the best so many; all by default.
    reference : {"mixture", "complement"}, default="mixture"
        What FSMJ compares each class with: all classes together, or the other classes.
    weights : {"uniform", "prior"}, default="uniform"
        How much each class counts in FSMJ: the same, or by its share of the documents.
    alpha : float, default=0.0
        Added to every count by FSMJ.
    aggregate : {"sum", "max", "average"}, default="max"
        How the classical scores of a term in the classes become one. ``fsmj`` and ``df`` score a
        term as a whole and have nothing to combine.

    Returns
    -------
    Ranking
        Ties go to the lowest column; terms that no document contains come last.

    Notes
    -----
    FSMJ's ranking is exactly the paper's, found in near-linear time instead of O(M² N):
    ``docs/theory/ranking.md`` has the proof.

    Examples
    --------
    >>> import fsmj
    >>> X = [[3, 0, 1], [0, 2, 1], [0, 3, 1]]
    >>> counts = fsmj.ClassTermCounts.from_matrix(X, ["wheat", "gold", "gold"], ["crop", "ore", "the"])
    >>> fsmj.rank(counts).terms.tolist()
    ['crop', 'ore', 'the']
    """  # noqa: E501
    if method in ("cll", "cmim"):
        raise ValueError(f"{method} needs the documents, not only their counts: use rank_documents")
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}; choose from {', '.join(METHODS)}")
    require(reference, Reference, "reference")
    require(weights, Weights, "weights")
    if not (np.isfinite(alpha) and alpha >= 0):
        raise ValueError(f"alpha must be 0 or more; got {alpha}")
    if n_terms is not None and not (isinstance(n_terms, Integral) and n_terms >= 0):
        raise ValueError(f"n_terms must be a whole number, 0 or more; got {n_terms}")
    if aggregate not in ("sum", "max", "average"):
        raise ValueError(f"aggregate must be 'sum' or 'max' or 'average'; got {aggregate!r}")
    if counts.n_classes < 2:
        raise ValueError(
            "ranking needs two classes at least, but there is only one class: "
            f"{', '.join(map(repr, counts.classes.tolist()))}; check the labels"
        )
    silent = counts.tokens_per_class <= 0
    if silent.any():
        raise ValueError(
            f"the class {counts.classes[silent].tolist()[0]!r} has no tokens; "
            "leave out its documents, or give them a term"
        )
    variant = Variant(reference, weights, float(alpha))
    size = counts.n_terms if n_terms is None else min(int(n_terms), counts.n_terms)
    order, scores = METHODS[method].rank(counts, size, variant, aggregate)
    return Ranking(counts, method, order, scores, variant)


def _rank_fsmj(
    counts: ClassTermCounts, n_terms: int, variant: Variant, aggregate: Aggregate
) -> tuple[Any, Any]:
    from fsmj._greedy import greedy

    complement = variant.reference == "complement"
    if complement and variant.alpha == 0:
        _refuse_exclusive_terms(counts)
    return greedy(
        counts.term_counts,
        counts.rest_counts,
        counts.priors,
        class_weights(counts.priors, variant.weights),
        alpha=variant.alpha,
        complement=complement,
        n_terms=n_terms,
    )


def _refuse_exclusive_terms(counts: ClassTermCounts) -> None:
    exclusive = np.flatnonzero(np.diff(counts.term_counts.indptr) == 1)
    outside = np.count_nonzero(counts.rest_counts) == 1
    if len(exclusive) or outside:
        column = exclusive[0] if len(exclusive) else None
        term = (
            "the rest" if column is None
            else f"column {column}" if counts.terms is None
            else f"the term {counts.terms[column]!r}"
        )  # fmt: skip
        raise ValueError(
            f"{term} occurs in one class only, which makes its divergence from the complement "
            "infinite; smooth the counts with alpha > 0, or use reference='mixture'"
        )


def _rank_df(
    counts: ClassTermCounts, n_terms: int, variant: Variant, aggregate: Aggregate
) -> tuple[Any, Any]:
    from fsmj.scores import document_frequency

    return _best_first(counts, document_frequency(counts), n_terms)


def _by_class(name: str, title: str) -> Method:
    def rank_scores(
        counts: ClassTermCounts, n_terms: int, variant: Variant, aggregate: Aggregate
    ) -> tuple[Any, Any]:
        from fsmj.scores import term_scores

        return _best_first(counts, term_scores(counts, name, aggregate), n_terms)

    return Method(title, rank_scores, by_class=True)


def _best_first(
    counts: ClassTermCounts, scores: NDArray[np.float64], n_terms: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    # Equal scores must stay equal whatever the order of a machine's sums: 12 digits decide,
    # and what rounding leaves of 0 is 0.
    cleaned = np.where(np.abs(scores) < 1e-14, 0, scores)
    with np.errstate(divide="ignore"):
        digits = np.where(cleaned == 0, 0, np.floor(np.log10(np.abs(cleaned))))
    rounded = np.round(cleaned / 10.0**digits, 12) * 10.0**digits
    order = np.lexsort((-rounded, counts.docs_per_term <= 0))[:n_terms]
    return order, scores[order]


METHODS: dict[str, Method] = {
    "fsmj": Method("FSMJ", _rank_fsmj, by_class=False),
    "df": Method("Document frequency", _rank_df, by_class=False),
    "ig": _by_class("ig", "Information gain"),
    "chi2": _by_class("chi2", "Chi-squared"),
    "rs": _by_class("rs", "Relevance score"),
    "cet": _by_class("cet", "Cross entropy"),
    "ngl": _by_class("ngl", "NGL coefficient"),
    "mi": _by_class("mi", "Pointwise mutual information"),
    "chi2-printed": _by_class("chi2-printed", "Chi-squared as printed in the paper"),
    "ngl-printed": _by_class("ngl-printed", "NGL coefficient as printed in the paper"),
}


class _Probabilities:
    """The classes' probabilities of some terms, smoothed as the variant says."""

    def __init__(self, counts: ClassTermCounts, variant: Variant) -> None:
        self.counts, self.variant = counts, variant
        rest_cells = int(counts.rest_counts.any())
        cells = counts.n_terms + rest_cells
        self.scale = 1 / (counts.tokens_per_class + variant.alpha * cells)[:, None]
        self.rest = (counts.rest_counts + variant.alpha * rest_cells)[:, None] * self.scale

    def of(self, columns: NDArray[np.int64]) -> NDArray[np.float64]:
        counts = self.counts.term_counts[:, columns].toarray()
        return np.asarray((counts + self.variant.alpha) * self.scale)

    def contributions(self, columns: NDArray[np.int64] | None) -> NDArray[np.float64]:
        """Return classes × terms; of the rest outside all terms where `columns` is None."""
        p = self.rest if columns is None else self.of(columns)
        reference, weights, _ = self.variant
        return contributions(p, self.counts.priors, reference, weights)


def _blocks(columns: NDArray[np.int64], n_classes: int) -> list[NDArray[np.int64]]:
    step = max(1, _BLOCK // n_classes)
    return [columns[first : first + step] for first in range(0, len(columns), step)]


def _divergence_of_prefixes(
    counts: ClassTermCounts, order: NDArray[np.int64], variant: Variant
) -> NDArray[np.float64]:
    p = _Probabilities(counts, variant)
    reference, weights, _ = variant
    selected, taken, reached = 0.0, np.zeros((counts.n_classes, 1)), []
    everything = np.ones((counts.n_classes, 1))
    for columns in _blocks(order, counts.n_classes):
        cells = p.of(columns)
        parts = contributions(cells, counts.priors, reference, weights)
        inside = selected + np.cumsum(parts.sum(axis=0))
        gone = taken + np.cumsum(cells, axis=1)
        rest = np.maximum(everything - gone, 0)
        outside = contributions(rest, counts.priors, reference, weights).sum(axis=0)
        reached.append(inside + outside)
        selected, taken = inside[-1], gone[:, -1:]
    return np.concatenate(reached) if reached else np.empty(0)
