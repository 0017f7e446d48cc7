"""The score model and its AUC: curves, calibration, given numbers, and intervals of a new distribution."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from prior_samples import SMALL, gamma_sample, samples
from scipy import stats

from blindauc.prior import explain_scores, fit_score_model

# --- the score model ---


@pytest.mark.parametrize("case", SMALL)
@pytest.mark.parametrize(
    "given", [{}, {"prior": 0.4}, {"prior": 0.0, "contamination": 0.2}, {"prior": 1.0, "contamination": 1.0}]
)
def test_curves_are_monotone_probabilities_that_average_to_the_prior(case, given):
    labelled, unlabelled = (np.asarray(scores) for scores in SMALL[case])
    model = fit_score_model(labelled, unlabelled, **given)
    check_curves(model, labelled, unlabelled)
    if "prior" in given:
        assert model.estimate.prior == model.estimate.prior.low == model.estimate.prior.high == given["prior"]


@pytest.mark.parametrize("contamination", [0.0, 0.15])
@pytest.mark.parametrize("distance", [0.0, 1.0, 3.0])
def test_curves_of_larger_samples(distance, contamination):
    labelled, unlabelled = samples(distance=distance, contamination=contamination)
    check_curves(fit_score_model(labelled, unlabelled), labelled, unlabelled)


def check_curves(model, labelled, unlabelled):
    ordered = np.sort(np.concatenate([labelled, unlabelled, [-1e301, 1e301]]))
    probability, suspicion = model.probability(ordered), model.suspicion(ordered)
    for curve in (probability, suspicion):
        assert ((curve >= 0) & (curve <= 1)).all()
    assert (np.diff(probability) >= 0).all()
    assert (np.diff(suspicion) <= 0).all()
    assert model.probability(unlabelled).mean() == pytest.approx(model.estimate.prior, abs=1e-9)


def test_given_numbers_are_respected():
    labelled, unlabelled = samples(contamination=0.1)
    model = fit_score_model(labelled, unlabelled, prior=0.25, contamination=0.1)
    assert (model.estimate.prior, model.estimate.contamination) == (0.25, pytest.approx(0.1))
    assert model.probability(unlabelled).mean() == pytest.approx(0.25, abs=1e-9)
    assert model.suspicion(labelled).mean() == pytest.approx(0.1, abs=0.03)
    assert not fit_score_model(labelled, unlabelled, contamination=0.0).suspicion(labelled).any()


@pytest.mark.parametrize("contamination", [0.0, 0.05, 0.12])
def test_a_given_contamination_is_respected_where_far_ones_are_found(contamination):
    labelled, unlabelled = samples()
    labelled[:20] = -20 - np.arange(20)
    model = fit_score_model(labelled, unlabelled, contamination=contamination)
    found = model.estimate.contamination
    assert found == found.low == found.high == contamination
    assert model.suspicion(labelled).mean() == pytest.approx(contamination, abs=0.06)


def test_weights_below_one_are_a_small_sample():
    labelled, unlabelled = samples(n_lab=30, n_unl=60)
    model = fit_score_model(labelled, unlabelled, pos_weight=np.full(30, 1 / 60), unl_weight=np.full(60, 1 / 600))
    assert 0 < model.estimate.prior < 1
    check_curves(model, labelled, unlabelled)


def test_probabilities_are_calibrated():
    rng = np.random.default_rng(0)
    truth = rng.random(4000) < 0.3
    unlabelled = rng.normal(np.where(truth, 2.5, 0.0))
    probability = fit_score_model(rng.normal(2.5, 1, 1000), unlabelled, prior=0.3).probability(unlabelled)
    for low, high in pairwise((0.0, 0.05, 0.3, 0.7, 0.95, 1.0)):
        inside = (probability >= low) & (probability <= high)
        assert abs(probability[inside].mean() - truth[inside].mean()) < 0.08


def test_the_model_follows_an_increasing_transform():
    labelled, unlabelled = samples(contamination=0.1)
    model = fit_score_model(labelled, unlabelled)
    moved = fit_score_model(np.sinh(labelled), np.sinh(unlabelled))
    new = np.linspace(-4, 6, 101)
    np.testing.assert_array_equal(model.probability(new), moved.probability(np.sinh(new)))
    np.testing.assert_array_equal(model.suspicion(new), moved.suspicion(np.sinh(new)))


def test_the_model_is_small_and_survives_pickling():
    model = fit_score_model(*samples(n_lab=3000, n_unl=9000))
    assert len(model.edges) < 100
    assert len(model.probabilities) == len(model.suspicions) == len(model.edges) + 1
    again = pickle.loads(pickle.dumps(model))
    assert again.estimate == model.estimate
    np.testing.assert_array_equal(again.suspicion([0.0, 1.0]), model.suspicion([0.0, 1.0]))


@pytest.mark.parametrize(
    ("given", "words"), [({"prior": 1.5}, "prior is a share"), ({"contamination": -0.1}, "contamination is a share")]
)
def test_a_given_share_is_checked(given, words):
    with pytest.raises(ValueError, match=words):
        fit_score_model([1.0], [0.0], **given)


def test_scores_to_judge_are_checked():
    with pytest.raises(ValueError, match="scores holds NaN"):
        fit_score_model([1.0], [0.0]).probability([np.nan])


# --- the AUC ---


def test_the_explanation_holds_the_score_model():
    labelled, unlabelled = samples(contamination=0.1)
    model, found = fit_score_model(labelled, unlabelled, prior=0.3), explain_scores(labelled, unlabelled, prior=0.3)
    assert found.model.estimate == model.estimate
    np.testing.assert_array_equal(found.model.suspicions, model.suspicions)


@pytest.mark.parametrize("case", SMALL)
def test_small_and_tied_samples_have_an_auc(case):
    for prior in (None, 0.0, 0.4, 1.0):
        auc = explain_scores(*SMALL[case], prior=prior).auc
        assert 0.5 <= auc.low <= auc <= auc.high <= 1


def test_the_auc_depends_on_ranks_alone_and_weights_repeat_rows():
    labelled, unlabelled = samples(n_lab=80, n_unl=200)
    auc = explain_scores(labelled, unlabelled).auc
    for other in (explain_scores(labelled[::-1], unlabelled[::-1]), explain_scores(labelled**3, unlabelled**3)):
        assert (auc, auc.low, auc.high) == (other.auc, other.auc.low, other.auc.high)
    weight = np.random.default_rng(1).integers(0, 4, 80)
    weighted = explain_scores(labelled, unlabelled, pos_weight=weight).auc
    repeated = explain_scores(np.repeat(labelled, weight), unlabelled).auc
    assert (weighted, weighted.low, weighted.high) == (repeated, repeated.low, repeated.high)


def test_the_auc_is_surer_with_confidence_rows_and_prior():
    labelled, unlabelled = samples()
    narrow, wide = (explain_scores(labelled, unlabelled, confidence=c).auc for c in (0.5, 0.99))
    assert wide.low < narrow.low <= narrow == wide <= narrow.high < wide.high
    widths = [
        np.mean([auc.high - auc.low for auc in (explain_scores(*samples(s, *n), **given).auc for s in range(4))])
        for n, given in (((100, 400), {}), ((400, 1600), {}), ((400, 1600), {"prior": 0.3}))
    ]
    assert widths[0] > 1.3 * widths[1] > 1.3 * 1.1 * widths[2]


@pytest.mark.slow
@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("kind", ["clean", "ordinary", "far"])
def test_intervals_hold_the_truth_of_a_new_distribution(kind, given):
    """Of 60 draws at least 52: with 57 expected, fewer come by chance once in 100 times."""
    prior, contamination = 0.2, 0.0 if kind == "clean" else 0.1
    # Of two gamma variables of shape 3 the ratio has an F distribution.
    auc = stats.f(6, 6).cdf(2.6)
    held = np.zeros(3)
    for seed in range(60):
        labelled, unlabelled, _ = gamma_sample(seed, kind)
        found = explain_scores(labelled, unlabelled, prior=prior if given else None)
        numbers = found.auc, found.model.estimate.prior, found.model.estimate.contamination
        held += [n.low <= true <= n.high for n, true in zip(numbers, (auc, prior, contamination), strict=True)]
    assert (held >= 52).all()
