"""How sure a ranking is: drawing documents, ranking them, and how alike the choices are."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fsmj
import naive_evidence
from fsmj.resampling import _Resamples, _taken, agreement_of
from problems import generated
from reports import DOCUMENTS, LABELS, TEXTS
from strategies import document_matrix

PROBLEM = generated(n_terms=60).train


def share_of(measured, term):
    return measured.share[measured.terms.tolist().index(term)]


# Drawing


@given(document_matrix(), st.integers(0, 9))
def test_of_each_class_as_many_documents_are_drawn_as_there_are(drawn, i):
    X, y = drawn
    documents = fsmj.Documents(X, y)
    rows = _Resamples(documents, seed=1).rows(i)
    sizes = {class_: (y == class_).sum() for class_ in set(y)}
    for class_, size in sizes.items():
        assert (y[rows] == class_).sum() in ((size,) if size > 1 else (0, 1))


@pytest.mark.long
def test_the_mean_of_the_resamples_approaches_the_counts():
    resamples, n = _Resamples(PROBLEM, seed=3), 2000
    mean = sum(resamples.weight(i) for i in range(n)) / n
    sizes = np.bincount(PROBLEM.codes)[PROBLEM.codes]
    error = np.sqrt((1 - 1 / sizes) / n)  # of a mean of so many binomial numbers
    assert (np.abs(mean - 1) < 5 * error).all()
    drawn = (resamples.source(i, fsmj.METHODS["fsmj"]) for i in range(n))
    counts = sum(one.term_counts.toarray() for one in drawn) / n
    expected = PROBLEM.counts.term_counts.toarray()
    assert np.abs(counts - expected).sum() < 0.02 * expected.sum()


def test_a_class_of_one_document_is_missing_as_often_as_any_document():
    documents = fsmj.Documents([[1, 0], [0, 1], [0, 1]], ["a", "b", "b"])
    resamples = _Resamples(documents, seed=0)
    drawn = np.mean([0 in resamples.rows(i) for i in range(2000)])
    assert drawn == pytest.approx(1 - 1 / np.e, abs=0.05)


@pytest.mark.parametrize("method", ["fsmj", "ig", "cmim"])
def test_resamples_are_ranked_as_copied_documents_are(method):
    measured = fsmj.stability(PROBLEM, method, n_terms=5, n_resamples=6, seed=2)
    resamples = _Resamples(PROBLEM, seed=2)
    ranks = []
    for i in range(6):
        terms = fsmj.rank(PROBLEM.take(resamples.rows(i)), method, 5).terms.tolist()
        ranks.append([terms.index(t) + 1 if t in terms else 6 for t in measured.terms])
    ranks = np.array(ranks)
    np.testing.assert_array_equal(measured.share, (ranks <= 5).mean(axis=0))
    assert (ranks.min(axis=0) <= measured.rank_low).all()
    assert (measured.rank_low <= measured.rank_high).all()
    assert (measured.rank_high <= ranks.max(axis=0)).all()
    np.testing.assert_array_equal(measured.terms[:5], fsmj.rank(PROBLEM, method, 5).terms)


# The result


def test_the_seed_alone_decides_whatever_the_number_of_threads():
    one, two, other = (
        fsmj.stability(PROBLEM, n_terms=8, n_resamples=12, n_jobs=jobs, seed=seed)
        for jobs, seed in ((1, 4), (3, 4), (1, 5))
    )
    assert one.to_frame().equals(two.to_frame())
    assert one.agreement == two.agreement
    assert not one.to_frame().equals(other.to_frame())


def test_a_word_of_one_document_is_unsure():
    texts = [*TEXTS, f"gold {'zyx ' * 200}", "cheap watches " * 50]
    documents = fsmj.Documents.from_texts(texts, [*LABELS, "metal", "spam"])
    measured = fsmj.stability(documents, n_terms=10, n_resamples=200)
    assert {"zyx", "cheap"} <= set(measured.ranking.terms)
    for term in ("zyx", "cheap"):
        assert 0.5 < share_of(measured, term) < 0.8
        low, high = measured.to_frame().set_index("term").loc[term, ["rank_low", "rank_high"]]
        assert low <= 10
        assert str(high) == "<NA>"
    assert share_of(measured, "port") >= 0.95


def test_words_that_all_documents_have_are_sure():
    X, y = [[3, 0, 1], [2, 0, 1], [0, 2, 1], [0, 3, 1]] * 5, ["a", "a", "b", "b"] * 5
    measured = fsmj.stability(fsmj.Documents(X, y), n_terms=2, n_resamples=20)
    np.testing.assert_array_equal(measured.share, [1, 1])
    assert measured.agreement == (1, 1, 1)
    assert measured.verdict.tolist() == ["sure", "sure"]
    assert "2 of the first 2 words are sure: in at least 95 % of 20 resamples" in repr(measured)


def test_a_word_of_few_documents_of_its_class_is_not_called_sure_though_it_always_returns():
    pair = ["a quokka naps", "the quokka wakes"]  # all of its class: in each draw both are quokkas
    texts = [*TEXTS, *pair, "gold, said the quokka"]
    documents = fsmj.Documents.from_texts(texts, [*LABELS, "animals", "animals", "metal"])
    measured = fsmj.stability(documents, n_terms=10, n_resamples=40)
    assert share_of(measured, "quokka") == 1
    row = measured.to_frame().set_index("term").loc["quokka"]
    assert (row["verdict"], row["class"], row["class_docs"]) == ("few documents", "animals", 2)
    assert "1 more is, too, but fewer than 5 documents of its class have it" in measured.sentence
    n_docs = documents.counts.doc_counts[:, measured.columns].toarray()
    of_class = [documents.classes.tolist().index(class_) for class_ in measured.classes]
    own = n_docs[of_class, np.arange(len(of_class))]
    np.testing.assert_array_equal(measured.class_docs, own)
    for share, docs, verdict in zip(measured.share, own, measured.verdict, strict=True):
        expected = "unsure" if share < 0.95 else "sure" if docs >= 5 else "few documents"
        assert verdict == expected


def test_words_that_add_nothing_are_not_called_sure_for_standing_early_in_the_alphabet():
    X = np.zeros((12, 30), int)
    X[:6, 0] = 1
    X[6:, 1:] = 1  # the first of them, or any other, says all
    documents = fsmj.Documents(X, ["a"] * 6 + ["b"] * 6)
    measured = fsmj.stability(documents, n_terms=4, n_resamples=10)
    np.testing.assert_array_equal(measured.share, 1)
    assert measured.verdict.tolist() == ["sure", "no gain", "no gain", "no gain"]
    assert "3 add nothing to the words before them" in measured.sentence
    sentence = "1 of the first 4 words is sure: in at least 95 % of 10 resamples it is among"
    assert sentence in repr(measured)


def test_a_word_whose_score_is_nothing_beside_the_others_is_not_called_sure():
    measured = fsmj.stability(PROBLEM, "cll", n_terms=4, n_resamples=5)
    # Alone, a word gives every document the same naive Bayes: the others are compared with it.
    assert measured.verdict[0] == "no gain"
    assert "no gain" not in measured.verdict[1:4]


@pytest.mark.parametrize(("n_terms", "taken"), [(8, 4), (1, 1), (400, 100)])
def test_by_default_half_of_the_words_are_taken_and_a_hundred_at_most(n_terms, taken):
    X = np.arange(3 * n_terms).reshape(6, -1)[:, :n_terms] % 5 if n_terms > 1 else np.ones((6, 1))
    documents = fsmj.Documents(np.resize(X, (6, n_terms)) + 1, list("ababab"))
    measured = fsmj.stability(documents, n_resamples=2)
    assert measured.n_terms == len(measured.ranking) == taken
    assert ("half of all" in measured.sentence) == (n_terms == 8)


def test_ratios_are_those_of_the_table_by_class():
    measured = fsmj.stability(DOCUMENTS, n_terms=6, n_resamples=40)
    table = measured.ranking.by_class().set_index(["term", "class"])["log2_ratio"]
    frame = measured.to_frame().head(6)
    own = [table[term, class_] for term, class_ in zip(frame["term"], frame["class"])]
    np.testing.assert_allclose(frame["log2_ratio"], own)
    assert (frame["log2_low"] <= frame["log2_high"]).all()
    assert (frame["log2_low"] <= frame["log2_ratio"]).mean() > 0.5


def test_documents_with_several_labels_are_drawn_from_all():
    documents = fsmj.Documents.from_texts(TEXTS, [[label, "all"] for label in LABELS])
    measured = fsmj.stability(documents, n_terms=5, n_resamples=10)
    table = measured.ranking.by_class().set_index(["term", "class"])["log2_ratio"]
    frame = measured.to_frame().head(5)
    own = [table[term, class_] for term, class_ in zip(frame["term"], frame["class"])]
    np.testing.assert_allclose(frame["log2_ratio"], own)


@pytest.mark.parametrize("method", fsmj.METHODS)
def test_every_method_has_a_stability(method):
    measured = fsmj.stability(PROBLEM, method, n_terms=3, n_resamples=2)
    assert len(measured.ranking) == 3
    assert ((measured.share >= 0) & (measured.share <= 1)).all()
    assert measured.agreement.low <= measured.agreement.value <= measured.agreement.high


def test_progress_is_told_and_may_stop_the_work():
    told = []
    fsmj.stability(PROBLEM, n_terms=2, n_resamples=5, progress=lambda *done: told.append(done))
    assert told == [(i, 5) for i in range(1, 6)]

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fsmj.stability(PROBLEM, n_terms=2, n_resamples=5, progress=stop)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"n_terms": 0}, "n_terms must be a whole number, 1 or more"),
        ({"n_resamples": 1}, "n_resamples must be a whole number, 2 or more"),
        ({"method": "gut feeling"}, "unknown method"),
        ({"weights": "heavy"}, "weights"),
    ],
)
def test_what_cannot_be_measured_is_said(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        fsmj.stability(PROBLEM, **arguments)


def test_counts_cannot_be_drawn_from():
    with pytest.raises(TypeError, match=r"takes fsmj\.Documents, not a ClassTermCounts"):
        fsmj.stability(PROBLEM.counts)


# How alike choices are


@st.composite
def choices(draw, equal):
    d = draw(st.integers(2, 9))
    size = draw(st.integers(1, d - 1))
    sizes = st.just(size) if equal else st.integers(0, d)
    features = st.permutations(range(d))
    return [set(draw(features)[: draw(sizes)]) for _ in range(draw(st.integers(2, 8)))], d


def table_of(sets, d):
    return np.array([[feature in chosen for feature in range(d)] for chosen in sets])


@given(choices(equal=True))
def test_agreement_is_the_mean_of_all_pairs_where_choices_are_as_large(drawn):
    sets, d = drawn
    expected = naive_evidence.kuncheva(sets, d)
    assert agreement_of(table_of(sets, d), d).value == pytest.approx(expected, abs=1e-9)


@given(choices(equal=False))
def test_agreement_and_its_interval_are_those_of_the_paper(drawn):
    sets, d = drawn
    found = agreement_of(table_of(sets, d), d)
    if sum(map(len, sets)) in (0, d * len(sets)):
        assert found == (1, 1, 1)
        return
    value, variance = naive_evidence.agreement(sets, d)
    width = 1.6448536 * variance**0.5
    np.testing.assert_allclose(found, [value, value - width, min(1, value + width)], atol=1e-6)


@given(choices(equal=False))
def test_features_that_nobody_chose_may_be_left_out(drawn):
    sets, d = drawn
    table = table_of(sets, d)
    some = table[:, table.any(axis=0)]
    np.testing.assert_allclose(agreement_of(some, d), agreement_of(table, d), atol=1e-12)


def test_an_interrupt_while_resamples_are_handed_out_leaves_the_others(monkeypatch):
    begun, submit = [], ThreadPoolExecutor.submit

    def ranker(number, hook):
        begun.append(number)
        for _ in range(20):
            hook(0, 1)
            time.sleep(0.05)

    def interrupted(pool, call, number, hook):
        if number == 9:
            raise KeyboardInterrupt
        return submit(pool, call, number, hook)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _taken(ranker, 50, 1, None)
    assert len(begun) < 9


def test_where_all_terms_are_taken_nothing_is_said_of_the_first():
    documents = fsmj.Documents([[1, 0, 2], [0, 3, 1], [2, 1, 0], [0, 1, 1]], [0, 1, 0, 1])
    assert "resamples says nothing" in fsmj.stability(documents, n_terms=3).sentence
    assert "of the first 2 words" in fsmj.stability(documents, n_terms=2).sentence
