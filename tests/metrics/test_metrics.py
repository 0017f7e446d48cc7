"""Every metric against a slow version of its definition; intervals against repeated draws; scorers in scikit-learn."""

import pickle
import sys
import warnings

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import trapezoid
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import UndefinedMetricWarning, UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, f1_score, precision_score, recall_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from blindauc import BlindAUCClassifier, Estimate
from blindauc.datasets import make_paper_data
from blindauc.metrics import (
    PUPrecisionRecallDisplay,
    PURocDisplay,
    blind_auc_score,
    blind_auc_scorer,
    lee_liu_score,
    lee_liu_scorer,
    make_pu_scorer,
    positive_ranks,
    pu_auc_score,
    pu_average_precision_score,
    pu_f1_score,
    pu_precision_recall_band,
    pu_precision_recall_curve,
    pu_precision_score,
    pu_recall_score,
    pu_roc_band,
    pu_roc_curve,
    trimmed_blind_auc_score,
    trimmed_blind_auc_scorer,
)
from blindauc.theory import auc_from_blind_auc

mpl.use("agg")

SCORE_METRICS = {
    "ranks": positive_ranks,
    "blind": blind_auc_score,
    "trimmed": trimmed_blind_auc_score,
    "auc": lambda *args, **kwargs: pu_auc_score(*args, prior=0.1, contamination=0.1, **kwargs),
    "average precision": lambda *args, **kwargs: pu_average_precision_score(*args, prior=0.3, **kwargs),
    "dirty average precision": lambda *args, **kwargs: pu_average_precision_score(
        *args, prior=0.3, contamination=0.2, **kwargs
    ),
}
LABEL_METRICS = {
    "recall": pu_recall_score,
    "dirty recall": lambda *args, **kwargs: pu_recall_score(*args, prior=0.3, contamination=0.1, **kwargs),
    "precision": lambda *args, **kwargs: pu_precision_score(*args, prior=0.3, **kwargs),
    "f1": lambda *args, **kwargs: pu_f1_score(*args, prior=0.3, contamination=0.1, **kwargs),
    "Lee and Liu": lee_liu_score,
}


def draw(seed, n_pos=12, n_unl=30, n_values=9):
    """Labels, scores with many ties, predictions and small whole weights; all in random order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([1, 0], [n_pos, n_unl]))
    scores = rng.integers(0, n_values, len(y)) + 2.0 * y
    return y, scores, (scores > n_values / 2).astype(int), rng.integers(1, 4, len(y))


def simulate(seed, n_pos=200, n_unl=2000, prior=0.3, contamination=0.0, distance=1.8):
    """Labels, scores and true labels, two samples."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_pos, n_unl])
    y_true = rng.uniform(size=len(y)) < np.where(y == 1, 1 - contamination, prior)
    return y, rng.normal(size=len(y)) + distance * y_true, y_true


def slow_ranks(y, scores, weight):
    return np.array(
        [
            sum(q * ((f > g) + (f == g) / 2) for g, q in zip(scores[y == 0], weight[y == 0], strict=True))
            / weight[y == 0].sum()
            for f in scores[y == 1]
        ]
    )


seeds = pytest.mark.parametrize("seed", range(10))


# Ranks and blind AUC


@seeds
def test_ranks_are_the_double_loop(seed):
    y, scores, _, weight = draw(seed)
    ranks = slow_ranks(y, scores, weight)
    np.testing.assert_allclose(positive_ranks(y, scores, sample_weight=weight), ranks, rtol=1e-13)
    blind = (weight[y == 1] * ranks).sum() / weight[y == 1].sum()
    assert blind_auc_score(y, scores, sample_weight=weight) == pytest.approx(blind, rel=1e-13)
    assert blind == pytest.approx(roc_auc_score(y, scores, sample_weight=weight), rel=1e-13)


