import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array, issparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from fsmj import (
    FSMJ,
    FSMJCV,
    METHODS,
    ClassTermCounts,
    Documents,
    TermSelector,
    rank,
    sweep,
)
from problems import corpus
from strategies import document_matrix

TEXTS = [
    "gold ore and gold price", "the gold price rose", "ore price fell", "gold mine output",
    "wheat crop and grain", "the grain crop rose", "wheat harvest fell", "grain output",
]  # fmt: skip
LABELS = ["gold"] * 4 + ["wheat"] * 4
ESTIMATORS = [
    FSMJ(), FSMJ(keep_rest=True), FSMJCV(), FSMJCV(cv=3),
    TermSelector(), TermSelector("df"), TermSelector("bound"), TermSelector("cll"),
]  # fmt: skip
WEIGHTED = [
    "check_sample_weights_list",
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
]


def beyond(estimator):
    """Return the checks that an estimator cannot pass, with the reason."""
    row = METHODS[estimator.method]
    refused = row.needs == "documents" and not row.takes_weights
    return dict.fromkeys(WEIGHTED if refused else (), "takes no weights, and says so")


@pytest.mark.filterwarnings("default")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=beyond)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", [FSMJ(), TermSelector(), FSMJCV()])
def test_tags_say_what_holds(estimator):
    tags = get_tags(estimator)
    assert tags.input_tags.sparse
    assert tags.input_tags.positive_only
    assert tags.target_tags.required


@pytest.mark.parametrize("method", METHODS)
def test_term_selector_keeps_the_top_of_the_ranking(method):
    X, y = corpus()
    given = {"aggregate": "sum"} if method in ("ig", "ngl") else {}
    selector = TermSelector(method, 7, **given).fit(X, y)
    top = rank(Documents(X, y), method, 7, **given)
    assert_array_equal(selector.get_support(indices=True), np.sort(top.order))
    assert_array_equal(selector.ranking_.order[:7], top.order)
    assert (np.diff(top.divergence, prepend=0) >= -1e-12).all()


@pytest.mark.parametrize(
    "method",
    [name for name, row in METHODS.items() if not row.takes_weights and row.needs != "counts"],
)
def test_methods_that_need_documents(method):
    X, y = corpus()
    with pytest.raises(ValueError, match=f"{method} takes no sample_weight"):
        TermSelector(method, 3).fit(X, y, sample_weight=np.full(len(y), 2))
    with pytest.raises(AttributeError, match="partial_fit") as refused:
        TermSelector(method).partial_fit(X, y)
    assert f"{method} needs the documents at once" in str(refused.value.__cause__)
    with pytest.raises(ValueError, match=f"{method} needs the documents"):
        rank(ClassTermCounts.from_matrix(X, y), method)


def test_only_what_counts_are_enough_for_takes_a_stream():
    streaming = {name for name in METHODS if hasattr(TermSelector(name), "partial_fit")}
    assert streaming == set(METHODS) - {"cll", "cmim", "logit"}
    with pytest.raises(ValueError, match="unknown method 'igg'"):
        TermSelector("igg").partial_fit(*corpus())


def test_options_of_methods_are_parameters():
    X, y = corpus()
    selector = TermSelector("ig", 3, aggregate="sum")
    assert clone(selector).get_params()["aggregate"] == "sum"
    assert "aggregate='average'" in repr(selector.set_params(aggregate="average"))
    assert "aggregate" not in TermSelector("df").get_params()
    search = GridSearchCV(
        make_pipeline(TermSelector("ig", 3), MultinomialNB()),
        {"termselector__aggregate": ["max", "sum"], "termselector__method": ["ig", "chi2"]},
    )
    assert search.fit(X, y).best_params_["termselector__aggregate"] in ("max", "sum")
    with pytest.raises(ValueError, match="ig has no option 'agregate'; its options are aggregate"):
        TermSelector("ig", agregate="sum").fit(X, y)
    with pytest.raises(ValueError, match="aggregate must be 'max' or 'sum' or 'average'"):
        TermSelector("ig", aggregate="most").fit(X, y)


