import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, hstack
from sklearn.metrics import accuracy_score, f1_score, log_loss
from sklearn.naive_bayes import MultinomialNB

from fsmj import ClassTermCounts, rank, sweep
from fsmj.evaluation import default_sizes
from strategies import document_matrix


def split(documents):
    X, y = documents
    half = max(1, len(y) // 2)
    counts = ClassTermCounts.from_matrix(X[:half], y[:half])
    usable = counts.n_classes > 1 and (counts.tokens_per_class > 0).all()
    test = np.isin(y[half:], counts.classes)
    return usable and test.any(), (X[:half], y[:half]), (X[half:][test], y[half:][test])


def refitted(X_train, y_train, X_test, columns, alpha, keep_rest):
    """scikit-learn's own classifier on these columns."""

    def reduced(X):
        chosen = X[:, columns]
        rest = X.sum(axis=1, keepdims=True) - chosen.sum(axis=1, keepdims=True)
        return np.hstack([chosen, rest]) if keep_rest else chosen

    return MultinomialNB(alpha=alpha).fit(reduced(X_train), y_train), reduced(X_test)


@given(
    document_matrix(max_docs=60),
    st.sampled_from(["fsmj", "chi2"]),
    st.sampled_from([1.0, 0.1]),
    st.booleans(),
)
def test_equals_refitting_at_every_size(documents, method, alpha, keep_rest):
    usable, (X, y), (X_test, y_test) = split(documents)
    if not usable:
        return
    counts = ClassTermCounts.from_matrix(X, y)
    ranking = rank(counts, method)
    curve = sweep(
        ranking, counts, X_test, y_test, alpha=alpha, keep_rest=keep_rest, log_loss=True,
        predictions=True,
    )  # fmt: skip
    assert_array_equal(curve.ks, np.arange(1, counts.n_terms + 1))
    for j, k in enumerate(curve.ks):
        model, X_k = refitted(X, y, X_test, ranking.order[:k], alpha, keep_rest)
        log_p = model.predict_joint_log_proba(X_k)
        top = np.sort(log_p, axis=1)
        clear = top[:, -1] - top[:, -2] > 1e-9  # elsewhere two classes tie
        assert_array_equal(curve.predictions[j][clear], model.predict(X_k)[clear])
        ours = curve.predictions[j]
        assert curve.accuracy[j] == pytest.approx(accuracy_score(y_test, ours))
        assert curve.macro_f1[j] == pytest.approx(
            f1_score(y_test, ours, average="macro", zero_division=0)
        )
        loss = log_loss(y_test, model.predict_proba(X_k), labels=counts.classes)
        assert_allclose(curve.log_loss[j], loss, rtol=1e-6, atol=1e-8)


def test_a_grid_gives_the_same_points():
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.5, (60, 30)), rng.integers(0, 3, 60)
    counts = ClassTermCounts.from_matrix(X, y)
    ranking = rank(counts)
    whole, some = (sweep(ranking, counts, X, y, ks) for ks in (None, [3, 10, 30]))
    assert_array_equal(some.accuracy, whole.accuracy[[2, 9, 29]])
    first = sweep(rank(counts, n_terms=10), counts, csr_array(X), y)
    assert_array_equal(first.accuracy, whole.accuracy[:10])


def test_a_geometric_grid_past_20000_terms():
    assert_array_equal(default_sizes(20_000), np.arange(1, 20_001))
    grid = default_sizes(1_000_000)
    assert grid[0] == 1
    assert grid[-1] == 1_000_000
    assert len(grid) <= 500
    assert (np.diff(grid) > 0).all()


def test_labels_never_seen_in_training_are_errors():
    X, y = np.array([[3, 0], [0, 2], [1, 0]]), np.array(["a", "b", "a"])
    counts = ClassTermCounts.from_matrix(X, y)
    with pytest.warns(UserWarning, match="1 documents count as errors.*'z'"):
        curve = sweep(rank(counts), counts, X, ["a", "b", "z"], log_loss=True)
    assert curve.accuracy[-1] == pytest.approx(2 / 3)
    expected = f1_score(["a", "b", "z"], ["a", "b", "a"], average="macro", zero_division=0)
    assert curve.macro_f1[-1] == pytest.approx(expected)
    assert np.isfinite(curve.log_loss).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 0}, "alpha must be more than 0"),
        ({"ks": [0]}, "ks must rise, from 1"),
        ({"ks": [2, 1]}, "ks must rise"),
        ({"ks": [1, 9]}, "to 2"),
        ({"ks": [0.5]}, "whole numbers"),
        ({"ks": []}, "whole numbers"),
        ({"X_test": np.ones((2, 3))}, "the test documents 3"),
        ({"y_test": ["a"]}, "2 documents but 1 labels"),
        ({"X_test": -np.ones((2, 2))}, "Negative values in data"),
    ],
)
def test_bad_input_gets_a_clear_sentence(change, message):
    X, y = np.array([[3, 0], [0, 2]]), np.array(["a", "b"])
    counts = ClassTermCounts.from_matrix(X, y)
    arguments = {"X_test": X, "y_test": y, **change}
    with pytest.raises(ValueError, match=message):
        sweep(rank(counts), counts, **arguments)


@pytest.mark.parametrize("keep_rest", [False, True])
def test_equals_refitting_on_the_papers_matrix(reuters_matrix, keep_rest):
    reuters = reuters_matrix(10)
    ranking = rank(reuters.counts)
    curve = sweep(
        ranking, reuters.counts, reuters.X_test, reuters.y_test, keep_rest=keep_rest
    )  # fmt: skip

    def reduced(X, k):
        chosen = X[:, ranking.order[:k]]
        rest = (X.sum(axis=1) - chosen.sum(axis=1))[:, None]
        return hstack([chosen, csr_array(rest)], format="csr") if keep_rest else chosen

    for k in np.random.default_rng(0).choice(curve.ks, 200, replace=False):
        model = MultinomialNB().fit(reduced(reuters.X_train, k), reuters.y_train)
        accuracy = model.score(reduced(reuters.X_test, k), reuters.y_test)
        assert accuracy == curve.accuracy[k - 1]


REST = {10: 0.794, 20: 0.739}  # NOTES: FSMJ with the rest cell at k = 10


@pytest.mark.parametrize("topics", REST)
def test_the_rest_cell_helps_with_few_terms(reuters_matrix, topics):
    reuters = reuters_matrix(topics)
    ranking = rank(reuters.counts, n_terms=10)
    curve = sweep(
        ranking, reuters.counts, reuters.X_test, reuters.y_test, [10], keep_rest=True
    )  # fmt: skip
    assert curve.accuracy[0] == pytest.approx(REST[topics], abs=0.0005)
