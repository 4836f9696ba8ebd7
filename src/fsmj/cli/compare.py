"""`fsmj compare`: every method on the user's own corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fsmj.cli.data import opened
from fsmj.cli.options import Documents, Json, Quiet, Reading, Test, Words
from fsmj.cli.output import check_folder, print_json, records
from fsmj.cli.terminal import print_table, progress_bar, say
from fsmj.methods.option import AGGREGATE
from fsmj.methods.table import METHODS

if TYPE_CHECKING:
    from rich.text import Text

    from fsmj.experiment import Candidate, Problem, Results

_LONG = 60  # seconds


def _default_methods() -> list[str]:
    return [name for name, row in METHODS.items() if not row.variant_of]


_SLOW = [name for name in _default_methods() if METHODS[name].slow]


def compare(
    data: Documents,
    reading: Reading,
    words: Words,
    methods: Annotated[
        str | None,
        typer.Option(
            help="The methods to compare, separated by commas. By default "
            f"{', '.join(_default_methods())}; of these {', '.join(_SLOW)} are slow."
        ),
    ] = None,
    aggregate: Annotated[
        str, typer.Option(help=AGGREGATE.help, metavar="|".join(AGGREGATE.choices))
    ] = AGGREGATE.default,
    test: Test = None,
    cv: Annotated[
        int | None, typer.Option(min=2, help="Measure on each of so many parts in turn.")
    ] = None,
    test_share: Annotated[
        float, typer.Option(help="Otherwise measure on this share of the data, held out.")
    ] = 0.3,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            file_okay=False,
            help="A folder for all figures: accuracy.csv, accuracy.png and .svg, and the runs.",
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare methods: the accuracy of naive Bayes with each one's first words.

    Example: fsmj compare news.csv --cv 5 -o comparison
    """
    from fsmj.experiment import Problem, draw_curves, named_candidates, run_all
    from fsmj.experiment.sheets import write_csv

    if test is not None and cv is not None:
        raise ValueError("give --test or --cv, not both")
    if output is not None:
        check_folder(output, [*data, *(test or ()), *words.files], ["accuracy.csv"])
    named = _default_methods() if methods is None else methods.split(",")
    candidates = named_candidates(
        [name.strip() for name in named if name.strip()], AGGREGATE.read(aggregate)
    )
    with opened(data, reading, words, quiet) as source:
        documents, name = source.documents("compare"), source.name
        if cv is not None:
            problem = Problem(f"{name}, {cv} parts", documents, cv=cv)
        elif test is not None:
            problem = Problem(name, documents, source.test_documents(test, documents))
        else:
            fold = documents.split(test_share)
            problem = Problem(name, documents.take(fold.train), documents.take(fold.held))
    if not quiet:
        _say_what_takes_long(problem, candidates)
    with progress_bar("comparing", quiet) as show:
        results = run_all([problem], output, candidates, progress=show)
    curves = results.curves.drop(columns="right")
    if output is not None:
        write_csv(curves, output / "accuracy.csv")
        draw_curves(results, problem.name, output / "accuracy")
    if json:
        print_json(records(curves))
    else:
        _print(results, problem, list(candidates))
    if output is not None and not quiet:
        say(f"figures and runs are in {output}")


def _say_what_takes_long(problem: Problem, candidates: dict[str, Candidate]) -> None:
    from fsmj.experiment.runs import runs_of
    from fsmj.experiment.schedule import seconds_expected

    runs = runs_of([problem], candidates)
    long = {run.candidate.key for run in runs if seconds_expected(run) > _LONG}
    if not long:
        return
    others = dict.fromkeys(one.key for one in candidates.values() if one.key not in long)
    way_out = f"; leave them out with --methods {','.join(others)}" if others else ""
    say(f"{', '.join(sorted(long))} may take minutes here{way_out}")


def _print(results: Results, problem: Problem, order: list[str]) -> None:
    """Print a row for each run and a column for each size; the best of a column stands out."""
    from fsmj.experiment.results import averages, labels_of
    from fsmj.experiment.runs import COMPARED_AT

    most = int(results.curves["k"].max())
    sizes = sorted({*(k for k in COMPARED_AT if k <= most), most})
    lines = sorted(results.lines(problem.name), key=lambda run: order.index(run[0].name))
    table = {
        candidate.label: dict(zip(line["k"], line["accuracy"], strict=True))
        for candidate, line in lines
    }
    best = {k: max(row.get(k, 0.0) for row in table.values()) for k in sizes}
    rows = [[name, *(_cell(row.get(k), best[k]) for k in sizes)] for name, row in table.items()]
    print_table([("accuracy at", "left"), *((f"{k:,}", "right") for k in sizes)], rows)
    ends = {label: max(row) for label, row in table.items() if max(row) < most}
    if ends:
        last = ", ".join(f"{label} ({k:,})" for label, k in ends.items())
        print(f"\n–: the method ranks fewer words: {last}")
    mean = averages(results)
    if len(mean) > 1:
        first = mean.iloc[0]
        reached = f"at up to {first['up_to']:,.0f} words, as far as all rank"
        print(f"\nBest on average {reached}: {labels_of(mean).iloc[0]} ({first['accuracy']:.3f})")
    how = "each tested once" if problem.test is None else f"{problem.n_test:,} test documents"
    n_classes = len(problem.train.classes)
    print(f"\n{problem.train.n_docs:,} training documents, {how}, {n_classes:,} classes")


def _cell(accuracy: float | None, best: float) -> Text | str:
    from rich.text import Text

    if accuracy is None:
        return "–"
    return Text(f"{accuracy:.3f}", style="bold" if accuracy == best else "")
