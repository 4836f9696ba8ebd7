"""Documents to show words in: few enough for a page, and such that the first words are met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from fsmj._names import name_of
from fsmj.documents import Documents
from fsmj.reporting.decisions import Decisions
from fsmj.reporting.passages import excerpt_of, places_of
from fsmj.reporting.subjects import Subject
from fsmj.reporting.summary import Confusion, Ints, Sample, Samples, Words
from fsmj.tokens.rule import TokenRule

MOST_TEXT = 1_000_000  # characters
ON_CARD = 12  # words of a class side by side with those of others
COVERED = 300  # words for which documents are looked for
LONGEST_SAMPLE = 600
_PER_WORD, _CLASSES_PER_WORD = 2, 6  # documents in the class it speaks for, and other classes
_PER_CELL = 2  # documents of each pair of class and decision
_TRIES = 4  # documents that may have the word too far down


def samples_of(
    subject: Subject,
    words: Words,
    classes: Sequence[Any],
    decisions: Decisions | None = None,
    confusion: Confusion | None = None,
) -> Samples | None:
    """Choose documents, those with mistakes first, then those in which the words are met.

    The classes are all labels: those of `words`, then others. Where texts or documents are not
    known, there is nothing to show.
    """
    documents, held = subject.documents, subject.held
    if documents is None or documents.texts is None:
        return None
    terms = subject.ranking.terms
    ranks = {str(terms[place]): place for place in words.detailed.tolist()}
    chosen = _Chosen(ranks, subject.rule)
    given = np.full(documents.n_docs, -1)
    if decisions is not None and confusion is not None and held is not None:
        chosen.take_cells(held, decisions, confusion)
        if held is documents:
            given[decisions.document] = decisions.decision
    chosen.take_words(documents, subject.ranking.order, words, classes, given)
    n_covered = min(COVERED, len(words.terms))
    return Samples(tuple(map(name_of, classes)), n_covered, tuple(chosen.samples))


class _Chosen:
    """The documents chosen so far, and which words are met in which classes."""

    def __init__(self, ranks: Mapping[str, int], rule: TokenRule) -> None:
        self.ranks, self.rule = ranks, rule
        self.samples: list[Sample] = []
        self.taken: set[tuple[int, ...]] = set()  # of whom, the row, for which class, from where
        self.met: Counter[tuple[int, int]] = Counter()  # documents by word and class
        self.room = MOST_TEXT

    def sample(self, text: str, label: int, decision: int | None, around: int = 0) -> Sample:
        excerpt = excerpt_of(text, self.rule, around, LONGEST_SAMPLE)
        found = sorted(places_of(excerpt, self.rule, self.ranks))
        places = [(first, last, self.ranks[term]) for first, last, term in found]
        return Sample(
            excerpt.shown, excerpt.begins, excerpt.ends, label, decision,
            np.array(places, np.int64).reshape(-1, 3),
        )  # fmt: skip

    def take(self, documents: Documents, row: int, sample: Sample, around: int = 0) -> None:
        self.taken.add((id(documents), row, sample.label, around))
        self.samples.append(sample)
        self.room -= len(sample.text)
        self.met.update((word, sample.label) for word in set(sample.places[:, 2].tolist()))

    def take_cells(self, held: Documents, decisions: Decisions, confusion: Confusion) -> None:
        """Take some documents of each pair of class and decision, the frequent pairs first."""
        if held.texts is None:
            return
        label, decision, rows = decisions.label, decisions.decision, decisions.document
        shown = np.isin(label, confusion.classes) & np.isin(decision, confusion.classes)
        kept = np.flatnonzero(shown)
        cells = label * len(decisions.classes) + decision
        _, cell, sizes = np.unique(cells[kept], return_inverse=True, return_counts=True)
        frequent_first = kept[np.lexsort((rows[kept], cell, -sizes[cell]))]
        n_taken: Counter[int] = Counter()
        for i in frequent_first.tolist():
            if self.room < MOST_TEXT // 2:
                break
            if n_taken[cells[i]] < _PER_CELL:
                n_taken[cells[i]] += 1
                row = int(rows[i])
                sample = self.sample(held.texts[row], int(label[i]), int(decision[i]))
                self.take(held, row, sample)

    def take_words(
        self, documents: Documents, order: Ints, words: Words, classes: Sequence[Any], given: Ints
    ) -> None:
        """Take documents until each of the first words is met in the classes that have it."""
        members = documents.membership.tocsc()
        numbers = {class_: number for number, class_ in enumerate(documents.classes.tolist())}
        lengths = np.array([len(text) for text in documents.texts])  # type: ignore[union-attr]

        @lru_cache(64)
        def inside(class_: int) -> NDArray[np.bool_]:
            return np.bincount(_rows(members, class_), minlength=documents.n_docs) > 0

        wishes = list(_wishes(words))
        places = np.unique([word for word, _, _ in wishes])
        columns = documents.X[:, order[places]].tocsc()
        terms = {place: term for term, place in self.ranks.items()}
        for word, class_, wanted in wishes:
            rows = _rows(columns, int(np.searchsorted(places, word)))
            # A document with several labels may stand for each of them.
            rows = rows[inside(numbers[classes[class_]])[rows]]
            shortest_first = rows[np.argsort(lengths[rows], kind="stable")]
            tries = 0
            for row in shortest_first.tolist():
                if self.met[word, class_] >= wanted or tries == _TRIES:
                    break
                if self.room <= 0:
                    return
                text = documents.texts[row]  # type: ignore[index]
                # A term of several words may have something between them: look for the first.
                about = text.lower().find(terms[word].split(" ")[0])
                around = about if about > LONGEST_SAMPLE // 2 else 0
                if (id(documents), row, class_, around) in self.taken:
                    continue
                tries += 1
                decision = None if given[row] < 0 else int(given[row])
                sample = self.sample(text, class_, decision, around)
                if word in sample.places[:, 2]:
                    self.take(documents, row, sample, around)


def _rows(table: csc_array, column: int) -> NDArray[Any]:
    return np.asarray(table.indices[table.indptr[column] : table.indptr[column + 1]])


def _wishes(words: Words) -> Iterator[tuple[int, int, int]]:
    """Yield words, the classes in which to meet them, and in how many documents."""
    for word in range(min(COVERED, len(words.terms))):
        first = int(words.strongest[word])
        yield word, first, _PER_WORD
        present = np.flatnonzero(words.class_occurrences[word])
        order = present[np.argsort(-words.ratios[word, present], kind="stable")]
        for class_ in order[order != first][:_CLASSES_PER_WORD].tolist():
            yield word, class_, 1
    for group in words.by_class:
        for listed in (group.by_contribution, group.by_ratio):
            for word in listed.places[:ON_CARD].tolist():
                yield word, group.index, 1
