"""What scores mean after a fit: probabilities, thresholds, doubtful labels, the prior that was not given."""

import warnings
from copy import deepcopy

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from blindauc import BlindAUCClassifier, Estimate, PUErrorClassifier
from blindauc.datasets import make_paper_data
from blindauc.estimators.explained import OF_CALIBRATION
from blindauc.prior import expected_fdr
from blindauc.ranks import Ranked, share_below
from blindauc.theory import auc_from_blind_auc
from blindauc.trust import assess_ranks

DATA = make_paper_data(n_features=10, n_outliers=4, n_relevant=8, n_pos=60, n_negatives=160, random_state=1)
UNLABELLED = DATA.X[DATA.y_pu == 0]
ESTIMATORS = [BlindAUCClassifier, PUErrorClassifier]
both = pytest.mark.parametrize("Estimator", ESTIMATORS)

CASES = {
    "default": {},
    "two samples": {"sampling": "two_sample"},
    "prior": {"prior": 0.2},
    "prior and two samples": {"prior": 0.2, "sampling": "two_sample"},
    "outliers and features": {"n_outliers": 4, "n_features_to_select": 6, "max_swaps": 2, "prior": 0.2},
    "trimmed": {"n_outliers": 4, "outlier_handling": "trim", "max_swaps": 2, "prior": 0.2},
    "path": {"solver": "path", "scaling": "robust", "n_outliers": 0.1, "prior": 0.2},
    "no ridge": {"l2": 0.0, "prior": 0.2},
    "hinge": {"loss": "squared_hinge", "prior": 0.2},
}
BY_SHARE = {"by share": {"threshold": "share"}}
"""Its predictions are not the more probable class."""


@pytest.fixture(scope="module")
def models():
    """Each case fitted once for all tests."""
    made = {}

    def model(Estimator, case):
        if (Estimator, case) not in made:
            params = (CASES | BY_SHARE)[case]
            made[Estimator, case] = Estimator(**{"l2": 10.0, **params}).fit(DATA.X, DATA.y_pu)
        return made[Estimator, case]

    return model


@both
@pytest.mark.parametrize("case", CASES)
class TestEveryFit:
    def test_probabilities_are_probabilities(self, models, Estimator, case):
        found = models(Estimator, case).predict_proba(DATA.X_test)
        assert found.shape == (len(DATA.X_test), 2)
        assert ((found >= 0) & (found <= 1)).all()
        np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)

    def test_they_never_fall_as_the_decision_function_grows(self, models, Estimator, case):
        model = models(Estimator, case)
        order = np.argsort(model.decision_function(DATA.X_test), kind="stable")
        assert (np.diff(model.predict_proba(DATA.X_test)[order, 1]) >= 0).all()

    def test_predictions_are_the_more_probable_class(self, models, Estimator, case):
        model = models(Estimator, case)
        for X in (DATA.X, DATA.X_test):
            predicted = model.predict(X)
            np.testing.assert_array_equal(predicted, model.classes_[model.predict_proba(X).argmax(axis=1)])
            np.testing.assert_array_equal(predicted == 1, model.decision_function(X) > 0)

    def test_what_is_known_is_an_estimate(self, models, Estimator, case):
        model = models(Estimator, case)
        for number in (model.prior_, model.contamination_, model.auc_):
            assert isinstance(number, Estimate)
            assert 0 <= number.low <= number <= number.high <= 1
        if "prior" in CASES[case]:
            assert model.prior_ == CASES[case]["prior"]
        np.testing.assert_array_equal(model.labelled_rows_, np.flatnonzero(DATA.y_pu == 1))
        assert model.suspicion_.shape == (60,)
        assert ((model.suspicion_ >= 0) & (model.suspicion_ <= 1)).all()

    def test_doubtful_labels_are_labelled_rows_in_falling_order_of_suspicion(self, models, Estimator, case):
        model = models(Estimator, case)
        suspicion = dict(zip(model.labelled_rows_, model.suspicion_, strict=True))
        sizes = []
        for max_fdr in (0.05, 0.2, 0.5):
            rows = model.doubtful_labels(max_fdr)
            assert (DATA.y_pu[rows] == 1).all()
            assert len(set(rows)) == len(rows)
            each = np.array([suspicion[row] for row in rows])
            assert (np.diff(each) <= 0).all()
            assert not len(each) or np.mean(1 - each) <= max_fdr + 1e-12
            left_out = np.setdiff1d(model.labelled_rows_, rows)
            assert not len(each) or max(suspicion[row] for row in left_out) <= each.min()
            sizes.append(len(rows))
        assert sizes == sorted(sizes)


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


