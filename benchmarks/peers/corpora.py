"""The corpora, as every method gets them: all words, or the most frequent ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from fsmj import Documents
from fsmj.datasets import newsgroups
from fsmj.experiment import Problem
from fsmj.paper.setup import problems_from, sources_at_hand


def _reuters(place: int) -> Callable[[], Problem]:
    # The last source at hand is the paper's matrix, if it is there, else the texts.
    return lambda: problems_from(sources_at_hand()[-1])[place]


CORPORA: dict[str, Callable[[], Problem]] = {
    "Reuters-10": _reuters(0),
    "Reuters-20": _reuters(1),
    "20 Newsgroups": lambda: Problem(*newsgroups()),
}


def load(corpus: str, n_words: int | None = None) -> Problem:
    """Load a corpus, with all its words or with those that occur most often in training."""
    problem = CORPORA[corpus]()
    if n_words is not None and n_words < problem.train.n_terms:
        occurrences = problem.train.X.sum(axis=0)
        columns = np.sort(np.argsort(-occurrences, kind="stable")[:n_words])

        def some(part: Documents) -> Documents:
            return Documents(part.X[:, columns], part.y)

        problem = replace(problem, train=some(problem.train), test=some(problem.tested))
    X = problem.train.X  # scikit-learn's SVM takes indices of 32 bits only
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return problem
