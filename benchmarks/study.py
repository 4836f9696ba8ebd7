"""Which method, for how many words and which classifier: all figures of docs/study.md.

Run files go to results/study, and a run whose file is there is not repeated: delete the folder if
a method has changed. FSMJ_REUTERS_MAT names the paper's matrix; without it, Reuters-10 and
Reuters-20 are studied as texts only.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from fsmj.datasets import newsgroups, r8, r52
from fsmj.experiment import Problem
from fsmj.experiment.lines import save_figure
from fsmj.experiment.sheets import write_text
from fsmj.paper.setup import problems_from, sources_at_hand
from study_figures import figures
from study_results import Study, study_of
from study_runs import choose, draw_anew, look_at_test, validate
from study_tables import fill


def corpora() -> dict[str, list[Problem]]:
    """Load the corpora by source; Reuters-10 and -20 have the paper's terms, the others all."""
    reuters = [problem for source in sources_at_hand() for problem in problems_from(source)]
    return {
        "newswire": [*reuters, Problem(*r8()), Problem(*r52())],
        "newsgroups": [Problem(*newsgroups())],
    }


def run(sources: Mapping[str, Sequence[Problem]], folder: Path) -> Study:
    """Choose on the training parts, then look at the test parts."""
    problems = [problem for group in sources.values() for problem in group]
    chosen = choose(validate(problems, folder / "train"))
    measured = look_at_test(problems, chosen, folder / "test")
    return study_of(sources, measured, draw_anew(problems, folder / "stability"))


def publish(docs: Path) -> None:
    """Make the page's tables and figures from the numbers beside it."""
    study = Study.read(docs)
    page = docs / "study.md"
    write_text(fill(page.read_text(encoding="utf-8"), study), page)
    for name, figure in figures(study).items():
        save_figure(figure, docs / name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("results/study"))
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    options = parser.parse_args()
    run(corpora(), options.results).write(options.docs)
    publish(options.docs)


if __name__ == "__main__":
    main()
