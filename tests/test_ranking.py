from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.naive_bayes import MultinomialNB

import fsmj
import naive
from fsmj import ClassTermCounts, rank
from fsmj.methods import _greedy
from strategies import class_term_counts, counts_of, document_matrix

VARIANTS = {
    "paper": {},
    "prior weights": {"weights": "prior"},
    "smoothed": {"smoothing": 1.0},
    "hardly smoothed, prior weights": {"smoothing": 1e-3, "weights": "prior"},
    "complement": {"reference": "complement", "smoothing": 0.5},
    "complement, prior weights": {"reference": "complement", "smoothing": 0.1, "weights": "prior"},
    "complement, hardly smoothed": {"reference": "complement", "smoothing": 1e-4},
}
EVERY_VARIANT = pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)


def as_naive(variant):
    return {
        "complement": variant.get("reference") == "complement",
        "prior_weights": variant.get("weights") == "prior",
        "alpha": variant.get("smoothing", 0.0),
    }


def assert_same_ranking(ranking, order, gains):
    assert ranking.order.tolist() == list(order)
    assert_allclose(ranking.scores, gains, rtol=1e-9, atol=1e-13)


@EVERY_VARIANT
@given(counts=class_term_counts())
def test_the_ranking_is_algorithm_1(variant, counts):
    table = counts.term_counts.toarray().tolist()
    expected = naive.greedy(table, counts.priors.tolist(), **as_naive(variant))
    assert_same_ranking(rank(counts, **variant), *expected)


@EVERY_VARIANT
@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1), zipfian=st.booleans())
def test_hundreds_of_terms_so_that_most_are_never_looked_at(variant, seed, zipfian):
    rng = np.random.default_rng(seed)
    n_classes, n_terms = rng.integers(2, 9), 400
    base = 1 / np.arange(1, n_terms + 1) if zipfian else np.full(n_terms, 1 / n_terms)
    tilt = np.exp(rng.normal(0, 1, (n_classes, n_terms)))
    table = rng.poisson(base * tilt * rng.choice([100, 3000, 30000], (n_classes, 1)))
    table[:, 0] += 1
    counts = counts_of(table, rng.integers(1, 100, n_classes))
    steps = list(naive.greedy_steps(table, counts.priors, **as_naive(variant)))
    ranking = rank(counts, n_terms=len(steps), **variant)
    assert_same_ranking(ranking, *zip(*steps, strict=True))


@EVERY_VARIANT
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32 - 1), n_hot=st.sampled_from([2, 5, 20]))
def test_more_classes_than_groups_and_few_hot_terms(variant, seed, n_hot):
    rng = np.random.default_rng(seed)
    n_classes, n_terms = rng.integers(_greedy.GROUPS + 1, 3 * _greedy.GROUPS), 150
    tilt = np.exp(rng.normal(0, 1, (n_classes, n_terms)))
    table = rng.poisson(tilt / np.arange(1, n_terms + 1) * rng.choice([3, 300], (n_classes, 1)))
    table[:, 0] += 1
    counts = counts_of(table, rng.integers(1, 100, n_classes))
    steps = list(naive.greedy_steps(table, counts.priors, **as_naive(variant)))
    with mock.patch.object(_greedy, "HOT", n_hot):
        ranking = rank(counts, n_terms=len(steps), **variant)
    assert_same_ranking(ranking, *zip(*steps, strict=True))


LARGE_AND_SMALL = st.one_of(st.integers(0, 3), st.integers(10**7, 10**12))


@EVERY_VARIANT
@given(data=st.data())
def test_large_counts_lose_no_digits(variant, data):
    n_classes, n_terms = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 6))
    row = st.lists(LARGE_AND_SMALL, min_size=n_terms, max_size=n_terms).filter(any)
    table = data.draw(st.lists(row, min_size=n_classes, max_size=n_classes))
    docs = data.draw(st.lists(st.integers(1, 9), min_size=n_classes, max_size=n_classes))
    expected = naive.greedy_in_decimals(table, docs, **as_naive(variant))
    assert rank(counts_of(table, docs), **variant).order.tolist() == expected


def test_weights_that_no_number_relates():
    ranking = rank(counts_of([[1e-310, 0, 1, 2], [0, 1e-310, 2, 1]], [1, 1]))
    (first, *_), (gain, *_) = naive.greedy([[1, 2], [2, 1]], [0.5, 0.5])
    assert (ranking.order[0], sorted(ranking.order)) == (2 + first, [0, 1, 2, 3])
    assert ranking.scores[0] == pytest.approx(gain)


def test_terms_that_hold_nearly_all_of_a_complement():
    table = [[83755476, 1, 0, 2], [1, 83755393, 1, 1]]
    expected = naive.greedy_in_decimals(table, [3, 3], complement=True, alpha=1.0)
    ranking = rank(counts_of(table, [3, 3]), reference="complement", smoothing=1.0)
    assert ranking.order.tolist() == expected


