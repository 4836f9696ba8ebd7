import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.naive_bayes import MultinomialNB

import naive_documents as naive
from fsmj.documents import DOCUMENT_METHODS, TEMPERATURES, cll, cmim


@st.composite
def labelled_documents(draw, max_docs=25, max_terms=8):
    """Documents with the awkward cases: equal, empty and universal terms, long and empty texts."""
    n_docs = draw(st.integers(4, max_docs))
    n_terms = draw(st.integers(1, max_terms))
    n_classes = draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_docs - n_classes)])
    taste = rng.gamma(0.5, draw(st.sampled_from([0.5, 2.0])), (n_classes, n_terms))
    X = rng.poisson(taste[y]).astype(float)
    shape = draw(st.sampled_from(["plain", "duplicates", "real", "long", "binary"]))
    if shape == "duplicates":
        X = X[:, rng.integers(0, max(1, n_terms // 2), n_terms)]
    elif shape == "real":
        X = X * rng.random(X.shape)
    elif shape == "long":
        X[rng.integers(0, n_docs, 3)] *= 400
    elif shape == "binary":
        X = (X > 0).astype(float)
    X[:, rng.random(n_terms) < 0.1] = 0
    X[:, rng.random(n_terms) < 0.1] = 1
    return X, y


def assert_same_likelihood(found, expected, n_docs):
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * n_docs)


# ── conditional likelihood ───────────────────────────────────────────────────────────────────


@given(
    labelled_documents(),
    st.sampled_from([1.0, 0.3, 0.1]),
    st.sampled_from([1.0, 0.1]),
    st.booleans(),
)
def test_cll_equals_evaluating_every_candidate(documents, temperature, alpha, as_screen):
    X, y = documents
    screen = X.shape[1] if as_screen else None
    found = cll(csr_array(X), y, temperature=temperature, alpha=alpha, screen=screen)
    order, likelihood = naive.cll(X.tolist(), y.tolist(), None, temperature, alpha)
    assert found.order.tolist() == order
    assert_same_likelihood(found.likelihood, likelihood, len(y))
    assert found.temperature == temperature


@given(labelled_documents(), st.integers(1, 3))
def test_a_screened_step_lowers_the_likelihood_only_if_every_candidate_does(documents, screen):
    X, y = documents
    X = X[:, X.any(axis=0)]
    found = cll(X, y, temperature=1.0, screen=screen)
    reached, tie = found.likelihood, naive.CLL_TIE * len(y)
    for k in range(1, len(reached)):
        if reached[k] < reached[k - 1] - tie:
            taken = found.order[:k].tolist()
            rest = [m for m in range(X.shape[1]) if m not in taken]
            others = [
                naive.conditional_likelihood(X.tolist(), y.tolist(), [*taken, m], 1.0, 1.0)
                for m in rest
            ]
            assert max(others) <= reached[k - 1] + 2 * tie


@given(labelled_documents(), st.data())
def test_cll_continues_from_a_prefix(documents, data):
    X, y = documents
    start = data.draw(st.permutations(range(X.shape[1])))[: data.draw(st.integers(1, 4))]
    found = cll(X, y, temperature=0.5, start=start)
    order, likelihood = naive.cll(X.tolist(), y.tolist(), None, 0.5, start=start)
    assert found.order.tolist() == order
    assert_same_likelihood(found.likelihood, likelihood, len(y))


@given(labelled_documents(), st.floats(0.01, 2))
def test_cll_measures_the_likelihood_of_naive_bayes(documents, alpha):
    X, y = documents
    found = cll(X, y, temperature=1.0, alpha=alpha)
    of_priors = np.log(np.bincount(y) / len(y))[y].sum()
    np.testing.assert_allclose(of_priors + np.cumsum(found.scores), found.likelihood)
    for k in range(1, X.shape[1] + 1):
        part = X[:, found.order[:k]]
        log_p = MultinomialNB(alpha=alpha).fit(part, y).predict_log_proba(part)
        assert_same_likelihood(found.likelihood[k - 1], log_p[np.arange(len(y)), y].sum(), len(y))


@given(labelled_documents(max_docs=15, max_terms=5))
def test_the_temperature_is_that_of_the_highest_held_out_likelihood(documents):
    X, y = documents
    found = cll(X, y)
    assert found.temperature == naive.best_temperature(X.tolist(), y.tolist(), X.shape[1])
    assert found.order.tolist() == cll(X, y, temperature=found.temperature).order.tolist()


@given(labelled_documents(max_docs=15, max_terms=5))
def test_the_number_of_terms_is_that_of_the_highest_held_out_likelihood(documents):
    X, y = documents
    found = cll(X, y, "auto", temperature=0.5)
    path = naive.held_out_likelihood(X.tolist(), y.tolist(), X.shape[1], 0.5)
    assert path[len(found.order) - 1] == pytest.approx(max(path), rel=1e-9, abs=1e-9)
    whole = cll(X, y, temperature=0.5)
    assert found.order.tolist() == whole.order[: len(found.order)].tolist()


def test_cll_takes_the_term_that_tells_the_classes_apart():
    X = np.array(
        [
            # in all documents alike, in one class, noise, a copy of the second, nowhere
            [1, 3, 1, 3, 0],
            [1, 2, 0, 2, 0],
            [1, 0, 1, 0, 0],
            [1, 0, 0, 0, 0],
        ]
    )
    assert cll(X, ["a", "a", "b", "b"], 2, temperature=1.0).order.tolist() == [0, 1]
    assert cll(X, ["a", "a", "b", "b"]).order[-1] == 4


# ── conditional mutual information ───────────────────────────────────────────────────────────


@given(labelled_documents(max_docs=60, max_terms=20))
def test_cmim_equals_comparing_all_terms_with_all_selected(documents):
    X, y = documents
    found = cmim(csr_array(X), y)
    order, scores = naive.cmim(X, y)
    assert found.order.tolist() == order
    np.testing.assert_allclose(found.scores, scores, atol=1e-11)


def test_cmim_prefers_what_the_selected_terms_do_not_tell():
    # The second term repeats the first; the third tells little, but something else.
    X = [[1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 0, 1]]
    found = cmim(X, ["wheat", "corn", "gold", "silver"])
    assert found.order.tolist() == [0, 2, 1]
    np.testing.assert_allclose(found.scores, [np.log(2), np.log(2), 0], atol=1e-12)


# ── what both have in common ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("method", DOCUMENT_METHODS)
class TestEveryMethod:
    X = np.array([[1, 0, 2], [0, 1, 0], [3, 0, 0], [0, 1, 1]])
    y = np.array(["a", "b", "a", "b"])

    def rank(self, method, *args, **options):
        return DOCUMENT_METHODS[method].rank(*args, **options)

    def test_an_indicator_of_single_labels_serves_as_labels(self, method):
        found = self.rank(method, self.X, (self.y[:, None] == ["b", "none", "a"]).astype(int))
        assert found.order.tolist() == self.rank(method, self.X, self.y).order.tolist()

    def test_several_labels_are_refused(self, method):
        with pytest.raises(ValueError, match="one label each, but document 1 has 2"):
            self.rank(method, self.X, np.array([[1, 0], [1, 1], [0, 1], [0, 1]]))

    def test_one_class_is_refused(self, method):
        with pytest.raises(ValueError, match="two classes at least"):
            self.rank(method, self.X, ["a"] * 4)

    def test_a_negative_size_is_refused(self, method):
        with pytest.raises(ValueError, match="0 or more; got -1"):
            self.rank(method, self.X, self.y, -1)

    def test_more_terms_than_there_are_means_all(self, method):
        assert sorted(self.rank(method, self.X, self.y, 99).order) == [0, 1, 2]

    def test_no_terms(self, method):
        assert len(self.rank(method, self.X, self.y, 0).order) == 0
        assert len(self.rank(method, self.X[:, :0], self.y).order) == 0

    def test_terms_that_no_document_contains_come_last(self, method):
        X = np.insert(self.X, [0, 2], 0, axis=1)
        assert self.rank(method, X, self.y).order[-2:].tolist() == [0, 3]

    def test_documents_without_any_term(self, method):
        found = self.rank(method, np.zeros((4, 3)), self.y)
        assert found.order.tolist() == [0, 1, 2]
        np.testing.assert_allclose(found.scores, 0, atol=1e-12)

    def test_progress_reaches_its_end(self, method):
        rng = np.random.default_rng(0)
        calls = []
        self.rank(method, rng.poisson(1, (30, 35)), rng.integers(0, 3, 30),
                  progress=lambda done, total: calls.append((done, total)))  # fmt: skip
        done = [step for step, _ in calls]
        assert done == sorted(set(done))
        assert all(step <= total for step, total in calls)
        assert calls[-1][0] == calls[-1][1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 0.0}, "temperature must be a positive number or 'auto'; got 0.0"),
        ({"temperature": "warm"}, "got warm"),
        ({"alpha": 0.0}, "alpha must be a positive number; got 0"),
        ({"screen": 0}, "screen must be 1 or more"),
        ({"start": [0, 3]}, "start must list columns; there are 3"),
        ({"start": [1, 1]}, "a column twice"),
        ({"n_terms": "many"}, "got 'many'"),
    ],
)
def test_cll_says_what_is_wrong_with_its_options(options, message):
    with pytest.raises(ValueError, match=message):
        cll(TestEveryMethod.X, TestEveryMethod.y, **options)


