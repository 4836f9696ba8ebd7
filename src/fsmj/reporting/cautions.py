"""What a reader should know before believing a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from fsmj._names import counted, quoted
from fsmj.corpus.languages import uncut
from fsmj.counts import ClassTermCounts, small_classes
from fsmj.documents import Documents
from fsmj.ranking import Ranking
from fsmj.reporting.subjects import Subject

FEW_DOCUMENTS = 10
_EARLY = ", and such words come early, as all classes count the same"
_NAMED = 5  # classes; more would fill the page
_NEAR = 0.9  # of the words, shared by documents that are nearly the same
_BANDS, _ROWS = 5, 3  # a share of 0.9 is found in 998 of 1,000 cases


def cautions_of(subject: Subject) -> Iterator[str]:
    """Yield what may mislead: small and silent classes, duplicates, scripts without spaces."""
    counts = subject.ranking.counts
    yield from _small_classes(subject.ranking)
    if subject.documents is not None:
        yield from _silent_classes(subject.documents, counts)
        yield from _duplicates(subject.documents)
    if subject.n_unlearnt:
        one = subject.n_unlearnt == 1
        yield (
            f"{counted(subject.n_unlearnt, 'document')} held out can only be decided wrong: "
            f"no document to learn from has {'its' if one else 'their'} label."
        )
    hint = uncut(counts)
    if hint:
        yield hint


def _small_classes(ranking: Ranking) -> Iterator[str]:
    small = sorted(small_classes(ranking.counts, FEW_DOCUMENTS).items(), key=lambda one: one[1])
    if not small:
        return
    named = [f"{quoted(class_)} ({n_docs:,.6g})" for class_, n_docs in small[:_NAMED]]
    more = f" and {len(small) - _NAMED:,} more" if len(small) > _NAMED else ""
    one = len(small) == 1
    yield (
        f"{'One class has' if one else f'{len(small):,} classes have'} fewer than "
        f"{FEW_DOCUMENTS} documents: {', '.join(named)}{more}. "
        f"What tells {'it' if one else 'them'} apart may be the words of a single document"
        f"{_EARLY if ranking.method == 'fsmj' and ranking.variant.weights == 'uniform' else ''}."
    )


def _silent_classes(documents: Documents, counts: ClassTermCounts) -> Iterator[str]:
    silent = documents.classes[~np.isin(documents.classes, counts.classes)].tolist()
    if silent:
        named = ", ".join(map(quoted, silent[:_NAMED]))
        more = " and others" if len(silent) > _NAMED else ""
        yield f"No word is left of {named}{more}: such documents take no part."


def _duplicates(documents: Documents) -> Iterator[str]:
    n_equal = count_duplicates(documents)
    if n_equal:
        verb = "has" if n_equal == 1 else "have"
        yield (
            f"{counted(n_equal, 'document')} of {documents.n_docs:,} {verb} nearly the same words "
            "as an earlier one. If they are copies, their words look more telling, and accuracy "
            "higher, than they are."
        )


def count_duplicates(documents: Documents) -> int:
    """Count the documents whose words are nearly all those of an earlier document.

    Of all words that either has, they share nine in ten. Documents that may do are found by the
    least of the random numbers that their words draw: it is the same with the probability of
    that share. So nearly all are found, and those with the same words always.
    """
    X = documents.X
    filled = np.flatnonzero(np.diff(X.indptr))
    if len(filled) == 0:
        return 0
    near = np.zeros(len(filled), bool)
    for key in _keys(X, filled):
        _, first, group = np.unique(key, return_index=True, return_inverse=True)
        later = np.flatnonzero((first[group] != np.arange(len(filled))) & ~near)
        near[later] = _shared(X, filled[later], filled[first[group[later]]]) >= _NEAR
    return int(near.sum())


def _keys(X: csr_array, rows: NDArray[Any]) -> Iterator[NDArray[np.uint64]]:
    """Yield numbers that are likely to be the same where documents have nearly the same words."""
    generator = np.random.default_rng(0)

    def drawn(reduce: np.ufunc) -> NDArray[np.uint64]:
        numbers = generator.integers(2**64, size=X.shape[1], dtype=np.uint64)
        return np.asarray(reduce.reduceat(numbers[X.indices], X.indptr[rows]))

    yield drawn(np.add)  # the same for the same words only
    for _ in range(_BANDS):
        key = drawn(np.minimum)
        for _ in range(_ROWS - 1):
            key = key * np.uint64(0x9E3779B97F4A7C15) + drawn(np.minimum)
        yield key


def _shared(X: csr_array, rows: NDArray[Any], others: NDArray[Any]) -> NDArray[np.float64]:
    """Return which share of the words that either of two documents has, both have."""
    mine, yours = (X[part].astype(bool).astype(np.int64) for part in (rows, others))
    both = np.asarray(mine.multiply(yours).sum(axis=1)).ravel()
    either = np.diff(mine.indptr) + np.diff(yours.indptr) - both
    return np.asarray(both / np.maximum(either, 1))
