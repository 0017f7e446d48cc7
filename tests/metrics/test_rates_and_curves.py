"""Rates, curves, areas and bands against slow versions of their definitions."""

import numpy as np
import pytest
from pu_scores import draw, seeds, simulate
from scipy.integrate import trapezoid
from sklearn.exceptions import UndefinedMetricWarning

from blindauc import Estimate
from blindauc.metrics import (
    lee_liu_score,
    pu_auc_score,
    pu_average_precision_score,
    pu_f1_score,
    pu_precision_recall_band,
    pu_precision_recall_curve,
    pu_precision_score,
    pu_recall_score,
    pu_roc_band,
    pu_roc_curve,
)

# Predicted labels


@seeds
def test_rates_solve_the_two_equations(seed):
    y, _, predicted, weight = draw(seed)
    prior, contamination = 0.2, 0.1
    labelled, unlabelled = (np.average(predicted[y == side], weights=weight[y == side]) for side in (1, 0))
    mixing = np.array([[1 - contamination, contamination], [prior, 1 - prior]])
    recall = np.clip(np.linalg.solve(mixing, [labelled, unlabelled])[0], 0, 1)
    precision = min(prior * recall / unlabelled, 1)
    options = {"prior": prior, "contamination": contamination, "sample_weight": weight}
    assert pu_recall_score(y, predicted, **options) == pytest.approx(recall)
    assert pu_precision_score(y, predicted, **options) == pytest.approx(precision)
    assert pu_f1_score(y, predicted, **options) == pytest.approx(2 * precision * recall / (precision + recall))


@seeds
def test_lee_and_liu_is_precision_times_recall_over_the_prior(seed):
    y, _, predicted, _ = draw(seed)
    recall, precision = pu_recall_score(y, predicted), pu_precision_score(y, predicted, prior=0.05)
    assert lee_liu_score(y, predicted) == pytest.approx(precision * recall / 0.05)


def test_noise_does_not_leave_the_unit_interval():
    y, predicted = [1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 1]
    assert pu_recall_score(y, predicted, prior=0.2, contamination=0.3) == 1
    assert pu_recall_score(y, [0, 0, 1, 1, 1, 1], prior=0.2, contamination=0.3) == 0
    assert pu_precision_score(y, predicted, prior=0.9) == 1
    assert pu_precision_score(y, [1, 1, 0, 0, 0, 0], prior=0.2) == 1


def test_nothing_predicted_is_zero_with_a_warning():
    y, nothing = [1, 1, 0, 0], [0, 0, 0, 0]
    with pytest.warns(UndefinedMetricWarning, match="lower the threshold"):
        assert pu_precision_score(y, nothing, prior=0.2) == 0
    with pytest.warns(UndefinedMetricWarning, match="lower the threshold"):
        assert pu_f1_score(y, nothing, prior=0.2) == 0
    with pytest.warns(UndefinedMetricWarning, match="no unlabelled row"):
        assert lee_liu_score(y, [1, 1, 0, 0]) == 0
    assert pu_recall_score(y, nothing) == 0


# Curves


def raw_rates(y, scores, prior, contamination):
    """False and true positive rates, threshold by threshold, as the two equations have them."""
    mixing = np.array([[contamination, 1 - contamination], [1 - prior, prior]])
    thresholds = np.append(np.inf, np.unique(scores)[::-1])
    shares = np.array([[np.mean(scores[y == side] >= t) for t in thresholds] for side in (1, 0)])
    return np.linalg.solve(mixing, shares)


@seeds
@pytest.mark.parametrize("contamination", [0.0, 0.2])
def test_curves_are_monotone_and_end_in_the_corners(seed, contamination):
    y, scores, _, weight = draw(seed)
    options = {"prior": 0.4, "contamination": contamination, "sample_weight": weight}
    roc, pr = pu_roc_curve(y, scores, **options), pu_precision_recall_curve(y, scores, **options)
    for rate in (roc.fpr, roc.tpr, pr.recall):
        assert np.all(np.diff(rate) >= 0)
        np.testing.assert_allclose(rate[[0, -1]], [0, 1], atol=1e-12)
    assert np.all((pr.precision >= 0) & (pr.precision <= 1))
    assert pr.precision[0] == 1
    assert pr.precision[-1] == pytest.approx(0.4)
    np.testing.assert_array_equal(roc.thresholds, np.append(np.inf, np.unique(scores)[::-1]))
    np.testing.assert_array_equal(pr.thresholds, roc.thresholds)


