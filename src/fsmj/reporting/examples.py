"""Documents and how naive Bayes decides on them: right and wrong, and for what reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from fsmj.corpus import TokenRule
from fsmj.reporting.folds import Fold
from fsmj.reporting.passages import passages_of
from fsmj.reporting.summary import Documents, Example, Floats, Reason, n_words, name_of

N_RIGHT = N_WRONG = 4
N_REASONS = 8


@dataclass(frozen=True, eq=False)
class _Decision:
    """One held-out document before the classifier of its fold."""

    fold: int
    row: int
    label: Any
    decided: Any
    margin: float  # how much better the decision scores than the next class
    n_words: int  # different selected words in it

    @property
    def right(self) -> bool:
        return bool(self.label == self.decided)


def examples_of(folds: Sequence[Fold], rule: TokenRule, n_terms: int, how: str) -> Documents:
    """Decide on held-out documents with the first terms, and explain some of the decisions.

    Parameters
    ----------
    folds : sequence of Fold
        With the documents to decide on.
    rule : TokenRule
        How they were cut into terms.
    n_terms : int
        Select so many terms.
    how : str
        Where the documents come from, in the words of the page.
    """
    judges = [_Judge(fold, n_terms) for fold in folds]
    decisions = [d for number, judge in enumerate(judges) for d in judge.decisions(number)]
    n_right = sum(decision.right for decision in decisions)
    telling = [decision for decision in decisions if decision.n_words]
    chosen = [*_mistakes(telling), *_typical(telling)]
    note = (
        f"{n_right:,} of {len(decisions):,} documents are decided right with {n_words(n_terms)}; "
        f"{how}. Shown are mistakes, the surest and the narrowest, then typical right decisions."
    )
    examples = (judges[d.fold].example(d, rule) for d in chosen)
    return Documents(note, n_terms, tuple(examples))


class _Judge:
    """Naive Bayes on the selected terms of one fold."""

    def __init__(self, fold: Fold, n_terms: int) -> None:
        columns = fold.ranking.order[:n_terms]
        self.held = fold.held
        self.terms = fold.ranking.terms[:n_terms]
        self.model = fold.ranking.counts.naive_bayes(columns)
        self.X = fold.held.X[:, columns]

    def decisions(self, fold: int) -> Iterator[_Decision]:
        joint = self.model.predict_joint_log_proba(self.X)
        two_best = np.partition(joint, -2, axis=1)[:, -2:]
        decided = self.model.classes_[joint.argmax(axis=1)]
        margins, n_words = two_best[:, 1] - two_best[:, 0], np.diff(self.X.indptr)
        for row, label in enumerate(self.held.labels):
            yield _Decision(fold, row, label, decided[row], float(margins[row]), int(n_words[row]))

    def example(self, decision: _Decision, rule: TokenRule) -> Example:
        row = self.X[[decision.row]]
        joint = self.model.predict_joint_log_proba(row)[0]
        compared = self._compared(decision, joint)
        ours, theirs = self.model.feature_log_prob_[compared]
        leads = dict(zip(self.terms.tolist(), (ours - theirs).tolist(), strict=True))
        passages, cut = passages_of(self.held.texts[decision.row], rule, leads)
        return Example(
            passages=passages,
            cut=cut,
            label=name_of(decision.label),
            decision=name_of(decision.decided),
            right=decision.right,
            probability=float(np.exp(joint.max() - logsumexp(joint))),
            classes=tuple(name_of(self.model.classes_[c]) for c in compared),
            reasons=tuple(self._reasons(row, compared)),
            totals=tuple(joint[compared].tolist()),
        )

    def _compared(self, decision: _Decision, joint: Floats) -> NDArray[np.intp]:
        """Return the decision and what it is weighed against: the truth, or else the next best."""
        best_first = np.argsort(-joint, kind="stable")
        true = np.flatnonzero(self.model.classes_ == decision.label)
        rival = true[0] if len(true) and not decision.right else best_first[1]
        return np.array([best_first[0], rival])

    def _reasons(self, row: Any, compared: NDArray[np.intp]) -> Iterator[Reason]:
        yield Reason(
            "class frequency", "prior", 1, tuple(self.model.class_log_prior_[compared].tolist())
        )
        scores = row.data[:, None] * self.model.feature_log_prob_[compared][:, row.indices].T
        strongest = np.argsort(-np.abs(scores[:, 0] - scores[:, 1]), kind="stable")
        for word in strongest[:N_REASONS]:
            term = name_of(self.terms[row.indices[word]])
            yield Reason(term, "term", float(row.data[word]), tuple(scores[word].tolist()))
        others = strongest[N_REASONS:]
        if len(others):
            what = f"{len(others):,} more word{'s' if len(others) > 1 else ''}"
            times = float(row.data[others].sum())
            yield Reason(what, "others", times, tuple(scores[others].sum(axis=0).tolist()))


def _mistakes(decisions: Iterable[_Decision]) -> list[_Decision]:
    wrong = sorted((d for d in decisions if not d.right), key=lambda d: -d.margin)
    sure = _of_different_classes(wrong, N_WRONG // 2)
    narrow = _of_different_classes([d for d in reversed(wrong) if d not in sure], N_WRONG // 2)
    return sure + narrow


def _typical(decisions: Iterable[_Decision]) -> list[_Decision]:
    right = [d for d in decisions if d.right]
    if not right:
        return []
    middle = float(np.median([d.margin for d in right]))
    right.sort(key=lambda d: abs(d.margin - middle))
    return _of_different_classes(right, N_RIGHT)


def _of_different_classes(decisions: Sequence[_Decision], n: int) -> list[_Decision]:
    """Take the first of each class, as far as `n` allows, then whichever come first."""
    first = {str(d.label): d for d in reversed(decisions)}
    return sorted(decisions, key=lambda d: first[str(d.label)] is not d)[:n]
