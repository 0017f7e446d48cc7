"""scikit-learn's own checks, and its tools around our estimators."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from blindauc import BlindAUCClassifier, PUErrorClassifier
from blindauc.datasets import make_paper_data

ESTIMATORS = [BlindAUCClassifier, PUErrorClassifier]


@parametrize_with_checks([Estimator() for Estimator in ESTIMATORS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    return make_paper_data(n_features=20, n_outliers=3, n_relevant=10, random_state=0)


@pytest.mark.parametrize("Estimator", ESTIMATORS)
def test_grid_search_by_auc(Estimator, data):
    search = GridSearchCV(Estimator(), {"l2": [1.0, 100.0], "n_outliers": [0, 3]}, scoring="roc_auc", cv=3)
    search.fit(data.X, data.y_pu)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ > 0.6


@pytest.mark.parametrize("Estimator", ESTIMATORS)
def test_cross_validation_in_a_pipeline(Estimator, data):
    scores = cross_val_score(make_pipeline(StandardScaler(), Estimator()), data.X, data.y_pu, scoring="roc_auc")
    assert np.all((scores > 0.5) & (scores <= 1.0))


@pytest.mark.parametrize("Estimator", ESTIMATORS)
def test_clone_and_pickle_predict_the_same(Estimator, data):
    model = Estimator(n_features_to_select=8, n_outliers=3, l2=100.0).fit(data.X, data.y_pu)
    scores = model.decision_function(data.X_test)
    again = clone(model).fit(data.X, data.y_pu)
    thawed = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(data.X_test), scores)
    np.testing.assert_array_equal(thawed.decision_function(data.X_test), scores)
    np.testing.assert_array_equal(thawed.predict(data.X_test), model.predict(data.X_test))
