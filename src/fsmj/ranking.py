"""Ranking: terms in the order in which to take them, and how far they carry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fsmj._extras import from_extras
from fsmj._names import name_of, short_names
from fsmj.counts import ClassTermCounts
from fsmj.divergence import contributions
from fsmj.evidence import Cells, Variant, blocks, by_class, spoken_for

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Ranking", "Variant"]

NOTHING = 1e-12  # a divergence below this is what rounding leaves of 0
_SHOWN = 20  # terms in a notebook
_FORMATS: Any = {
    "score": lambda score: f"{score:,.0f}" if score >= 1000 else f"{score:#.4g}",
    "explained": "{:.1%}".format,
    "count": "{:,.6g}".format,
    "docs": "{:,.6g}".format,
    "share": "{:.1%}".format,
    "share_elsewhere": "{:.1%}".format,
}


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """Terms in the order in which a method takes them.

    Attributes
    ----------
    counts : ClassTermCounts
        What was ranked.
    method : str
        A key of `fsmj.METHODS`.
    order : ndarray of shape (n_ranked,)
        Columns of `counts`, best first.
    scores : ndarray of shape (n_ranked,)
        The method's score of each; of ``fsmj``, the gain in JS divergence at its step.
    options : dict
        The method's options, with what it has chosen where they were left to it.
    """

    counts: ClassTermCounts
    method: str
    order: NDArray[np.int64]
    scores: NDArray[np.float64]
    options: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.order)

    def __repr__(self) -> str:
        first = ", ".join(str(term) for term in self.terms[:5])
        more = ", …" if len(self) > 5 else ""
        return f"Ranking({self.method!r}, {len(self):,} terms: {first}{more})"

    @property
    def variant(self) -> Variant:
        """The form of the JS divergence that `divergence` and `contributions` use."""
        known = Variant._fields if self.method == "fsmj" else ()
        return Variant(**{name: self.options[name] for name in known if name in self.options})

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
        return Cells(self.counts, self.variant).total_divergence()

    @property
    def explained(self) -> NDArray[np.float64]:
        """The share of the whole vocabulary's JS divergence that each prefix reaches.

        It is 1 where there is nothing to explain.
        """
        if self.total_divergence < NOTHING:
            return np.ones(len(self))
        return np.minimum(self.divergence / self.total_divergence, 1)

    def _first(self, n_terms: int | None) -> NDArray[np.int64]:
        """Return the columns of the first `n_terms`; of all by default."""
        if n_terms is not None and n_terms < 0:
            raise ValueError(f"n_terms must be a whole number, 0 or more; got {n_terms}")
        return self.order[:n_terms]

    def size_reaching(self, share: float) -> int:
        """Return how many of the first terms reach a share of the divergence; all if none do."""
        reached = self.explained >= share - NOTHING
        return int(reached.argmax()) + 1 if reached.any() else len(self)

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
        order = self._first(n_terms)
        result = np.empty((len(order), self.counts.n_classes))
        cells, done = Cells(self.counts, self.variant), 0
        for columns in blocks(order, self.counts.n_classes):
            result[done : done + len(columns)] = cells.contributions(columns).T
            done += len(columns)
        return result

    def strongest(self, n_terms: int | None = None) -> NDArray[np.int64]:
        """Return the number of the class for which each of the first `n_terms` speaks most."""
        return Cells(self.counts, self.variant).strongest(self._first(n_terms))

    def to_frame(self, n_terms: int | None = None) -> pd.DataFrame:
        """Return the first `n_terms` (all by default) as a table.

        Returns
        -------
        pandas.DataFrame
            For each term its rank (from 1) and score; the JS divergence reached and its share of
            the whole (`explained`); the `class` for which the term speaks most; in all classes
            together, how often it occurs (`count`) and in how many documents (`docs`); and the
            share of documents with the term in that class and elsewhere.
        """
        with from_extras():
            import pandas as pd

        order = self._first(n_terms)
        size = len(order)
        return pd.DataFrame(
            {
                "rank": np.arange(1, size + 1),
                "term": self.terms[:size],
                "score": self.scores[:size],
                "divergence": self.divergence[:size],
                "explained": self.explained[:size],
                **spoken_for(self.counts, order, self.strongest(n_terms)),
            }
        )

    def by_class(self, n_terms: int | None = None) -> pd.DataFrame:
        """Return the first `n_terms` (all by default) in every class, absent ones included.

        Returns
        -------
        pandas.DataFrame
            A row for each term and class: how often the term occurs there (`count`), in how many
            documents (`docs`), how often in 1,000 tokens (`per_1000`), in which share of the
            class's documents; how much more frequent it is there than in the other classes
            together, as a power of 2 (`log2_ratio`, see `fsmj.evidence.log2_ratio` for how it is
            kept finite); and what the class adds to the term's part of the JS divergence.

        Notes
        -----
        A document with several labels counts in each of its classes.

        Examples
        --------
        >>> import fsmj
        >>> counts = fsmj.count_texts(["green tea", "black tea", "oil"], ["tea", "tea", "oil"])
        >>> table = fsmj.rank(counts).by_class(1)
        >>> table[["term", "class", "count", "docs", "per_1000"]]
          term class  count  docs  per_1000
        0  oil   oil      1     1    1000.0
        1  oil   tea      0     0       0.0
        """
        with from_extras():
            import pandas as pd

        return pd.concat(self.by_class_in_parts(n_terms), ignore_index=True)

    def by_class_in_parts(self, n_terms: int | None = None) -> Iterator[pd.DataFrame]:
        """Yield the table of `by_class` in parts, where the whole may not fit into memory."""
        return by_class(self.counts, self.variant, self.terms, self._first(n_terms))

    def _repr_html_(self) -> str:
        frame = self.to_frame(_SHOWN)
        more = "" if len(self) <= _SHOWN else f" (the first {_SHOWN} of {len(self):,})"
        short = short_names([str(class_) for class_ in self.counts.classes])
        named = {"term": name_of, "class": lambda class_: short.get(str(class_), str(class_))}
        table = frame.drop(columns="divergence").to_html(
            index=False, border=0, escape=True, formatters=_FORMATS | named
        )
        return f"<p>Terms ranked by {escape(self.method)}{more}</p>{table}"


def _divergence_of_prefixes(
    counts: ClassTermCounts, order: NDArray[np.int64], variant: Variant
) -> NDArray[np.float64]:
    probabilities = Cells(counts, variant).probabilities
    reference, weights, _ = variant
    selected, taken, reached = np.zeros(1), np.zeros((counts.n_classes, 1)), []
    everything = np.ones((counts.n_classes, 1))
    for columns in blocks(order, counts.n_classes):
        cells = probabilities(columns)
        parts = contributions(cells, counts.priors, reference, weights)
        inside = selected + np.cumsum(parts.sum(axis=0))
        gone = taken + np.cumsum(cells, axis=1)
        rest = np.maximum(everything - gone, 0)
        outside = contributions(rest, counts.priors, reference, weights).sum(axis=0)
        reached.append(inside + outside)
        selected, taken = inside[-1:], gone[:, -1:]
    return np.concatenate(reached)
