import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.naive_bayes import MultinomialNB

import fsmj
import naive_documents as naive
from fsmj.methods.cll import TEMPERATURES

NEED_DOCUMENTS = [name for name, method in fsmj.METHODS.items() if method.needs == "documents"]


def rank(method, X, y, n_terms=None, **options):
    return fsmj.rank(fsmj.Documents(X, y), method, n_terms, **options)


def cll(X, y, n_terms=None, **options):
    return rank("cll", X, y, n_terms, **options)


def cmim(X, y, n_terms=None):
    return rank("cmim", X, y, n_terms)


def likelihood(found, y):
    """The likelihood after each step: that of the priors, and what each term adds."""
    codes = np.unique(y, return_inverse=True)[1]
    return np.log(np.bincount(codes) / len(codes))[codes].sum() + np.cumsum(found.scores)


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
    # A class without tokens takes no part in a ranking.
    heard = np.isin(y, y[X.any(axis=1)])
    assume(len(np.unique(y[heard])) > 1)
    return X[heard], np.unique(y[heard], return_inverse=True)[1]


def assert_same_likelihood(found, expected, n_docs):
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * n_docs)


# ── conditional likelihood ───────────────────────────────────────────────────────────────────


@given(labelled_documents(), st.sampled_from([1.0, 0.3, 0.1]), st.sampled_from([1.0, 0.1]))
def test_cll_equals_evaluating_every_candidate(documents, temperature, alpha):
    X, y = documents
    found = cll(csr_array(X), y, temperature=temperature, alpha=alpha)
    order, path = naive.cll(X.tolist(), y.tolist(), None, temperature, alpha)
    assert found.order.tolist() == order
    assert_same_likelihood(likelihood(found, y), path, len(y))
    assert found.options["temperature"] == temperature


@given(labelled_documents(max_docs=120, max_terms=40), st.sampled_from([1.0, 0.3]))
@settings(max_examples=15)
def test_old_bounds_leave_out_no_term_that_would_win(documents, temperature):
    X, y = documents
    found = cll(X, y, temperature=temperature)
    order, path = naive.cll_dense(X, y, temperature)
    assert found.order.tolist() == order
    assert_same_likelihood(likelihood(found, y), path, len(y))


@pytest.mark.parametrize("temperature", [1.0, 0.3])
def test_bounds_that_outlive_the_memory_of_steps_leave_out_no_term(temperature):
    from fsmj.methods._cll_search import MEMORY

    rng = np.random.default_rng(5)
    y = np.concatenate([np.arange(4), rng.integers(0, 4, 76)])
    X = rng.poisson(rng.gamma(0.2, 0.8, (4, MEMORY + 60))[y]).astype(float)
    X = X[:, X.any(axis=0)]
    assert X.shape[1] > MEMORY + 20
    found = cll(X, y, temperature=temperature)
    order, path = naive.cll_dense(X, y, temperature)
    assert found.order.tolist() == order
    assert_same_likelihood(likelihood(found, y), path, len(y))


@given(labelled_documents(), st.floats(0.01, 2))
def test_cll_measures_the_likelihood_of_naive_bayes(documents, alpha):
    X, y = documents
    found = cll(X, y, temperature=1.0, alpha=alpha)
    for k in range(1, X.shape[1] + 1):
        part = X[:, found.order[:k]]
        log_p = MultinomialNB(alpha=alpha).fit(part, y).predict_log_proba(part)
        expected = log_p[np.arange(len(y)), y].sum()
        assert_same_likelihood(likelihood(found, y)[k - 1], expected, len(y))


@given(labelled_documents(max_docs=15, max_terms=5))
def test_the_temperature_is_that_of_the_highest_held_out_likelihood(documents):
    X, y = documents
    found = cll(X, y)
    assert found.options["temperature"] == naive.best_temperature(
        X.tolist(), y.tolist(), X.shape[1]
    )
    assert (
        found.order.tolist() == cll(X, y, temperature=found.options["temperature"]).order.tolist()
    )


@given(labelled_documents(max_docs=15, max_terms=5))
def test_the_number_of_terms_is_that_of_the_highest_held_out_likelihood(documents):
    X, y = documents
    found = cll(X, y, "auto", temperature=0.5)
    path = naive.held_out_likelihood(X.tolist(), y.tolist(), X.shape[1], 0.5)
    assert path[len(found.order) - 1] == pytest.approx(max(path), rel=1e-9, abs=1e-9)
    whole = cll(X, y, temperature=0.5)
    assert found.order.tolist() == whole.order[: len(found.order)].tolist()


def test_the_choices_of_cll_do_not_depend_on_the_number_of_cores(monkeypatch):
    from fsmj.methods import likelihood

    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 60)
    X = rng.poisson(rng.gamma(0.3, 1.0, (3, 20))[y])
    found = []
    for cores in (2, 6, 1):
        monkeypatch.setattr(likelihood, "cores", lambda n=cores: n)
        if cores == 1:
            monkeypatch.delattr(likelihood, "ThreadPoolExecutor")  # no thread is started
        for n_terms in (12, "auto"):
            ranking = cll(X, y, n_terms)
            found.append([n_terms, ranking.options["temperature"], *ranking.order, *ranking.scores])
    assert found[:2] == found[2:4] == found[4:]


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
    X = [[1, 1, 0, 1], [1, 1, 1, 1], [0, 0, 0, 1], [0, 0, 1, 1]]
    found = cmim(X, ["wheat", "corn", "gold", "silver"])
    assert found.order.tolist() == [0, 2, 1, 3]
    np.testing.assert_allclose(found.scores, [np.log(2), np.log(2), 0, 0], atol=1e-12)


