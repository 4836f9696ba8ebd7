"""A dataset: training documents, test documents, and whom to cite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from fsmj.documents import Documents
from fsmj.tokens.rule import TokenRule

LEWIS = (
    "Reuters-21578, Distribution 1.0, assembled by Reuters Ltd. and Carnegie Group, Inc., and "
    "prepared by D. D. Lewis, 1997, "
    "http://www.daviddlewis.com/resources/testcollections/reuters21578/ (for research only)."
)

Labelled = tuple[Any, str]
"""A label, or a list of labels, and the text."""


class Dataset(NamedTuple):
    """Documents that come with their split.

    Attributes
    ----------
    name : str
        What it is called in tables and figures.
    train, test : Documents
        In the order of their source, over the terms of the training documents.
    citation : str
        What to cite when results are published.
    """

    name: str
    train: Documents
    test: Documents
    citation: str

    def __repr__(self) -> str:
        sizes = f"{self.train.n_docs:,} + {self.test.n_docs:,} documents"
        return f"Dataset({self.name!r}, {sizes}, {len(self.train.classes)} classes)"


def dataset_of(
    name: str,
    train: Iterable[Labelled],
    test: Iterable[Labelled],
    citation: str,
    *,
    rule: TokenRule | None = None,
    terms: Iterable[str] | None = None,
    min_docs: int = 1,
) -> Dataset:
    """Lay texts out over the terms of the training documents.

    Examples
    --------
    >>> dataset_of("goods", [("tea", "green leaves"), ("oil", "crude")], [("oil", "crude")], "")
    Dataset('goods', 2 + 1 documents, 2 classes)
    """
    labels, texts = zip(*train, strict=True)
    learnt = Documents.from_texts(texts, labels, rule, terms=terms, min_docs=min_docs)
    labels, texts = zip(*test, strict=True)
    tried = Documents.from_texts(texts, labels, rule, terms=learnt.terms)
    return Dataset(name, learnt, tried, citation)


def largest_classes(name: str, train: Sequence[Labelled], n_classes: int) -> set[Any]:
    """Return the classes with the most training documents; by name where these are equally many.

    Examples
    --------
    >>> sorted(largest_classes("all", [("b", ""), ("a", ""), ("c", ""), (["c"], "")], 2))
    ['a', 'c']
    """
    sizes = class_sizes(train)
    if n_classes > len(sizes):
        raise ValueError(f"{name} has {len(sizes)} classes, fewer than the {n_classes} asked for")
    return set(sorted(sizes, key=lambda label: (-sizes[label], label))[:n_classes])


def class_sizes(documents: Iterable[Labelled]) -> Counter[Any]:
    """Return how many documents each class has."""
    return Counter(label for given, _ in documents for label in _listed(given))


def only(classes: set[Any], documents: Iterable[Labelled]) -> list[Labelled]:
    """Keep the documents of some classes, and of their labels these classes.

    Examples
    --------
    >>> only({"tea"}, [("oil", "crude"), ("tea", "leaves"), (["oil", "tea"], "both")])
    [('tea', 'leaves'), (['tea'], 'both')]
    """
    kept = []
    for given, text in documents:
        labels = [label for label in _listed(given) if label in classes]
        if labels:
            kept.append((labels if isinstance(given, list) else given, text))
    return kept


def _listed(labels: Any) -> list[Any]:
    return labels if isinstance(labels, list) else [labels]
