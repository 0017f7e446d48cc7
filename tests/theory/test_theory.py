"""Theorem 1 both ways and against pairs, the two priors against simulated labels, Theorem 2 in its special cases."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindauc import Estimate
from blindauc.theory import (
    auc_error_shape,
    auc_from_blind_auc,
    blind_auc_from_auc,
    blind_auc_slope,
    enough_unlabelled,
    overall_prior,
    overall_prior_from_counts,
    phi_exclusive_l0,
    phi_group_l0,
    phi_l0,
    prior_among_unlabelled,
    prior_among_unlabelled_from_counts,
)

share = st.floats(0, 0.49)


def pair_auc(high, low):
    difference = high[:, None] - low[None, :]
    return np.mean((difference > 0) + (difference == 0) / 2)


@given(auc=st.floats(0, 1), prior=share, contamination=share)
def test_theorem_1_there_and_back(auc, prior, contamination):
    blind = blind_auc_from_auc(auc, prior, contamination)
    assert auc_from_blind_auc(blind, prior, contamination) == pytest.approx(auc, abs=1e-12)


@given(blind=st.floats(0, 1), prior=st.floats(0, 0.99))
def test_without_contamination_it_is_the_papers_formula(blind, prior):
    assert auc_from_blind_auc(blind, prior) == pytest.approx((blind - prior / 2) / (1 - prior), abs=1e-9)


@pytest.mark.parametrize(("n_wrong", "n_hidden"), [(0, 0), (0, 3), (1, 0), (1, 3)])
def test_theorem_1_is_an_identity_of_pairs(n_wrong, n_hidden):
    # With the same positives and negatives on both sides, ties included, nothing is left to chance.
    rng = np.random.default_rng(0)
    positives, negatives = rng.integers(0, 9, 50) + 2.0, rng.integers(0, 9, 50) + 0.0
    labelled = np.concatenate([np.repeat(positives, 10 - n_wrong), np.repeat(negatives, n_wrong)])
    unlabelled = np.concatenate([np.repeat(positives, n_hidden), np.repeat(negatives, 10 - n_hidden)])
    blind = pair_auc(labelled, unlabelled)
    auc = auc_from_blind_auc(blind, prior=n_hidden / 10, contamination=n_wrong / 10)
    assert auc == pytest.approx(pair_auc(positives, negatives), abs=1e-12)


@given(prior=st.floats(0.001, 0.99), label_frequency=st.floats(0, 0.99))
def test_priors_there_and_back(prior, label_frequency):
    unlabelled = prior_among_unlabelled(prior, label_frequency=label_frequency)
    assert unlabelled <= prior
    assert overall_prior(unlabelled, label_frequency=label_frequency) == pytest.approx(prior)
    n_labelled = 1000 * prior * label_frequency
    counts = {"n_pos": n_labelled + 1e-9, "n_unl": 1000 - n_labelled}
    assert prior_among_unlabelled_from_counts(prior, **counts) == pytest.approx(unlabelled, abs=1e-9)


@given(prior=share, contamination=share, n_pos=st.integers(1, 1000), n_unl=st.integers(1, 1000))
def test_priors_from_counts_there_and_back(prior, contamination, n_pos, n_unl):
    counts = {"n_pos": n_pos, "n_unl": n_unl, "contamination": contamination}
    overall = overall_prior_from_counts(prior, **counts)
    if overall < 1:
        assert prior_among_unlabelled_from_counts(overall, **counts) == pytest.approx(prior, abs=1e-9)


def test_priors_count_rows():
    rng = np.random.default_rng(0)
    y_true = rng.uniform(size=100_000) < 0.3
    labelled = rng.uniform(size=y_true.size) < np.where(y_true, 0.4, 0.02)
    hidden = y_true[~labelled].mean()
    counts = {"n_pos": labelled.sum(), "n_unl": (~labelled).sum(), "contamination": 1 - y_true[labelled].mean()}
    assert prior_among_unlabelled_from_counts(y_true.mean(), **counts) == pytest.approx(hidden)
    clean = labelled & y_true
    unlabelled = prior_among_unlabelled(y_true.mean(), label_frequency=clean.sum() / y_true.sum())
    assert unlabelled == pytest.approx(y_true[~clean].mean())


@pytest.mark.parametrize(
    "convert",
    [
        partial(prior_among_unlabelled, label_frequency=0.5),
        partial(overall_prior, label_frequency=0.5),
        partial(prior_among_unlabelled_from_counts, n_pos=100, n_unl=900),
        partial(overall_prior_from_counts, n_pos=100, n_unl=900),
    ],
)
def test_an_estimated_prior_keeps_its_interval(convert):
    converted = convert(Estimate(0.4, 0.3, 0.6, 0.9))
    assert isinstance(converted, Estimate)
    assert (converted, converted.low, converted.high) == (convert(0.4), convert(0.3), convert(0.6))
    assert converted.confidence == 0.9


def test_an_interval_may_reach_beyond_what_the_labels_allow():
    prior = prior_among_unlabelled_from_counts(Estimate(0.12, 0.05, 0.19), n_pos=100, n_unl=900)
    assert prior.low == 0 < prior < prior.high
    assert prior_among_unlabelled(Estimate(0.1, -0.1, 0.3), label_frequency=0.5).low == 0


def test_all_positives_labelled_leaves_none():
    assert prior_among_unlabelled_from_counts(0.1, n_pos=100, n_unl=900) == 0


def test_singleton_groups_are_plain_sparsity_and_so_is_one_group():
    plain = phi_l0(300, n_features=50, n_nonzero=7)
    assert plain == pytest.approx(7 * math.log(50 * 300 / 7) + math.log(20))
    assert phi_group_l0(300, group_sizes=[1] * 50, n_groups=7) == pytest.approx(plain)
    assert phi_exclusive_l0(300, group_sizes=[50], n_per_group=7) == pytest.approx(plain)


def test_phi_of_groups_is_the_papers_formula():
    group = phi_group_l0(300, group_sizes=[2, 5, 3], n_groups=2, delta=0.1)
    assert group == pytest.approx(10 * math.log(300 / 10) + 2 * math.log(3) + math.log(10))
    exclusive = phi_exclusive_l0(300, group_sizes=[2, 5, 3], n_per_group=[1, 2, 3], delta=0.1)
    assert exclusive == pytest.approx(6 * math.log(300 / 6) + 3 * 3 * math.log(3) + math.log(10))


def test_fewer_rows_than_weights_bound_nothing():
    phi = partial(phi_l0, n_features=200, n_nonzero=150)
    assert phi(149) == math.inf > phi(150)
    assert auc_error_shape(phi, n_pos=100, n_unl=500, prior=0.1) == math.inf


def test_the_error_falls_with_rows_and_rises_with_features_and_prior():
    def shape(n_pos=100, n_unl=500, prior=0.1, n_nonzero=10):
        return auc_error_shape(
            partial(phi_l0, n_features=200, n_nonzero=n_nonzero), n_pos=n_pos, n_unl=n_unl, prior=prior
        )

    assert shape(n_pos=200) < shape() < shape(n_nonzero=20)
    assert shape(n_unl=1000) < shape() < shape(prior=0.2)
    assert shape(prior=0.55) == pytest.approx(2 * shape(prior=0.1))


@given(n_pos=st.integers(1, 10_000), excess=st.floats(0.01, 1))
def test_enough_is_the_smallest_number_that_is(n_pos, excess):
    def ratio(n_unl):
        return math.sqrt(1 + n_pos / n_unl)

    n_unl = enough_unlabelled(n_pos, excess=excess)
    assert ratio(n_unl) <= (1 + excess) * (1 + 1e-12)
    assert n_unl == 1 or ratio(n_unl - 1) > (1 + excess) * (1 - 1e-12)


def test_enough_is_near_the_papers_advice():
    assert 4.5 <= enough_unlabelled(1000) / 1000 <= 5.5


BAD = {
    "prior 1": (lambda: blind_auc_slope(1.0), "prior is the share of positives among the unlabelled"),
    "prior below 0": (lambda: auc_from_blind_auc(0.8, -0.1), "must lie in"),
    "prior NaN": (lambda: auc_from_blind_auc(0.8, float("nan")), "must lie in"),
    "prior missing": (lambda: auc_from_blind_auc(0.8, None), "must lie in"),
    "contamination 1": (lambda: blind_auc_from_auc(0.8, 0.0, 1.0), "contamination is the share of negatives"),
    "nothing left": (lambda: auc_from_blind_auc(0.8, 0.5, 0.5), "must be below 1"),
    "label frequency": (lambda: prior_among_unlabelled(0.3, label_frequency=1.0), "label_frequency"),
    "overall prior": (lambda: prior_among_unlabelled(1.3, label_frequency=0.1), "overall_prior"),
    "unlabelled prior": (lambda: overall_prior(1.3, label_frequency=0.1), "unlabelled_prior"),
    "too few positives": (lambda: prior_among_unlabelled_from_counts(0.05, n_pos=100, n_unl=900), "two samples"),
    "too many positives": (
        lambda: prior_among_unlabelled_from_counts(0.99, n_pos=900, n_unl=100, contamination=0.5),
        "is impossible with",
    ),
    "no rows": (lambda: overall_prior_from_counts(0.5, n_pos=0, n_unl=100), "must be positive"),
    "delta": (lambda: phi_l0(10, n_features=3, n_nonzero=2, delta=0.0), "delta"),
    "no weights": (lambda: phi_l0(10, n_features=3, n_nonzero=0), "at least one nonzero weight"),
    "excess": (lambda: enough_unlabelled(100, excess=0.0), "excess must be positive"),
    "no positives": (lambda: enough_unlabelled(0), "n_pos must be at least 1"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case):
    call, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        call()
