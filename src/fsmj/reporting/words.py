"""The ranked terms, and for and against which classes they speak."""

from __future__ import annotations

from typing import Any

import numpy as np

from fsmj.counts import ClassTermCounts
from fsmj.evidence import log_ratios
from fsmj.methods.table import method_named
from fsmj.ranking import Ranking
from fsmj.reporting.names import name_of
from fsmj.reporting.summary import ClassWords, Floats, Ints, Listed, Sureness, Words
from fsmj.resampling import Stability

MOST_LISTED = 100_000
PER_CLASS = 100  # terms of a class that the table lists; its card shows the first of them
_CELLS = 100_000  # of a table of leading terms and classes that a page can carry with ease
_FEWEST, _MOST = 200, 2000  # leading terms for which it is kept


def words_of(ranking: Ranking, top: int = MOST_LISTED, stability: Stability | None = None) -> Words:
    """Summarise a ranking.

    Parameters
    ----------
    ranking : Ranking
        Of one term at least.
    top : int
        List so many terms.
    stability : Stability, optional
        How sure the ranking is of its terms.
    """
    counts, listed = ranking.counts, min(top, len(ranking))
    columns = ranking.order[:listed]
    contributions, ratios = ranking.contributions(listed), log_ratios(counts, columns)
    leading = columns[: leading_terms(counts.n_classes)]
    largest_first = np.argsort(-counts.docs_per_class, kind="stable").tolist()
    return Words(
        method=method_named(ranking.method).title,
        gains=ranking.method == "fsmj",
        n_terms=counts.n_terms,
        n_ranked=len(ranking),
        classes=tuple(name_of(class_) for class_ in counts.classes.tolist()),
        docs_per_class=np.asarray(counts.docs_per_class, float),
        tokens_per_class=np.asarray(counts.tokens_per_class, float),
        terms=tuple(name_of(term) for term in ranking.terms[:listed]),
        scores=ranking.scores[:listed],
        explained=ranking.explained[:listed],
        occurrences=np.asarray(counts.term_counts.sum(axis=0), float).ravel()[columns],
        documents=np.asarray(counts.docs_per_term, float)[columns],
        strongest=contributions.argmax(axis=1),
        class_occurrences=counts.term_counts[:, leading].T.toarray().astype(float),
        class_documents=counts.doc_counts[:, leading].T.toarray().astype(float),
        ratios=ratios[: len(leading)],
        by_class=tuple(
            _class_words(class_, counts, contributions[:, class_], ratios[:, class_])
            for class_ in largest_first
        ),
        sureness=None if stability is None else sureness_of(ranking, listed, stability),
    )


def leading_terms(n_classes: int) -> int:
    """Return for how many terms the numbers of all classes are kept."""
    return max(_FEWEST, min(_MOST, _CELLS // n_classes))


def sureness_of(ranking: Ranking, listed: int, stability: Stability) -> Sureness:
    """Look up how stable each listed term is."""
    same = stability.ranking.order
    if not np.array_equal(same, ranking.order[: len(same)]):
        raise ValueError(
            "the stability is that of another ranking; measure it on the documents, and by the "
            "method, that are reported"
        )
    place = np.full(ranking.counts.n_terms, -1)
    place[stability.columns] = np.arange(len(stability.columns))
    found = place[ranking.order[:listed]]

    def of_listed(values: Any) -> Floats:
        return np.where(found < 0, np.nan, np.asarray(values, float)[found])

    return Sureness(
        stability.sentence,
        stability.n_terms,
        *map(
            of_listed,
            (
                stability.share, stability.rank_low, stability.rank_high,
                stability.log2_low, stability.log2_high,
            ),
        ),
    )  # fmt: skip


def _class_words(
    index: int, counts: ClassTermCounts, contributions: Floats, ratios: Floats
) -> ClassWords:
    speaking = np.flatnonzero(contributions > 0)
    return ClassWords(
        index,
        name_of(counts.classes[index]),
        float(counts.docs_per_class[index]),
        float(counts.tokens_per_class[index]),
        _largest(contributions, speaking),
        _largest(ratios, speaking),
    )


def _largest(values: Floats, among: Ints) -> Listed:
    best = among[np.argsort(-values[among], kind="stable")[:PER_CLASS]]
    return Listed(best, values[best])
