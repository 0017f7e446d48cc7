"""Ranks by the double loop; weights, ways of writing labels, and bad input of every metric."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pu_scores import draw, seeds
from sklearn.metrics import roc_auc_score

from blindauc.metrics import (
    blind_auc_score,
    lee_liu_score,
    positive_ranks,
    pu_auc_score,
    pu_average_precision_score,
    pu_f1_score,
    pu_precision_score,
    pu_recall_score,
    pu_roc_band,
    pu_roc_curve,
    trimmed_blind_auc_score,
)

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


def slow_ranks(y, scores, weight):
    return np.array(
        [
            sum(q * ((f > g) + (f == g) / 2) for g, q in zip(scores[y == 0], weight[y == 0], strict=True))
            / weight[y == 0].sum()
            for f in scores[y == 1]
        ]
    )


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
