"""`fsmj rank`: from text, or counts, to the words that tell the classes apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fsmj.cli.data import Source, opened
from fsmj.cli.options import Data, Json, Memory, Quiet, RankingMethod, Reading, Words
from fsmj.cli.output import FORMATS, STANDARD, check_target, print_json, records, write_frame
from fsmj.cli.progress import progress_bar
from fsmj.cli.terminal import bar, number, print_table, say, shown

if TYPE_CHECKING:
    from fsmj.ranking import Ranking

_MANY = 20  # documents: fewer are an experiment


def rank(
    data: Data,
    reading: Reading,
    memory: Memory,
    words: Words,
    method: RankingMethod,
    top: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many words; 20 on the screen, all in a file.", show_default=False
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write to a .csv, .parquet or .json file; - prints CSV.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:  # fmt: skip
    """Rank the words that tell the classes apart.

    Example: fsmj rank news.csv --text body --label topic --top 30
    """
    if output is not None:
        check_target(output, FORMATS)
        if json and output == STANDARD:
            raise ValueError("-o - prints CSV and --json prints JSON; give one of them")
    on_screen = output is None and not json
    size = top if top is not None else (20 if on_screen else None)
    with opened(data, reading, words, quiet) as source:
        ranking = ranked(source, method, size, memory.memory_limit)
    _doubt_labels(ranking)
    frame = ranking.to_frame(size)
    if output is not None:
        write_frame(frame, output)
    if json:
        print_json(records(frame))
    if on_screen:
        print_ranking(ranking, len(frame))
    if not quiet and not json:
        say(
            f"the first {len(frame):,} of {ranking.counts.n_terms:,} words reach "
            f"{ranking.explained[len(frame) - 1]:.0%} of the divergence"
        )


def ranked(
    source: Source, method: RankingMethod, size: int | None, memory_limit: str | None = None
) -> Ranking:
    """Rank by any method; those that look at documents read them."""
    from fsmj.documents import DOCUMENT_METHODS, rank_documents

    if method.method in DOCUMENT_METHODS:
        X, y, terms = source.matrix(f"the method {method.method}")
        with progress_bar(method.method, source.quiet) as show:
            return rank_documents(X, y, method.method, size, terms=terms, progress=show)
    from fsmj.ranking import rank as rank_counts

    return rank_counts(
        source.counts(memory_limit), method.method, size, reference=method.reference,
        weights=method.weights, alpha=method.smoothing, aggregate=method.aggregate,
    )  # fmt: skip


def _doubt_labels(ranking: Ranking) -> None:
    """Say so if the labels look like numbers of documents."""
    counts = ranking.counts
    if counts.n_docs > _MANY and counts.n_classes > counts.n_docs / 2:
        say(f"warning: {counts.n_docs:,} documents have {counts.n_classes:,} different labels")


def print_ranking(ranking: Ranking, size: int) -> None:
    """Print the first terms, with a bar for each one's score and the class it speaks for."""
    frame = ranking.to_frame(size)
    largest = max(frame["score"].max(), 1e-300)
    score = "gain" if ranking.method == "fsmj" else "score"
    print_table(
        [("", "right"), ("word", "left"), (score, "right"), ("", "left"), ("JS reached", "right"),
         ("speaks for", "left")],
        (
            (place, shown(term), number(gain), bar(gain / largest), f"{reached:.1%}", shown(name))
            for place, term, gain, _, reached, name in frame.itertuples(index=False, name=None)
        ),
    )  # fmt: skip
