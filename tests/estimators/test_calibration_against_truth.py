"""Probabilities, doubtful labels, AUC and prior of a fit against the truth of simulated rows."""

import numpy as np
import pytest
from both_estimators import both
from sklearn.metrics import roc_auc_score

from blindauc import BlindAUCClassifier, PUErrorClassifier
from blindauc.datasets import make_paper_data
from blindauc.prior import expected_fdr
from blindauc.ranks import Ranked, share_below
from blindauc.theory import auc_from_blind_auc
from blindauc.trust import assess_ranks


def test_outliers_that_are_far_are_doubted_with_few_false_alarms():
    for seed in range(3):
        data = make_paper_data(n_features=20, n_outliers=6, n_relevant=15, random_state=seed)
        model = BlindAUCClassifier(n_outliers=6, l2=100.0, solver="path").fit(data.X, data.y_pu)
        rows = model.doubtful_labels()
        assert set(data.outliers) <= set(rows)
        assert len(rows) <= 12
        assert expected_fdr(model.suspicion_)[np.isin(model.labelled_rows_, rows)].max() <= 0.2


@both
@pytest.mark.parametrize("prior", [0.1, 0.3, 0.7])
def test_with_two_samples_probabilities_of_unlabelled_rows_average_to_the_prior(Estimator, prior):
    """Rows that the fit has not seen, drawn like the unlabelled ones; over several samples."""
    means = []
    for seed in range(5):
        X, y_pu, fresh, _ = two_normals(seed, 100, 400, prior)
        model = Estimator(l2=10.0, prior=prior, sampling="two_sample").fit(X, y_pu)
        means.append(model.predict_proba(fresh)[:, 1].mean())
    error = np.std(means, ddof=1) / np.sqrt(len(means))
    assert abs(np.mean(means) - prior) < 3 * error + 0.01


# --- calibration ---


def two_normals(seed, n_pos, n_unl, prior, n_features=4, distance=2.0):
    """Positives are `distance` standard deviations away along the diagonal; also rows like the unlabelled ones."""
    rng = np.random.default_rng(seed)
    hidden, fresh = rng.random(n_unl) < prior, rng.random(20_000) < prior
    truth = np.concatenate([np.ones(n_pos, dtype=bool), hidden, fresh])
    X = rng.normal(size=(len(truth), n_features)) + np.outer(truth, np.full(n_features, distance / n_features**0.5))
    n = n_pos + n_unl
    return X[:n], np.arange(n) < n_pos, X[n:], truth[n:]