@EVERY_VARIANT
@given(counts=class_term_counts(max_classes=5, max_terms=15), data=st.data())
def test_restricted_counts_keep_their_rest_cell(variant, counts, data):
    some = data.draw(st.lists(st.integers(0, counts.n_terms - 1), unique=True, min_size=1))
    kept = counts.restrict(some)
    if variant.get("reference") == "complement" and np.count_nonzero(kept.rest_counts) == 1:
        return
    expected = naive.greedy(
        kept.term_counts.toarray().tolist(),
        counts.priors.tolist(),
        rest=kept.rest_counts.tolist(),
        **as_naive(variant),
    )
    ranking = rank(kept, **variant)
    assert_same_ranking(ranking, *expected)
    p = naive.probabilities(
        kept.term_counts.toarray().tolist(),
        variant.get("smoothing", 0.0),
        kept.rest_counts.tolist(),
    )
    expected = naive.jensen_shannon(
        p, counts.priors, variant.get("reference") == "complement",
        variant.get("weights") == "prior",
    )  # fmt: skip
    assert_allclose(ranking.total_divergence, expected, rtol=1e-8, atol=1e-10)


@EVERY_VARIANT
@given(counts=class_term_counts(max_classes=8, max_terms=20))
def test_the_divergence_never_falls_and_ends_at_the_whole(variant, counts):
    ranking = rank(counts, **variant)
    assert (np.diff(ranking.divergence, prepend=0) >= 0).all()
    p = naive.probabilities(counts.term_counts.toarray().tolist(), variant.get("smoothing", 0.0))
    whole = naive.jensen_shannon(
        p, counts.priors, variant.get("reference") == "complement",
        variant.get("weights") == "prior",
    )  # fmt: skip
    for reached in (ranking.divergence[-1], ranking.total_divergence):
        assert_allclose(reached, whole, rtol=1e-8, atol=1e-10)
    assert_allclose(ranking.contributions().sum(), whole, rtol=1e-8, atol=1e-10)
    assert ranking.explained[-1] == pytest.approx(1, abs=1e-10 / max(whole, 1e-10))


@given(counts=class_term_counts(max_classes=6, max_terms=20), method=st.sampled_from(["df", "ig"]))
def test_every_method_has_the_divergence_of_its_prefixes(counts, method):
    ranking = rank(counts, method)
    p = naive.probabilities(counts.term_counts.toarray().tolist())
    for k in range(1, len(ranking) + 1):
        cells = [[row[m] for m in ranking.order[:k]] for row in p]
        cells = [[*row, max(0.0, 1 - sum(row))] for row in cells]
        expected = naive.jensen_shannon(cells, counts.priors)
        assert_allclose(ranking.divergence[k - 1], expected, rtol=1e-7, atol=1e-9)


@given(counts=class_term_counts(), data=st.data())
def test_the_first_terms_are_the_start_of_the_full_ranking(counts, data):
    n_terms = data.draw(st.integers(0, counts.n_terms + 3))
    for method in (name for name, row in fsmj.METHODS.items() if row.needs == "counts"):
        full, some = rank(counts, method), rank(counts, method, n_terms)
        assert_array_equal(some.order, full.order[:n_terms])
        assert_array_equal(some.scores, full.scores[:n_terms])


@given(document_matrix())
def test_the_order_of_documents_and_merging_do_not_matter(documents):
    X, y = documents
    counts = ClassTermCounts.from_matrix(X, y)
    if counts.n_classes < 2 or (counts.tokens_per_class == 0).any():
        return
    halves = [ClassTermCounts.from_matrix(X[k::2], y[k::2]) for k in (1, 0)]
    assert_array_equal(rank(halves[0] + halves[1]).order, rank(counts).order)


def test_ties_go_to_the_lowest_column_and_empty_terms_come_last():
    #        empty  equal   equal   for 1  equal
    table = [[0, 2, 2, 1, 2], [0, 1, 1, 9, 1]]
    order = rank(counts_of(table, [1, 1])).order.tolist()
    assert order[0] == 3
    assert order[1:] == [1, 2, 4, 0]
    same = counts_of([[0, 3, 1, 2], [0, 6, 2, 4]], [1, 1])  # no term tells these classes apart
    assert rank(same).order.tolist() == [1, 2, 3, 0]
    assert rank(same).explained.tolist() == [1, 1, 1, 1]


