"""Which method at which number of terms: all figures of docs/study.md, from the documents on.

Run files go to results/study, and a run whose file is there is not repeated. FSMJ_REUTERS_MAT names
the paper's matrix; without it, Reuters-10 and Reuters-20 are studied as texts only.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from fsmj.cli.progress import progress_bar
from fsmj.datasets import newsgroups, r8, r52
from fsmj.experiment import Problem
from fsmj.experiment.lines import save_figure
from fsmj.experiment.sheets import write_text
from fsmj.paper.setup import problems_from, sources_at_hand
from study_figures import draw
from study_results import Study, study_of
from study_runs import choose, look_at_test, transfer_of, validate, validate_on_test
from study_tables import fill

FOLDS_CHECKED_ON = ("R8", "20 Newsgroups")  # one corpus of each source


def corpora() -> dict[str, list[Problem]]:
    """Load the corpora by source; Reuters-10 and -20 have the paper's terms, the others all."""
    reuters = [problem for source in sources_at_hand() for problem in problems_from(source)]
    return {
        "newswire": [*reuters, Problem(*r8()), Problem(*r52())],
        "newsgroups": [Problem(*newsgroups())],
    }


def run(
    sources: Mapping[str, Sequence[Problem]], checked: Sequence[str], folder: Path, n_jobs: int
) -> Study:
    """Choose on the training parts, look at the test parts, then check the folds on some."""
    problems = [problem for group in sources.values() for problem in group]
    with progress_bar("training parts") as show:
        validated = validate(problems, folder / "validation", n_jobs=n_jobs, progress=show)
    with progress_bar("test parts") as show:
        measured = look_at_test(
            problems, choose(validated), folder / "test", n_jobs=n_jobs, progress=show
        )
    some = [problem for problem in problems if problem.name in checked]
    with progress_bar("check of the folds") as show:
        on_test = validate_on_test(some, folder / "transfer", n_jobs=n_jobs, progress=show)
    return study_of(sources, measured, transfer_of(validated, on_test))


def publish(docs: Path) -> None:
    """Make the page's tables and figure from the numbers beside it."""
    study = Study.read(docs)
    page = docs / "study.md"
    write_text(fill(page.read_text(encoding="utf-8"), study), page)
    save_figure(draw(study), docs / "study_accuracy")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("results/study"))
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    parser.add_argument("--jobs", type=int, default=1, help="how many processes to use")
    options = parser.parse_args()
    run(corpora(), FOLDS_CHECKED_ON, options.results, options.jobs).write(options.docs)
    publish(options.docs)


if __name__ == "__main__":
    main()
