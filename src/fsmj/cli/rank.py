"""`fsmj rank`: from text, or counts, to the words that tell the classes apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fsmj.cli.data import opened
from fsmj.cli.options import (
    Against,
    Data,
    Json,
    MemoryLimit,
    Quiet,
    RankingMethod,
    Reading,
    Resamples,
    Words,
)
from fsmj.cli.output import FORMATS, STANDARD, check_target, print_json, records, write_frame
from fsmj.cli.terminal import bar, number, print_table, progress_bar, say, shown
from fsmj.counts import small_classes
from fsmj.methods.table import METHODS

if TYPE_CHECKING:
    from fsmj.counts import ClassTermCounts
    from fsmj.documents import Documents
    from fsmj.ranking import Ranking
    from fsmj.resampling import Stability

_MANY = 20  # documents: fewer are an experiment


def rank(
    data: Data,
    reading: Reading,
    words: Words,
    method: RankingMethod,
    memory_limit: MemoryLimit = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="How many words; 20 on the screen, all in a file. --resamples judges so many "
            "at least.",
        ),
    ] = None,
    class_: Against = None,
    by_class: Annotated[
        bool, typer.Option("--by-class", help="A row for each word and class, with all counts.")
    ] = False,
    resamples: Resamples = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write to a .csv, .parquet or .json file; - prints CSV."
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Rank the words that tell the classes apart.

    Example: fsmj rank news.csv --text body --label topic --top 30
    """
    if output is not None:
        check_target(output, FORMATS, [*data, *words.files])
        if json and output == STANDARD:
            raise ValueError("-o - prints CSV and --json prints JSON; give one of them")
    if by_class and resamples:
        raise ValueError("--resamples judges words, not words by class; leave out --by-class")
    on_screen = output is None and not json
    size = top if top is not None else (20 if on_screen else None)
    sure = None
    with opened(data, reading, words, quiet) as source:
        made_of = (
            source.documents("--resamples")
            if resamples
            else source.for_method(method.method, memory_limit)
        )
        made_of = against(made_of, class_)
        ranking = ranked(made_of, method, size, quiet)
        if resamples:
            from fsmj.resampling import usual_size

            judged = max(top or 0, usual_size(made_of))
            sure = stability_of(made_of, method, judged, resamples, quiet)
    warn_of_classes(ranking.counts)
    if by_class and output is not None:
        write_frame(ranking.by_class_in_parts(size), output)
        output = None
    frame = ranking.by_class(size) if by_class and (json or on_screen) else ranking.to_frame(size)
    if sure is not None:
        frame = frame.merge(sure.to_frame().drop(columns=["rank", "class"]), on="term", how="left")
    if output is not None:
        write_frame([frame], output)
    if json:
        print_json(records(frame))
    if on_screen:
        print_by_class(frame) if by_class else print_ranking(ranking, frame, sure)
    if not quiet and not json:
        n_ranked = len(ranking.order[:size])
        say(
            f"the first {n_ranked:,} of {ranking.counts.n_terms:,} words reach "
            f"{ranking.explained[n_ranked - 1]:.0%} of the divergence"
        )
        if sure is not None:
            say(sure.sentence)
        if METHODS[ranking.method].note:
            say(f"{ranking.method}: {METHODS[ranking.method].note}")


def ranked(
    made_of: ClassTermCounts | Documents, method: Any, size: int | None, quiet: bool
) -> Ranking:
    """Rank by any method, with a bar for one that takes its time."""
    from fsmj.methods import rank as rank_source

    with progress_bar(f"ranking by {method.method}", quiet) as show:
        return rank_source(made_of, method.method, size, progress=show, **method.own_options)


def stability_of(
    documents: Documents, method: Any, size: int | None, resamples: int, quiet: bool
) -> Stability:
    """Rank resampled documents, to see how sure each word is."""
    from fsmj import stability

    with progress_bar("resampling", quiet) as show:
        show(0, resamples)
        return stability(
            documents, method.method, size, resamples, progress=show, **method.own_options
        )


def against(source: Any, class_: str | None) -> Any:
    """Return counts or documents of one class and all others, if one is named."""
    return source if class_ is None else source.against_rest(class_)


def warn_of_classes(counts: ClassTermCounts) -> None:
    """Say so if labels look like numbers of documents, or classes are very small."""
    if counts.n_docs > _MANY and counts.n_classes > counts.n_docs / 2:
        say(f"warning: {counts.n_docs:,} documents have {counts.n_classes:,} different labels")
        return
    small = small_classes(counts) if counts.n_docs > _MANY else {}
    if small:
        named = ", ".join(f"{shown(name)} ({docs:,.0f})" for name, docs in list(small.items())[:5])
        say(
            f"warning: very few documents have the label {named}{', ...' if len(small) > 5 else ''}"
            "; their words may rank high by chance: --min-class-docs leaves small classes out"
        )


def print_ranking(ranking: Ranking, frame: Any, sure: Stability | None) -> None:
    """Print the first terms: score, evidence, and the class that each speaks for.

    Where resamples were ranked, also how often the term is among the first of them.
    """
    largest = max(frame["score"].max(), 1e-300)
    score = "gain" if ranking.method == "fsmj" else "score"
    columns = [
        ("", "right"), ("word", "left"), (score, "right"), ("", "left"), ("JS reached", "right"),
        ("times", "right"), ("documents", "right"), ("speaks for", "left"), ("in", "right"),
        ("elsewhere", "right"),
    ]  # fmt: skip
    if sure is not None:
        columns += [(f"in the first {sure.n_terms:,}", "right"), ("ranks", "left")]
    few = small_classes(ranking.counts)
    print_table(
        columns,
        (
            _row(row, largest, few, "" if sure is None else f">{sure.n_terms:,}")
            for row in frame.rename(columns={"class": "name"}).itertuples()
        ),
        spare=("JS reached", "ranks", "times", "elsewhere"),
    )


def _row(row: Any, largest: float, few: dict[Any, int | float], beyond: str) -> list[str]:
    of = few.get(row.name)  # a percentage of so few documents says too much
    cells = [
        str(row.rank), shown(row.term), number(row.score), bar(row.score / largest),
        f"{row.explained:.1%}", f"{row.count:,.0f}", f"{row.docs:,.0f}", shown(row.name),
        f"{row.share * of:,.6g} of {of:,.6g}" if of else f"{row.share:.1%}",
        f"{row.share_elsewhere:.1%}",
    ]  # fmt: skip
    if not beyond:
        return cells
    from pandas import isna

    if isna(row.share_of_resamples):
        return [*cells, "0%", beyond]
    low, high = (beyond if isna(rank) else f"{rank:,}" for rank in (row.rank_low, row.rank_high))
    ranks = low if low == high else f"{low} to {high}"
    judged = row.verdict in ("sure", "unsure")  # else the share means nothing
    return [*cells, f"{row.share_of_resamples:.0%}" if judged else row.verdict, ranks]


def print_by_class(frame: Any) -> None:
    """Print a row for each word and class."""
    print_table(
        [(str(name), "left" if name in ("term", "class") else "right") for name in frame],
        ([shown(cell) if isinstance(cell, str) else number(cell) for cell in row]
         for row in frame.itertuples(index=False)),
    )  # fmt: skip
