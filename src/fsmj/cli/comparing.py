"""`fsmj compare`: every method on the user's own corpus."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fsmj.cli.data import Source, opened
from fsmj.cli.options import Aggregate, Documents, Json, Quiet, Reading, Words
from fsmj.cli.output import print_json, records
from fsmj.cli.progress import progress_bar
from fsmj.cli.terminal import print_table, say

if TYPE_CHECKING:
    from rich.text import Text

    from fsmj.experiment import Candidate, Problem, Results

DEFAULT_METHODS = "fsmj,df,ig,chi2,rs,cet,ngl,mi,cmim,cll"
_SHOWN_AT = (10, 20, 50, 100, 200, 500, 1000, 2000)


def compare(
    data: Documents,
    reading: Reading,
    words: Words,
    methods: Annotated[
        str,
        typer.Option(
            help=f"The methods to compare, separated by commas; {DEFAULT_METHODS} by default.",
            show_default=False,
        ),
    ] = DEFAULT_METHODS,
    aggregate: Annotated[
        Aggregate, typer.Option(help="How the classical scores of the classes become one.")
    ] = "max",
    test: Annotated[
        list[str] | None,
        typer.Option(help="Measure on these documents.", show_default=False),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(min=2, help="Measure on each of so many parts in turn.", show_default=False),
    ] = None,
    test_share: Annotated[
        float, typer.Option(help="Otherwise measure on this share of the data, held out.")
    ] = 0.3,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", file_okay=False, show_default=False,
            help="A folder for all figures: accuracy.csv, accuracy.png and .svg, and the runs.",
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:  # fmt: skip
    """Compare methods: the accuracy of naive Bayes with each one's first words.

    Example: fsmj compare news.csv --cv 5 -o comparison
    """
    from fsmj.experiment import draw_curves, read_results, run_all
    from fsmj.experiment.tables import write_csv

    if test is not None and cv is not None:
        raise ValueError("give --test or --cv, not both")
    candidates = _candidates(methods, aggregate)
    with opened(data, reading, words, quiet) as source:
        problems = _problems(source, test, cv, test_share)
    unseen = sum(problem.unseen for problem in problems)
    if unseen and not quiet:
        say(f"{unseen:,} test documents have a label without training documents: all errors")
    with _folder(output) as folder:
        with progress_bar("comparing", quiet) as show:
            run_all(problems, folder, candidates, progress=show)
        results = read_results(folder, [problem.name for problem in problems])
    results = _of_this_call(results, candidates)
    if output is not None:
        write_csv(results.curves.drop(columns="right"), output / "accuracy.csv")
        draw_curves(results, str(results.problems["problem"].iloc[0]), output / "accuracy")
    if json:
        print_json(records(results.curves.drop(columns="right")))
    else:
        _print(results, problems[0], list(candidates))
    if output is not None and not quiet:
        say(f"figures and runs are in {output}")


def _candidates(methods: str, aggregate: Aggregate) -> dict[str, Candidate]:
    from fsmj.experiment import CANDIDATES

    names = [name.strip() for name in methods.split(",") if name.strip()]
    unknown = [name for name in names if name not in CANDIDATES]
    if unknown or not names:
        what = f"unknown method {unknown[0]!r}" if unknown else "no method is named"
        raise ValueError(f"{what}; choose from {', '.join(CANDIDATES)}")
    return {
        name: CANDIDATES[name]._replace(
            aggregates=(aggregate,) if len(CANDIDATES[name].aggregates) > 1 else (None,),
            rest=(False, True) if name == "fsmj" else (False,),
        )
        for name in names
    }


def _of_this_call(results: Results, candidates: dict[str, Candidate]) -> Results:
    """Leave out what an earlier comparison has left in the same folder."""
    from fsmj.experiment.results import KEY

    wanted = {
        (candidate.method, candidate.variant, aggregate or "", rest)
        for candidate in candidates.values()
        for aggregate in candidate.aggregates
        for rest in candidate.rest
    }
    keys = results.curves[KEY].itertuples(index=False, name=None)
    return replace(results, curves=results.curves[[key in wanted for key in keys]])


def _problems(
    source: Source, test: list[str] | None, cv: int | None, test_share: float
) -> list[Problem]:
    import numpy as np

    from fsmj.corpus.labels import of_one_kind
    from fsmj.datasets import Corpus, Part
    from fsmj.experiment import fold_problems, problem_of, split_corpus

    if cv is not None:
        return fold_problems(source.name, *source.matrix("compare"), cv)
    texts, labels = source.texts_and_labels("compare")
    if test is None:
        corpus = split_corpus(source.name, texts, labels, test_share=test_share)
    else:
        with opened(test, source.reading, source.words, source.quiet) as held_out:
            test_texts, test_labels = held_out.texts_and_labels("compare")
        labels, test_labels = of_one_kind(labels, test_labels)
        train = Part(np.array(labels), texts)
        corpus = Corpus(source.name, train, Part(np.array(test_labels), test_texts),
                        np.unique(labels), None, "")  # fmt: skip
    return [problem_of(corpus, min_docs=source.reading.min_docs, rule=source.rule)]


@contextmanager
def _folder(output: Path | None) -> Iterator[Path]:
    if output is not None:
        yield output
        return
    with tempfile.TemporaryDirectory(prefix="fsmj-") as scratch:
        yield Path(scratch)


def _print(results: Results, problem: Problem, order: list[str]) -> None:
    """Print a row for each run and a column for each size; the best of a column stands out."""
    sizes, table = _accuracies(results, order)
    best = {k: max(row.get(k, 0.0) for row in table.values()) for k in sizes}
    rows = [[name, *(_cell(row.get(k), best[k]) for k in sizes)] for name, row in table.items()]
    print_table([("accuracy at", "left"), *((f"{k:,}", "right") for k in sizes)], rows)
    if any(k not in row for row in table.values() for k in sizes):
        print("\n–: the method ranks fewer words")
    facts = results.problems.iloc[0]
    how = "each document tested once" if problem.part_of else f"{facts['n_test']:,} test documents"
    print(f"\n{facts['n_train']:,} training documents, {how}, {facts['n_classes']:,} classes")


def _accuracies(
    results: Results, order: list[str]
) -> tuple[list[int], dict[str, dict[int, float]]]:
    """Return the sizes to show, and each run's accuracy at those it has."""
    from fsmj.experiment.labels import label_of

    most = int(results.curves["k"].max())
    sizes = sorted({*(k for k in _SHOWN_AT if k <= most), most})
    name = str(results.problems["problem"].iloc[0])
    lines = sorted(results.lines(name), key=lambda run: _place(run[0], order))
    return sizes, {
        label_of(*key): dict(zip(line["k"], line["accuracy"], strict=True)) for key, line in lines
    }


def _place(key: tuple[str, str, str, bool], order: list[str]) -> tuple[int, bool]:
    """Return where a run stands: as the user named the methods, without the rest cell first."""
    method, variant, _, rest = key
    name = f"{method}-{variant}" if variant else method
    return order.index(name), rest


def _cell(accuracy: float | None, best: float) -> Text | str:
    from rich.text import Text

    if accuracy is None:
        return "–"
    return Text(f"{accuracy:.3f}", style="bold" if accuracy == best else "")
