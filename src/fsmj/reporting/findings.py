"""What a report found, in sentences, and where it comes from, in facts."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from fsmj._names import counted, quoted
from fsmj.methods.table import method_named
from fsmj.ranking import NOTHING, Ranking, Variant
from fsmj.reporting.summary import AccuracyCurve, Fact, Sizes
from fsmj.resampling import Stability
from fsmj.tokens.rule import TokenRule

if TYPE_CHECKING:
    from fsmj.experiment.results import Results

ENOUGH = 0.8  # of the divergence
_EARLY, _NAMED = 100, 6  # terms among which, and classes for which, the first are named
_LIBRARIES = ("fsmj", "numpy", "scipy", "scikit-learn", "numba")


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
    if ranking.total_divergence < NOTHING:
        return "No word tells these classes apart: each uses all of them equally often"
    difference = f"what tells {_classes(ranking.counts.classes.tolist())}"
    reached = np.flatnonzero(ranking.explained >= ENOUGH)
    if len(reached):
        holds = "word holds" if ranking.counts.n_terms == 1 else "words hold"
        # Only the method that goes by the divergence finds the fewest.
        which = "" if ranking.method == "fsmj" else "The first "
        first = f"{which}{reached[0] + 1:,} of {n_terms} {holds}"
        return f"{first} {_percent(ENOUGH, 0)} of {difference}"
    share = _percent(ranking.explained[-1], 0)
    return f"The first {len(ranking):,} of {n_terms} words hold {share} of {difference}"


def _classes(classes: list[Any]) -> str:
    if len(classes) != 2:
        return f"the {len(classes):,} classes apart"
    one, other = sorted(classes, key=lambda name: str(name).startswith("not "))
    if str(other) == f"not {one}":
        return f"{quoted(one, 30)} from all others"
    return f"{quoted(one, 30)} and {quoted(other, 30)} apart"


def key_figures(ranking: Ranking, sizes: Sizes) -> Iterator[Fact]:
    """Yield the figures under the headline: what they count, and how many."""
    counts = ranking.counts
    yield Fact("documents", f"{counts.n_docs:,.10g}")
    yield Fact("classes", f"{counts.n_classes:,}")
    yield Fact("different words", f"{counts.n_terms:,}")
    for milestone in sizes.divergence.milestones:
        if milestone.share == ENOUGH:
            yield Fact(f"hold {_percent(ENOUGH, 0)} of the divergence", f"{milestone.k:,}")
    for curve in sizes.accuracy[:1]:
        what = f"accuracy with {counted(curve.enough)}"
        yield Fact(what, _percent(curve.enough_accuracy))


def first_words(ranking: Ranking) -> str:
    """Name the first term that speaks for each of some classes, if any tells anything.

    Examples
    --------
    >>> import fsmj
    >>> counts = fsmj.count_texts(["crop crop", "gold ore"], ["wheat", "metal"])
    >>> first_words(fsmj.rank(counts))
    'The first to speak for a class: “crop” for “wheat”, “gold” for “metal”'
    """
    if ranking.total_divergence < NOTHING:
        return ""
    first: dict[int, object] = {}
    for class_, term in zip(ranking.strongest(_EARLY), ranking.terms[:_EARLY], strict=True):
        first.setdefault(int(class_), term)
    names = ranking.counts.classes
    named = [f"{quoted(term)} for {quoted(names[i], 30)}" for i, term in first.items()]
    return f"The first to speak for a class: {', '.join(named[:_NAMED])}"


def sureness(stability: Stability) -> str:
    """Say how sure the ranking is, and what its measure means."""
    n_terms = stability.ranking.counts.n_terms
    if stability.n_terms >= n_terms:  # each is among all of them in every resample
        return (
            f"{counted(n_terms)} are few enough to rank all of them in each of "
            f"{stability.n_resamples:,} resamples: the panel of a word says at which ranks."
        )
    return (
        f"{stability.sentence}, where 1 is the same words each time and 0 is chance. A resample is "
        "as many documents, drawn anew from these."
    )


def rule_found(rule: TokenRule) -> str:
    """Say what a word is, where it is not what everybody takes for one."""
    if not rule.characters:
        return ""
    if rule.ngram_range[1] == 1:
        return "A “word” here is a single character."
    return f"A “word” here is a sequence of {_lengths(rule)} characters."


def accuracy_found(curve: AccuracyCurve, how: str) -> str:
    """Say how well naive Bayes does, with the fewest terms that do and with the best number."""
    right = f"{_percent(curve.enough_accuracy)} of the documents right"
    text = f"Naive Bayes with {counted(curve.enough)} decides {right} ({how})"
    best = _percent(curve.best_accuracy)
    if best != _percent(curve.enough_accuracy):
        text += f"; the best number, {curve.best:,}, gives {best}"
    return f"{text}."


def guess_found(class_: object, share: float) -> str:
    """Say how often one answer is right whatever a document says: accuracy is to be more."""
    return f"Always deciding on {quoted(class_, 30)} would be right for {_percent(share)}"


def accuracy_notes(curves: Iterable[AccuracyCurve], how: str) -> tuple[str, ...]:
    """Say how accuracy was measured, and what each curve shows."""
    measured = (
        f"{how[0].upper()}{how[1:]}. The band is the spread of the measurement. Enough are the "
        "fewest words that are no worse than the best within its standard error. Both numbers were "
        "chosen on these same measurements, so their accuracy flatters them a little."
    )

    def found(curve: AccuracyCurve) -> str:
        best = f"{counted(curve.best)} ({_percent(curve.best_accuracy)})"
        enough = f"{counted(curve.enough)} ({_percent(curve.enough_accuracy)})"
        found = f"enough with {enough}, best with {best}"
        if curve.best == curve.enough:
            found = f"best with {best}, and fewer are not enough"
            if curve.best == curve.ks[0]:
                found = f"best with {best}"
        return f"{curve.label.capitalize()}: {found}."

    return measured, *map(found, curves)


def ranking_facts(ranking: Ranking) -> Iterator[Fact]:
    """Describe what was ranked, and how."""
    counts, title = ranking.counts, method_named(ranking.method).title
    chosen = [ranking.method, *(f"{name} {value}" for name, value in ranking.options.items())]
    yield Fact("Documents", f"{counts.n_docs:,.10g}")
    yield Fact("Classes", f"{counts.n_classes:,}")
    yield Fact("Different words", f"{counts.n_terms:,}")
    yield Fact("Words in all", f"{counts.tokens_per_class.sum():,.10g}")
    yield Fact("Ranked by", f"{title} ({', '.join(chosen)})")
    total = f"{ranking.total_divergence:.4g} nats"
    yield Fact("Divergence of the classes", f"{total}: {divergence_in_words(ranking.variant)}")
    if counts.rule is not None:
        yield Fact("What counts as a word", rule_in_words(counts.rule))


def divergence_in_words(variant: Variant) -> str:
    """Say which form of the JS divergence is meant.

    Examples
    --------
    >>> divergence_in_words(Variant())
    'Jensen-Shannon, each class against all together, summed over the classes as in the paper'
    """
    reference = "all together" if variant.reference == "mixture" else "the other classes"
    weights = (
        "summed over the classes as in the paper"
        if variant.weights == "uniform"
        else "averaged over the classes by their share of the documents"
    )
    smoothed = f", {variant.smoothing:g} added to every count" if variant.smoothing else ""
    return f"Jensen-Shannon, each class against {reference}, {weights}{smoothed}"


def rule_in_words(rule: TokenRule) -> str:
    """Describe what counts as a word."""
    parts = [
        f"pattern {rule.pattern}",
        "lower case" if rule.lowercase else "case kept",
        f"{rule.min_length} characters at least",
    ]
    if rule.marks:
        parts.append("with combining marks")
    if rule.stop_words:
        parts.append(f"without {len(tuple(rule.stop_words)):,} stop words")
    if rule.characters or rule.ngram_range[1] > 1:
        of = " characters" if rule.characters else ""
        parts.append(f"sequences of {_lengths(rule)}{of}")
    return ", ".join(parts)


def _lengths(rule: TokenRule) -> str:
    shortest, longest = rule.ngram_range
    return f"{shortest}" if shortest == longest else f"{shortest} to {longest}"


def results_facts(results: Results) -> Iterator[Fact]:
    """Describe the corpora of an experiment, and whom to cite."""
    for row in results.problems.to_dict("records"):
        documents = f"{row['n_train']:,} training and {row['n_test']:,} test documents"
        sizes = f"{documents}, {row['n_classes']:,} classes, {counted(row['n_terms'])}"
        yield Fact(row["problem"], sizes)
    for citation in dict.fromkeys(results.problems["citation"]):
        if citation:
            yield Fact("Source", citation)


def made_with() -> Fact:
    """Name what the report was made with."""
    libraries = [f"{name} {version(name)}" for name in _LIBRARIES]
    return Fact("Made with", ", ".join([*libraries, f"Python {platform.python_version()}"]))


def _percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f} %"
