"""FSMJ: the paper's method, which takes terms by their gain in JS divergence."""

from __future__ import annotations

import numpy as np

from fsmj.counts import ClassTermCounts
from fsmj.divergence import Reference, Weights, class_weights
from fsmj.methods.ranked import Ranked


def rank_fsmj(
    counts: ClassTermCounts,
    n_terms: int,
    *,
    reference: Reference = "mixture",
    weights: Weights = "uniform",
    smoothing: float = 0.0,
) -> Ranked:
    """Rank by Algorithm 1 of the paper."""
    from fsmj.methods._greedy import greedy

    complement = reference == "complement"
    if complement and smoothing == 0:
        _refuse_exclusive_terms(counts)
    return Ranked(
        *greedy(
            counts.term_counts,
            counts.tokens_per_class,
            counts.rest_counts,
            counts.priors,
            class_weights(counts.priors, weights),
            alpha=smoothing,
            complement=complement,
            n_terms=n_terms,
        )
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
            "infinite; smooth the counts with smoothing > 0, or use reference='mixture'"
        )
