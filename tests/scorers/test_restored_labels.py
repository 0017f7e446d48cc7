"""Labels that a linear fit leaves out and that are more likely right return to the fit; far wrong labels do not."""

from functools import cache

import numpy as np
import pytest
from instances import as_data, linear_scorer
from scipy.special import expit

from blindauc.estimators.shapes import scorer_of
from blindauc.evidence.likelihood import wrong_probability
from blindauc.scorers import Spec, derived

N_LABELLED, N_WRONG, N_UNLABELLED, P = 240, 40, 1500, 4
WRONG = np.arange(N_LABELLED) >= N_LABELLED - N_WRONG
SPEC = {
    "curves": Spec("standard", "logistic", 1.0, 0.4, None, "curves"),
    "kernel 0.3": Spec("standard", "logistic", 1.0, 0.4, None, "kernel", 0.3),
}


@cache
def rows():
    """The log odds rise with the first column and with the square of the second; a sixth of the labels is far."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, P))
    is_true = rng.random(len(X)) < expit(2.0 * X[:, 0] + 2.0 * X[:, 1] ** 2 - 5.0)
    right = X[is_true][: N_LABELLED - N_WRONG]
    far = X[~is_true][:N_WRONG] - np.array([6.0, 0, 0, 0])
    return as_data(np.concatenate([right, far, X[-N_UNLABELLED:]]), np.arange(N_LABELLED + N_UNLABELLED) < N_LABELLED)


def scorer(family):
    shape, *gamma = family.split()
    every = scorer_of(
        linear_scorer(n_features=P), rows(), [shape], list(map(float, gamma)), has_intercept=False, seed=0
    )
    return every.of_family[family]


@pytest.mark.parametrize("family", SPEC)
def test_correct_labels_are_restored_and_far_wrong_ones_are_not(family):
    data, spec = rows(), SPEC[family]
    may_be_left_out = scorer(family).screening(data, spec).outliers[0]
    left_out = scorer(family).path(data, [spec]).outliers[0]
    assert may_be_left_out.sum() == round(spec.n_outliers * N_LABELLED)
    assert (left_out <= may_be_left_out).all()
    assert may_be_left_out[WRONG].mean() > 0.9
    np.testing.assert_array_equal(left_out[WRONG], may_be_left_out[WRONG])
    assert left_out[~WRONG].sum() < 0.8 * may_be_left_out[~WRONG].sum()
    np.testing.assert_array_equal(left_out, scorer(family).left_out(data, spec))


@pytest.mark.parametrize("family", SPEC)
def test_labels_are_left_out_if_their_linear_ranks_are_more_likely_of_wrong_labels(family):
    data, spec, of = rows(), SPEC[family], scorer(family)
    screening = of.screening(data, spec)
    scores = screening.scores(data.X)[:, 0]
    unlabelled = scores[N_LABELLED:]
    ranks = np.array([np.mean(unlabelled < s) + np.mean(unlabelled == s) / 2 for s in scores[:N_LABELLED]])
    expected = screening.outliers[0] & (wrong_probability(ranks, np.ones(N_LABELLED)) > 0.5)
    np.testing.assert_array_equal(of.path(data, [spec]).outliers[0], expected)


def test_many_unlabelled_rows_are_sampled_for_the_ranks(monkeypatch):
    data, spec, of = rows(), SPEC["curves"], scorer("curves")
    exact = of.left_out(data, spec)
    monkeypatch.setattr(derived, "RANKED_ROWS", N_UNLABELLED // 4)
    assert np.mean(of.left_out(data, spec) != exact) < 0.02


@pytest.mark.parametrize("family", SPEC)
def test_a_spec_has_the_outliers_that_it_has_among_others(family):
    data, spec, of = rows(), SPEC[family], scorer(family)
    others = [Spec(spec.scaling, spec.loss, l2, spec.n_outliers, None, spec.shape, spec.gamma) for l2 in (0.01, 1.0)]
    np.testing.assert_array_equal(of.path(data, others).outliers, np.tile(of.path(data, [spec]).outliers, (2, 1)))
