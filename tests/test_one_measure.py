"""The same documents and the same parts give the same accuracy wherever it is asked for."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import MultinomialNB

import fsmj
from fsmj.experiment import Candidate, Problem, run_all
from problems import generated

CV = 4


@pytest.fixture(scope="module")
def documents():
    # Sorted by class and uneven, so that another way to split would show.
    every = generated(n_terms=60, cv=CV).train
    return every.take(np.argsort(every.codes, kind="stable")[5:])


def by_scikit_learn(documents, rank, k, keep_rest):
    scores = []
    for train, held in StratifiedKFold(CV).split(documents.X, documents.y):
        order = rank(documents.take(train)).order[:k]

        def seen(rows, order=order):
            X = documents.X[rows].toarray()
            rest = X.sum(axis=1, keepdims=True) - X[:, order].sum(axis=1, keepdims=True)
            return np.hstack([X[:, order], rest]) if keep_rest else X[:, order]

        model = MultinomialNB().fit(seen(train), documents.y[train])
        scores.append(model.score(seen(held), documents.y[held]))
    return np.mean(scores)


@pytest.mark.parametrize("keep_rest", [False, True])
@pytest.mark.parametrize("method", ["fsmj", "df", "cmim"])
def test_one_question_has_one_answer(documents, method, keep_rest):
    curve = fsmj.cross_validate(documents, method, cv=CV, keep_rest=keep_rest)
    selector = fsmj.FSMJCV(cv=CV, method=method, keep_rest=keep_rest)
    selector.fit(documents.X, documents.y)
    candidate = Candidate(method, rest=keep_rest)
    results = run_all([Problem("mine", documents, cv=CV)], candidates={"it": candidate})
    assert results.curves["k"].tolist() == curve.ks.tolist()
    assert results.curves["accuracy"].tolist() == curve.accuracy.tolist()
    assert results.curves["macro_f1"].tolist() == curve.macro_f1.tolist()
    assert selector.cv_results_["mean_test_score"].tolist() == curve.accuracy.tolist()

    def rank(training):
        return fsmj.rank(training, method)

    for k in (1, 10, 60):
        expected = by_scikit_learn(documents, rank, k, keep_rest)
        assert curve.accuracy[k - 1] == pytest.approx(expected)
