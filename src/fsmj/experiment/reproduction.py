"""The paper's experiment: Reuters-10 and Reuters-20, its methods, its figures and its claim."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from fsmj.datasets import cache, matrix, reuters
from fsmj.experiment.candidates import CANDIDATES, Candidate
from fsmj.experiment.figures import draw_figures
from fsmj.experiment.problems import Problem, problem_of, shared_vocabulary
from fsmj.experiment.results import Results, averages, comparisons, read_results
from fsmj.experiment.schedule import ProgressHook, run_all
from fsmj.experiment.tables import (
    averages_markdown,
    comparisons_markdown,
    markdown,
    times,
    with_quoted,
    write_csv,
    write_text,
)
from fsmj.experiment.verdict import few_terms_table, headline, verdict_on

Source = Literal["r52", "mat"]
TOPICS = (10, 20)
MIN_DOCS = 4  # "less than 3 documents" of the paper, read so that its 7,789 terms come out

_SOURCE_TITLES = {
    "r52": "Texts of R52",
    "mat": "The paper's own matrix",
}


def reproduce(
    folder: str | os.PathLike[str] = "results",
    sources: Sequence[Source] | None = None,
    candidates: Mapping[str, Candidate] = CANDIDATES,
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
        Called as ``progress(done, total)``.

    Returns
    -------
    Path
        `RESULTS.md`, which says what came out and links to the rest.
    """
    where = Path(folder)
    chosen = sources_at_hand() if sources is None else list(sources)
    problems = {source: problems_from(source) for source in chosen}
    where.mkdir(parents=True, exist_ok=True)
    every = [problem for group in problems.values() for problem in group]
    run_all(every, where, candidates, n_jobs=n_jobs, progress=progress)
    groups = {source: [problem.name for problem in group] for source, group in problems.items()}
    return write_reports(where, {_SOURCE_TITLES[s]: (s, names) for s, names in groups.items()})


def sources_at_hand() -> list[Source]:
    """Return R52, and the paper's matrix if it is on this machine."""
    supplied = bool(os.environ.get("FSMJ_REUTERS_MAT"))
    cached = (cache.folder() / matrix.NAME).exists()
    return ["r52", "mat"] if supplied or cached else ["r52"]


def problems_from(source: Source) -> list[Problem]:
    """Load Reuters-10 and Reuters-20.

    Both have the same terms: those in at least 4 training documents of Reuters-20.
    """
    corpora = [reuters(topics, source) for topics in TOPICS]
    texts = corpora[-1].train.texts
    terms = None if texts is None else shared_vocabulary(texts, MIN_DOCS)
    return [problem_of(corpus, terms) for corpus in corpora]


def write_reports(folder: Path, groups: Mapping[str, tuple[str, Sequence[str]]]) -> Path:
    """Make all figures and tables from the files of the runs.

    Parameters
    ----------
    folder : Path
        The folder given to `run_all`.
    groups : mapping of str to (str, sequence of str)
        By title: the folder for a group's figures and tables, and its problems.

    Returns
    -------
    Path
        `RESULTS.md`.
    """
    sections = []
    for title, (name, problems) in groups.items():
        results = read_results(folder, problems)
        draw_figures(results, folder / name)
        sections.append(_section(title, results, folder, name))
    every = read_results(folder, [name for _, names in groups.values() for name in names])
    summary = headline(averages(every), comparisons(every))
    sections = [_INTRODUCTION, *filter(None, [summary]), *sections]
    path = folder / "RESULTS.md"
    write_text("\n\n".join(sections) + "\n", path)
    return path


_INTRODUCTION = """\
# The paper's experiment, repeated

Multinomial naive Bayes on the first k terms of a ranking, trained on the training documents and \
measured on the test documents. The paper claims that FSMJ "outperforms all other 6 feature \
selection approaches with a significant margin" on Reuters-10 and Reuters-20. Below, *classical \
rankings* are those by DF, IG, Chi, RS, CET, NGL and MI, combined over the classes by maximum, \
sum and weighted average. All sentences and numbers on this page are made from the files in \
`runs/`."""


def _section(title: str, results: Results, folder: Path, name: str) -> str:
    mean, compared = averages(results), comparisons(results)
    write_csv(with_quoted(mean), folder / name / "averages.csv")
    write_csv(compared, folder / name / "comparisons.csv")
    write_text(comparisons_markdown(compared), folder / name / "comparisons.md")
    write_csv(times(results), folder / name / "times.csv")
    facts = results.problems
    names = list(facts["problem"])
    sizes = facts[["problem", "n_train", "n_test", "n_classes", "n_terms"]]
    parts = [
        f"## {title}",
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
        averages_markdown(mean, names),
        f"All comparisons: [{name}/comparisons.md]({name}/comparisons.md); as tables: "
        f"[averages.csv]({name}/averages.csv), [comparisons.csv]({name}/comparisons.csv), "
        f"[times.csv]({name}/times.csv).",
        "Documents: " + " ".join(dict.fromkeys(facts["citation"])),
    ]
    return "\n\n".join(parts)
