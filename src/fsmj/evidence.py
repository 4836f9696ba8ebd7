"""What the counts say of single words: where they occur, how often, and for which class they speak.

All classes × terms may be more than memory holds, so the tables are worked out block by block.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from scipy.special import rel_entr

from fsmj._extras import from_extras
from fsmj.counts import ClassTermCounts
from fsmj.divergence import Reference, Weights, class_weights, contributions

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Columns = NDArray[np.int64]

_BLOCK = 1 << 20  # cells of a dense table at a time
_HALF = 0.5  # of an occurrence, added to what is counted and to what is expected


class Variant(NamedTuple):
    """Which form of the JS divergence is meant; see `fsmj.divergence.jensen_shannon`."""

    reference: Reference = "mixture"
    weights: Weights = "uniform"
    smoothing: float = 0.0


class Cells:
    """The classes' probabilities of terms, and their parts of the JS divergence."""

    def __init__(self, counts: ClassTermCounts, variant: Variant) -> None:
        self.counts, self.variant = counts, variant
        rest_cells = int(counts.rest_counts.any())
        n_cells = counts.n_terms + rest_cells
        self.scale = 1 / (counts.tokens_per_class + variant.smoothing * n_cells)[:, None]
        self.rest = (counts.rest_counts + variant.smoothing * rest_cells)[:, None] * self.scale

    def probabilities(self, columns: Columns) -> Floats:
        """Return classes × terms, smoothed as the variant says."""
        counts = self.counts.term_counts[:, columns].toarray()
        return np.asarray((counts + self.variant.smoothing) * self.scale)

    def contributions(self, columns: Columns | None) -> Floats:
        """Return classes × terms; of the rest outside all terms where `columns` is None."""
        p = self.rest if columns is None else self.probabilities(columns)
        return contributions(p, self.counts.priors, *self.variant[:2])

    def total_divergence(self) -> float:
        """Return the JS divergence of the whole vocabulary."""
        total = self.contributions(None).sum()
        for columns in blocks(np.arange(self.counts.n_terms), self.counts.n_classes):
            parts = self._present(columns)[-1] if self._is_sparse else self.contributions(columns)
            total += parts.sum()
        return float(total)

    def strongest(self, columns: Columns) -> Columns:
        """Return the class to which each term contributes most; of equals the first."""
        found = [
            self._strongest_present(block)
            if self._is_sparse
            else self.contributions(block).argmax(axis=0)
            for block in blocks(columns, self.counts.n_classes)
        ]
        return np.concatenate(found)

    @property
    def _is_sparse(self) -> bool:
        """Whether a class without the term adds nothing, so that it need not be looked at."""
        return self.variant.smoothing == 0 and self.variant.reference == "mixture"

    def _present(self, columns: Columns) -> tuple[Columns, Columns, Floats]:
        """Return the classes and places of the cells that are not empty, and their parts."""
        table, priors = self.counts.term_counts[:, columns], self.counts.priors
        class_, n_present = table.indices, np.diff(table.indptr)
        place = np.repeat(np.arange(len(columns)), n_present)
        p = table.data * self.scale.ravel()[class_]
        mixture = np.bincount(place, p * priors[class_], len(columns))
        weight = class_weights(priors, self.variant.weights)[class_]
        return class_, place, weight * rel_entr(p, mixture[place])

    def _strongest_present(self, columns: Columns) -> Columns:
        class_, place, part = self._present(columns)
        best = np.full(len(columns), -np.inf)
        np.maximum.at(best, place, part)
        hit = np.flatnonzero(part == best[place])[::-1]
        strongest = np.zeros(len(columns), np.int64)
        strongest[place[hit]] = class_[hit]  # of several, the last written is the first class
        return strongest


