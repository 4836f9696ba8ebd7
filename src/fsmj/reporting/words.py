"""The ranked terms, and for and against which classes they speak."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fsmj._names import name_of
from fsmj.evidence import Listed, log_ratios, speaking_for_classes
from fsmj.methods.table import method_named
from fsmj.ranking import Ranking
from fsmj.reporting.summary import ClassWords, Ints, Sureness, Words
from fsmj.resampling import Stability

MOST_LISTED = 100_000
PER_CLASS = 100  # terms of a class that the table lists; its card shows the first of them
_CELLS = 100_000  # of a table of leading terms and classes that a page can carry with ease
_FEWEST, _MOST = 200, 2000  # leading terms for which it is kept
_MOST_CELLS = 2_000_000  # for the terms of the classes, most of which are empty


def words_of(
    ranking: Ranking, n_terms: int = MOST_LISTED, stability: Stability | None = None
) -> Words:
    """Summarise the first terms of a ranking, and how sure it is of them."""
    counts, listed = ranking.counts, min(n_terms, len(ranking))
    columns = ranking.order[:listed]
    speaking = speaking_for_classes(counts, ranking.variant, columns, PER_CLASS)
    detailed = _detailed(listed, speaking)
    leading = columns[detailed]
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
        strongest=ranking.strongest(listed),
        detailed=detailed,
        class_occurrences=counts.term_counts[:, leading].T.toarray().astype(float),
        class_documents=counts.doc_counts[:, leading].T.toarray().astype(float),
        ratios=log_ratios(counts, leading),
        by_class=tuple(
            ClassWords(
                class_,
                name_of(counts.classes[class_]),
                float(counts.docs_per_class[class_]),
                *speaking[class_],
            )
            for class_ in largest_first
        ),
        sureness=None if stability is None else sureness_of(ranking, listed, stability),
    )


def _detailed(listed: int, speaking: Sequence[tuple[Listed, Listed]]) -> Ints:
    """Return the terms whose numbers in all classes are kept: the first, and those of classes."""
    n_classes = len(speaking)
    leading = np.arange(min(listed, max(_FEWEST, min(_MOST, _CELLS // n_classes))))
    of_classes = np.unique(np.concatenate([part.places for pair in speaking for part in pair]))
    more = of_classes[of_classes >= len(leading)][: _MOST_CELLS // n_classes]
    return np.concatenate([leading, more])


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

    known = ("share", "rank_low", "rank_high", "log2_low", "log2_high")
    of_listed = {
        name: np.where(found < 0, np.nan, np.asarray(getattr(stability, name), float)[found])
        for name in known
    }
    return Sureness(
        sentence=stability.sentence,
        n_terms=stability.n_terms,
        n_resamples=stability.n_resamples,
        verdict=tuple(np.where(found < 0, "", stability.verdict[found]).tolist()),
        **of_listed,
    )
