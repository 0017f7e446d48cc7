"""Rows with leverage are outliers and doubtful, and neither fit nor vote."""

import numpy as np
import pytest
from quick_estimators import PLAIN, QUICK, both, every
from sklearn.metrics import roc_auc_score

from blindauc import BlindAUCClassifierCV, PUErrorClassifierCV
from blindauc.datasets import make_paper_data

pytestmark = pytest.mark.usefixtures("few_mixtures")

FAR = make_paper_data(n_features=100, outlier_features="all", random_state=0)


@pytest.fixture(scope="module")
def with_leverage():
    return {Estimator: Estimator(**params).fit(FAR.X, FAR.y_pu) for Estimator, params in QUICK.items()}


@every
def test_rows_with_leverage_are_outliers_and_doubtful(Estimator, with_leverage):
    model = with_leverage[Estimator]
    assert len(FAR.outliers) == 7
    assert set(FAR.outliers) <= set(model.outliers_)
    assert set(FAR.outliers) <= set(model.doubtful_labels())
    np.testing.assert_array_equal(model.labelled_rows_, np.flatnonzero(FAR.y_pu == 1))
    is_far = np.isin(model.labelled_rows_, FAR.outliers)
    assert (model.suspicion_[is_far] == 1).all()
    assert np.isinf(model.shift_[is_far]).all()
    # In how many of the 100 columns they are unusual.
    assert ((model.leverage_ > 0) == is_far).all()
    assert (model.leverage_ <= 100).all()
    # Seven of a hundred labels are wrong for sure.
    assert 0.07 - 1e-12 <= model.contamination_.low <= model.contamination_


@every
@pytest.mark.parametrize("values", [-1e6, 1e6, "each its own"])
def test_rows_with_leverage_neither_fit_nor_vote(Estimator, values, with_leverage):
    X, one = FAR.X.copy(), with_leverage[Estimator]
    X[FAR.outliers] = (
        np.outer(10.0 ** np.arange(3, 10), np.resize([1.0, -1.0], 100)) if values == "each its own" else values
    )
    other = Estimator(**QUICK[Estimator]).fit(X, FAR.y_pu)
    for name in ("coef_", "support_", "spread_", "suspicion_", "outliers_", "shift_"):
        np.testing.assert_array_equal(getattr(other, name), getattr(one, name))
    for name in ("intercept_", "prior_", "contamination_", "auc_"):
        assert repr(getattr(other, name)) == repr(getattr(one, name))


@every
def test_without_the_screen_rows_with_leverage_fit_as_all_others(Estimator, with_leverage):
    model = Estimator(leverage_screen=False, **QUICK[Estimator]).fit(FAR.X, FAR.y_pu)
    assert not model.leverage_.any()
    # They bend the fit to themselves, so that they rank high and no outlier is found among them.
    assert len(set(model.outliers_) & set(FAR.outliers)) < 7
    scores = [
        roc_auc_score(FAR.y_test, each.decision_function(FAR.X_test)) for each in (model, with_leverage[Estimator])
    ]
    assert scores[0] < scores[1]


@both
@pytest.mark.parametrize("n_outliers", [0, 3, 7, 7.0 / 100, 20, 0.6])
def test_rows_with_leverage_count_among_the_outliers(Estimator, n_outliers):
    params = {**PLAIN, "l2": 1000.0, "n_outliers": n_outliers, "outlier_handling": "trim", "max_swaps": 0}
    model = Estimator(**params).fit(FAR.X, FAR.y_pu)
    expected = max(7, n_outliers if isinstance(n_outliers, int) else round(100 * n_outliers))
    assert len(model.outliers_) == np.isinf(model.shift_).sum() == expected
    assert set(FAR.outliers) <= set(model.outliers_)
    assert not hasattr(model, "suspicion_")


@pytest.mark.parametrize("Estimator", [BlindAUCClassifierCV, PUErrorClassifierCV])
def test_a_search_leaves_out_as_many_as_its_best_estimator(Estimator, with_leverage):
    model = with_leverage[Estimator]
    assert model.cv_results_["params"][model.best_index_] == model.best_params_
    assert len(model.best_estimator_.outliers_) == round(100 * model.best_params_["n_outliers"])
    assert set(FAR.outliers) <= set(model.best_estimator_.outliers_)
    one = Estimator(**QUICK[Estimator] | {"n_outliers": 20, "n_features_to_select": None}).fit(FAR.X, FAR.y_pu)
    assert len(one.outliers_) == len(one.best_estimator_.outliers_) == 20