def blocks(columns: Columns, n_classes: int) -> Iterator[Columns]:
    """Cut columns into parts whose dense tables are small: one at least."""
    step = max(1, _BLOCK // n_classes)
    return (columns[first : first + step] for first in range(0, max(1, len(columns)), step))


def log2_ratio(
    count: ArrayLike, tokens: ArrayLike, count_elsewhere: ArrayLike, tokens_elsewhere: ArrayLike
) -> Floats:
    r"""Compare a word's frequency with that elsewhere: 1 is twice as frequent, -1 half.

    .. math:: \log_2 \frac{c + ½}{e + ½} - \log_2 \frac{c' + ½}{e' + ½}

    Parameters
    ----------
    count, tokens : array-like
        How often the word occurs here (c), of how many tokens.
    count_elsewhere, tokens_elsewhere : array-like
        The same of all else (c').

    Returns
    -------
    ndarray
        Finite, positive where the word is more frequent here than elsewhere, negative where it is
        less so; 0 for a word that occurs nowhere.

    Notes
    -----
    e and e' are the occurrences to be expected if the word were equally frequent everywhere:
    half an occurrence is added to each number. For frequent words the ratio is the plain one;
    for a word so rare that its absence tells nothing it is about 0. Adding the half to the
    counts alone would make small classes speak for words that they do not have.

    Examples
    --------
    >>> from fsmj.evidence import log2_ratio
    >>> log2_ratio([400, 0], 1000, [200, 50], 1000).round(2)
    array([ 1.  , -6.66])
    """
    c, n, other, m = (
        np.asarray(a, np.float64) for a in (count, tokens, count_elsewhere, tokens_elsewhere)
    )
    rate = (c + other) / np.maximum(n + m, np.finfo(float).tiny)
    here, there = (c + _HALF) / (rate * n + _HALF), (other + _HALF) / (rate * m + _HALF)
    return np.asarray(np.log2(here / there))


def log_ratios(counts: ClassTermCounts, columns: Columns) -> Floats:
    """Return how many times as frequent terms are in each class as in the others together.

    The rows are terms; the powers of 2 are as `log2_ratio` has them.
    """
    ours = counts.term_counts[:, columns].T.toarray().astype(np.float64)
    tokens = np.asarray(counts.tokens_per_class, float)
    everywhere = ours.sum(axis=1, keepdims=True)
    return log2_ratio(ours, tokens, everywhere - ours, tokens.sum() - tokens)


class Listed(NamedTuple):
    """Some terms, by their places among those that were looked at, and what they are ordered by."""

    places: Columns
    values: Floats


def speaking_for_classes(
    counts: ClassTermCounts, variant: Variant, columns: Columns, most: int
) -> list[tuple[Listed, Listed]]:
    """Return the terms that speak for each class: those that add most to its divergence.

    And those that are most times as frequent as in the other classes, as powers of 2.
    """
    cells, nothing, first = Cells(counts, variant), Listed(np.empty(0, np.int64), np.empty(0)), 0
    found = [(nothing, nothing)] * counts.n_classes
    for block in blocks(columns, counts.n_classes):
        parts, ratios = cells.contributions(block), log_ratios(counts, block).T
        for class_, (part, ratio) in enumerate(zip(parts, ratios, strict=True)):
            speaking = np.flatnonzero(part > 0)
            added, often = found[class_]
            found[class_] = (
                _largest(added, first + speaking, part[speaking], most),
                _largest(often, first + speaking, ratio[speaking], most),
            )
        first += len(block)
    return found


def _largest(before: Listed, places: Columns, values: Floats, most: int) -> Listed:
    """Return the terms with the largest values, of equals the first."""
    places = np.concatenate([before.places, places])
    values = np.concatenate([before.values, values])
    best = np.argsort(-values, kind="stable")[:most]
    return Listed(places[best], values[best])


def spoken_for(counts: ClassTermCounts, columns: Columns, class_: Columns) -> dict[str, Any]:
    """Return what a table says of terms and of the one class that each speaks for."""
    inside = _cells(counts.doc_counts, class_, columns)
    all_docs, of_class = counts.docs_per_term[columns], counts.docs_per_class[class_]
    return {
        "class": counts.classes[class_],
        "count": np.asarray(counts.term_counts.sum(axis=0)).ravel()[columns],
        "docs": all_docs,
        "share": _share(inside, of_class),
        "share_elsewhere": _share(all_docs - inside, counts.n_docs - of_class),
    }


def by_class(
    counts: ClassTermCounts, variant: Variant, names: NDArray[Any], columns: Columns
) -> Iterator[pd.DataFrame]:
    """Yield the long table of terms and classes in parts; see `Ranking.by_class`."""
    with from_extras():
        import pandas as pd

    cells, n_classes, rank = Cells(counts, variant), counts.n_classes, 1
    tokens = counts.tokens_per_class[:, None]
    for block in blocks(columns, n_classes):
        count, docs = (t[:, block].toarray() for t in (counts.term_counts, counts.doc_counts))
        ranks = np.arange(rank, rank + len(block))
        yield pd.DataFrame(
            {
                "rank": np.repeat(ranks, n_classes),
                "term": np.repeat(names[ranks - 1], n_classes),
                "class": np.tile(counts.classes, len(block)),
                "count": count.T.ravel(),
                "docs": docs.T.ravel(),
                "per_1000": 1000 * _share(count, tokens).T.ravel(),
                "share": _share(docs, counts.docs_per_class[:, None]).T.ravel(),
                "log2_ratio": log_ratios(counts, block).ravel(),
                "contribution": cells.contributions(block).T.ravel(),
            }
        )
        rank += len(block)


def _cells(table: Any, rows: Columns, columns: Columns) -> NDArray[Any]:
    """Return one cell of each column; SciPy's versions differ in the form they give it in."""
    found = table[rows, columns]
    return np.asarray(found.toarray() if issparse(found) else found).ravel()


def _share(part: NDArray[Any], whole: Any) -> Floats:
    """Divide; 0 where there is nothing to divide by, and never below 0 or above what rounds."""
    part, whole = np.broadcast_arrays(part, whole)
    share: Floats = np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)
    return share.clip(0)
