"""The paper's experiment: Reuters-10 and Reuters-20, its methods, its figures and its claim."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from fsmj.experiment.candidates import KEY, Candidate
from fsmj.experiment.results import Results, averages, comparisons, labels_of
from fsmj.experiment.schedule import ProgressHook, run_all
from fsmj.experiment.sheets import comparisons_markdown, markdown, write_csv, write_text
from fsmj.paper import setup
from fsmj.paper.panels import draw_panels
from fsmj.paper.verdict import few_terms_table, headline, verdict_on

_SOURCE_TITLES: dict[setup.Source, str] = {"r52": "Texts of R52", "mat": "The paper's own matrix"}


def reproduce(
    folder: str | os.PathLike[str] = "results",
    sources: Sequence[setup.Source] | None = None,
    candidates: Mapping[str, Candidate] | None = None,
    *,
    n_jobs: int | None = None,
    progress: ProgressHook | None = None,
) -> Path:
    """Repeat the experiment of the paper's section IV.

    Parameters
    ----------
    folder : path-like, default="results"
        Where the results go; what is there from an earlier run with the same settings is used.
    sources : sequence of {"r52", "mat"}, optional
        Where the documents come from, see `fsmj.datasets.reuters`; by default R52, and the
        paper's matrix if it is on this machine.
    candidates : mapping of str to Candidate, optional
        What to compare.
    n_jobs : int, optional
        How many processes to use; by default as many as there are processors.
    progress : callable, optional
        As for `fsmj.experiment.run_all`.

    Returns
    -------
    Path
        `RESULTS.md`, which says what came out and links to the rest.
    """
    where = Path(folder)
    chosen = setup.sources_at_hand() if sources is None else list(sources)
    problems = {source: setup.problems_from(source) for source in chosen}
    where.mkdir(parents=True, exist_ok=True)
    results = run_all(
        [problem for group in problems.values() for problem in group],
        where,
        setup.candidates() if candidates is None else candidates,
        n_jobs=n_jobs,
        progress=progress,
    )
    groups = {source: [problem.name for problem in group] for source, group in problems.items()}
    return _write_reports(results, where, groups)


def _write_reports(
    results: Results, folder: Path, groups: Mapping[setup.Source, Sequence[str]]
) -> Path:
    """Make all figures and tables; averages and tests are worked out once."""
    mean, compared = averages(results, setup.AVERAGED_OVER), comparisons(results)
    sections = []
    for source, names in groups.items():
        tables = (results.problems, results.curves, mean, compared)
        facts, curves, means, tests = (t[t["problem"].isin(names)] for t in tables)
        part = Results(facts, curves)
        draw_panels(part, folder / source, means)
        write_csv(_with_quoted(means).drop(columns="up_to"), folder / source / "averages.csv")
        write_csv(tests, folder / source / "comparisons.csv")
        write_text(comparisons_markdown(tests), folder / source / "comparisons.md")
        times = curves[["problem", *KEY, "seconds"]].drop_duplicates(["problem", *KEY])
        write_csv(times, folder / source / "times.csv")
        sections.append(_section(part, means, tests, source))
    path = folder / "RESULTS.md"
    parts = [_INTRODUCTION, headline(mean, compared), *sections]
    write_text("\n\n".join(filter(None, parts)) + "\n", path)
    return path


def _with_quoted(mean: pd.DataFrame) -> pd.DataFrame:
    """Put the paper's numbers beside ours; each number stands beside all forms of its method."""
    paper = [
        None if rest else setup.quoted(problem, method, aggregate)
        for problem, method, aggregate, rest in mean[
            ["problem", "method", "aggregate", "rest"]
        ].itertuples(index=False)
    ]
    return mean.assign(paper=pd.Series(paper, mean.index, "float64"))


def _averages_markdown(mean: pd.DataFrame, problems: Sequence[str]) -> str:
    """Lay the averages out: a row for each run, two columns for each problem."""
    table = _with_quoted(mean)
    rows = []
    for label, run in table.groupby(labels_of(table), sort=False):
        cells = [str(label)]
        chosen = run.set_index("problem")
        for name in problems:
            ours, paper = (
                chosen[column].get(name, float("nan")) for column in ("accuracy", "paper")
            )
            cells += [
                "–" if pd.isna(ours) else f"{ours:.3f}",
                "" if pd.isna(paper) else f"{paper:.2f}",
            ]
        rows.append(cells)
    header = ["method"]
    for name in problems:
        header += [name, "paper"]
    return markdown(header, rows)


_INTRODUCTION = """\
# The paper's experiment, repeated

Multinomial naive Bayes on the first k terms of a ranking, trained on the training documents and \
measured on the test documents. The paper claims that FSMJ "outperforms all other 6 feature \
selection approaches with a significant margin" on Reuters-10 and Reuters-20. Below, *classical \
rankings* are those by DF, IG, Chi, RS, CET, NGL and MI, combined over the classes by maximum, \
sum and weighted average. All sentences and numbers on this page are made from the files in \
`runs/`."""


def _section(
    results: Results, mean: pd.DataFrame, compared: pd.DataFrame, name: setup.Source
) -> str:
    facts = results.problems
    names = list(facts["problem"])
    sizes = facts[["problem", "n_train", "n_test", "n_classes", "n_terms"]]
    parts = [
        f"## {_SOURCE_TITLES[name]}",
        markdown(
            ["corpus", "training documents", "test documents", "classes", "terms"],
            [[first, *(f"{size:,}" for size in rest)] for first, *rest in sizes.to_numpy()],
        ),
        f"![Accuracy against the number of terms]({name}/panels.png)",
        f"![Accuracy with few terms]({name}/few-terms.png)",
    ]
    for problem in names:
        parts += [
            f"### {problem}",
            verdict_on(results, mean, compared, problem),
            few_terms_table(results.of(problem)),
        ]
    parts += [
        "### Averages over k = 100, 200, …, 2000",
        "Beside what the paper quotes. A dash marks rankings that end before. *As printed* is a "
        "score by the paper's own equation, whose denominator differs from the published one.",
        _averages_markdown(mean, names),
        f"All comparisons: [{name}/comparisons.md]({name}/comparisons.md); as tables: "
        f"[averages.csv]({name}/averages.csv), [comparisons.csv]({name}/comparisons.csv), "
        f"[times.csv]({name}/times.csv).",
        "Documents: " + " ".join(dict.fromkeys(facts["citation"])),
    ]
    return "\n\n".join(parts)
