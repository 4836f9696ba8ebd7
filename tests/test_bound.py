"""`bound` against its twin, and what it must hold to."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import fsmj
import naive_bound

temperatures = st.sampled_from([0.1, 1.0, 3.0, 30.0])


@st.composite
def labelled(draw, max_classes=5):
    """Documents as counts, and labels of which each class has one at least."""
    n_classes, n_terms = draw(st.integers(2, max_classes)), draw(st.integers(1, 12))
    n_docs = draw(st.integers(n_classes, 14))
    X = draw(arrays(np.int64, (n_docs, n_terms), elements=st.sampled_from([0, 0, 0, 1, 2, 5])))
    y = np.arange(n_docs) % n_classes
    X[:n_classes, 0] += 1  # every class has a token
    return X, y


def twin(counts, temperature):
    docs = counts.doc_counts.toarray().tolist()
    first = int(np.argmax(counts.docs_per_term))
    return naive_bound.bound(docs, counts.docs_per_class.tolist(), first, temperature)


# Of the words that both documents have, a look at R in time shows that they tell something.
WORDS_OF_BOTH = [[2, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1], [2, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]]


@given(labelled(), temperatures)
@example((np.array(WORDS_OF_BOTH), np.array([0, 1])), 0.1)
@settings(max_examples=5 * settings.default.max_examples)
def test_equals_the_plain_greedy(documents, temperature):
    counts = fsmj.ClassTermCounts.from_matrix(*documents)
    ranking = fsmj.rank(counts, "bound", temperature=temperature)
    order, falls = twin(counts, temperature)
    assert ranking.order.tolist() == order
    np.testing.assert_allclose(ranking.scores, falls, rtol=1e-9, atol=1e-300)


@given(st.integers(0, 2**32 - 1), temperatures)
@settings(max_examples=15)
def test_equals_the_plain_greedy_over_many_rounds(seed, temperature):
    generator = np.random.default_rng(seed)
    rate = generator.gamma(0.3, size=(6, 60)) / 2
    y = generator.permutation(np.arange(90) % 6)
    X = generator.poisson(rate[y])
    X[:, 0] = 1
    counts = fsmj.ClassTermCounts.from_matrix(X, y)
    ranking = fsmj.rank(counts, "bound", temperature=temperature)
    order, falls = twin(counts, temperature)
    assert ranking.order.tolist() == order
    np.testing.assert_allclose(ranking.scores, falls, rtol=1e-9, atol=1e-300)


@given(labelled(), temperatures, st.floats(0.1, 10))
def test_weights_and_labels(documents, temperature, weight):
    X, y = documents
    plain = fsmj.rank(fsmj.ClassTermCounts.from_matrix(X, y), "bound", temperature=temperature)
    membership = (y[:, None] == np.unique(y)).astype(int)
    indicator = fsmj.ClassTermCounts.from_matrix(X, membership)
    weighted = fsmj.ClassTermCounts.from_matrix(X, y, sample_weight=np.full(len(y), weight))
    for counts in (indicator, weighted):
        ranking = fsmj.rank(counts, "bound", temperature=temperature)
        np.testing.assert_allclose(ranking.scores, plain.scores, rtol=1e-6, atol=1e-300)


@given(labelled(), st.integers(0, 2**32 - 1), temperatures)
def test_several_labels_real_values_and_weights_equal_the_plain_greedy(documents, seed, tau):
    X, y = documents
    generator = np.random.default_rng(seed)
    several = (y[:, None] == np.unique(y)) | (generator.random((len(y), y.max() + 1)) < 0.3)
    weight = generator.integers(1, 4, len(y)) / 2
    values = X * generator.random(X.shape)
    for counts in (
        fsmj.ClassTermCounts.from_matrix(values, several.astype(int)),
        fsmj.ClassTermCounts.from_matrix(X, y, sample_weight=weight),
    ):
        ranking = fsmj.rank(counts, "bound", temperature=tau)
        order, falls = twin(counts, tau)
        assert ranking.order.tolist() == order
        np.testing.assert_allclose(ranking.scores, falls, rtol=1e-9, atol=1e-300)


@given(labelled(), temperatures)
def test_scores_never_exceed_the_bound(documents, temperature):
    counts = fsmj.ClassTermCounts.from_matrix(*documents)
    ranking = fsmj.rank(counts, "bound", temperature=temperature)
    root = np.sqrt(counts.priors)
    assert (ranking.scores >= 0).all()
    assert ranking.scores.sum() <= (root.sum() ** 2 - 1) / 2 * (1 + 1e-12)
    assert sorted(ranking.order) == list(range(counts.n_terms))


@given(labelled(), st.integers(0, 12))
def test_fewer_terms_are_the_first_of_all(documents, size):
    counts = fsmj.ClassTermCounts.from_matrix(*documents)
    size = min(size, counts.n_terms)
    few, every = fsmj.rank(counts, "bound", size), fsmj.rank(counts, "bound")
    assert few.order.tolist() == every.order[:size].tolist()


def test_first_comes_a_common_word_then_the_pair_that_is_confused():
    # Columns: 0 in all documents; 1 tells a from the others; 2 the same again, a little less;
    # 3 tells b from c, as well as 2 tells a. With 1 taken, a is told apart, b and c are not.
    X = np.zeros((30, 4), int)
    X[:, 0], X[:10, 1], X[:9, 2], X[10:19, 3] = 1, 1, 1, 1
    counts = fsmj.ClassTermCounts.from_matrix(X, np.repeat(["a", "b", "c"], 10))
    assert fsmj.rank(counts, "bound").order.tolist() == [0, 1, 3, 2]


def test_a_bound_too_small_for_a_float_does_not_end_the_ranking():
    # The strong columns 1 to 400 together take the bound below 1e-308; the weak one still tells.
    X = np.zeros((20, 403), int)
    X[:, 0] = 1
    X[:10, 1:401] = 1
    X[0, 402] = 1  # column 401 is empty
    counts = fsmj.ClassTermCounts.from_matrix(X, np.repeat([0, 1], 10))
    ranking = fsmj.rank(counts, "bound", temperature=100.0)
    assert ranking.order[-2:].tolist() == [402, 401]
    assert ranking.order[1:401].tolist() == list(range(1, 401))


def test_classes_that_words_do_not_tell_apart_are_ranked_by_column():
    counts = fsmj.ClassTermCounts.from_matrix([[1, 1, 1], [1, 1, 1]], ["a", "b"])
    ranking = fsmj.rank(counts, "bound")
    assert ranking.order.tolist() == [0, 1, 2]
    assert ranking.scores.tolist() == [0, 0, 0]


def test_the_temperature_is_chosen_on_documents_only():
    generator = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = generator.poisson(generator.gamma(0.5, size=(3, 40))[y])
    documents = fsmj.Documents(X, y)
    chosen = fsmj.rank(documents, "bound", 20, temperature="auto").options["temperature"]
    assert chosen in (1.0, 2.0, 3.0, 4.0, 6.0)
    fixed = fsmj.rank(documents, "bound", 20, temperature=chosen)
    again = fsmj.rank(documents, "bound", 20, temperature="auto")
    assert fixed.order.tolist() == again.order.tolist()
    several = fsmj.Documents(X, np.column_stack([y == 0, y >= 1, y == 2]).astype(int))
    for source in (documents.counts, several):  # nothing to try it on
        assert fsmj.rank(source, "bound", temperature="auto").options["temperature"] == 3.0


@pytest.mark.parametrize("temperature", [0, -1, math.inf, math.nan, "hot", None])
def test_temperatures_that_mean_nothing_are_refused(temperature):
    counts = fsmj.ClassTermCounts.from_matrix([[1, 0], [0, 1]], ["a", "b"])
    with pytest.raises(ValueError, match="temperature must be 'auto' or a number above 0"):
        fsmj.rank(counts, "bound", temperature=temperature)
