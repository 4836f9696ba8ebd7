"""Greedy runs of conditional likelihood over documents, and trials on documents held out."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj.documents import Documents
from fsmj.methods.ranked import Progress

FOLDS = 3
PATIENCE = 50  # n_terms="auto" ends once the best likelihood is so many terms ago
CHUNK = 10  # steps from one report of progress to the next


class Setting(NamedTuple):
    """What the runs of one call have in common."""

    alpha: float
    progress: Progress
    stop: NDArray[np.uint8]  # not 0 once nobody wants the result any more
    lock: Any = Lock()  # runs go on side by side, progress is told by one at a time


class Part(NamedTuple):
    """Documents with a model learnt from them, and documents held out."""

    learnt: Documents
    corpus: Any
    held_out: Any


class Run:
    """A greedy run over some documents, which can be carried on."""

    def __init__(
        self, documents: Documents, corpus: Any, temperature: float, setting: Setting
    ) -> None:
        from fsmj.methods._cll import new_state
        from fsmj.methods._cll_search import new_bounds

        counts = documents.counts
        self.corpus, self.state, self.bounds = corpus, new_state(corpus), new_bounds(counts)
        self.temperature, self.setting = temperature, setting
        self.order, self.likelihood = np.empty(0, np.int64), np.empty(0)
        self.first = int(np.argmax(counts.docs_per_term)) if counts.n_terms else 0

    def extend(self, n_terms: int) -> None:
        """Take more terms until there are `n_terms`."""
        from fsmj.methods._cll import follow
        from fsmj.methods._cll_search import grow

        while len(self.order) < n_terms and not self.setting.stop[0]:
            free = int(np.count_nonzero(self.bounds.free))
            size = min(CHUNK, n_terms - len(self.order))
            if len(self.order) == 0:
                order = np.array([self.first])
            elif free == 0:
                order = np.setdiff1d(np.arange(len(self.bounds.free)), self.order)[:size]
            else:
                order = np.empty(min(size, free), np.int64)
            likelihood = np.empty(len(order))
            where = (order, likelihood, self.setting.stop)
            if len(self.order) == 0 or free == 0:
                follow(self.corpus, self.state, self.temperature, *where)
            else:
                grow(self.corpus, self.state, self.bounds, self.temperature, *where)
            self.bounds.free[order] = False
            self.order = np.append(self.order, order)
            self.likelihood = np.append(self.likelihood, likelihood)
            with self.setting.lock:
                self.setting.progress.advance(len(order))


class Trial:
    """Runs that each leave out a part of the documents, and the likelihood of those parts."""

    def __init__(self, parts: list[Part], temperature: float, setting: Setting) -> None:
        from fsmj.methods._cll import new_state

        self.temperature, self.setting = temperature, setting
        self.runs = [Run(part.learnt, part.corpus, temperature, setting) for part in parts]
        self.held_out = [(part.held_out, new_state(part.held_out)) for part in parts]
        self.likelihood = np.empty(0)

    @property
    def reached(self) -> float:
        """The likelihood after the last step."""
        return float(self.likelihood[-1]) if len(self.likelihood) else -np.inf

    def peak(self, vocabulary: int) -> int:
        """Return the number of terms at which the held-out likelihood is highest."""
        while len(self.likelihood) < vocabulary and not self.setting.stop[0]:
            if len(self.likelihood) - np.argmax(self.likelihood) > PATIENCE:
                break
            extend([self], min(len(self.likelihood) + PATIENCE, vocabulary))
        return int(np.argmax(self.likelihood)) + 1


def parts_of(documents: Documents, alpha: float) -> list[Part]:
    """Split documents into parts to be held out in turn; none if each has a class of its own."""
    from fsmj.methods._cll import corpus_of, with_documents

    parts: list[Part] = []
    if documents.n_docs == len(documents.classes):
        return parts
    for fold in documents.folds(FOLDS):
        learnt = documents.take(fold.train).heard()
        if learnt.n_docs == 0:
            continue
        # The likelihood of a class that was not learnt is 0 whatever the terms.
        held = documents.take(fold.held[np.isin(documents.y[fold.held], learnt.classes)])
        corpus = corpus_of(learnt.X, learnt.codes, learnt.counts, alpha)
        labels = np.searchsorted(learnt.classes, held.y)
        parts.append(Part(learnt, corpus, with_documents(corpus, held.X, labels)))
    return parts


def extend(trials: list[Trial], n_terms: int) -> None:
    """Take more terms in each run of the trials until there are `n_terms`, on all cores."""
    from fsmj.methods._cll import follow

    def carry_on(trial: Trial, k: int) -> NDArray[np.float64]:
        run, (corpus, state), done = trial.runs[k], trial.held_out[k], len(trial.likelihood)
        run.extend(n_terms)
        order = run.order[done:]
        added = np.zeros(n_terms - done)
        follow(corpus, state, trial.temperature, order, added, trial.setting.stop)
        return added

    for trial in trials:
        trial.setting.progress.plan(len(trial.runs) * (n_terms - len(trial.likelihood)))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        added = [
            [pool.submit(carry_on, trial, k) for k in range(len(trial.runs))] for trial in trials
        ]
    for trial, of_runs in zip(trials, added, strict=True):
        # One after the other, so that the sum does not depend on the number of cores.
        total = np.zeros(n_terms - len(trial.likelihood))
        for future in of_runs:
            total += future.result()
        trial.likelihood = np.append(trial.likelihood, total)


def best_trial(
    documents: Documents, temperatures: tuple[float, ...], setting: Setting, n_terms: int
) -> Trial:
    """Return the last trial before the held-out likelihood no longer rises."""
    from fsmj.methods._cll_search import TIE

    parts = parts_of(documents, setting.alpha)
    best, waiting = None, list(temperatures)
    # The first is compared with the second in any case; then one by one.
    while waiting and not setting.stop[0]:
        size = 2 if best is None else 1
        trials = [Trial(parts, temperature, setting) for temperature in waiting[:size]]
        extend(trials, n_terms)
        for trial in trials:
            if best is not None and trial.reached <= best.reached + TIE * documents.n_docs:
                return best
            best = trial
        del waiting[:size]
    assert best is not None
    return best