@seeds
@pytest.mark.parametrize("trim", [0.0, 0.1, 0.15, 0.5, 0.97])
def test_trimming_drops_the_lowest(seed, trim):
    y, scores, _, weight = draw(seed)
    # A thousandth of a unit of weight at a time, dropped from the lowest up.
    grains = np.sort(np.repeat(slow_ranks(y, scores, weight), 1000 * weight[y == 1]))
    expected = grains[round(trim * len(grains)) :].mean()
    assert trimmed_blind_auc_score(y, scores, trim=trim, sample_weight=weight) == pytest.approx(expected, rel=1e-4)


@given(trim=st.floats(0, 0.98))
def test_trimming_is_continuous_and_only_raises(trim):
    y, scores, _, weight = draw(0)
    here, further = (trimmed_blind_auc_score(y, scores, trim=t, sample_weight=weight) for t in (trim, trim + 1e-7))
    assert here <= further + 1e-12
    assert further - here < 1e-4


def test_no_trim_is_the_blind_auc():
    y, scores, _, weight = draw(1)
    trimmed = trimmed_blind_auc_score(y, scores, trim=0, sample_weight=weight)
    assert trimmed == pytest.approx(blind_auc_score(y, scores, sample_weight=weight), rel=1e-14)


def test_a_perfect_ranking_is_exactly_one():
    y = np.repeat([1, 0], [7, 2001])
    assert blind_auc_score(y, y) == 1
    assert trimmed_blind_auc_score(y, y) == 1


# What all metrics promise


@pytest.mark.parametrize("name", SCORE_METRICS)
@seeds
def test_weights_are_repetitions_of_rows(name, seed):
    y, scores, _, weight = draw(seed)
    weighted = SCORE_METRICS[name](y, scores, sample_weight=weight)
    if name == "ranks":
        weighted = np.repeat(weighted, weight[y == 1])
    repeated = SCORE_METRICS[name](np.repeat(y, weight), np.repeat(scores, weight))
    np.testing.assert_allclose(weighted, repeated, rtol=1e-12)


@pytest.mark.parametrize("name", LABEL_METRICS)
@seeds
def test_weights_are_repetitions_of_predictions(name, seed):
    y, _, predicted, weight = draw(seed)
    weighted = LABEL_METRICS[name](y, predicted, sample_weight=weight)
    assert weighted == pytest.approx(LABEL_METRICS[name](np.repeat(y, weight), np.repeat(predicted, weight)), rel=1e-12)


WRITINGS = {
    "minus one": (lambda y: np.where(y == 1, 1, -1), 1, -1, None),
    "booleans": (lambda y: y == 1, True, False, None),
    "missing": (lambda y: np.where(y == 1, 1.0, np.nan), 1, 0, None),
    "pandas.NA": (lambda y: pd.Series(y).astype("Int64").replace(0, pd.NA), 1, 0, None),
    "the smaller label": (lambda y: 1 - y, 0, 1, 0),
    "words": (lambda y: np.where(y == 1, "ill", "unknown"), "ill", "unknown", "ill"),
    "a list": (lambda y: y.tolist(), 1, 0, None),
}


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("name", SCORE_METRICS | LABEL_METRICS)
def test_labels_may_be_written_in_many_ways(name, writing):
    write, positive, other, pos_label = WRITINGS[writing]
    y, scores, predicted, weight = draw(3)
    if name in SCORE_METRICS:
        metric, plain, theirs = SCORE_METRICS[name], scores, scores
    else:
        metric, plain, theirs = LABEL_METRICS[name], predicted, np.where(predicted == 1, positive, other)
    np.testing.assert_array_equal(
        metric(write(y), theirs, pos_label=pos_label, sample_weight=weight), metric(y, plain, sample_weight=weight)
    )


@pytest.mark.parametrize("name", SCORE_METRICS)
def test_only_the_order_of_scores_matters(name):
    y, scores, _, weight = draw(4)
    metric = SCORE_METRICS[name]
    np.testing.assert_array_equal(
        metric(y, np.exp(scores) - 1e3, sample_weight=weight), metric(y, scores, sample_weight=weight)
    )


