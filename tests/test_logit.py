"""`logit` against slow formulas, and what it must hold to."""

import math
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fsmj
from fsmj.methods.logit import Run, transformed


def documents_of(seed, n_docs=60, n_terms=25, n_classes=3):
    """Poisson documents; the last column is empty, and no document is."""
    generator = np.random.default_rng(seed)
    y = np.arange(n_docs) % n_classes
    X = generator.poisson(generator.gamma(0.4, size=(n_classes, n_terms))[y])
    X[:, 0] += 1
    X[:, -1] = 0
    return fsmj.Documents(X, y)


def naive_scores(X, y, P, strength):
    """What a step along each term promises, term by term, by the curvature midway."""
    scores = []
    for t in range(len(X[0])):
        n, total = math.fsum(x[t] for x in X), 0.0
        for i in range(len(P[0])):
            observed = math.fsum(x[t] for x, label in zip(X, y) if label == i)
            expected = math.fsum(x[t] * p[i] for x, p in zip(X, P))
            share = (observed + expected) / 2 / n if n else 0.0
            H = math.fsum(x[t] ** 2 * share * (1 - share) for x in X)
            total += (observed - expected) ** 2 / (H + 1 / strength)
        scores.append(total / 2)
    return scores


@pytest.mark.long
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3, 5]), st.floats(0.1, 10))
@settings(max_examples=30)
def test_scores_are_those_of_the_formula(seed, n_classes, strength):
    documents = documents_of(seed, n_classes=n_classes)
    x = transformed(documents.X, "log", documents.weight)
    run = Run(x, documents.codes, documents.weight, strength)
    for _ in range(3):
        scores = naive_scores(
            x.toarray().tolist(), documents.codes.tolist(), run.probabilities.tolist(), strength
        )
        expected = np.where(run.free, scores, -1)
        np.testing.assert_allclose(run.score(), expected, rtol=1e-9, atol=1e-9)
        run.extend(documents.n_terms)
        assert run.order[-1] == np.argmax(expected)


@pytest.mark.long
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 4]))
@settings(max_examples=15)
def test_the_model_goes_on_to_where_a_new_one_would_end(seed, n_classes):
    from sklearn.linear_model import LogisticRegression

    documents = documents_of(seed, n_classes=n_classes)
    x = transformed(documents.X, "log", documents.weight)
    run = Run(x, documents.codes, documents.weight, 1.0)
    for _ in range(5):
        run.extend(documents.n_terms)
    anew = LogisticRegression(C=1.0, tol=1e-8, max_iter=5000)
    anew.fit(x[:, run.order], documents.codes)
    np.testing.assert_allclose(run.probabilities, anew.predict_proba(x[:, run.order]), atol=0.02)


def test_transforms():
    counts, one = fsmj.Documents([[1, 0, 3], [0, 2, 1]], ["a", "b"]).X, np.ones(2)
    plain = transformed(counts, "none", one)
    np.testing.assert_allclose(plain.toarray(), [[1, 0, 3], [0, 2, 1]])
    log = [[math.log(2), 0, math.log(4)], [0, math.log(3), math.log(2)]]
    np.testing.assert_allclose(transformed(counts, "log", one).toarray(), log)
    rare, common = math.log(3 / 2) + 1, 1.0
    rows = np.array(log) * [rare, rare, common]
    rows /= np.sqrt((rows**2).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(transformed(counts, "tf-idf", one).toarray(), rows)


@pytest.mark.parametrize("transform", ["log", "tf-idf", "none"])
def test_every_term_is_ranked_once_and_empty_ones_last(transform):
    documents = documents_of(1)
    ranking = fsmj.rank(documents, "logit", transform=transform)
    assert sorted(ranking.order) == list(range(documents.n_terms))
    assert ranking.order[-1] == documents.n_terms - 1
    assert (ranking.scores >= 0).all()
    assert ranking.scores[-1] == 0


@pytest.mark.long
def test_the_same_documents_give_the_same_ranking():
    documents = documents_of(2, n_docs=200, n_terms=150)
    one, two = (fsmj.rank(documents, "logit", 100) for _ in range(2))
    assert one.order.tolist() == two.order.tolist()
    assert one.scores.tolist() == two.scores.tolist()


def test_equal_columns_are_taken_from_the_lowest():
    X = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]])
    ranking = fsmj.rank(fsmj.Documents(X[:, [2, 0, 1]], [0, 0, 1, 1]), "logit")
    assert ranking.order[0] == 0
    assert ranking.order.tolist().index(1) < ranking.order.tolist().index(2)


@pytest.mark.parametrize("transform", ["log", "tf-idf"])
def test_a_document_of_weight_two_counts_as_two(transform):
    documents = documents_of(3)
    times = np.arange(documents.n_docs) % 4  # some count not at all
    weighted = fsmj.Documents(documents.X, documents.y, sample_weight=times)
    repeated = documents.take(np.repeat(np.arange(documents.n_docs), times))
    one, two = (fsmj.rank(d, "logit", 8, transform=transform) for d in (weighted, repeated))
    assert one.order.tolist() == two.order.tolist()
    np.testing.assert_allclose(one.scores, two.scores, rtol=1e-3)


def test_a_term_of_documents_that_do_not_count_comes_last():
    documents = fsmj.Documents(
        [[1, 0, 1], [0, 1, 0], [0, 1, 0]], [0, 0, 1], sample_weight=[0, 1, 1]
    )
    assert fsmj.rank(documents, "logit").order.tolist() == [1, 0, 2]


@pytest.mark.long
def test_it_chooses_a_number_where_few_terms_tell_all():
    # Column 0 and 1 are the labels; the others are noise that can only be learnt by heart.
    generator = np.random.default_rng(4)
    y = np.arange(150) % 3
    X = generator.integers(0, 2, (150, 40))
    X[:, 0], X[:, 1] = y == 0, y == 1
    ranking = fsmj.rank(fsmj.Documents(X, y), "logit", "auto")
    assert set(ranking.order[:2]) == {0, 1}
    assert 2 <= len(ranking) < 20


def test_progress_ends_at_the_total():
    reports = []
    fsmj.rank(documents_of(5), "logit", 12, progress=lambda *done: reports.append(done))
    assert reports[-1] == (12, 12)
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)


def test_documents_of_several_labels_are_refused():
    documents = fsmj.Documents([[1, 0], [0, 1]], [[1, 1], [0, 1]])
    with pytest.raises(ValueError, match="one label is needed for each document"):
        fsmj.rank(documents, "logit")


@pytest.mark.parametrize("options", [{"strength": 0}, {"strength": -1}, {"transform": "sqrt"}])
def test_options_that_mean_nothing_are_refused(options):
    with pytest.raises(ValueError, match="must be"):
        fsmj.rank(documents_of(6), "logit", **options)


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_is_raised():
    program = """
        import numpy as np, os, signal, fsmj
        X = np.random.default_rng(0).poisson(0.2, (3000, 2000))
        documents = fsmj.Documents(X, np.arange(3000) % 10)
        def tell(done, total):
            if done == 5:
                os.kill(os.getpid(), signal.SIGINT)
        fsmj.rank(documents, "logit", progress=tell)
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True
    )
    assert "KeyboardInterrupt" in ended.stderr
    assert ended.returncode in (-signal.SIGINT, 130, 1)
