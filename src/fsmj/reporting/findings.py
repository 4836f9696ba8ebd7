"""What a report found, in sentences."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fsmj.ranking import Ranking
from fsmj.reporting.names import n_words, name_of
from fsmj.reporting.summary import AccuracyCurve, Fact, Sizes, Words
from fsmj.resampling import Stability
from fsmj.tokens.rule import TokenRule

ENOUGH = 0.8  # of the divergence


def finding(ranking: Ranking) -> str:
    """Say how few terms hold most of the divergence.

    Examples
    --------
    >>> import fsmj
    >>> counts = fsmj.ClassTermCounts.from_matrix([[3, 0, 1], [0, 2, 1]], ["wheat", "gold"])
    >>> finding(fsmj.rank(counts))
    '2 of 3 words hold 80 % of what tells “gold” and “wheat” apart'
    """
    n_terms = f"{ranking.counts.n_terms:,}"
    if ranking.total_divergence < 1e-12:
        return "No word tells these classes apart: each uses all of them equally often"
    difference = f"what tells {_classes(ranking)} apart"
    reached = np.flatnonzero(ranking.explained >= ENOUGH)
    if len(reached):
        holds = "word holds" if ranking.counts.n_terms == 1 else "words hold"
        first = f"{reached[0] + 1:,} of {n_terms} {holds}"
        return f"{first} {_percent(ENOUGH, 0)} of {difference}"
    share = _percent(ranking.explained[-1], 0)
    return f"The first {len(ranking):,} of {n_terms} words hold {share} of {difference}"


def _classes(ranking: Ranking) -> str:
    names = [f"“{name_of(name, 30)}”" for name in ranking.counts.classes.tolist()[:2]]
    n_classes = ranking.counts.n_classes
    return " and ".join(names) if n_classes == 2 else f"the {n_classes:,} classes"


def key_figures(n_docs: float, words: Words | None, sizes: Sizes | None) -> list[Fact]:
    """Return the figures under the headline: what they count, and how many."""
    facts = []
    if words is not None:
        facts += [
            Fact("documents", f"{n_docs:,.10g}"),
            Fact("classes", f"{len(words.classes):,}"),
            Fact("different words", f"{words.n_terms:,}"),
        ]
    if sizes is not None:
        facts += [
            Fact(f"hold {_percent(milestone.share, 0)} of the divergence", f"{milestone.k:,}")
            for milestone in sizes.divergence.milestones
            if milestone.share == ENOUGH
        ]
        facts += [
            Fact(f"accuracy with {n_words(curve.enough)}", _percent(curve.enough_accuracy))
            for curve in sizes.accuracy[:1]
        ]
    return facts


def first_words(ranking: Ranking, n: int = 6) -> str:
    """Name the first terms."""
    named = ", ".join(f"“{name_of(term)}”" for term in ranking.terms[:n])
    return f"The first are {named}."


def sureness(stability: Stability) -> str:
    """Say how sure the ranking is, and what its measure means."""
    n_terms = stability.ranking.counts.n_terms
    if stability.n_terms >= n_terms:  # each is among all of them in every resample
        return (
            f"{n_words(n_terms)} are few enough to rank all of them in each of "
            f"{stability.n_resamples:,} resamples: the panel of a word says at which ranks."
        )
    return f"{stability.sentence}, where 1 is the same words each time and 0 is chance."


def rule_found(rule: TokenRule) -> str:
    """Say what a word is, where it is not what everybody takes for one."""
    shortest, longest = rule.ngram_range
    if not rule.characters:
        return ""
    if longest == 1:
        return "A “word” here is a single character."
    long = f"{longest}" if shortest == longest else f"{shortest} to {longest}"
    return f"A “word” here is a sequence of {long} characters."


def accuracy_found(curve: AccuracyCurve, how: str) -> str:
    """Say how well naive Bayes does, with the fewest terms that do and with the best number."""
    right = f"{_percent(curve.enough_accuracy)} of the documents right"
    text = f"Naive Bayes with the first {curve.enough:,} decides {right} ({how})"
    if curve.enough != curve.best:
        text += f"; the best number, {curve.best:,}, gives {_percent(curve.best_accuracy)}"
    return f"{text}."


def accuracy_notes(curves: Iterable[AccuracyCurve], how: str) -> tuple[str, ...]:
    """Say how accuracy was measured, and what each curve shows."""
    measured = (
        f"{how[0].upper()}{how[1:]}. The band is the spread of the measurement. The numbers marked "
        "were chosen on these same measurements, so their accuracy flatters them a little."
    )
    found = (
        f"{curve.label.capitalize()}: best with {curve.best:,} ({_percent(curve.best_accuracy)}), "
        + (
            "and worse by more than one standard error with fewer."
            if curve.best == curve.enough
            else f"no worse within one standard error with {curve.enough:,} "
            f"({_percent(curve.enough_accuracy)})."
        )
        for curve in curves
    )
    return measured, *found


def _percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f} %"