@pytest.mark.parametrize("name", ["blind", "trimmed", "auc", "average precision"])
def test_rows_of_weight_zero_are_not_there(name):
    y, scores, _, weight = draw(5)
    weight[::3] = 0
    there = weight > 0
    metric = SCORE_METRICS[name]
    full, part = metric(y, scores, sample_weight=weight), metric(y[there], scores[there], sample_weight=weight[there])
    assert full == pytest.approx(part, rel=1e-13)


# The AUC and its interval


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


# Scorers

data = make_paper_data(n_features=10, n_relevant=10, n_outliers=0, random_state=0)
SCORERS = [
    blind_auc_scorer,
    trimmed_blind_auc_scorer,
    lee_liu_scorer,
    make_pu_scorer(pu_auc_score, prior=Estimate(0.1, 0.05, 0.15)),
    make_pu_scorer(pu_average_precision_score, prior=0.1, contamination=0.05),
    make_pu_scorer(pu_f1_score, prior=0.1),
]
LABELS = {
    "numbers": (data.y_pu, 1),
    "the smaller label": (1 - data.y_pu, 0),
    "words": (np.where(data.y_pu == 1, "ill", "unknown"), "ill"),
}


@pytest.fixture(scope="module")
def held_out_scores():
    """By every scorer, on the same fits for every way of writing the labels."""

    def scored(labels):
        y, positive = LABELS[labels]
        scoring = {repr(scorer): scorer for scorer in SCORERS}
        if labels == "numbers":
            scoring["roc_auc"] = "roc_auc"
        estimator = BlindAUCClassifier(l2=100.0, pos_label=positive, calibrate=False)
        return cross_validate(estimator, data.X, y, scoring=scoring, cv=3)

    return {labels: scored(labels) for labels in LABELS}


def test_the_blind_scorer_is_roc_auc_of_labelled_against_unlabelled(held_out_scores):
    scores = held_out_scores["numbers"]
    np.testing.assert_allclose(scores[f"test_{blind_auc_scorer!r}"], scores["test_roc_auc"])


@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
def test_scorers_ask_the_estimator_for_the_positive_class(scorer, held_out_scores):
    plain, *others = (scores[f"test_{scorer!r}"] for scores in held_out_scores.values())
    assert len(set(plain)) > 1
    for other in others:
        np.testing.assert_array_equal(other, plain)


def test_scorers_search_grids_through_pipelines_and_pickle():
    pipeline = make_pipeline(StandardScaler(), BlindAUCClassifier(calibrate=False))
    scoring = {"blind": blind_auc_scorer, "auc": make_pu_scorer(pu_auc_score, prior=0.1)}
    grid = {"blindaucclassifier__l2": [1e-3, 1.0]}
    search = GridSearchCV(pipeline, grid, scoring=scoring, refit="auc", cv=3)
    search = pickle.loads(pickle.dumps(clone(search))).fit(data.X, data.y_pu)
    assert np.all(search.cv_results_["mean_test_auc"] > search.cv_results_["mean_test_blind"])
    assert blind_auc_scorer(search, data.X, data.y_pu) == blind_auc_score(data.y_pu, search.decision_function(data.X))


def test_scorers_take_probabilities_where_there_is_no_decision_function():
    bayes = GaussianNB().fit(data.X, data.y_pu)
    expected = blind_auc_score(data.y_pu, bayes.predict_proba(data.X)[:, 1])
    assert blind_auc_scorer(bayes, data.X, data.y_pu) == expected
    assert lee_liu_scorer(bayes, data.X, data.y_pu) == lee_liu_score(data.y_pu, bayes.predict(data.X))


def test_scorers_weigh():
    fitted = LogisticRegression().fit(data.X, data.y_pu)
    weight = np.random.default_rng(0).uniform(size=len(data.y_pu))
    expected = blind_auc_score(data.y_pu, fitted.decision_function(data.X), sample_weight=weight)
    assert blind_auc_scorer(fitted, data.X, data.y_pu, sample_weight=weight) == expected


