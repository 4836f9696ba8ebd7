"""The corpora, as every method gets them: all words, or the most frequent ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from fsmj.datasets import newsgroups
from fsmj.experiment import Problem, problem_of
from fsmj.experiment.reproduction import problems_from, sources_at_hand


def _reuters(place: int) -> Callable[[], Problem]:
    # The last source at hand is the paper's matrix, if it is there, else the texts.
    return lambda: problems_from(sources_at_hand()[-1])[place]


CORPORA: dict[str, Callable[[], Problem]] = {
    "Reuters-10": _reuters(0),
    "Reuters-20": _reuters(1),
    "20 Newsgroups": lambda: problem_of(newsgroups()),
}


def load(corpus: str, n_words: int | None = None) -> Problem:
    """Load a corpus, with all its words or with those that occur most often in training."""
    problem = CORPORA[corpus]()
    if n_words is None or n_words >= len(problem.terms):
        return problem
    occurrences = problem.X_train.sum(axis=0)
    columns = np.sort(np.argsort(-occurrences, kind="stable")[:n_words])
    return replace(
        problem,
        X_train=problem.X_train[:, columns],
        X_test=problem.X_test[:, columns],
        terms=problem.terms[columns],
    )
