"""Greedy runs of conditional likelihood over documents, and trials on documents held out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsmj._interruptible import cores
from fsmj.counts import ClassTermCounts
from fsmj.documents import Documents, Fold
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

    counts: ClassTermCounts
    corpus: Any
    held_out: Any


class Run:
    """A greedy run over some documents, which can be carried on."""

    def __init__(
        self, corpus: Any, counts: ClassTermCounts, temperature: float, setting: Setting
    ) -> None:
        from fsmj.methods._cll import new_state
        from fsmj.methods._cll_search import new_bounds

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
    """Runs that each leave out a part of the documents, and the likelihood of those parts.

    They can be carried on, so all are in memory at a time.
    """

    def __init__(self, documents: Documents, temperature: float, setting: Setting) -> None:
        from fsmj.methods._cll import new_state

        parts = list(parts_of(documents, folds_of(documents), setting.alpha))
        self.temperature, self.setting = temperature, setting
        self.runs = [Run(part.corpus, part.counts, temperature, setting) for part in parts]
        self.held_out = [(part.held_out, new_state(part.held_out)) for part in parts]
        self.likelihood = np.empty(0)

    def extend(self, n_terms: int) -> None:
        """Take more terms in each run until there are `n_terms`."""
        from fsmj.methods._cll import follow

        done, more = len(self.likelihood), n_terms - len(self.likelihood)

        def carry_on(k: int) -> NDArray[np.float64]:
            run, added = self.runs[k], np.zeros(more)
            run.extend(n_terms)
            follow(*self.held_out[k], self.temperature, run.order[done:], added, self.setting.stop)
            return added

        self.setting.progress.plan(len(self.runs) * more)
        added = side_by_side(carry_on, range(len(self.runs)))
        self.likelihood = np.append(self.likelihood, sum(added, np.zeros(more)))

    def peak(self, vocabulary: int) -> int:
        """Return the number of terms at which the held-out likelihood is highest."""
        done = 0
        while done < vocabulary and not self.setting.stop[0]:
            if done and done - np.argmax(self.likelihood) > PATIENCE:
                break
            done = min(done + PATIENCE, vocabulary)
            self.extend(done)
        return int(np.argmax(self.likelihood)) + 1 if done else 0


def folds_of(documents: Documents) -> list[Fold]:
    """Return parts to be held out in turn; none if each document has a class of its own."""
    return [] if documents.n_docs == len(documents.classes) else documents.folds(FOLDS)


def parts_of(documents: Documents, folds: Sequence[Fold], alpha: float) -> Iterator[Part]:
    """Learn from the documents outside each fold."""
    from fsmj.methods._cll import corpus_of, with_documents

    for fold in folds:
        learnt = documents.take(fold.train).heard()
        if learnt.n_docs == 0:
            continue
        # The likelihood of a class that was not learnt is 0 whatever the terms.
        held = documents.take(fold.held[np.isin(documents.y[fold.held], learnt.classes)])
        corpus = corpus_of(learnt.X, learnt.codes, learnt.counts, alpha)
        labels = np.searchsorted(learnt.classes, held.y)
        yield Part(learnt.counts, corpus, with_documents(corpus, held.X, labels))


def side_by_side(job: Callable[[Any], Any], inputs: Sequence[Any]) -> list[Any]:
    """Return what a job makes of each input, on all cores."""
    if cores() == 1 or len(inputs) < 2:
        return list(map(job, inputs))
    with ThreadPoolExecutor(min(cores(), len(inputs))) as pool:
        return list(pool.map(job, inputs))


def held_out_likelihood(
    documents: Documents, temperatures: Sequence[float], setting: Setting, n_terms: int
) -> NDArray[np.float64]:
    """Return the likelihood of documents held out, under each temperature.

    No more parts of the documents are in memory at a time than there are cores for, since each
    takes about as much as the documents themselves.
    """
    from fsmj.methods._cll import follow, new_state

    def reached(job: tuple[Part, float]) -> float:
        part, temperature = job
        run, likelihood = Run(part.corpus, part.counts, temperature, setting), np.zeros(n_terms)
        run.extend(n_terms)
        order = run.order
        del run  # before the documents held out need as much
        state = new_state(part.held_out)
        follow(part.held_out, state, temperature, order, likelihood, setting.stop)
        return float(likelihood[-1])

    folds, total = folds_of(documents), np.zeros(len(temperatures))
    setting.progress.plan(len(folds) * len(temperatures) * n_terms)
    at_once = max(1, cores() // len(temperatures))
    for k in range(0, len(folds), at_once):
        parts = list(parts_of(documents, folds[k : k + at_once], setting.alpha))
        found = side_by_side(reached, [(part, T) for part in parts for T in temperatures])
        # One after the other, so that the sum does not depend on the number of cores.
        for i in range(len(parts)):
            total += found[i * len(temperatures) : (i + 1) * len(temperatures)]
        del parts
    return total


def best_temperature(
    documents: Documents, temperatures: Sequence[float], setting: Setting, n_terms: int
) -> float:
    """Return the last temperature before the held-out likelihood no longer rises."""
    from fsmj.methods._cll_search import TIE

    best, highest, waiting = temperatures[0], -np.inf, list(temperatures)
    # The first is compared with the second in any case; then one by one.
    while waiting and not setting.stop[0]:
        size = 2 if highest == -np.inf else 1
        found = held_out_likelihood(documents, waiting[:size], setting, n_terms)
        for temperature, likelihood in zip(waiting[:size], found, strict=True):
            if likelihood <= highest + TIE * documents.n_docs:
                return best
            best, highest = temperature, float(likelihood)
        del waiting[:size]
    return best
