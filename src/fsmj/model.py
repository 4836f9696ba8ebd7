"""TextModel: naive Bayes on selected terms, from text to labels, in one Parquet file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from fsmj._matrix import strings_of
from fsmj.counts import (
    ClassTermCounts,
    columns_as_metadata,
    load_columns,
    load_counts,
    load_metadata,
)
from fsmj.tokens.matrix import term_matrix
from fsmj.tokens.rule import TokenRule

_ALPHA = "alpha"  # where the file keeps it


class Decisions(NamedTuple):
    """What a model says of some texts."""

    labels: NDArray[Any]
    probabilities: NDArray[np.float64]
    words: NDArray[np.int64]
    """How many of the model's words each text has; without any, the largest class wins."""


@dataclass(frozen=True, eq=False)
class TextModel:
    """Multinomial naive Bayes that takes texts.

    Parameters
    ----------
    counts : ClassTermCounts
        Of the terms to use, as ``counts.restrict(terms)`` leaves them.
    rule : TokenRule, optional
        How to cut texts into these terms; needed only where the counts do not know the rule by
        which they were counted.
    alpha : float, default=1.0
        Added to every count.
    columns : tuple of str, default=()
        The columns of a table that hold its texts, as `fsmj classify` is to read them.
    label : str, optional
        The column of a table that holds its labels, as `fsmj evaluate` is to read them.

    Examples
    --------
    >>> import fsmj
    >>> counts = fsmj.count_texts(["green tea", "black tea", "crude oil"], ["tea", "tea", "oil"])
    >>> model = fsmj.TextModel(counts.restrict(fsmj.rank(counts).terms[:3]))
    >>> model.predict(["a cup of tea", "oil and crude oil"]).tolist()
    ['tea', 'oil']
    """

    counts: ClassTermCounts
    rule: TokenRule | None = None
    alpha: float = 1.0
    columns: tuple[str, ...] = ()
    label: str | None = None

    def __repr__(self) -> str:
        return f"TextModel({len(self.classes):,} classes, {self.counts.n_terms:,} terms)"

    def __post_init__(self) -> None:
        known = self.counts.rule
        if known is None and self.rule is None:
            raise ValueError(
                "these counts do not know how texts are cut into their terms; give the model a "
                "rule, such as rule=fsmj.TokenRule()"
            )
        if None not in (known, self.rule) and known != self.rule:
            raise ValueError("these counts were made by another rule of what a word is")
        rule = known or self.rule
        columns = (self.columns,) if isinstance(self.columns, str) else tuple(self.columns)
        object.__setattr__(self, "columns", (*strings_of(columns, "the name of column"),))
        if not isinstance(self.label, str | None):
            raise ValueError(f"label is the name of a column, not {self.label!r}")
        object.__setattr__(self, "rule", rule)
        object.__setattr__(self, "counts", replace(self.counts, rule=rule))
        if not 0 < self.alpha < float("inf"):
            raise ValueError(f"alpha must be a number more than 0; got {self.alpha!r}")
        if self.counts.terms is None:
            raise ValueError("a model of texts needs counts that name their terms")
        if self.counts.n_terms == 0:
            raise ValueError("a model needs one term at least")

    @property
    def classes(self) -> NDArray[Any]:
        """The labels that it gives."""
        return self.counts.classes

    def _matrix(self, texts: Iterable[str]) -> csr_array:
        assert self.rule is not None
        return term_matrix(texts, self.rule, terms=self.counts.terms)[0]

    @cached_property
    def _weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What each term, and each class of its own, adds to the score of a class."""
        smoothed = self.counts.term_counts.toarray().T + np.float64(self.alpha)
        with np.errstate(over="ignore"):
            total = smoothed.sum(axis=0)
        if not np.isfinite(total).all():
            raise ValueError(
                f"alpha is too large: {self.alpha:g} for each of {len(smoothed):,} terms"
            )
        return np.log(smoothed) - np.log(total), np.log(self.counts.priors)

    def _scores(self, X: csr_array) -> NDArray[np.float64]:
        """Return the scores of naive Bayes above that of the best class, which is 0."""
        of_terms, of_classes = self._weights
        scores = X @ of_terms + of_classes
        return np.asarray(scores - scores.max(axis=1, keepdims=True))

    def classify(self, texts: Iterable[str]) -> Decisions:
        """Return the most probable class of each text, of equals the first; how sure, and why."""
        X = self._matrix(texts)
        scores = self._scores(X)
        probability = 1 / np.exp(scores).sum(axis=1)
        words = np.asarray(X.sum(axis=1)).ravel()
        return Decisions(self.classes[scores.argmax(axis=1)], probability, words)

    def predict(self, texts: Iterable[str]) -> NDArray[Any]:
        """Return the most probable class of each text, of equals the first."""
        return self.classify(texts).labels

    def predict_proba(self, texts: Iterable[str]) -> NDArray[np.float64]:
        """Return the probability of each class, a row for each text."""
        odds = np.exp(self._scores(self._matrix(texts)))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as a table of counts, with what it knows, whole or not at all."""
        columns = columns_as_metadata(self.columns, self.label)
        kept = {_ALPHA: repr(float(self.alpha)), **columns}
        self.counts.save(path, **kept)


def load_model(path: str | os.PathLike[str]) -> TextModel:
    """Read a model that `TextModel.save` has written.

    Parameters
    ----------
    path : path-like
        A Parquet file.

    Returns
    -------
    TextModel
        Equal to the one saved.
    """
    if Path(path).is_dir():
        raise ValueError(f"{path} is a folder, not a model")
    kept = load_metadata(path)
    counts = load_counts(path)
    if counts.rule is None or _ALPHA not in kept:
        raise ValueError(f"{path} holds counts, but no model; make one with `fsmj train`")
    columns, label = load_columns(path)
    return TextModel(counts, alpha=_alpha(path, kept[_ALPHA]), columns=columns, label=label)


def is_model(path: str | os.PathLike[str]) -> bool:
    """Tell a model from other counts."""
    return _ALPHA in load_metadata(path)


def _alpha(path: str | os.PathLike[str], text: str) -> float:
    with suppress(ValueError):
        if 0 < float(text) < float("inf"):
            return float(text)
    raise ValueError(f"{path} is damaged: its alpha is {text!r}")
