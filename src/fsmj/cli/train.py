"""`fsmj train`: from text, or counts, to a model of the selected words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fsmj.cli.data import Source, opened
from fsmj.cli.options import Data, MemoryLimit, Quiet, RankingMethod, Reading, Words
from fsmj.cli.output import PARQUET, check_target, write_parquet
from fsmj.cli.rank import ranked, warn_of_classes
from fsmj.cli.terminal import progress_bar, say
from fsmj.methods.option import ALPHA

if TYPE_CHECKING:
    from fsmj.ranking import Ranking

DEFAULT_SIZE = 1000  # as FSMJ's "auto"


def train(
    data: Data,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The model, as Parquet; - for standard output.")
    ],
    reading: Reading,
    words: Words,
    method: RankingMethod,
    memory_limit: MemoryLimit = None,
    top: Annotated[
        int | None, typer.Option(min=1, help="Keep so many words; 1,000 by default.")
    ] = None,
    explained: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Keep as many as reach this share of the divergence."),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(min=2, help="Keep as many as do best on each of so many parts in turn."),
    ] = None,
    one_standard_error: Annotated[
        bool,
        typer.Option(
            "--one-standard-error",
            help="With --cv, keep the fewest that are no worse within one standard error.",
        ),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Train naive Bayes on the words that tell the classes apart.

    Example: fsmj train news.csv --top 500 -o model.parquet
    """
    from fsmj.model import TextModel

    if sum(given is not None for given in (top, explained, cv)) > 1:
        raise ValueError("give one of --top, --explained and --cv, not several")
    if one_standard_error and cv is None:
        raise ValueError("--one-standard-error needs --cv")
    check_target(output, PARQUET, [*data, *words.files])
    alpha = method.options.get("alpha", ALPHA.default)
    with opened(data, reading, words, quiet) as source:
        if cv is not None:
            ranking, size = _cross_validated(source, method, alpha, cv, one_standard_error)
        else:
            wanted = None if explained is not None else top or DEFAULT_SIZE
            made_of = source.for_method(method.method, memory_limit)
            ranking = ranked(made_of, method, wanted, quiet)
            size = len(ranking) if explained is None else ranking.size_reaching(explained)
        warn_of_classes(ranking.counts)
        kept = ranking.counts.restrict(ranking.order[:size])
        columns, label = source.origin
        model = TextModel(kept, alpha=alpha, columns=tuple(columns), label=label)
    write_parquet(output, model.save)
    if not quiet:
        say(
            f"kept {size:,} of {ranking.counts.n_terms:,} words, which reach "
            f"{ranking.explained[size - 1]:.0%} of the divergence between "
            f"{len(model.classes):,} classes"
        )


def _cross_validated(
    source: Source, method: Any, alpha: float, cv: int, fewest: bool
) -> tuple[Ranking, int]:
    """Choose the number of terms on parts of the documents, and rank on all of them."""
    import numpy as np

    from fsmj.evaluation import cross_validate, fewest_within_error

    documents = source.documents("--cv")
    with progress_bar(f"cross-validating {method.method}", source.quiet):
        curve = cross_validate(documents, method.method, cv=cv, alpha=alpha, **method.own_options)
    scores = np.array([part.accuracy for part in curve.parts])
    size = int(curve.ks[fewest_within_error(scores) if fewest else curve.accuracy.argmax()])
    return ranked(documents, method, size, source.quiet), size
