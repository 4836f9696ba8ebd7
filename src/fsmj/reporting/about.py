"""Where a report comes from."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import TYPE_CHECKING

from fsmj.methods.table import method_named
from fsmj.ranking import Ranking, Variant
from fsmj.reporting.names import n_words
from fsmj.reporting.summary import Fact
from fsmj.tokens.rule import TokenRule

if TYPE_CHECKING:
    from fsmj.experiment.results import Results

_LIBRARIES = ("fsmj", "numpy", "scipy", "scikit-learn", "numba")


def ranking_facts(ranking: Ranking) -> list[Fact]:
    """Describe what was ranked, and how."""
    counts = ranking.counts
    return [
        Fact("Documents", f"{counts.n_docs:,.10g}"),
        Fact("Classes", f"{counts.n_classes:,}"),
        Fact("Different words", f"{counts.n_terms:,}"),
        Fact("Words in all", f"{counts.tokens_per_class.sum():,.10g}"),
        Fact("Ranked by", _method_in_words(ranking)),
        Fact("Divergence", divergence_in_words(ranking.variant)),
        Fact("Divergence of the classes", f"{ranking.total_divergence:.4g} nats"),
    ]


def _method_in_words(ranking: Ranking) -> str:
    title = method_named(ranking.method).title
    chosen = [f"{name} {value}" for name, value in ranking.options.items()]
    return f"{title} ({', '.join([ranking.method, *chosen])})"


def divergence_in_words(variant: Variant) -> str:
    """Say which form of the JS divergence is meant.

    Examples
    --------
    >>> divergence_in_words(Variant())
    'Jensen-Shannon: each class against all together, all classes counting the same'
    """
    reference = "all together" if variant.reference == "mixture" else "the other classes"
    weights = (
        "all classes counting the same"
        if variant.weights == "uniform"
        else "classes counting by their share of the documents"
    )
    smoothed = f", {variant.smoothing:g} added to every count" if variant.smoothing else ""
    return f"Jensen-Shannon: each class against {reference}, {weights}{smoothed}"


def rule_facts(rule: TokenRule) -> list[Fact]:
    """Describe what counts as a word."""
    shortest, longest = rule.ngram_range
    parts = [
        f"pattern {rule.pattern}",
        "lower case" if rule.lowercase else "case kept",
        f"{rule.min_length} characters at least",
    ]
    if rule.marks:
        parts.append("with combining marks")
    if rule.stop_words:
        parts.append(f"without {len(tuple(rule.stop_words)):,} stop words")
    if rule.characters or longest > 1:
        of = " characters" if rule.characters else ""
        range_ = f"{shortest}" if shortest == longest else f"{shortest} to {longest}"
        parts.append(f"sequences of {range_}{of}")
    return [Fact("What counts as a word", ", ".join(parts))]


def results_facts(results: Results) -> list[Fact]:
    """Describe the corpora of an experiment, and whom to cite."""
    columns = ["problem", "n_train", "n_test", "n_classes", "n_terms"]
    corpora = [
        Fact(
            str(name),
            f"{n_train:,} training and {n_test:,} test documents, {n_classes:,} classes, "
            + n_words(n_terms),
        )
        for name, n_train, n_test, n_classes, n_terms in results.problems[columns].to_numpy()
    ]
    cited = [citation for citation in dict.fromkeys(results.problems["citation"]) if citation]
    return corpora + [Fact("Source", citation) for citation in cited]


def version_facts() -> list[Fact]:
    """Name what the report was made with."""
    libraries = [f"{name} {version(name)}" for name in _LIBRARIES]
    return [Fact("Made with", ", ".join([*libraries, f"Python {platform.python_version()}"]))]
