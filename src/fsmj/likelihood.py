"""Greedy runs of conditional likelihood over documents, and trials on documents held out."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from fsmj.counts import ClassTermCounts

FOLDS = 3
PATIENCE = 50  # n_terms="auto" ends once the best likelihood is so many terms ago
CHUNK = 10  # steps from one report of progress to the next

ProgressHook = Callable[[int, int], None]


class Report:
    """Tell the caller how many of the steps planned so far are done."""

    def __init__(self, hook: ProgressHook | None) -> None:
        self.hook, self.done, self.total = hook, 0, 0

    def plan(self, steps: int) -> None:
        """Say that so many more steps are to come."""
        self.total += steps

    def advance(self, steps: int) -> None:
        """Say that so many more steps are done."""
        self.done += steps
        if self.hook is not None and steps:
            self.hook(self.done, self.total)


class Setting(NamedTuple):
    """What the runs of one call have in common."""

    alpha: float
    screen: int
    prefix: NDArray[np.int64]
    report: Report


class Run:
    """A greedy run over some documents, which can be carried on."""

    def __init__(
        self, documents: csr_array, labels: NDArray[np.int64], temperature: float, setting: Setting
    ) -> None:
        from fsmj._cll import corpus_of, new_state

        counts = ClassTermCounts.from_matrix(documents, labels)
        self.corpus = corpus_of(documents, labels, counts, setting.alpha)
        self.state = new_state(self.corpus, counts.docs_per_term > 0)
        self.temperature, self.setting = temperature, setting
        self.order, self.likelihood = np.empty(0, np.int64), np.empty(0)
        self.queue = setting.prefix
        if len(self.queue) == 0 and counts.n_terms:
            self.queue = np.argmax(counts.docs_per_term, keepdims=True)

    def extend(self, n_terms: int) -> None:
        """Take more terms until there are `n_terms`."""
        from fsmj._cll import follow, grow

        while len(self.order) < n_terms:
            step = min(CHUNK, n_terms - len(self.order))
            free = int(np.count_nonzero(self.state.free))
            if len(self.queue) == 0 and free == 0:
                self.queue = np.setdiff1d(np.arange(len(self.state.free)), self.order)
            if len(self.queue):
                order, self.queue = self.queue[:step], self.queue[step:]
                likelihood = np.empty(len(order))
                follow(self.corpus, self.state, self.temperature, order, likelihood)
            else:
                order, likelihood = np.empty(min(step, free), np.int64), np.empty(min(step, free))
                grow(self.corpus, self.state, self.temperature, self.setting.screen,
                     order, likelihood)  # fmt: skip
            self.order = np.append(self.order, order)
            self.likelihood = np.append(self.likelihood, likelihood)
            self.setting.report.advance(len(order))


class Trial:
    """Runs that each leave out a part of the documents, and the likelihood of those parts."""

    def __init__(
        self, documents: csr_array, labels: NDArray[np.int64], temperature: float, setting: Setting
    ) -> None:
        from fsmj._cll import new_state, with_documents

        self.temperature, self.setting = temperature, setting
        self.runs, self.held_out = [], []
        self.likelihood = np.empty(0)
        fold = _folds_of(labels)
        for k in range(FOLDS):
            rest, part = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            run = Run(documents[rest], labels[rest], temperature, setting)
            corpus = with_documents(run.corpus, documents[part], labels[part])
            self.runs.append(run)
            self.held_out.append((corpus, new_state(corpus, run.state.free)))

    @property
    def reached(self) -> float:
        """The likelihood after the last step."""
        return float(self.likelihood[-1]) if len(self.likelihood) else -np.inf

    def extend(self, n_terms: int) -> None:
        """Take more terms in each run until there are `n_terms`."""
        from fsmj._cll import follow

        done = len(self.likelihood)
        self.setting.report.plan(FOLDS * (n_terms - done))
        added, part = np.zeros(n_terms - done), np.empty(n_terms - done)
        for run, (corpus, state) in zip(self.runs, self.held_out, strict=True):
            run.extend(n_terms)
            follow(corpus, state, self.temperature, run.order[done:], part)
            added += part
        self.likelihood = np.append(self.likelihood, added)

    def peak(self) -> int:
        """Return the number of terms at which the held-out likelihood is highest."""
        vocabulary = len(self.runs[0].state.free)
        while len(self.likelihood) < vocabulary:
            if len(self.likelihood) - np.argmax(self.likelihood) > PATIENCE:
                break
            self.extend(min(len(self.likelihood) + PATIENCE, vocabulary))
        return int(np.argmax(self.likelihood)) + 1


def best_trial(
    documents: csr_array,
    labels: NDArray[np.int64],
    temperatures: tuple[float, ...],
    setting: Setting,
    n_terms: int,
) -> Trial:
    """Return the last trial before the held-out likelihood no longer rises."""
    from fsmj._cll import TIE

    best = None
    for temperature in temperatures:
        trial = Trial(documents, labels, temperature, setting)
        trial.extend(n_terms)
        if best is not None and trial.reached <= best.reached + TIE * len(labels):
            break
        best = trial
    assert best is not None
    return best


def _folds_of(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Deal the documents of each class out in turn; -1 for the only one of a class."""
    by_label = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    fold = np.empty(len(labels), np.int64)
    fold[by_label] = (np.arange(len(labels)) - first) % FOLDS
    fold[sizes[labels] == 1] = -1
    return fold
