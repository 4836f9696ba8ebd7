"""`TermVectorizer`, in scikit-learn's manner."""

import pickle
import re
import warnings

import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

from fsmj import FSMJ, TermVectorizer, datasets
from fsmj.tokens.rule import TokenRule
from texts import AWKWARD


def test_transformer_follows_count_vectorizer():
    ours, theirs = TermVectorizer(), CountVectorizer()
    assert (ours.fit_transform(AWKWARD) != theirs.fit_transform(AWKWARD)).nnz == 0
    assert ours.vocabulary_ == theirs.vocabulary_
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    unseen = ["words and unknownwords", "", "café"]
    for fitted in (ours, pickle.loads(pickle.dumps(ours)), clone(ours).fit(AWKWARD)):
        assert (fitted.transform(unseen) != theirs.transform(unseen)).nnz == 0


@pytest.mark.network
@pytest.mark.parametrize("options", [{}, {"ngram_range": (1, 2)}, {"stop_words": "english"}])
def test_transformer_equals_count_vectorizer_on_20_newsgroups(options):
    corpus = datasets.newsgroups()
    train, test = corpus.train.texts[:3000], corpus.test.texts[:1000]
    ours, theirs = TermVectorizer(rule=TokenRule(**options)), CountVectorizer(**options)
    assert (ours.fit_transform(train) != theirs.fit_transform(train)).nnz == 0
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert (ours.transform(test) != theirs.transform(test)).nnz == 0


def test_transformer_is_a_step_like_any_other():
    texts = ["green tea", "black tea", "tea leaves", "crude oil", "oil price", "oil wells"] * 3
    labels = ["tea", "tea", "tea", "oil", "oil", "oil"] * 3
    steps = make_pipeline(TermVectorizer(), FSMJ(2), MultinomialNB())
    grid = {
        "termvectorizer__min_docs": [1, 3],
        "termvectorizer__rule": [TokenRule(), TokenRule(ngram_range=(1, 2))],
    }
    search = GridSearchCV(steps, grid, cv=3, error_score="raise").fit(texts, labels)
    assert search.best_score_ == 1
    assert search.best_estimator_[:-1].get_feature_names_out().tolist() == ["oil", "tea"]
    # Those of scikit-learn's checks that need no matrix.
    for check in (
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_repr,
    ):
        check("TermVectorizer", TermVectorizer())


@pytest.mark.parametrize("vocabulary", [["tea", "oil"], {"oil": 1, "tea": 0}])
def test_a_given_vocabulary_needs_no_fitting(vocabulary):
    vectorizer = TermVectorizer(vocabulary=vocabulary)
    assert vectorizer.transform(["oil and oil", "tea"]).toarray().tolist() == [[0, 2], [1, 0]]
    assert vectorizer.vocabulary_ == {"tea": 0, "oil": 1}


def test_a_vocabulary_that_lower_casing_keeps_from_occurring_is_warned_of():
    texts = ["Tea and tea"]
    with pytest.warns(UserWarning, match="'Tea' never occurs"):
        assert TermVectorizer(vocabulary=["Tea", "and"]).fit_transform(
            texts
        ).toarray().tolist() == [[0, 1]]
    with pytest.warns(UserWarning, match="'Tea' never occurs"):
        TermVectorizer(vocabulary=["Tea"]).transform(texts)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = TermVectorizer(rule=TokenRule(lowercase=False), vocabulary=["Tea"])
        assert kept.transform(texts).toarray().tolist() == [[1]]


@pytest.mark.parametrize("name", sorted({*CountVectorizer().get_params()} - {"vocabulary"}))
def test_transformer_says_what_does_the_same_as_an_option_of_countvectorizer(name):
    with pytest.raises(TypeError, match="takes rule, min_docs and vocabulary only"):
        TermVectorizer().set_params(**{name: None})
    with pytest.raises(TypeError, match="takes rule, min_docs and vocabulary only") as error:
        TermVectorizer(**{name: 1})
    assert re.search(f"{name}: [a-z]+ .*[a-zX]", str(error.value))
    assert "there is no such option" not in str(error.value)
    with pytest.raises(TypeError, match="colour: there is no such option"):
        TermVectorizer(colour="blue")


def test_transformer_refuses_what_it_cannot_use():
    with pytest.raises(NotFittedError):
        TermVectorizer().transform(["a"])
    with pytest.raises(ValueError, match="a term twice"):
        TermVectorizer(vocabulary=["a", "a"]).fit(["a"])
    with pytest.raises(ValueError, match="numbers from 0 on"):
        TermVectorizer(vocabulary={"a": 0, "b": 2}).fit(["a"])
    with pytest.raises(ValueError, match="term 1 is not a string but int: 7"):
        TermVectorizer(vocabulary=["a", 7]).transform(["a"])