def test_scorers_get_weights_that_are_routed():
    weight = np.random.default_rng(0).uniform(size=len(data.y_pu))
    with config_context(enable_metadata_routing=True):
        scorers = {
            "weighted": make_pu_scorer(blind_auc_score).set_score_request(sample_weight=True),
            "plain": make_pu_scorer(blind_auc_score).set_score_request(sample_weight=False),
        }
        estimator = LogisticRegression().set_fit_request(sample_weight=False)
        params = {"sample_weight": weight}
        result = cross_validate(estimator, data.X, data.y_pu, scoring=scorers, cv=3, params=params)
    assert np.all(result["test_weighted"] != result["test_plain"])
    plain = cross_val_score(LogisticRegression(), data.X, data.y_pu, scoring=blind_auc_scorer, cv=3)
    np.testing.assert_array_equal(result["test_plain"], plain)


def test_weights_that_a_scorer_did_not_request_are_refused():
    with config_context(enable_metadata_routing=True), pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        cross_validate(
            LogisticRegression().set_fit_request(sample_weight=True),
            np.arange(12.0)[:, None],
            np.tile([0, 1], 6),
            scoring=make_pu_scorer(blind_auc_score),
            params={"sample_weight": np.ones(12)},
        )


def test_a_scorer_without_what_its_metric_needs_is_refused():
    with pytest.raises(
        ValueError, match=r"pu_auc_score needs prior: pass make_pu_scorer\(pu_auc_score, prior=\.\.\.\)"
    ):
        make_pu_scorer(pu_auc_score)
    make_pu_scorer(lambda y, s, *, sample_weight, pos_label: 0.0)


def test_grid_search_takes_weights_with_our_scorers():
    weight = np.random.default_rng(0).integers(1, 4, len(data.y_pu))
    scoring = {"blind": blind_auc_scorer, "lee_liu": lee_liu_scorer}
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring=scoring, refit="blind", cv=3)
    search.fit(data.X, data.y_pu, sample_weight=weight)
    assert 0.5 < search.best_score_ < 1


# Displays

DISPLAYS = {"roc": PURocDisplay, "precision-recall": PUPrecisionRecallDisplay}


@pytest.fixture
def axes():
    import matplotlib.pyplot as plt

    _, ax = plt.subplots()
    yield ax
    plt.close("all")


@pytest.mark.parametrize("kind", DISPLAYS)
def test_displays_draw_their_curves(kind, axes):
    y, scores, _ = simulate(7)
    display = DISPLAYS[kind].from_predictions(
        y, scores, prior=0.3, name="mine", ax=axes, n_resamples=9, random_state=0, color="red"
    )
    assert display.ax_ is axes
    assert display.figure_ is axes.figure
    assert display.line_.get_color() == "red"
    assert display.line_.get_label().startswith("mine: A")
    curve = display.curve
    x, height = (curve.fpr, curve.tpr) if kind == "roc" else (curve.recall, curve.precision)
    np.testing.assert_array_equal(display.line_.get_xdata(), x)
    np.testing.assert_array_equal(display.line_.get_ydata(), height)
    assert len(axes.collections) == 1
    display.figure_.canvas.draw()


@pytest.mark.parametrize("kind", DISPLAYS)
def test_displays_of_estimators_know_the_positive_class(kind, axes):
    fitted = BlindAUCClassifier(l2=100.0, pos_label=0, calibrate=False).fit(data.X, 1 - data.y_pu)
    display = DISPLAYS[kind].from_estimator(fitted, data.X, 1 - data.y_pu, prior=0.1, ax=axes)
    same = DISPLAYS[kind].from_predictions(data.y_pu, fitted.decision_function(data.X), prior=0.1)
    np.testing.assert_array_equal(display.line_.get_ydata(), same.line_.get_ydata())
    assert display.line_.get_label().startswith("BlindAUCClassifier: A")
    assert not axes.collections


