"""What naive Bayes decides on the documents held out, and some decisions with their reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from fsmj._names import counted, name_of
from fsmj.evaluation import Trial
from fsmj.reporting.passages import excerpt_of, passages_of
from fsmj.reporting.summary import Confusion, Example, Floats, Ints, Reason
from fsmj.tokens.rule import TokenRule

MOST_CLASSES = 24  # of a table that can be read
N_RIGHT = N_WRONG = 4
N_REASONS = 8


class Judge:
    """Naive Bayes on the selected terms of one trial."""

    def __init__(self, trial: Trial, n_terms: int) -> None:
        columns = trial.ranking.order[:n_terms]
        self.terms = trial.ranking.terms[:n_terms]
        self.model = trial.ranking.counts.naive_bayes(columns)
        self.X = trial.held.X[:, columns]


@dataclass(frozen=True, eq=False)
class Decisions:
    """Every held-out document before the classifier of its trial."""

    classes: Sequence[Any]  # all labels: those of the ranking, then those that others have
    judges: list[Judge]  # one for each trial
    judge: Ints  # which of them decides on the document
    row: Ints  # the document's row there
    document: Ints  # its row among all documents that are held out
    label: Ints  # the number of its class
    decision: Ints  # the number of the class that it is given
    margin: Floats  # how much better the decision scores than the next class
    n_words: Ints  # how many different selected words the document has

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether each decision is right."""
        return np.asarray(self.label == self.decision, bool)


def decisions_of(trials: Sequence[Trial], n_terms: int, classes: Sequence[Any]) -> Decisions:
    """Decide on all documents held out."""
    number_of = {class_: number for number, class_ in enumerate(classes)}

    def numbered(labels: NDArray[Any]) -> Ints:
        return np.array([number_of[label] for label in labels.tolist()], np.int64)

    judges, parts = [Judge(trial, n_terms) for trial in trials], []
    for number, (judge, trial) in enumerate(zip(judges, trials, strict=True)):
        joint = judge.model.predict_joint_log_proba(judge.X)
        second, first = np.partition(joint, -2, axis=1)[:, -2:].T
        given, rows = judge.model.classes_[joint.argmax(axis=1)], np.arange(trial.held.n_docs)
        parts.append((
            np.full_like(rows, number), rows, trial.rows, numbered(trial.held.y), numbered(given),
            first - second, np.diff(judge.X.indptr),
        ))  # fmt: skip
    return Decisions(classes, judges, *map(np.concatenate, zip(*parts, strict=True)))


def confusion_of(decisions: Decisions) -> Confusion:
    """Count the documents by class and decision; of many classes, those with most mistakes."""
    n_classes, pairs = len(decisions.classes), (decisions.label, decisions.decision)
    whole = np.zeros((n_classes, n_classes), np.int64)
    np.add.at(whole, pairs, 1)
    mistakes = whole.sum(axis=0) + whole.sum(axis=1) - 2 * whole.diagonal()
    shown = np.sort(np.argsort(-mistakes, kind="stable")[:MOST_CLASSES])
    group = np.full(n_classes, len(shown))
    group[shown] = np.arange(len(shown))
    n_rows = len(shown) + (len(shown) < n_classes)
    table = np.zeros((n_rows, n_rows), np.int64)
    np.add.at(table, (group[pairs[0]], group[pairs[1]]), 1)
    names = tuple(name_of(decisions.classes[i]) for i in shown.tolist())
    return Confusion(tuple(shown.tolist()), names, table, n_classes - len(shown))


def examples_of(
    decisions: Decisions, texts: NDArray[Any], rule: TokenRule, ranks: Mapping[str, int]
) -> Iterator[Example]:
    """Explain mistakes, the surest and the narrowest, then typical right decisions.

    The texts are those of all documents held out; `ranks` are the places of the listed terms.
    """
    telling = np.flatnonzero(decisions.n_words > 0)
    for i in [*_mistakes(decisions, telling), *_typical(decisions, telling)]:
        yield _example(decisions, i, texts[decisions.document[i]], rule, ranks)


def _example(
    decisions: Decisions, i: int, text: str, rule: TokenRule, ranks: Mapping[str, int]
) -> Example:
    judge, right = decisions.judges[decisions.judge[i]], bool(decisions.right[i])
    label, decision = (decisions.classes[of[i]] for of in (decisions.label, decisions.decision))
    row, model = judge.X[[decisions.row[i]]], judge.model
    joint = model.predict_joint_log_proba(row)[0]
    # What the decision is weighed against: the truth, or else the next best.
    best, second = np.argsort(-joint, kind="stable")[:2]
    true = np.flatnonzero(model.classes_ == label)
    compared = np.array([best, true[0] if len(true) and not right else second])
    ours, theirs = model.feature_log_prob_[compared]
    leads = dict(zip(map(str, judge.terms.tolist()), (ours - theirs).tolist(), strict=True))
    excerpt = excerpt_of(text, rule)
    return Example(
        passages=passages_of(excerpt, rule, leads, ranks),
        cut=not excerpt.ends,
        label=name_of(label),
        decision=name_of(decision),
        right=right,
        probability=float(np.exp(joint.max() - logsumexp(joint))),
        classes=tuple(name_of(model.classes_[c]) for c in compared),
        reasons=tuple(_reasons(judge, row, compared, ranks)),
        totals=tuple(joint[compared].tolist()),
    )


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
        what = counted(len(others), "more word")
        times = float(row.data[others].sum())
        yield Reason(what, "others", times, tuple(scores[others].sum(axis=0).tolist()))


def _mistakes(decisions: Decisions, telling: Ints) -> list[int]:
    wrong = telling[~decisions.right[telling]]
    surest_first = wrong[np.argsort(-decisions.margin[wrong], kind="stable")].tolist()
    sure = _of_different_classes(decisions, surest_first, N_WRONG // 2)
    left = [i for i in reversed(surest_first) if i not in sure]
    return sure + _of_different_classes(decisions, left, N_WRONG // 2)


def _typical(decisions: Decisions, telling: Ints) -> list[int]:
    right = telling[decisions.right[telling]]
    if len(right) == 0:
        return []
    distance = np.abs(decisions.margin[right] - np.median(decisions.margin[right]))
    middle_first = right[np.argsort(distance, kind="stable")].tolist()
    return _of_different_classes(decisions, middle_first, N_RIGHT)


def _of_different_classes(decisions: Decisions, rows: Sequence[int], n: int) -> list[int]:
    """Take the first of each class, as far as `n` allows, then whichever come first."""
    first: dict[Any, int] = {}
    for i in rows:
        first.setdefault(decisions.label[i], i)
    return sorted(rows, key=lambda i: first[decisions.label[i]] != i)[:n]
