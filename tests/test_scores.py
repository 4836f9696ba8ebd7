import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import chi2_contingency

import naive
from fsmj import METHODS, ClassTermCounts, rank
from fsmj.methods.classical import term_scores
from fsmj.scores import CLASS_SCORES
from strategies import document_matrix

AGGREGATES = ["sum", "max", "average"]


def naive_scores(counts, method):
    joint = counts.doc_counts.toarray()
    return [
        [
            naive.score(method, joint[i, m], t, counts.docs_per_class[i], counts.n_docs)
            for i in range(counts.n_classes)
        ]
        for m, t in enumerate(counts.docs_per_term)
    ]


@pytest.mark.parametrize("aggregate", AGGREGATES)
@pytest.mark.parametrize("method", CLASS_SCORES)
@given(document_matrix(), st.booleans())
def test_each_score_equals_its_twin(method, aggregate, documents, multilabel):
    X, y = documents
    if multilabel:
        y = np.random.default_rng(len(y)).integers(0, 2, (len(y), 3))
    counts = ClassTermCounts.from_matrix(X, y)
    by_class = naive_scores(counts, method)
    shares = counts.docs_per_class / counts.n_docs
    expected = [naive.aggregate(scores, shares, aggregate) for scores in by_class]
    scale = np.abs(by_class).max() + 1  # what cancels in a sum leaves rounding of this size
    result = term_scores(counts, method, aggregate)
    assert_allclose(result, expected, rtol=1e-9, atol=1e-12 * scale)


@given(document_matrix())
def test_chi_squared_is_the_statistic_of_the_contingency_table(documents):
    X, y = documents
    counts = ClassTermCounts.from_matrix(X, y)
    if counts.n_classes < 2:
        return
    summed = term_scores(counts, "chi2", "sum")
    for m in range(X.shape[1]):
        present = X[:, m] > 0
        if present.all() or not present.any():
            assert summed[m] == 0
            continue
        statistics = []
        for c in counts.classes:
            table = [[np.sum(present & (y == c)), np.sum(present & (y != c))],
                     [np.sum(~present & (y == c)), np.sum(~present & (y != c))]]  # fmt: skip
            statistics.append(chi2_contingency(table, correction=False).statistic)
        assert_allclose(summed[m], sum(statistics), rtol=1e-9, atol=1e-9)


@given(document_matrix(), st.sampled_from(list(CLASS_SCORES)), st.sampled_from(AGGREGATES))
def test_the_best_come_first_and_ties_go_to_the_lowest_column(documents, method, aggregate):
    X, y = documents
    counts = ClassTermCounts.from_matrix(X, y)
    if counts.n_classes < 2 or (counts.tokens_per_class == 0).any():
        return
    ranking = rank(counts, method, aggregate=aggregate)
    scores = term_scores(counts, method, aggregate)
    present = counts.docs_per_term[ranking.order] > 0
    assert (np.diff(present.astype(int)) <= 0).all()  # terms in no document come last
    order = ranking.order[present]
    for before, after in itertools.pairwise(order):
        close = np.isclose(scores[before], scores[after], rtol=1e-10, atol=0)
        assert scores[before] > scores[after] or close
        if scores[before] == scores[after]:
            assert before < after


def test_document_frequency_counts_documents_of_several_labels_once():
    X, y = [[1, 1], [0, 2], [1, 0]], [[1, 1], [1, 0], [0, 1]]
    assert rank(ClassTermCounts.from_matrix(X, np.array(y)), "df").scores.tolist() == [2, 2]


def test_what_each_column_tells():
    # columns: only in class a | in every document | more in a than in b | in one b
    X = [[1, 1, 1, 0], [2, 1, 1, 0], [0, 1, 1, 0], [0, 1, 0, 1], [0, 1, 0, 0]]
    counts = ClassTermCounts.from_matrix(X, list("aabbb"))
    for method in ("ig", "chi2", "ngl", "cet"):
        ranking = rank(counts, method)
        assert ranking.order[0] == 0, method
        assert ranking.scores[ranking.order.tolist().index(1)] == pytest.approx(0, abs=1e-12)
    assert set(METHODS) >= {"fsmj", "df", *CLASS_SCORES}


NOTES = {  # average accuracy over k = 100, 200, ..., 2000
    (10, "cet"): 0.889,
    (20, "cet"): 0.849,
    (10, "ngl"): 0.781,
    (20, "ngl"): 0.754,
}


@pytest.mark.parametrize(("topics", "method"), NOTES)
def test_average_accuracies_on_the_papers_matrix(reuters_matrix, topics, method):
    reuters = reuters_matrix(topics)
    order = rank(reuters.counts, method, aggregate="average").order
    accuracy = [
        reuters.counts.naive_bayes(order[:k]).score(reuters.X_test[:, order[:k]], reuters.y_test)
        for k in range(100, 2001, 100)
    ]
    assert np.mean(accuracy) == pytest.approx(NOTES[topics, method], abs=0.001)
