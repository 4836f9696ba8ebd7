"""Some decisions explained: right and wrong ones, and for what reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from fsmj.reporting.decisions import Decisions, Judge
from fsmj.reporting.names import name_of
from fsmj.reporting.passages import excerpt_of, passages_of
from fsmj.reporting.shown import Example, Reason
from fsmj.reporting.summary import Floats, Ints
from fsmj.tokens.rule import TokenRule

N_RIGHT = N_WRONG = 4
N_REASONS = 8


def examples_of(
    decisions: Decisions, texts: NDArray[Any], rule: TokenRule, ranks: Mapping[str, int]
) -> Iterator[Example]:
    """Explain mistakes, the surest and the narrowest, then typical right decisions.

    Parameters
    ----------
    decisions : Decisions
        On all documents held out.
    texts : ndarray of shape (n_docs,)
        These documents.
    rule : TokenRule
        How they were cut into terms.
    ranks : mapping
        The place of each term among those listed.
    """
    telling = np.flatnonzero(decisions.n_words > 0)
    for i in [*_mistakes(decisions, telling), *_typical(decisions, telling)]:
        yield _example(decisions, i, texts[decisions.document[i]], rule, ranks)


def _example(
    decisions: Decisions, i: int, text: str, rule: TokenRule, ranks: Mapping[str, int]
) -> Example:
    judge, right = decisions.judges[decisions.judge[i]], bool(decisions.right[i])
    row, model = judge.X[[decisions.row[i]]], judge.model
    joint = model.predict_joint_log_proba(row)[0]
    compared = _compared(judge, joint, decisions.labels[i], right)
    ours, theirs = model.feature_log_prob_[compared]
    leads = dict(zip(map(str, judge.terms.tolist()), (ours - theirs).tolist(), strict=True))
    excerpt = excerpt_of(text, rule)
    return Example(
        passages=passages_of(excerpt, rule, leads, ranks),
        cut=not excerpt.ends,
        label=name_of(decisions.labels[i]),
        decision=name_of(decisions.decided[i]),
        right=right,
        probability=float(np.exp(joint.max() - logsumexp(joint))),
        classes=tuple(name_of(model.classes_[c]) for c in compared),
        reasons=tuple(_reasons(judge, row, compared, ranks)),
        totals=tuple(joint[compared].tolist()),
    )


def _compared(judge: Judge, joint: Floats, label: Any, right: bool) -> NDArray[np.intp]:
    """Return the decision and what it is weighed against: the truth, or else the next best."""
    best_first = np.argsort(-joint, kind="stable")
    true = np.flatnonzero(judge.model.classes_ == label)
    rival = true[0] if len(true) and not right else best_first[1]
    return np.array([best_first[0], rival])


def _reasons(
    judge: Judge, row: Any, compared: NDArray[np.intp], ranks: Mapping[str, int]
) -> Iterator[Reason]:
    model = judge.model
    yield Reason("class frequency", "prior", 1, tuple(model.class_log_prior_[compared].tolist()))
    scores = row.data[:, None] * model.feature_log_prob_[compared][:, row.indices].T
    strongest = np.argsort(-np.abs(scores[:, 0] - scores[:, 1]), kind="stable")
    for word in strongest[:N_REASONS]:
        term, times = str(judge.terms[row.indices[word]]), float(row.data[word])
        added = tuple(scores[word].tolist())
        yield Reason(name_of(term), "term", times, added, ranks.get(term))
    others = strongest[N_REASONS:]
    if len(others):
        what = f"{len(others):,} more word{'s' if len(others) > 1 else ''}"
        times = float(row.data[others].sum())
        yield Reason(what, "others", times, tuple(scores[others].sum(axis=0).tolist()))


def _mistakes(decisions: Decisions, telling: Ints) -> list[int]:
    wrong = telling[~decisions.right[telling]]
    surest_first = wrong[np.argsort(-decisions.margins[wrong], kind="stable")].tolist()
    sure = _of_different_classes(decisions, surest_first, N_WRONG // 2)
    left = [i for i in reversed(surest_first) if i not in sure]
    return sure + _of_different_classes(decisions, left, N_WRONG // 2)


def _typical(decisions: Decisions, telling: Ints) -> list[int]:
    right = telling[decisions.right[telling]]
    if len(right) == 0:
        return []
    distance = np.abs(decisions.margins[right] - np.median(decisions.margins[right]))
    middle_first = right[np.argsort(distance, kind="stable")].tolist()
    return _of_different_classes(decisions, middle_first, N_RIGHT)


def _of_different_classes(decisions: Decisions, rows: Sequence[int], n: int) -> list[int]:
    """Take the first of each class, as far as `n` allows, then whichever come first."""
    first: dict[Any, int] = {}
    for i in rows:
        first.setdefault(decisions.labels[i], i)
    return sorted(rows, key=lambda i: first[decisions.labels[i]] != i)[:n]