def test_a_class_without_tokens_takes_no_part():
    with pytest.warns(UserWarning, match="no token is left of the class 'c'"):
        selector = FSMJ(1).fit([[1, 2], [0, 1], [0, 0]], ["a", "b", "c"])
    assert_array_equal(selector.get_support(), [True, False])
    assert selector.counts_.classes.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match=r"two classes with tokens.*pattern"):
        FSMJ(1).fit([[1, 2], [0, 0], [0, 0]], ["a", "b", "c"])


def test_no_more_is_ranked_than_was_asked_for():
    X, y = corpus()
    selector = FSMJ(3).fit(X, y)
    assert [len(ranking) for ranking in selector._ranked.values()] == [3]
    assert len(selector.ranking_) == len(selector.divergence_) == 50
    assert_array_equal(np.sort(selector.ranking_.order[:3]), selector.get_support(indices=True))


@given(document_matrix(), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_partial_fit_over_shuffled_batches_equals_fit(documents, n_batches, seed):
    X, y = documents
    counts = ClassTermCounts.from_matrix(X, y)
    if counts.n_classes < 2 or (counts.tokens_per_class == 0).any():
        return
    whole, streamed = FSMJ().fit(X, y), FSMJ()
    order = np.random.default_rng(seed).permutation(len(y))
    for batch in np.array_split(order, n_batches):
        if len(batch):
            streamed.partial_fit(X[batch], y[batch])
    assert streamed.counts_ == whole.counts_
    assert_array_equal(streamed.ranking_.order, whole.ranking_.order)
    assert_array_equal(streamed.divergence_, whole.divergence_)


@pytest.mark.long
def test_a_stream_keeps_statistics_not_documents():
    X, y = corpus()
    selector = FSMJ().partial_fit(X, y).partial_fit(X, y)
    once = len(pickle.dumps(selector))
    for _ in range(998):
        selector.partial_fit(X, y)
    assert len(pickle.dumps(selector)) <= once
    assert selector.counts_.n_docs == 1000 * len(y)
    late = selector.partial_fit([[1] * 50], [99])
    assert 99 in late.counts_.classes


@pytest.mark.parametrize(
    ("parameter", "n_kept"),
    [(7, 7), (0.5, 25), (None, 50), ("auto", 50), (1.0, 50), (1, 1), (0.001, 1)],
)
def test_how_many_are_kept(parameter, n_kept):
    X, y = corpus()
    assert FSMJ(parameter).fit(X, y).get_support().sum() == n_kept


def test_auto_is_a_thousand():
    X, y = corpus(n_terms=1500)
    assert FSMJ().fit(X, y).transform(X).shape[1] == 1000


def test_explained_divergence_takes_the_smallest_prefix_that_reaches_it():
    X, y = corpus()
    selector = FSMJ(explained_divergence=0.8).fit(X, y)
    k, explained = selector.get_support().sum(), selector.ranking_.explained
    assert explained[k - 1] >= 0.8 > explained[k - 2]
    assert selector.explained_divergence_ == explained[k - 1]
    assert FSMJ(explained_divergence=1.0).fit(X, y).explained_divergence_ == pytest.approx(1)
    same = FSMJ(explained_divergence=0.8).fit([[1, 1], [1, 1]], [0, 1])  # nothing to explain
    assert same.get_support().sum() == 1


def test_asking_for_more_than_there_are_keeps_all_and_says_so():
    X, y = corpus()
    with pytest.warns(UserWarning, match="only 50 features: all are kept"):
        assert FSMJ(60).fit(X, y).transform(X).shape[1] == 50


@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_the_rest_column(make):
    X, y = corpus()
    selector = FSMJ(5, keep_rest=True).fit(X, y)
    reduced = selector.transform(make(X))
    assert issparse(reduced) == issparse(make(X))
    dense = reduced.toarray() if issparse(reduced) else reduced
    assert_array_equal(dense.sum(axis=1), X.sum(axis=1))
    back = selector.inverse_transform(reduced)
    back = back.toarray() if issparse(back) else back
    assert_array_equal(back, np.where(selector.get_support(), X, 0))
    names = selector.get_feature_names_out([f"t{i}" for i in range(50)])
    assert names[-1] == "rest"
    taken = FSMJ(keep_rest=True).fit(pd.DataFrame({"rest": [1, 2], "b": [2, 1]}), [0, 1])
    assert taken.get_feature_names_out().tolist() == ["rest", "b", "rest_"]


def test_the_rest_column_helps_as_in_the_sweep():
    X, y = corpus()
    model = make_pipeline(FSMJ(3, keep_rest=True), MultinomialNB()).fit(X, y)
    counts = ClassTermCounts.from_matrix(X, y)
    curve = sweep(rank(counts), counts, X, y, [3], keep_rest=True)
    assert model.score(X, y) == curve.accuracy[0]


def test_several_labels():
    X, _ = corpus()
    Y = np.random.default_rng(1).integers(0, 2, (len(X), 3))
    selector = FSMJ(5).fit(X, Y)
    assert selector.contributions_.shape == (5, 3)
    assert selector.counts_.n_docs == len(X)


def test_in_a_pipeline_and_a_grid_search():
    model = make_pipeline(CountVectorizer(), FSMJ(7), MultinomialNB()).fit(TEXTS, LABELS)
    columns = model[:-1].transform(TEXTS)
    assert model.score(TEXTS, LABELS) == MultinomialNB().fit(columns, LABELS).score(columns, LABELS)
    kept = model[:-1].get_feature_names_out()
    assert len(kept) == 7
    assert "gold" in kept
    grid = {"fsmj__n_features_to_select": [1, 7], "fsmj__weights": ["uniform", "prior"]}
    search = GridSearchCV(model, grid, cv=2).fit(TEXTS, LABELS)
    assert search.best_params_["fsmj__n_features_to_select"] in (1, 7)
    chosen = make_pipeline(CountVectorizer(), FSMJCV(cv=2), MultinomialNB()).fit(TEXTS, LABELS)
    assert chosen[1].n_features_ == chosen[:-1].transform(TEXTS).shape[1]


def test_pandas_in_and_out():
    X, y = corpus()
    frame = pd.DataFrame(X, columns=[f"t{i}" for i in range(50)])
    for keep_rest in (False, True):
        selector = FSMJ(4, keep_rest=keep_rest).set_output(transform="pandas")
        out = selector.fit(frame, y).transform(frame)
        assert out.columns.tolist() == selector.get_feature_names_out().tolist()
        assert_array_equal(out.iloc[:, :4], frame.loc[:, selector.get_support()])
    parts = [("terms", FSMJ(2), ["t1", "t2", "t3"]), ("as is", "passthrough", ["t4"])]
    columns = ColumnTransformer(parts)
    assert columns.set_output(transform="pandas").fit_transform(frame, y).shape == (120, 3)
    polars = pytest.importorskip("polars", reason="polars is not installed")
    out = FSMJ(4).set_output(transform="polars").fit(frame, y).transform(frame)
    assert isinstance(out, polars.DataFrame)


@pytest.mark.parametrize(
    "estimator", [FSMJ(3), TermSelector("ig", 3, aggregate="sum"), FSMJCV(cv=2)]
)
def test_cloned_and_pickled(estimator):
    X, y = corpus()
    fitted = clone(estimator).fit(X, y)
    assert_array_equal(pickle.loads(pickle.dumps(fitted)).transform(X), fitted.transform(X))


def test_sample_weight_is_routed():
    X, y = corpus()
    weight = np.random.default_rng(1).integers(0, 3, len(y))
    with config_context(enable_metadata_routing=True):
        steps = [step.set_fit_request(sample_weight=True) for step in (FSMJ(5), MultinomialNB())]
        model = make_pipeline(*steps)
        model.fit(X, y, sample_weight=weight)
    repeated = FSMJ(5).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_array_equal(model[0].get_support(), repeated.get_support())


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (FSMJ(0), "n_features_to_select must be"),
        (FSMJ(1.5), "n_features_to_select must be"),
        (FSMJ(True), "n_features_to_select must be"),
        (FSMJ("many"), "n_features_to_select must be"),
        (FSMJ(3, explained_divergence=0.5), "not both"),
        (FSMJ(explained_divergence=2), "between 0 and 1"),
        (FSMJ(reference="all"), "reference must be"),
        (TermSelector("magic"), "unknown method 'magic'"),
        (FSMJCV(scoring="roc"), "scoring must be"),
        (FSMJCV(cv=1), "cv must be 2 parts or more"),
    ],
)
def test_bad_parameters_get_a_clear_sentence(estimator, message):
    X, y = corpus()
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, y)