# --- thresholds ---


@both
@pytest.mark.parametrize("prior", [0.1, 0.35])
@pytest.mark.parametrize("calibrate", [True, False])
def test_by_share_as_many_unlabelled_rows_are_predicted_positive_as_the_prior_says(Estimator, prior, calibrate):
    model = Estimator(l2=10.0, prior=prior, threshold="share", calibrate=calibrate).fit(DATA.X, DATA.y_pu)
    assert model.predict(UNLABELLED).mean() == pytest.approx(prior, abs=0.5 / len(UNLABELLED) + 1e-12)


@both
def test_by_share_the_estimated_prior_counts_where_none_is_given(models, Estimator):
    model = models(Estimator, "by share")
    assert model.predict(UNLABELLED).mean() == pytest.approx(float(model.prior_), abs=0.5 / len(UNLABELLED) + 1e-12)


@both
def test_the_threshold_moves_no_weight_and_no_probability(models, Estimator):
    one, other = (models(Estimator, case) for case in ("default", "by share"))
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.predict_proba(DATA.X_test), other.predict_proba(DATA.X_test))


# --- without calibration ---

LEARNT = ("calibration_", "prior_", "contamination_", "auc_", "suspicion_")


@both
def test_without_calibration_there_are_no_probabilities(models, Estimator):
    model = Estimator(calibrate=False, l2=10.0, prior=0.2)
    assert not hasattr(model, "predict_proba")
    model.fit(DATA.X, DATA.y_pu)
    for name in ("predict_proba", "doubtful_labels", *LEARNT):
        assert not hasattr(model, name)
    for name in OF_CALIBRATION:
        with pytest.raises(AttributeError, match=f"^{name} needs calibrate=True"):
            getattr(model, name)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense_'"):
        _ = model.nonsense_
    np.testing.assert_array_equal(model.coef_, models(Estimator, "prior").coef_)


@both
def test_a_fit_without_calibration_forgets_that_of_an_earlier_one(models, Estimator):
    model = deepcopy(models(Estimator, "prior"))
    model.set_params(calibrate=False).fit(-DATA.X, DATA.y_pu)
    for name in ("predict_proba", "doubtful_labels", *LEARNT):
        assert not hasattr(model, name)


# --- small and odd data ---

TINY = {
    "two and one": (2, 1),
    "two and two": (2, 2),
    "two and many": (2, 30),
    "many and one": (30, 1),
    "many and two": (30, 2),
    "four and three": (4, 3),
}


@both
@pytest.mark.parametrize("case", TINY)
@pytest.mark.parametrize("params", [{}, {"solver": "path", "prior": 0.3, "threshold": "share"}], ids=["", "path"])
def test_tiny_data_work(Estimator, case, params):
    n_pos, n_unl = TINY[case]
    X = np.random.default_rng(0).normal(size=(n_pos + n_unl, 2))
    y = np.arange(n_pos + n_unl) < n_pos
    model = Estimator(l2=0.1, **params).fit(X, y)
    assert ((model.predict_proba(X) >= 0) & (model.predict_proba(X) <= 1)).all()
    assert 0 <= model.auc_.low <= model.auc_.high <= 1


