"""Probabilities and thresholds of every fit; fits without calibration, and of small and odd data."""

import warnings
from copy import deepcopy

import numpy as np
import pytest
from both_estimators import both

from blindauc import Estimate
from blindauc.datasets import make_paper_data
from blindauc.estimators.explained import OF_CALIBRATION

DATA = make_paper_data(n_features=10, n_outliers=4, n_relevant=8, n_pos=60, n_negatives=160, random_state=1)
UNLABELLED = DATA.X[DATA.y_pu == 0]

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