# ── what both have in common ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("method", NEED_DOCUMENTS)
class TestEveryMethod:
    X = np.array([[1, 0, 2], [0, 1, 0], [3, 0, 0], [0, 1, 1]])
    y = np.array(["a", "b", "a", "b"])

    def test_an_indicator_of_single_labels_serves_as_labels(self, method):
        found = rank(method, self.X, (self.y[:, None] == ["b", "a"]).astype(int))
        assert found.order.tolist() == rank(method, self.X, self.y).order.tolist()

    def test_several_labels_are_refused(self, method):
        with pytest.raises(ValueError, match="but document 1 has 2"):
            rank(method, self.X, np.array([[1, 0], [1, 1], [0, 1], [0, 1]]))

    def test_one_class_is_refused(self, method):
        with pytest.raises(ValueError, match="two classes at least"):
            rank(method, self.X, ["a"] * 4)

    def test_a_negative_size_is_refused(self, method):
        with pytest.raises(ValueError, match="0 or more; got -1"):
            rank(method, self.X, self.y, -1)

    def test_more_terms_than_there_are_means_all(self, method):
        assert sorted(rank(method, self.X, self.y, 99).order) == [0, 1, 2]

    def test_no_terms(self, method):
        assert len(rank(method, self.X, self.y, 0).order) == 0

    def test_terms_that_no_document_contains_come_last(self, method):
        X = np.insert(self.X, [0, 2], 0, axis=1)
        assert rank(method, X, self.y).order[-2:].tolist() == [0, 3]

    def test_progress_reaches_its_end(self, method):
        rng = np.random.default_rng(0)
        calls = []
        rank(method, rng.poisson(1, (30, 35)), rng.integers(0, 3, 30),
                  progress=lambda done, total: calls.append((done, total)))  # fmt: skip
        done = [step for step, _ in calls]
        assert done == sorted(set(done))
        assert all(step <= total for step, total in calls)
        assert calls[-1][0] == calls[-1][1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 0.0}, "temperature must be 'auto' or a number above 0; got 0.0"),
        ({"temperature": "warm"}, "got 'warm'"),
        ({"alpha": 0.0}, "alpha must be a number above 0; got 0"),
        ({"n_terms": "many"}, "got many"),
    ],
)
def test_cll_says_what_is_wrong_with_its_options(options, message):
    with pytest.raises(ValueError, match=message):
        cll(TestEveryMethod.X, TestEveryMethod.y, **options)


def test_classes_of_one_document():
    X = [[1, 0], [2, 0], [0, 1], [0, 2], [1, 1]]
    assert cll(X, ["a", "a", "b", "b", "alone"]).options["temperature"] in TEMPERATURES
    assert cll(X, list("abcde")).options["temperature"] == 1.0


# ── the paper's data ─────────────────────────────────────────────────────────────────────────


def test_cmim_on_reuters_10(reuters_matrix):
    X, y, _, _ = reuters_matrix(10)
    found = cmim(X, y, 30)
    order, scores = naive.cmim(X.toarray(), y, 30)
    assert found.order.tolist() == order
    np.testing.assert_allclose(found.scores, scores, atol=1e-11)


@pytest.mark.parametrize(
    ("temperature", "accuracies"),
    [
        (1.0, {10: 0.850, 20: 0.901, 50: 0.935, 100: 0.945, 200: 0.950, 500: 0.956}),
        (0.3, {10: 0.856, 20: 0.900, 50: 0.940, 100: 0.958, 200: 0.960, 500: 0.960}),
    ],
)
def test_accuracies_of_the_first_experiment_on_reuters_10(reuters_matrix, temperature, accuracies):
    # That looked at 30 candidates a step, and began with another term.
    data = reuters_matrix(10)
    found = cll(data.X_train, data.y_train, 500, temperature=temperature)
    measured = {k: accuracy(data, found.order[:k]) for k in accuracies}
    assert measured == pytest.approx(accuracies, abs=0.02)
    assert (np.diff(likelihood(found, data.y_train)) >= 0).all()


@pytest.mark.parametrize(("topics", "lowest", "highest"), [(10, 0.945, 0.958), (20, 0.919, 0.939)])
def test_a_hundred_words_on_reuters(reuters_matrix, topics, lowest, highest):
    data = reuters_matrix(topics)
    order = cll(data.X_train, data.y_train, 100).order
    assert lowest <= accuracy(data, order) <= highest


def accuracy(data, columns):
    model = MultinomialNB(alpha=1.0).fit(data.X_train[:, columns], data.y_train)
    return model.score(data.X_test[:, columns], data.y_test)