@both
def test_too_few_labels_are_warned_of_once(Estimator):
    rows = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.warns(UserWarning, match="cannot be estimated: at least 15 different rows have to be labelled") as told:
        Estimator().fit(rows, np.arange(60) < 14)
    assert len(told) == 1
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Estimator().fit(rows, np.arange(60) < 15)
        Estimator(calibrate=False).fit(rows, np.arange(60) < 14)


@both
def test_constant_rows_have_one_probability(Estimator):
    model = Estimator().fit(np.ones((50, 2)), np.arange(50) < 20)
    found = model.predict_proba(np.ones((3, 2)))
    assert len(np.unique(found[:, 1])) == 1
    np.testing.assert_array_equal(model.predict(np.ones((3, 2))), found[:, 1] > 0.5)


@both
def test_scores_beyond_those_of_the_training_rows_have_the_nearest_probability(models, Estimator):
    model = models(Estimator, "default")
    direction = model.coef_ / np.linalg.norm(model.coef_)
    low, high = model.predict_proba(np.outer([-1e6, 1e6], direction))[:, 1]
    inside = model.predict_proba(DATA.X)[:, 1]
    assert low <= inside.min()
    assert high >= inside.max()


@both
def test_rows_of_weight_zero_are_not_judged(Estimator):
    weight = np.ones(len(DATA.X))
    weight[::2] = 0.0
    weighted = Estimator(l2=10.0).fit(DATA.X, DATA.y_pu, sample_weight=weight)
    absent = Estimator(l2=10.0).fit(DATA.X[1::2], DATA.y_pu[1::2])
    np.testing.assert_array_equal(weighted.suspicion_, absent.suspicion_)
    np.testing.assert_array_equal(weighted.labelled_rows_, 2 * absent.labelled_rows_ + 1)
    np.testing.assert_array_equal(weighted.predict_proba(DATA.X_test), absent.predict_proba(DATA.X_test))


@both
def test_the_order_of_rows_does_not_matter(Estimator):
    order = np.random.default_rng(0).permutation(len(DATA.X))
    one = Estimator(l2=10.0, tol=1e-10).fit(DATA.X, DATA.y_pu)
    other = Estimator(l2=10.0, tol=1e-10).fit(DATA.X[order], DATA.y_pu[order])
    by_row = dict(zip(order[other.labelled_rows_], other.suspicion_, strict=True))
    np.testing.assert_allclose([by_row[row] for row in one.labelled_rows_], one.suspicion_, atol=1e-6)
    assert float(one.auc_) == pytest.approx(float(other.auc_), abs=1e-6)


@both
def test_integer_weights_equal_repeated_rows(Estimator):
    weight = np.random.default_rng(0).integers(1, 4, len(DATA.X))
    params = {"l2": 10.0, "tol": 1e-10, "prior": 0.2}
    weighted = Estimator(**params).fit(DATA.X, DATA.y_pu, sample_weight=weight)
    repeated = Estimator(**params).fit(DATA.X.repeat(weight, axis=0), DATA.y_pu.repeat(weight))
    np.testing.assert_allclose(
        weighted.predict_proba(DATA.X_test), repeated.predict_proba(DATA.X_test), rtol=1e-4, atol=1e-4
    )
    assert float(weighted.auc_) == pytest.approx(float(repeated.auc_), abs=1e-6)


# --- the prior that was not given ---


@pytest.mark.parametrize("risk", ["paper", "unbiased", "nonnegative"])
def test_pu_error_estimates_the_prior_that_it_needs(risk):
    X, y, fresh, truth = two_normals(0, 200, 600, 0.3, distance=3.0)
    model = PUErrorClassifier(risk=risk, l2=0.1).fit(X, y)
    assert model.prior is None
    assert model.prior_.low <= 0.3 <= model.prior_.high
    assert ((model.decision_function(fresh) > 0) == truth).mean() > 0.85
    assert model.auc_.low <= roc_auc_score(truth, model.decision_function(fresh)) <= model.auc_.high