def drawn_like_the_sample(fresh, truth, n_pos, n_unl, seed):
    """With so many positives more as there are labelled ones in a sample."""
    rows = np.random.default_rng(seed).integers(truth.sum(), size=len(fresh) * n_pos // n_unl)
    return np.vstack([fresh, fresh[truth][rows]]), np.append(truth, np.ones(len(rows), dtype=bool))


@pytest.mark.parametrize("sampling", ["one_sample", "two_sample"])
@pytest.mark.parametrize("distance", [2.0, 3.0])
def test_with_the_prior_probabilities_say_how_many_are_positive(sampling, distance):
    """In each fifth of the rows of the population, by probability, and in all of them, over several samples."""
    n_pos, n_unl, prior, gaps = 300, 1500, 0.3, []
    for seed in range(5):
        X, y, fresh, truth = two_normals(seed, n_pos, n_unl, prior, distance=distance)
        model = BlindAUCClassifier(l2=0.1, sampling=sampling, prior=prior).fit(X, y)
        if sampling == "one_sample":
            fresh, truth = drawn_like_the_sample(fresh, truth, n_pos, n_unl, seed)
        probability = model.predict_proba(fresh)[:, 1]
        parts = np.array_split(np.argsort(probability, kind="stable"), 5)
        gaps.append([probability[part].mean() - truth[part].mean() for part in parts])
    # A fifth of a sample holds 300 unlabelled rows, a few tens of them hidden positives: within 0.05 in each sample.
    assert np.abs(np.mean(gaps, axis=0)).max() < 0.05
    assert np.abs(np.mean(gaps)) < 0.01


@pytest.mark.parametrize("sampling", ["one_sample", "two_sample"])
def test_without_the_prior_they_are_as_good_as_its_estimate(sampling):
    """All probabilities together are off by what the prior is, and its interval says how much that may be."""
    n_pos, n_unl, prior, errors = 300, 1500, 0.3, []
    for seed in range(5):
        X, y, fresh, truth = two_normals(seed, n_pos, n_unl, prior)
        model = BlindAUCClassifier(l2=0.1, sampling=sampling).fit(X, y)
        assert model.prior_.low <= prior <= model.prior_.high
        share = 1.0
        if sampling == "one_sample":
            fresh, truth = drawn_like_the_sample(fresh, truth, n_pos, n_unl, seed)
            share = n_unl / (n_pos + n_unl)
        gap = model.predict_proba(fresh)[:, 1].mean() - truth.mean()
        wrong = n_pos / (n_pos + n_unl) * float(model.contamination_) if sampling == "one_sample" else 0.0
        errors.append(gap - (share * (model.prior_ - prior) - wrong))
    assert np.abs(errors).max() < 0.03


def test_one_sample_probabilities_are_higher():
    X, y, fresh, _ = two_normals(0, 200, 400, 0.2)
    one, two = (
        BlindAUCClassifier(l2=0.1, sampling=kind).fit(X, y).predict_proba(fresh)[:, 1]
        for kind in ("one_sample", "two_sample")
    )
    assert (one >= two - 1e-12).all()
    assert one.mean() > two.mean() + 0.1


# --- how good the ranking is ---


def test_a_ranking_that_may_be_worse_than_chance_is_told_so():
    rng = np.random.default_rng(0)
    for distance, most in ((0.0, 0.6), (-1.0, 0.5)):
        auc = assess_ranks(ranks_of(rng.normal(distance, 1, 200), rng.normal(0, 1, 800))).auc
        assert auc.low < 0.5
        assert auc < most


def test_a_third_of_far_labels_does_not_make_a_good_ranking_look_like_chance():
    """Their ranks of 0 draw the mean rank of all labels to one half."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        pos = np.concatenate([rng.normal(-30, 1, 105), rng.normal(1.5, 1, 195)])
        ranked = ranks_of(pos, rng.normal(np.where(rng.random(3000) < 0.2, 1.5, 0.0)))
        assert ranked.pos.mean() < 0.53
        auc = assess_ranks(ranked).auc
        assert auc.low > 0.6
        assert auc.low <= 0.856 <= auc.high  # Phi(1.5 / sqrt(2))


def test_without_wrong_labels_and_given_the_prior_the_auc_is_that_of_theorem_one():
    """Within half of its interval, over several samples; and the interval holds what the theorem says."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        ranked = ranks_of(rng.normal(2, 1, 300), rng.normal(np.where(rng.random(3000) < 0.2, 2.0, 0.0)))
        auc = assess_ranks(ranked, prior=0.2).auc
        by_theorem = auc_from_blind_auc(ranked.pos.mean(), 0.2)
        assert auc.low <= by_theorem <= auc.high
        assert abs(auc - by_theorem) < (auc.high - auc.low) / 2


def ranks_of(pos, unl):
    weight = np.ones(len(unl))
    return Ranked(share_below(pos, unl, weight), share_below(unl, unl, weight), np.ones(len(pos)), weight)


# --- the prior that was not given ---


@pytest.mark.parametrize("risk", ["paper", "unbiased", "nonnegative"])
def test_pu_error_estimates_the_prior_that_it_needs(risk):
    X, y, fresh, truth = two_normals(0, 200, 600, 0.3, distance=3.0)
    model = PUErrorClassifier(risk=risk, l2=0.1).fit(X, y)
    assert model.prior is None
    assert model.prior_.low <= 0.3 <= model.prior_.high
    assert ((model.decision_function(fresh) > 0) == truth).mean() > 0.85
    assert model.auc_.low <= roc_auc_score(truth, model.decision_function(fresh)) <= model.auc_.high