def test_a_term_speaks_for_the_class_that_has_more_of_it():
    X, terms = [[3, 0, 1], [0, 2, 1], [0, 3, 1]], ["crop", "ore", "the"]
    ranking = rank(ClassTermCounts.from_matrix(X, ["wheat", "gold", "gold"], terms))
    frame = ranking.to_frame().set_index("term")
    assert frame.loc["crop", "class"] == "wheat"
    assert frame.loc["ore", "class"] == "gold"
    assert frame["explained"].iloc[-1] == pytest.approx(1)
    assert frame["rank"].tolist() == [1, 2, 3]
    assert repr(ranking).startswith("Ranking('fsmj', 3 terms: crop, ")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda c: rank(c, "magic"), "unknown method 'magic'; choose from fsmj, df, ig"),
        (lambda c: rank(c, "ig", aggregate="median"), "aggregate must be 'max' or 'sum'"),
        (lambda c: rank(c, reference="nothing"), "reference must be"),
        (lambda c: rank(c, weights="nothing"), "weights must be"),
        (lambda c: rank(c, smoothing=-1), "smoothing must be a number 0 or more"),
        (lambda c: rank(c, smoothing=np.nan), "smoothing must be a number 0 or more"),
        (lambda c: rank(c, n_terms=-1), "n_terms must be a whole number"),
        (lambda c: rank(c, n_terms=2.5), "n_terms must be a whole number"),
        *(
            (lambda c, view=view: getattr(rank(c), view)(-1), "n_terms must be a whole number")
            for view in ("to_frame", "by_class", "contributions", "strongest")
        ),
        (lambda c: rank(c, aggregate="max"), "fsmj has no option 'aggregate'"),
        (lambda c: rank(c, reference="complement"), "column 0 occurs in one class only"),
        (lambda c: rank(counts_of([[1, np.nan], [1, 2]], [1, 1])), "a count is nan"),
        (lambda c: rank(counts_of([[1, np.inf], [1, 2]], [1, 1])), "a count is inf"),
        (lambda c: rank(counts_of([[1.0, 1], [1, 2]], [1, -1])), "documents of a class is -1"),
        (lambda c: rank(counts_of([[1, 1], [1, 2]], [0, 0])), "the classes have no documents"),
        (lambda c: rank(counts_of([[1, 2]], [1])), "but there is only one class: 0;"),
        (lambda c: rank(counts_of([[1, 2], [0, 0]], [1, 1])), "of the class 1 no token is left"),
        (lambda c: rank(counts_of([[1.0, 2], [5e-324, 0]], [1, 1])), "class 1 add up to 4.94e-324"),
    ],
)
def test_bad_input_gets_a_clear_sentence(make, message):
    with pytest.raises(ValueError, match=message):
        make(counts_of([[1, 2], [0, 3]], [1, 1]))


def test_complement_without_smoothing_where_it_is_defined():
    counts = counts_of([[1, 2, 4], [5, 3, 1]], [2, 3])
    expected = naive.greedy(counts.term_counts.toarray().tolist(), [0.4, 0.6], complement=True)
    assert_same_ranking(rank(counts, reference="complement"), *expected)


# ── the paper's data ─────────────────────────────────────────────────────────────────────────

TABLE = {  # NOTES: test accuracy of MultinomialNB(alpha=1) on the first k terms
    (10, "fsmj"): {10: 0.642, 50: 0.898, 100: 0.932, 200: 0.950, 500: 0.952, 1000: 0.952,
                   2000: 0.957, 7789: 0.960},
    (10, "ig"): {10: 0.790, 50: 0.906, 100: 0.925, 200: 0.943, 500: 0.953, 1000: 0.950,
                 2000: 0.955, 7789: 0.960},
    (10, "df"): {10: 0.763, 50: 0.815, 100: 0.892, 200: 0.909, 500: 0.944, 1000: 0.949,
                 2000: 0.957, 7789: 0.960},
    (20, "fsmj"): {10: 0.663, 50: 0.869, 100: 0.904, 200: 0.926, 500: 0.940, 1000: 0.942,
                   2000: 0.939, 7789: 0.940},
    (20, "ig"): {10: 0.745, 50: 0.877, 100: 0.910, 200: 0.933, 500: 0.936, 1000: 0.939,
                 2000: 0.940, 7789: 0.940},
}  # fmt: skip


@pytest.mark.parametrize(("topics", "method"), TABLE)
def test_accuracies_on_the_papers_matrix(reuters_matrix, topics, method):
    reuters = reuters_matrix(topics)
    assert reuters.X_train.shape == ({10: 5228, 20: 5622}[topics], 7789)
    order = rank(reuters.counts, method).order
    for k, accuracy in TABLE[topics, method].items():
        columns = order[:k]
        model = MultinomialNB().fit(reuters.X_train[:, columns], reuters.y_train)
        measured = model.score(reuters.X_test[:, columns], reuters.y_test)
        assert measured == pytest.approx(accuracy, abs=0.0005 + 1e-9), (k, measured)
        from_counts = reuters.counts.naive_bayes(columns)
        assert measured == from_counts.score(reuters.X_test[:, columns], reuters.y_test)


@pytest.mark.slow
@EVERY_VARIANT
@pytest.mark.parametrize("topics", [10, 20])
def test_all_terms_of_the_papers_matrix(reuters_matrix, topics, variant):
    counts = reuters_matrix(topics).counts
    table = counts.term_counts.toarray()
    steps = list(naive.greedy_steps(table, counts.priors, **as_naive(variant)))
    ranking = rank(counts, **variant)
    assert len(steps) + (table.sum(axis=0) == 0).sum() * (not variant.get("smoothing")) == len(
        ranking
    )
    order, gains = zip(*steps, strict=True)
    assert ranking.order[: len(order)].tolist() == list(order)
    assert_allclose(ranking.scores[: len(order)], gains, rtol=1e-6, atol=1e-12)
