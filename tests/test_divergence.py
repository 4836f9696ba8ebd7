import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

import naive
from fsmj.divergence import contributions, jeffreys, jensen_shannon, kullback_leibler
from strategies import class_term_counts

VARIANTS = [
    (reference, weights)
    for reference in ("mixture", "complement")
    for weights in ("uniform", "prior")
]


def smoothed(counts):
    table = counts.term_counts.toarray() + 0.5
    return table / table.sum(axis=1, keepdims=True)


@given(class_term_counts(max_classes=8, max_terms=12))
def test_kl_and_jeffreys(counts):
    p, q = smoothed(counts)[:2]
    assert_allclose(kullback_leibler(p, q), naive.kl(p, q), rtol=1e-9, atol=1e-12)
    assert_allclose(jeffreys(p, q), naive.kl(p, q) + naive.kl(q, p), rtol=1e-9, atol=1e-12)


def test_kl_at_the_edges():
    assert kullback_leibler([0, 1], [0.5, 0.5]) == pytest.approx(np.log(2))
    assert kullback_leibler([0.5, 0.5], [0, 1]) == np.inf


@given(class_term_counts(max_classes=8, max_terms=12))
@pytest.mark.parametrize(("reference", "weights"), VARIANTS)
def test_jensen_shannon(reference, weights, counts):
    p, priors = smoothed(counts), counts.priors
    expected = naive.jensen_shannon(p, priors, reference == "complement", weights == "prior")
    result = jensen_shannon(p, priors, reference=reference, weights=weights)
    assert_allclose(result, expected, rtol=1e-9, atol=1e-12)
    parts = contributions(p, priors, reference, weights)
    assert_allclose(parts.sum(), expected, rtol=1e-9, atol=1e-12)


@given(class_term_counts(max_classes=2, max_terms=12))
def test_two_classes_against_their_complements_are_the_jeffreys_divergence(counts):
    p = smoothed(counts)
    assert_allclose(
        jensen_shannon(p, counts.priors, reference="complement"), jeffreys(*p), atol=1e-12
    )


def test_prior_weights_give_the_mutual_information_of_token_and_class():
    p, priors = np.array([[0.2, 0.8], [0.7, 0.3]]), np.array([0.4, 0.6])
    joint = priors[:, None] * p
    independent = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    mutual = (joint * np.log(joint / independent)).sum()
    assert jensen_shannon(p, priors, weights="prior") == pytest.approx(mutual)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reference": "other"}, "reference must be 'mixture' or 'complement'; got 'other'"),
        ({"weights": "other"}, "weights must be 'uniform' or 'prior'"),
    ],
)
def test_unknown_variants(options, message):
    with pytest.raises(ValueError, match=message):
        jensen_shannon([[0.5, 0.5], [1, 0]], **options)