@pytest.mark.parametrize("contamination", [0.0, 0.1])
def test_curves_are_the_rates_where_those_rise(contamination):
    # A coarse score, so that every level holds many rows and noise turns no step around.
    y, scores, _ = simulate(5, 4000, 8000, contamination=contamination)
    scores = np.clip(np.round(scores), 0, 2)
    fpr, tpr = raw_rates(y, scores, 0.3, contamination)
    assert np.all(np.diff([fpr, tpr]) > 0)
    curve = pu_roc_curve(y, scores, prior=0.3, contamination=contamination)
    np.testing.assert_allclose(curve.fpr, fpr, atol=1e-12)
    np.testing.assert_allclose(curve.tpr, tpr, atol=1e-12)
    auc = pu_auc_score(y, scores, prior=0.3, contamination=contamination)
    assert trapezoid(curve.tpr, curve.fpr) == pytest.approx(auc, abs=1e-12)


@seeds
def test_the_raw_area_is_the_auc_and_the_mended_one_nearly(seed):
    y, scores, _ = simulate(seed, contamination=0.1)
    options = {"prior": 0.3, "contamination": 0.1}
    fpr, tpr = raw_rates(y, scores, **options)
    curve, auc = pu_roc_curve(y, scores, **options), pu_auc_score(y, scores, **options)
    assert trapezoid(tpr, fpr) == pytest.approx(auc, abs=1e-12)
    assert abs(trapezoid(curve.tpr, curve.fpr) - auc) < auc.standard_error


@seeds
def test_average_precision_is_the_mean_over_positives(seed):
    y, scores, _, _ = draw(seed)
    positives, unlabelled = scores[y == 1], scores[y == 0]
    precisions = [
        min(0.3 * np.mean(positives >= f) / np.mean(unlabelled >= f), 1) if np.any(unlabelled >= f) else 1
        for f in positives
    ]
    assert pu_average_precision_score(y, scores, prior=0.3) == pytest.approx(np.mean(precisions))


def test_one_score_for_all_is_the_diagonal():
    curve = pu_roc_curve([1, 0, 0], [5, 5, 5], prior=0.2)
    assert (curve.fpr.tolist(), curve.tpr.tolist()) == ([0, 1], [0, 1])
    assert pu_average_precision_score([1, 0, 0], [5, 5, 5], prior=0.2) == pytest.approx(0.2)


@pytest.mark.parametrize("contamination", [0.0, Estimate(0.1, 0.05, 0.15)])
def test_bands_hold_their_curves_and_widen_with_doubt(contamination):
    y, scores, _ = simulate(6, contamination=float(contamination))
    weight = np.ones(len(y))
    weight[::50] = 0
    options = {"contamination": contamination, "sample_weight": weight}
    roc, pr = (curve(y, scores, prior=0.3, **options) for curve in (pu_roc_curve, pu_precision_recall_curve))
    for band_of, x, height in (
        (pu_roc_band, roc.fpr, roc.tpr),
        (pu_precision_recall_band, pr.recall, pr.precision),
    ):
        known, uncertain = (
            band_of(y, scores, prior=prior, **options, n_resamples=99, random_state=0)
            for prior in (0.3, Estimate(0.3, 0.1, 0.5))
        )
        middle = (known.x > 0.1) & (known.x < 0.9)
        drawn = np.interp(known.x, x, height)[middle]
        assert np.all((known.low[middle] <= drawn) & (drawn <= known.high[middle]))
        assert np.mean(uncertain.high - uncertain.low) > np.mean(known.high - known.low)
        assert np.all((known.low >= 0) & (known.high <= 1))


def test_a_band_is_never_surer_than_its_positives_allow():
    y = np.repeat([1, 0], [20, 400])
    band = pu_roc_band(y, y, prior=0.0, n_resamples=9, random_state=0)
    assert band.low.max() == pytest.approx(0.025 ** (1 / 20))
