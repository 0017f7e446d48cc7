"""Baselines are what they say, and the choice is compared with them."""

import numpy as np
import pytest
import scipy.sparse as sp
from candidates import DATA
from instances import as_data
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from blindauc import Estimate
from blindauc.choice.baselines import BASELINES, Comparison, compare, difference_of_means, l1_logistic
from blindauc.choice.belief import Belief
from blindauc.choice.weights import gibbs_weights
from blindauc.datasets import make_paper_data
from blindauc.evidence.folds import fold_splits


def test_the_difference_of_means_is_just_that():
    weight = np.random.default_rng(0).uniform(0.5, 2, len(DATA.row))
    for X in (DATA.X, sp.csr_matrix(DATA.X), DATA.X.astype(np.float32)):
        plain, scaled = difference_of_means(as_data(X, DATA.is_positive, weight))
        pos, unl = (np.average(DATA.X[k], axis=0, weights=weight[k]) for k in (DATA.is_positive, ~DATA.is_positive))
        variance = np.cov(DATA.X, rowvar=False, aweights=weight, ddof=0).diagonal()
        np.testing.assert_allclose(plain, pos - unl, rtol=1e-4)
        np.testing.assert_allclose(scaled, (pos - unl) / variance, rtol=1e-4)


def test_logistic_regressions_rank_and_select():
    clean = make_paper_data(n_features=9, n_outliers=0, n_relevant=9, n_pos=200, n_negatives=500, random_state=0)
    weights = l1_logistic(as_data(clean.X, clean.y_pu == 1))
    n_selected = [np.count_nonzero(coef) for coef in weights]
    assert n_selected == sorted(n_selected)
    # The best score there is has the AUC of normal scores 2 * sqrt(9) / 7 standard deviations apart.
    assert roc_auc_score(clean.y_test, clean.X_test @ weights[-1]) > norm.cdf(2 * 3 / 7 / np.sqrt(2)) - 0.05
    weights = l1_logistic(DATA)
    # The units of the columns are of no concern.
    rescaled = l1_logistic(as_data(DATA.X * 10.0 ** np.arange(9), DATA.is_positive))
    np.testing.assert_allclose(rescaled[-1] * 10.0 ** np.arange(9), weights[-1], rtol=1e-2, atol=1e-4)


def test_comparisons_against_a_slow_loop():
    weight = np.random.default_rng(0).uniform(0.5, 2, len(DATA.row))
    data, chosen = as_data(DATA.X, DATA.is_positive, weight), np.linspace(0.3, 0.9, 40)
    splits = fold_splits(data, 3, seed=0)[:2]  # a third of the positives is never held out
    known = (splits[0].held_out | splits[1].held_out)[:40]
    for comparison in compare(data, splits, np.where(known, chosen, np.nan)):
        baseline = BASELINES[comparison.name]
        ranks = np.full((len(baseline(data)), 40), np.nan)
        for split in splits:
            judged, unlabelled = split.held_out & data.is_positive, split.held_out & ~data.is_positive
            for k, coef in enumerate(baseline(data.subset(split.fitted))):
                unl = data.X[unlabelled] @ coef
                ranks[k, split.held_out[:40]] = [
                    np.average((score > unl) + 0.5 * (score == unl), weights=weight[unlabelled])
                    for score in data.X[judged] @ coef
                ]
        scores = [np.average(row[known], weights=weight[:40][known]) for row in ranks]
        assert comparison.score == pytest.approx(max(scores))
        assert comparison.advantage == pytest.approx(
            np.average(chosen[known], weights=weight[:40][known]) - max(scores)
        )


def test_a_baseline_is_as_good_unless_the_choice_is_surely_better():
    assert Comparison("x", 0.8, Estimate(0.01, -0.01, 0.03)).is_as_good
    assert Comparison("x", 0.8, Estimate(-0.05, -0.07, -0.03)).is_as_good
    assert not Comparison("x", 0.8, Estimate(0.05, 0.03, 0.07)).is_as_good


def test_weights_of_a_fold_are_as_sharp_as_those_of_all_positives_that_were_held_out():
    """Where splits hold out only some positives, the others have no rank and must not count."""
    ranks = np.array([[0.9, 0.9, np.nan, np.nan], [0.7, 0.7, np.nan, np.nan]])
    everyone = gibbs_weights(Belief.of_one_branch(np.zeros(2)), ranks, np.ones(4))
    one_of_two = gibbs_weights(
        Belief.of_one_branch(np.zeros(2)), ranks, np.ones(4), kept=np.array([True, False, True, True])
    )
    np.testing.assert_allclose(one_of_two, everyone)
    nobody = gibbs_weights(
        Belief.of_one_branch(np.log([0.3, 0.7])), ranks, np.ones(4), kept=np.array([False, False, True, True])
    )
    np.testing.assert_allclose(nobody, [0.3, 0.7])