@pytest.mark.parametrize("kind", DISPLAYS)
def test_a_display_without_names_has_no_legend(kind, axes):
    y, scores, _ = simulate(8)
    curve = (pu_roc_curve if kind == "roc" else pu_precision_recall_curve)(y, scores, prior=0.3)
    assert DISPLAYS[kind](curve).plot(axes).ax_.get_legend() is None
    assert DISPLAYS[kind](curve, name="mine").plot(axes, name="yours").line_.get_label() == "yours"


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"blindauc\[plot\]"):
        PURocDisplay(pu_roc_curve([1, 0], [1, 0], prior=0.1)).plot()


# Bad input

y4, s4 = [1, 1, 0, 0], [4.0, 3.0, 2.0, 1.0]
BAD = {
    "prior 1": (lambda: pu_auc_score(y4, s4, prior=1.0), "prior is the share of positives among the unlabelled"),
    "prior missing": (lambda: pu_auc_score(y4, s4, prior=None), "prior is the share"),
    "curve's prior": (lambda: pu_roc_curve(y4, s4, prior=-0.1), "prior is the share"),
    "band's prior": (lambda: pu_roc_band(y4, s4, prior=1.1), "prior is the share"),
    "precision's prior": (lambda: pu_precision_score(y4, y4, prior=2), "prior is the share"),
    "contamination": (lambda: pu_f1_score(y4, y4, prior=0.1, contamination=-1), "contamination is the share"),
    "nothing left": (lambda: pu_average_precision_score(y4, s4, prior=0.6, contamination=0.4), "must be below 1"),
    "recall without prior": (lambda: pu_recall_score(y4, y4, contamination=0.1), "pass prior="),
    "no positives": (lambda: blind_auc_score([0, 0, 0], [1, 2, 3]), "Mark the labelled positives"),
    "weightless positives": (lambda: blind_auc_score(y4, s4, sample_weight=[0, 0, 1, 1]), "no labelled positive"),
    "no unlabelled": (lambda: blind_auc_score([1, 1], [1, 2]), "no unlabelled row"),
    "unknown class": (lambda: blind_auc_score(y4, s4, pos_label=7), "pos_label=7 is not among"),
    "NaN scores": (lambda: blind_auc_score(y4, [1, 2, np.nan, 3]), "y_score contains NaN"),
    "lengths": (lambda: positive_ranks(y4, s4[:3]), "y_pu has 4, y_score 3"),
    "probabilities": (lambda: blind_auc_score(y4, np.ones((4, 2))), r"\[:, 1\]"),
    "weights' length": (lambda: blind_auc_score(y4, s4, sample_weight=[1, 2]), "one weight per row"),
    "negative weights": (lambda: blind_auc_score(y4, s4, sample_weight=[1, -2, 1, 1]), "must not be negative"),
    "trim 1": (lambda: trimmed_blind_auc_score(y4, s4, trim=1.0), "trim is the share"),
    "trim below 0": (lambda: trimmed_blind_auc_score(y4, s4, trim=-0.1), "trim is the share"),
    "confidence": (lambda: pu_auc_score(y4, s4, prior=0.1, confidence=1), "confidence must lie"),
    "method": (lambda: pu_auc_score(y4, s4, prior=0.1, method="jackknife"), '"delong" or "bootstrap"'),
    "resamples": (lambda: pu_auc_score(y4, s4, prior=0.1, method="bootstrap", n_resamples=0), "at least 1"),
    "one positive": (lambda: pu_auc_score([1, 0, 0], [3, 2, 1], prior=0.1), "at least two labelled positives"),
    "scores for labels": (lambda: lee_liu_score(y4, s4), "compare scores with a threshold"),
    "foreign labels": (lambda: lee_liu_score(y4, [2, 3, 3, 3]), "write labels as in y_pu"),
    "labels' shape": (lambda: lee_liu_score(y4, np.ones((4, 1))), "one label per row"),
    "labels' length": (lambda: lee_liu_score(y4, [1, 1]), "y_pu has 4, y_pred 2"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case):
    call, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        call()
