"""`fsmj train`: from text, or counts, to a model of the selected words."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fsmj.cli.data import Source, opened
from fsmj.cli.options import Data, Memory, Quiet, RankingMethod, Reading, Words
from fsmj.cli.output import check_target, write_parquet
from fsmj.cli.ranking import ranked
from fsmj.cli.terminal import say

if TYPE_CHECKING:
    from fsmj.ranking import Ranking

DEFAULT_SIZE = 1000  # as FSMJ's "auto"


def train(
    data: Data,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="The model, as Parquet; - for standard output."),
    ],
    reading: Reading,
    memory: Memory,
    words: Words,
    method: RankingMethod,
    top: Annotated[
        int | None,
        typer.Option(min=1, help="Keep so many words; 1,000 by default.", show_default=False),
    ] = None,
    explained: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="Keep as many as reach this share of the divergence.",
            show_default=False,
        ),
    ] = None,
    cv: Annotated[
        bool, typer.Option("--cv", help="Choose the number of words by cross-validation.")
    ] = False,
    alpha: Annotated[float, typer.Option(help="Added to every count by naive Bayes.")] = 1.0,
    quiet: Quiet = False,
) -> None:  # fmt: skip
    """Train naive Bayes on the words that tell the classes apart.

    Example: fsmj train news.csv --top 500 -o model.parquet
    """
    from fsmj.model import TextModel

    if sum((top is not None, explained is not None, cv)) > 1:
        raise ValueError("give one of --top, --explained and --cv, not several")
    if not 0 < alpha < math.inf:
        raise ValueError(f"--alpha must be a number above 0; got {alpha:g}")
    check_target(output)
    with opened(data, reading, words, quiet) as source:
        if cv:
            ranking, size = _cross_validated(source, method)
        else:
            whole = explained is not None
            ranking = ranked(source, method, None if whole else top or DEFAULT_SIZE,
                             memory.memory_limit)  # fmt: skip
            size = _needed(ranking, explained) if explained is not None else len(ranking)
        model = TextModel(ranking.counts.restrict(ranking.order[:size]), source.rule, alpha)
    write_parquet(output, model.save)
    if not quiet:
        say(
            f"kept {size:,} of {ranking.counts.n_terms:,} words, which reach "
            f"{ranking.explained[size - 1]:.0%} of the divergence between "
            f"{len(model.classes):,} classes"
        )


def _cross_validated(source: Source, method: RankingMethod) -> tuple[Ranking, int]:
    """Rank on all documents, and choose the number of terms on parts of them."""
    import numpy as np

    from fsmj.crossvalidation import FSMJCV
    from fsmj.documents import rank_documents

    if method.method not in ("fsmj", "cll"):
        raise ValueError(f"--cv chooses words for fsmj and cll, not for {method.method}; use --top")
    X, y, terms = source.matrix("--cv")
    classes, numbers = np.unique(y, return_inverse=True)
    if method.method == "cll":
        ranking = rank_documents(X, y, method.method, "auto", terms=terms)
        return ranking, len(ranking)
    selector = FSMJCV(
        reference=method.reference, weights=method.weights, alpha=method.smoothing
    ).fit(X, numbers)
    named = replace(selector.counts_, terms=terms, classes=classes)
    return replace(selector.ranking_, counts=named), selector.n_features_


def _needed(ranking: Ranking, share: float) -> int:
    """Return the first size that reaches a share of the divergence."""
    reached = ranking.explained >= share - 1e-12
    return int(reached.argmax()) + 1 if reached.any() else len(ranking)
