"""The mixture of ranks against slow loops: its likelihood, and the probability that a label is wrong."""

from itertools import product

import numpy as np
import pytest
from referee import evidence_of

from blindauc.choice.weights import POWER
from blindauc.evidence.likelihood import SHARPNESS, WRONG_SHARES, log_likelihood, wrong_probability
from blindauc.prior.posterior import CONTAMINATION_SCALE


def test_the_likelihood_of_ranks_against_a_slow_loop():
    for ranks, weight in ((np.array([0.999, 0.7, 0.02]), np.array([1.0, 2.5, 1.0])), (np.array([1.0]), np.ones(1))):
        assert POWER * log_likelihood(ranks[None], weight)[0] == pytest.approx(evidence_of(ranks, weight), rel=1e-6)


def in_bins(density, ranks):
    """The mean of a density over the per cent that holds each rank, from its distribution function."""
    low = np.minimum(np.floor(100 * ranks), 99) / 100
    return 100 * (density(low + 0.01) - density(low))


def test_the_probability_of_wrong_labels_against_a_slow_loop():
    rng = np.random.default_rng(0)
    ranks, weight = np.r_[rng.beta(5, 1, 30), rng.beta(1, 20, 8)], rng.integers(1, 4, 38).astype(float)
    total, mean = 0.0, np.zeros(len(ranks))
    for eta, a, b in product(WRONG_SHARES, SHARPNESS, SHARPNESS):
        right = (1 - eta) * in_bins(lambda r, a=a: r**a, ranks)
        wrong = eta * in_bins(lambda r, b=b: 1 - np.maximum(1 - r, 0) ** b, ranks)
        likelihood = np.prod((right + wrong) ** weight) * np.exp(-eta / CONTAMINATION_SCALE)
        total, mean = total + likelihood, mean + likelihood * wrong / (right + wrong)
    # A label of higher rank is not more suspicious; below, that matters where mixtures disagree.
    order = np.argsort(ranks)
    expected = np.empty(len(ranks))
    expected[order] = np.minimum.accumulate((mean / total)[order])
    np.testing.assert_allclose(wrong_probability(ranks, weight), expected, atol=0.02)
    assert wrong_probability(ranks, weight)[30:].min() > 0.9


def test_a_weight_of_two_is_two_labels():
    ranks, weight = np.random.default_rng(1).random(20), np.repeat([1, 2], 10)
    repeated = wrong_probability(ranks.repeat(weight), np.ones(30))
    np.testing.assert_allclose(wrong_probability(ranks, weight.astype(float)).repeat(weight), repeated)


def test_ranks_that_say_nothing_make_no_label_likely_wrong():
    assert wrong_probability((np.arange(50) + 0.5) / 50, np.ones(50)).max() < 0.5
