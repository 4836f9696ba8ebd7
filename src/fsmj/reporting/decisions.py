"""What naive Bayes decides on the documents held out, with as many terms as are enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fsmj.evaluation import Trial
from fsmj.reporting.names import name_of
from fsmj.reporting.shown import Confusion
from fsmj.reporting.summary import Floats, Ints

MOST_CLASSES = 24  # of a table that can be read


class Judge:
    """Naive Bayes on the selected terms of one trial."""

    def __init__(self, trial: Trial, n_terms: int) -> None:
        columns = trial.ranking.order[:n_terms]
        self.terms = trial.ranking.terms[:n_terms]
        self.model = trial.ranking.counts.naive_bayes(columns)
        self.X = trial.held.X[:, columns]


@dataclass(frozen=True, eq=False)
class Decisions:
    """Every held-out document before the classifier of its trial.

    Attributes
    ----------
    judges : list of Judge
        One for each trial.
    judge, row : ndarray of shape (n_docs,)
        Which of them decides on the document, and the document's row there.
    document : ndarray of shape (n_docs,)
        Its row among all documents that are held out.
    labels, decided : ndarray of shape (n_docs,)
        The class it has, and the one it is given.
    margins : ndarray of shape (n_docs,)
        How much better the decision scores than the next class.
    n_words : ndarray of shape (n_docs,)
        How many different selected words it has.
    """

    judges: list[Judge]
    judge: Ints
    row: Ints
    document: Ints
    labels: NDArray[Any]
    decided: NDArray[Any]
    margins: Floats
    n_words: Ints

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether each decision is right."""
        return np.asarray(self.labels == self.decided, bool)


def decisions_of(trials: Sequence[Trial], n_terms: int) -> Decisions:
    """Decide on all documents held out."""
    judges = [Judge(trial, n_terms) for trial in trials]
    decided, margins = [], []
    for judge in judges:
        joint = judge.model.predict_joint_log_proba(judge.X)
        two_best = np.partition(joint, -2, axis=1)[:, -2:]
        decided.append(judge.model.classes_[joint.argmax(axis=1)])
        margins.append(two_best[:, 1] - two_best[:, 0])
    sizes = [trial.held.n_docs for trial in trials]
    return Decisions(
        judges,
        np.repeat(np.arange(len(judges)), sizes),
        np.concatenate([np.arange(size) for size in sizes]),
        np.concatenate([trial.rows for trial in trials]),
        np.concatenate([trial.held.y for trial in trials]),
        np.concatenate(decided),
        np.concatenate(margins),
        np.concatenate([np.diff(judge.X.indptr) for judge in judges]),
    )


def numbered(labels: NDArray[Any], classes: Sequence[Any]) -> Ints:
    """Return the number of each label among the classes."""
    known = {class_: number for number, class_ in enumerate(classes)}
    return np.array([known[label] for label in labels.tolist()], np.int64)


def confusion_of(decisions: Decisions, classes: Sequence[Any]) -> Confusion:
    """Count the documents by class and decision; of many classes, those with most mistakes.

    Parameters
    ----------
    decisions : Decisions
        On all documents.
    classes : sequence
        All labels, in the order of the report.
    """
    pairs = numbered(decisions.labels, classes), numbered(decisions.decided, classes)
    whole = np.zeros((len(classes), len(classes)), np.int64)
    np.add.at(whole, pairs, 1)
    mistakes = whole.sum(axis=0) + whole.sum(axis=1) - 2 * whole.diagonal()
    shown = np.arange(len(classes))
    if len(classes) > MOST_CLASSES:
        shown = np.sort(np.argsort(-mistakes, kind="stable")[:MOST_CLASSES])
    group = np.full(len(classes), len(shown))
    group[shown] = np.arange(len(shown))
    n_rows = len(shown) + (len(shown) < len(classes))
    table = np.zeros((n_rows, n_rows), np.int64)
    np.add.at(table, (group[pairs[0]], group[pairs[1]]), 1)
    names = tuple(name_of(classes[i]) for i in shown.tolist())
    return Confusion(tuple(shown.tolist()), names, table, len(classes) - len(shown))
