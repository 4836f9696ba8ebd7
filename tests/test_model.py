"""A model of texts: naive Bayes on the selected terms, and nothing lost in its file."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

import fsmj

WORDS = ["gold", "ore", "wheat", "corn", "the", "naïve"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=4)


@given(TEXTS, st.integers(1, 5), st.floats(0.1, 3))
def test_it_predicts_as_scikit_learn_on_the_same_terms(texts, size, alpha):
    texts = ["gold ore", "wheat corn", *texts]
    labels = [("metal", "grain")[row % 2] for row in range(len(texts))]
    counts = fsmj.count_texts(texts, labels)
    terms = fsmj.rank(counts).terms[:size]
    model = fsmj.TextModel(counts.restrict(terms), alpha=alpha)
    X = CountVectorizer(vocabulary=terms).transform(texts)
    theirs = MultinomialNB(alpha=alpha).fit(X, labels)
    np.testing.assert_allclose(model.predict_proba(texts), theirs.predict_proba(X), rtol=1e-9)
    found, probability, words = model.classify(texts)
    assert words.tolist() == X.sum(axis=1).ravel().tolist()[0]
    assert model.predict(texts).tolist() == found.tolist()
    np.testing.assert_allclose(probability, theirs.predict_proba(X).max(axis=1), rtol=1e-9)


def test_what_is_saved_is_what_is_read(tmp_path):
    rule = fsmj.TokenRule(stop_words=["the"], ngram_range=(1, 2), marks=True)
    counts = fsmj.count_texts(["the old gold", "new wheat"], [1, 2], rule)
    terms, columns = ["old gold", "wheat"], ("title", "é\x1b")
    model = fsmj.TextModel(counts.restrict(terms), rule, 0.5, columns)
    model.save(tmp_path / "model.parquet")
    again = fsmj.load_model(tmp_path / "model.parquet")
    assert again.counts == model.counts
    assert (again.rule, again.alpha, again.columns) == (rule, 0.5, columns)
    assert again.classes.tolist() == [1, 2]
    assert again.predict(["the old gold"]).tolist() == [1]
    assert fsmj.load_counts(tmp_path / "model.parquet") == model.counts


def test_it_cuts_texts_as_its_counts_were_cut():
    counts = fsmj.count_texts(
        ["old gold", "new wheat"], ["a", "b"], fsmj.TokenRule(ngram_range=(2, 2))
    )
    model = fsmj.TextModel(counts.restrict(["old gold", "new wheat"]))
    assert model.predict(["all new wheat", "old gold coin"]).tolist() == ["b", "a"]


def test_what_is_no_model(tmp_path):
    counts = fsmj.count_texts(["gold", "wheat"], ["a", "b"])
    counts.save(tmp_path / "counts.parquet")
    assert fsmj.load_counts(tmp_path / "counts.parquet").rule == fsmj.TokenRule()
    with pytest.raises(ValueError, match="holds counts, but no model"):
        fsmj.load_model(tmp_path / "counts.parquet")
    with pytest.raises(ValueError, match="is a folder"):
        fsmj.load_model(tmp_path)
    (tmp_path / "other.parquet").write_text("text")
    with pytest.raises(ValueError, match="not a Parquet file"):
        fsmj.load_model(tmp_path / "other.parquet")
    with pytest.raises(ValueError, match="name their terms"):
        fsmj.TextModel(fsmj.ClassTermCounts.from_matrix([[1], [2]], ["a", "b"]), fsmj.TokenRule())
    with pytest.raises(ValueError, match="give the model a rule"):
        fsmj.TextModel(fsmj.ClassTermCounts.from_matrix([[1], [2]], ["a", "b"], ["gold"]))
    with pytest.raises(ValueError, match="another rule"):
        fsmj.TextModel(counts, fsmj.TokenRule(marks=True))
    with pytest.raises(ValueError, match="one term at least"):
        fsmj.TextModel(counts.restrict([]))
    for columns in [(1, 2), ("title", None)]:  # no file could give them back
        with pytest.raises(ValueError, match=r"the name of column [01] is not a string"):
            fsmj.TextModel(counts, columns=columns)
    with pytest.raises(ValueError, match="label is the name of a column, not 3"):
        fsmj.TextModel(counts, label=3)
    for alpha in (0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="alpha must be a number more than 0"):
            fsmj.TextModel(counts, alpha=alpha)
