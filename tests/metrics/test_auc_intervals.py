"""The AUC by Theorem 1, and its intervals against the spread of repeated draws."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pu_scores import draw, seeds, simulate
from sklearn.metrics import average_precision_score, f1_score, precision_score, recall_score, roc_auc_score

from blindauc import Estimate
from blindauc.metrics import (
    blind_auc_score,
    pu_auc_score,
    pu_average_precision_score,
    pu_f1_score,
    pu_precision_score,
    pu_recall_score,
)
from blindauc.theory import auc_from_blind_auc


@given(prior=st.floats(0, 0.45), contamination=st.floats(0, 0.45))
@settings(max_examples=20)
def test_the_auc_is_theorem_1(prior, contamination):
    y, scores, _, weight = draw(6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        auc = pu_auc_score(y, scores, prior=prior, contamination=contamination, sample_weight=weight)
    blind = blind_auc_score(y, scores, sample_weight=weight)
    assert auc == pytest.approx(auc_from_blind_auc(blind, prior, contamination), rel=1e-13)
    assert auc.low < auc < auc.high


def delta_error(*args, **kwargs):
    """The standard error of the formula: an interval so short that no transformation bends it."""
    return pu_auc_score(*args, confidence=1e-4, **kwargs).standard_error


@seeds
def test_delong_is_the_variance_of_placements(seed):
    y, scores, _, _ = draw(seed)
    pairs = np.sign(scores[y == 1][:, None] - scores[y == 0][None, :]) / 2 + 0.5
    by_pos, by_unl = pairs.mean(axis=1), pairs.mean(axis=0)
    variance = by_pos.var(ddof=1) / len(by_pos) + by_unl.var(ddof=1) / len(by_unl)
    error = delta_error(y, scores, prior=0.1, contamination=0.1)
    assert error == pytest.approx(np.sqrt(variance) / 0.8, rel=1e-6)


@seeds
def test_weighted_delong_is_the_linearisation(seed):
    # The change of the blind AUC with the weight of a row, times the weight, squared and added up.
    y, scores, _, weight = draw(seed)
    weight = weight.astype(float)

    def influence(row):
        step = np.zeros(len(y))
        step[row] = 1e-6
        up, down = (blind_auc_score(y, scores, sample_weight=weight + s) for s in (step, -step))
        return (up - down) / 2e-6 * weight[row]

    influences = np.array([influence(row) for row in range(len(y))])
    variance = 0.0
    for side in (1, 0):
        shares = weight[y == side] / weight[y == side].sum()
        variance += (influences[y == side] ** 2).sum() / (1 - (shares**2).sum())
    assert delta_error(y, scores, prior=0.0, sample_weight=weight) == pytest.approx(np.sqrt(variance), rel=1e-6)


def test_an_uncertain_prior_and_contamination_add_their_share():
    y, scores, _ = simulate(0, contamination=0.1)

    def auc(prior, contamination):
        return pu_auc_score(y, scores, prior=prior, contamination=contamination)

    step = 1e-6
    by_prior = (auc(0.3 + step, 0.1) - auc(0.3 - step, 0.1)) / (2 * step)
    by_contamination = (auc(0.3, 0.1 + step) - auc(0.3, 0.1 - step)) / (2 * step)
    known = delta_error(y, scores, prior=0.3, contamination=0.1)
    prior, contamination = Estimate(0.3, 0.22, 0.38), Estimate(0.1, 0.07, 0.13)
    uncertain = delta_error(y, scores, prior=prior, contamination=contamination)
    expected = np.sqrt(
        known**2 + (by_prior * prior.standard_error) ** 2 + (by_contamination * contamination.standard_error) ** 2
    )
    assert uncertain == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("contamination", [0.0, 0.1])
def test_both_intervals_match_the_spread_of_the_estimate(contamination):
    options = {"prior": 0.3, "contamination": contamination}
    draws = [simulate(seed, 100, 500, contamination=contamination, distance=1.0) for seed in range(400)]
    aucs = [pu_auc_score(y, scores, **options) for y, scores, _ in draws]
    spread = np.std([float(auc) for auc in aucs])
    # 400 draws give a standard deviation to 3.5 %: four of those.
    assert np.mean([auc.standard_error for auc in aucs]) == pytest.approx(spread, rel=0.14)
    y, scores, _ = draws[0]
    bootstrap = pu_auc_score(y, scores, **options, method="bootstrap", random_state=0)
    assert bootstrap == aucs[0]
    # 999 draws leave each end uncertain by about 2.7 % of the half-width.
    np.testing.assert_allclose([bootstrap.low, bootstrap.high], [aucs[0].low, aucs[0].high], atol=0.3 * spread)


def test_the_bootstrap_draws_uncertain_shares_too():
    y, scores, _ = simulate(1)
    options = {"contamination": 0.0, "method": "bootstrap", "random_state": 0}
    known = pu_auc_score(y, scores, prior=0.3, **options)
    uncertain = pu_auc_score(y, scores, prior=Estimate(0.3, 0.2, 0.4), **options)
    formula = pu_auc_score(y, scores, prior=Estimate(0.3, 0.2, 0.4))
    assert uncertain.standard_error > 1.3 * known.standard_error
    assert uncertain.standard_error == pytest.approx(formula.standard_error, rel=0.15)


def test_a_prior_of_which_nothing_is_known_bounds_nothing():
    y, scores, _ = simulate(1)
    auc = pu_auc_score(y, scores, prior=Estimate(0.3, -1.0, 1.6), method="bootstrap", random_state=0)
    assert auc.high == np.inf
    assert 0.5 < auc.low < auc


@pytest.mark.parametrize("method", ["delong", "bootstrap"])
def test_more_confidence_is_a_wider_interval(method):
    y, scores, _ = simulate(2)
    narrow, wide = (
        pu_auc_score(y, scores, prior=0.3, confidence=c, method=method, random_state=0) for c in (0.5, 0.99)
    )
    assert wide.low < narrow.low < narrow < narrow.high < wide.high
    assert wide.confidence == 0.99


def test_all_pairs_right_is_not_certainty():
    y = np.repeat([1, 0], [30, 300])
    right, wrong = (pu_auc_score(y, scores, prior=0.0) for scores in (y, -y))
    assert (right, right.high) == (1, 1)
    assert right.low == pytest.approx(0.025 ** (1 / 30))
    assert (wrong, wrong.low, wrong.high) == (0, 0, pytest.approx(1 - right.low))
    weighted = pu_auc_score(y, y, prior=0.0, sample_weight=np.random.default_rng(0).uniform(size=len(y)))
    assert weighted.low == pytest.approx(right.low)


def test_an_impossible_auc_is_kept_and_named():
    y, scores, _ = simulate(3, distance=4.0)
    with pytest.warns(UserWarning, match="prior_among_unlabelled_from_counts"):
        auc = pu_auc_score(y, scores, prior=0.6)
    assert auc > 1
    assert auc == pytest.approx(auc_from_blind_auc(blind_auc_score(y, scores), 0.6))
    with pytest.warns(UserWarning, match="impossible"):
        assert pu_auc_score(y, -scores, prior=0.6) < 0


def test_the_truth_is_found_without_negatives():
    y, scores, y_true = simulate(4, 5000, 50_000, contamination=0.1)
    unlabelled = y == 0
    options = {"prior": y_true[unlabelled].mean(), "contamination": 1 - y_true[~unlabelled].mean()}
    auc = pu_auc_score(y, scores, **options)
    truth = roc_auc_score(y_true[unlabelled], scores[unlabelled])
    assert abs(auc - truth) < 4 * auc.standard_error
    predicted = (scores > 1).astype(int)
    truth = y_true[unlabelled], predicted[unlabelled]
    # Over 60 other draws these differ by 0.008 (standard deviation), and average precision by 0.016: four of those.
    assert pu_recall_score(y, predicted, **options) == pytest.approx(recall_score(*truth), abs=0.032)
    assert pu_precision_score(y, predicted, **options) == pytest.approx(precision_score(*truth), abs=0.032)
    assert pu_f1_score(y, predicted, **options) == pytest.approx(f1_score(*truth), abs=0.032)
    average = average_precision_score(y_true[unlabelled], scores[unlabelled])
    assert pu_average_precision_score(y, scores, **options) == pytest.approx(average, abs=0.064)
