"""scikit-learn's own checks, and its tools around our estimators."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from blindauc import (
    BiasedSVM,
    BlindAUCClassifier,
    BlindAUCClassifierCV,
    DifferenceOfMeans,
    OneClassRanker,
    PUErrorClassifier,
    PUErrorClassifierCV,
)
from blindauc.datasets import make_paper_data

pytestmark = pytest.mark.usefixtures("few_candidates")

FEW = {
    "cv": 2,
    "n_repeats": 1,
    "shape": "linear",
    "scaling": "standard",
    "l2": 1.0,
    "n_outliers": [0, 0.1],
    "n_features_to_select": [1.0, 0.5],
}
"""Choices enough for a search to have some of each kind; all others are the matter of test_tuned.py."""

ESTIMATORS = {
    "blind AUC": BlindAUCClassifier(),
    # What scores mean is learnt in one way, and takes longer than these fits where no prior is given: once is enough.
    "PU error": PUErrorClassifier(prior=0.05),
    "blind AUC, tuned": BlindAUCClassifierCV(**FEW, prior=0.05),
    "PU error, tuned": PUErrorClassifierCV(**FEW, prior=0.05),
}
every = pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS.keys())


BASELINES = [BiasedSVM(), OneClassRanker(), DifferenceOfMeans()]


CHECKED = [
    BlindAUCClassifier(prior=0.05),
    PUErrorClassifier(prior=0.05, calibrate=False),
    ESTIMATORS["blind AUC, tuned"],
]
ALIKE = [ESTIMATORS["blind AUC"], ESTIMATORS["PU error"], ESTIMATORS["PU error, tuned"]]
"""These read rows as others do: one estimates the prior, which takes longer than its fit, one searches alike, and what
scores mean is learnt alike."""


@parametrize_with_checks([*CHECKED, *BASELINES])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(ALIKE)
def test_scikit_learn_checks_of_those_alike(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    return make_paper_data(n_features=20, n_outliers=3, n_relevant=10, random_state=0)


@pytest.mark.parametrize("Estimator", [BlindAUCClassifier, PUErrorClassifier])
def test_grid_search_by_auc(Estimator, data):
    grid = {"l2": [1.0, 100.0], "n_outliers": [0, 3]}
    search = GridSearchCV(Estimator(calibrate=False, prior=0.1), grid, scoring="roc_auc", cv=2)
    search.fit(data.X, data.y_pu)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ > 0.6


@every
def test_by_default_a_grid_search_goes_by_the_blind_auc(estimator):
    data = make_paper_data(n_features=6, n_outliers=2, n_relevant=4, n_pos=32, n_negatives=40, random_state=0)
    y = np.where(data.y_pu == 1, "case", "other")  # the smaller label is the positive one
    search = GridSearchCV(clone(estimator).set_params(pos_label="case", prior=0.1), {"l2": [1.0, 100.0]}, cv=2)
    search.fit(data.X, y)
    for k, (fitted, held_out) in enumerate(StratifiedKFold(2).split(data.X, y)):
        for place, params in enumerate(search.cv_results_["params"]):
            model = clone(search.best_estimator_).set_params(**params).fit(data.X[fitted], y[fitted])
            expected = roc_auc_score(data.y_pu[held_out], model.decision_function(data.X[held_out]))
            assert search.cv_results_[f"split{k}_test_score"][place] == pytest.approx(expected)


@pytest.mark.parametrize("Estimator", [BlindAUCClassifier, PUErrorClassifier])
def test_probabilities_can_be_scored(Estimator, data):
    scores = cross_val_score(Estimator(l2=100.0), data.X, data.y_pu, scoring="neg_log_loss", cv=2)
    assert np.isfinite(scores).all()


@every
def test_cross_validation_in_a_pipeline(estimator, data):
    pipeline = make_pipeline(StandardScaler(), clone(estimator))
    scores = cross_val_score(pipeline, data.X, data.y_pu, scoring="roc_auc", cv=2)
    assert np.all((scores > 0.5) & (scores <= 1.0))


@every
def test_clone_and_pickle_predict_the_same(estimator, data):
    model = clone(estimator).set_params(n_features_to_select=8).fit(data.X, data.y_pu)
    again = clone(model).fit(data.X, data.y_pu)
    thawed = pickle.loads(pickle.dumps(model))
    for other in (again, thawed):
        for method in ("decision_function", "predict", "predict_proba"):
            np.testing.assert_array_equal(getattr(other, method)(data.X_test), getattr(model, method)(data.X_test))
        assert repr(other.auc_) == repr(model.auc_)
        np.testing.assert_array_equal(other.doubtful_labels(), model.doubtful_labels())
