"""`fsmj count` and `fsmj merge`: text to counts, and counts together."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from fsmj.cli.data import opened
from fsmj.cli.options import Data, MemoryLimit, Quiet, Reading, Words
from fsmj.cli.output import PARQUET, check_target, write_parquet
from fsmj.cli.terminal import say
from fsmj.counts import ClassTermCounts, columns_as_metadata

CountsFile = Annotated[
    Path, typer.Option("--output", "-o", help="The counts, as Parquet; - for standard output.")
]


def count(
    data: Data,
    output: CountsFile,
    reading: Reading,
    words: Words,
    memory_limit: MemoryLimit = None,
    quiet: Quiet = False,
) -> None:
    """Count texts once; rank, train and report take the counts instead of the texts.

    Example: fsmj count part-*.jsonl.gz --memory-limit 2GB -o counts.parquet
    """
    check_target(output, PARQUET, [*data, *words.files])
    with opened(data, reading, words, quiet) as source:
        counts = source.counts(memory_limit)
        columns = columns_as_metadata(*source.origin)
    write_parquet(output, partial(counts.save, **columns))
    if not quiet:
        say(_described(counts))


def merge(
    counts: Annotated[list[str], typer.Argument(help="Counts made by fsmj count.")],
    output: CountsFile,
    min_docs: Annotated[
        int, typer.Option(min=1, help="Then leave out words that fewer documents contain.")
    ] = 1,
    quiet: Quiet = False,
) -> None:
    """Add up counts, exactly as if all texts had been counted together.

    Example: fsmj merge january.parquet february.parquet -o year.parquet
    """
    from fsmj.model import is_model

    check_target(output, PARQUET, counts)
    with opened(counts, Reading(min_docs=min_docs), quiet=True) as source:
        if not source.is_counts:
            raise ValueError(f"{source.places[0].name} holds no counts; make them with fsmj count")
        for place in source.places:
            if is_model(place.path):  # type: ignore[union-attr]
                raise ValueError(f"{place.name} is a model, not all counts of its texts")
        total, columns = source.counts(), columns_as_metadata(*source.origin)
    write_parquet(output, partial(total.save, **columns))
    if not quiet:
        say(_described(total))


def _described(counts: ClassTermCounts) -> str:
    return (
        f"{counts.n_docs:,} documents of {counts.n_classes:,} classes, "
        f"{counts.tokens_per_class.sum():,} words, {counts.n_terms:,} of them different"
    )