def test_the_only_document_of_a_class_is_never_held_out():
    X = [[1, 0], [2, 0], [0, 1], [0, 2], [1, 1]]
    assert cll(X, ["a", "a", "b", "b", "alone"]).temperature in TEMPERATURES
    assert cll(X, list("abcde")).temperature == 1.0


# ── the paper's data ─────────────────────────────────────────────────────────────────────────


def test_cmim_on_reuters_10(reuters_matrix):
    X, y, _, _ = reuters_matrix(10)
    found = cmim(X, y, 30)
    order, scores = naive.cmim(X.toarray(), y, 30)
    assert found.order.tolist() == order
    np.testing.assert_allclose(found.scores, scores, atol=1e-11)


@pytest.mark.parametrize("temperature", [1.0, 0.5, 0.3])
def test_cll_gets_as_far_on_reuters_10_as_300_candidates(reuters_matrix, temperature):
    X, y, _, _ = reuters_matrix(10)
    found = cll(X, y, 100, temperature=temperature)
    wide = cll(X, y, 100, temperature=temperature, screen=300)
    assert found.likelihood[-1] == pytest.approx(wide.likelihood[-1], rel=0.005)
    assert (np.diff(found.likelihood) >= 0).all()


@pytest.mark.parametrize(
    ("temperature", "accuracies"),
    [
        (1.0, {10: 0.850, 20: 0.901, 50: 0.935, 100: 0.945, 200: 0.950, 500: 0.956}),
        (0.3, {10: 0.856, 20: 0.900, 50: 0.940, 100: 0.958, 200: 0.960, 500: 0.960}),
    ],
)
def test_published_accuracies_on_reuters_10_with_30_candidates(
    reuters_matrix, temperature, accuracies
):
    # Published with another first term: one alone leaves the likelihood as it is, whichever it is.
    data = reuters_matrix(10)
    order = cll(data.X_train, data.y_train, 500, temperature=temperature, screen=30).order
    found = {k: accuracy(data, order[:k]) for k in accuracies}
    assert found == pytest.approx(accuracies, abs=0.01)


@pytest.mark.parametrize(("topics", "lowest", "highest"), [(10, 0.945, 0.958), (20, 0.919, 0.939)])
def test_a_hundred_words_on_reuters(reuters_matrix, topics, lowest, highest):
    data = reuters_matrix(topics)
    order = cll(data.X_train, data.y_train, 100).order
    assert lowest <= accuracy(data, order) <= highest


def accuracy(data, columns):
    model = MultinomialNB(alpha=1.0).fit(data.X_train[:, columns], data.y_train)
    return model.score(data.X_test[:, columns], data.y_test)
