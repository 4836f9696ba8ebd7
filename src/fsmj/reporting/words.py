"""The ranked terms, and for and against which classes they speak."""

from __future__ import annotations

import numpy as np

from fsmj.counts import ClassTermCounts
from fsmj.documents import DOCUMENT_METHODS
from fsmj.ranking import METHODS, Ranking
from fsmj.reporting.summary import ClassWords, Floats, Words, name_of

MOST_LISTED = 100_000
PER_CLASS = 12
_CELLS = 100_000  # of the table of contributions that a page can carry with ease
_FEWEST, _MOST = 200, 2000  # leading terms for which it is kept


def words_of(ranking: Ranking, top: int = MOST_LISTED) -> Words:
    """Summarise a ranking.

    Parameters
    ----------
    ranking : Ranking
        Of one term at least.
    top : int
        List so many terms.
    """
    counts = ranking.counts
    listed = min(top, len(ranking))
    contributions = ranking.contributions(listed)
    names = tuple(name_of(term) for term in ranking.terms[:listed])
    largest_first = np.argsort(-counts.docs_per_class, kind="stable")
    return Words(
        method=title_of(ranking.method),
        gains=ranking.method == "fsmj",
        n_terms=counts.n_terms,
        n_ranked=len(ranking),
        classes=tuple(name_of(class_) for class_ in counts.classes.tolist()),
        terms=names,
        scores=ranking.scores[:listed],
        explained=ranking.explained[:listed],
        strongest=contributions.argmax(axis=1),
        contributions=contributions[: leading(counts.n_classes)],
        by_class=tuple(
            _class_words(int(class_), counts, names, contributions[:, class_])
            for class_ in largest_first
        ),
    )


def leading(n_classes: int) -> int:
    """Return for how many terms the contributions of all classes are kept."""
    return max(_FEWEST, min(_MOST, _CELLS // n_classes))


def title_of(method: str) -> str:
    """Name a method in full."""
    known = METHODS.get(method) or DOCUMENT_METHODS.get(method)
    return known.title if known else method


def _class_words(
    index: int, counts: ClassTermCounts, terms: tuple[str, ...], contributions: Floats
) -> ClassWords:
    best = np.argsort(-contributions, kind="stable")[:PER_CLASS]
    best = best[contributions[best] > 0]
    name, n_docs = name_of(counts.classes[index]), float(counts.docs_per_class[index])
    return ClassWords(index, name, n_docs, tuple(terms[i] for i in best), contributions[best])
