"""Promises of every estimator of the prior: what it finds, what must not matter, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from prior_samples import SMALL, samples

from blindauc.prior import PRIOR_ESTIMATORS, best_bin_prior, estimate_prior, mixture_prior

METHODS = sorted(PRIOR_ESTIMATORS)


def apart(n_unl_pos, n_unl_neg, n_lab=300):
    """Positives on (10, 11), negatives on (0, 1), evenly spaced."""
    middle = lambda n: (np.arange(n) + 0.5) / n  # noqa: E731
    return 10 + middle(n_lab), np.concatenate([10 + middle(n_unl_pos), middle(n_unl_neg)])


# --- the prior ---


@pytest.mark.parametrize("n_pos", [50, 300, 700])
@pytest.mark.parametrize("method", METHODS)
def test_classes_far_apart_give_the_count(method, n_pos):
    found = estimate_prior(*apart(n_pos, 1000 - n_pos), method=method)
    assert found.method == method
    assert abs(found.prior - n_pos / 1000) < 0.02
    assert found.prior.low < n_pos / 1000 < found.prior.high
    assert found.prior.high - found.prior.low < 0.2
    assert found.contamination.low == 0
    assert found.contamination.high < 0.05


def test_best_bin_is_exact_where_classes_are_apart():
    assert best_bin_prior(*apart(300, 700)).prior == pytest.approx(0.3, abs=1e-12)


def test_best_bin_against_the_double_loop():
    labelled, unlabelled = samples(n_lab=60, n_unl=150)
    widths = np.sqrt(np.log(4 / 0.05) / 2 / 60) + np.sqrt(np.log(4 / 0.05) / 2 / 150)
    cuts = [(np.mean(unlabelled >= c), np.mean(labelled >= c)) for c in labelled]
    best = min(cuts, key=lambda q: (q[0] + widths) / q[1])
    assert best_bin_prior(labelled, unlabelled).prior == pytest.approx(best[0] / best[1])


@pytest.mark.parametrize("every", [5, 10])
def test_wrong_labels_are_counted_where_classes_are_apart(every):
    labelled, unlabelled = apart(300, 700)
    labelled[::every] -= 10
    found = mixture_prior(labelled, unlabelled)
    assert abs(found.contamination - 1 / every) < 0.03
    assert found.contamination.low < 1 / every < found.contamination.high
    assert abs(found.prior - 0.3) < 0.03


def test_the_interval_holds_the_prior_and_is_wide_where_classes_overlap():
    for prior in (0.1, 0.5):
        near = [mixture_prior(*samples(seed, prior=prior, distance=0.7)).prior for seed in range(3)]
        far = [mixture_prior(*samples(seed, prior=prior, distance=3.0)).prior for seed in range(3)]
        assert sum(found.low <= prior <= found.high for found in near + far) >= 5
        assert np.mean([abs(found - prior) for found in far]) < 0.05
        assert np.mean([f.high - f.low for f in near]) > 1.5 * np.mean([f.high - f.low for f in far])


def test_contamination_does_not_raise_the_prior():
    errors = [mixture_prior(*samples(seed, contamination=0.1, distance=3.0)).prior - 0.3 for seed in range(4)]
    assert np.mean(np.abs(errors)) < 0.06


def test_many_more_unlabelled_than_labelled_and_the_other_way_round():
    for n_lab, n_unl, prior in ((50, 50_000, 0.02), (5000, 50, 0.3)):
        found = mixture_prior(*samples(0, n_lab, n_unl, prior, distance=3.0)).prior
        assert found.low <= prior <= found.high


def test_a_higher_confidence_gives_a_wider_interval():
    labelled, unlabelled = samples()
    for method in METHODS:
        narrow, wide = (estimate_prior(labelled, unlabelled, method=method, confidence=c).prior for c in (0.5, 0.99))
        assert wide.low < narrow.low <= narrow == wide <= narrow.high < wide.high
        assert wide.confidence == 0.99


# --- promises of every estimator ---


@pytest.mark.parametrize("case", SMALL)
@pytest.mark.parametrize("method", METHODS)
def test_small_and_tied_samples_have_an_answer(method, case):
    found = estimate_prior(*SMALL[case], method=method)
    for number in (found.prior, found.contamination):
        assert 0 <= number.low <= number <= number.high <= 1


@pytest.mark.parametrize("method", METHODS)
def test_only_ranks_matter(method):
    labelled, unlabelled = samples()
    assert estimate_prior(labelled, unlabelled, method=method) == estimate_prior(
        np.exp(3 * labelled) - 7, np.exp(3 * unlabelled) - 7, method=method
    )


@pytest.mark.parametrize("method", METHODS)
def test_weights_equal_repetition(method):
    labelled, unlabelled = samples(n_lab=80, n_unl=200)
    rng = np.random.default_rng(1)
    pos_weight, unl_weight = rng.integers(0, 4, len(labelled)), rng.integers(0, 3, len(unlabelled))
    weighted = estimate_prior(labelled, unlabelled, method=method, pos_weight=pos_weight, unl_weight=unl_weight)
    repeated = estimate_prior(np.repeat(labelled, pos_weight), np.repeat(unlabelled, unl_weight), method=method)
    assert weighted == repeated


@pytest.mark.parametrize("method", METHODS)
def test_order_of_rows_does_not_matter_and_answers_repeat(method):
    labelled, unlabelled = samples()
    first = estimate_prior(labelled, unlabelled, method=method)
    assert first == estimate_prior(labelled, unlabelled, method=method)
    assert first == estimate_prior(labelled[::-1], unlabelled[::-1], method=method)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"pos_scores": [1.0, np.nan]}, "pos_scores holds NaN"),
        ({"unl_scores": [1.0, np.inf]}, "unl_scores holds NaN or infinity"),
        ({"pos_scores": []}, "pos_scores is empty"),
        ({"unl_scores": np.ones((3, 2))}, "unl_scores must be one-dimensional"),
        ({"pos_weight": [1.0]}, "pos_weight has 1 entries for 2 scores"),
        ({"unl_weight": [1.0, -1.0, 1.0]}, "unl_weight must be non-negative"),
        ({"unl_weight": [0.0, 0.0, 0.0]}, "unl_weight must be non-negative"),
        ({"confidence": 1.0}, "confidence"),
        ({"confidence": 0.0}, "confidence"),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_bad_input_is_named(method, change, words):
    arguments = {"pos_scores": [1.0, 2.0], "unl_scores": [0.0, 1.0, 2.0], **change}
    with pytest.raises(ValueError, match=words):
        estimate_prior(**arguments, method=method)


def test_an_unknown_method_is_named():
    with pytest.raises(ValueError, match=r"best_bin.*mixture.*not 'magic'"):
        estimate_prior([1.0], [0.0], method="magic")
