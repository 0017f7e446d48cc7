"""Searches over shapes: all compete that can, the order of rows does not matter, and few positives get the plainest."""

import numpy as np
import pytest
import scipy.sparse as sp
from bent_rows import BENT, FEW, NEW, NEW_TRUTH, X, Y, every_shape
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from blindauc import BlindAUCClassifierCV, PUErrorClassifierCV
from blindauc.choice.space import SHAPES

pytestmark = pytest.mark.usefixtures("few_mixtures")


@pytest.fixture(scope="module", params=[BlindAUCClassifierCV, PUErrorClassifierCV])
def searched(request):
    return request.param(**FEW).fit(X, Y)


def test_a_search_compares_all_shapes(searched):
    table = searched.cv_results_
    assert set(table["param_shape"]) == set(SHAPES) == set(searched.shapes_)
    for shape, share in searched.shapes_.items():
        assert share == pytest.approx(table["weight"][table["param_shape"] == shape].sum())
    assert sum(searched.shapes_.values()) == pytest.approx(1)
    assert searched.shapes_["linear"] < 1e-6
    # The leader of each shape stays to the end, so that they can be compared.
    finished = table["n_splits"] == table["n_splits"].max()
    assert set(table["param_shape"][finished]) == set(SHAPES)
    assert searched.bending_.low > 0
    assert roc_auc_score(NEW_TRUTH, searched.decision_function(NEW)) > 0.85
    np.testing.assert_allclose(searched.reasons(NEW).sum(axis=1), searched.decision_function(NEW), atol=1e-6)


def test_settings_that_a_shape_has_no_use_for_are_left_open(searched):
    for params, shape in zip(searched.cv_results_["params"], searched.cv_results_["param_shape"], strict=True):
        assert ("gamma" in params) == (shape == "kernel")
        assert ("n_leaves" in params) == ("n_rounds" in params) == (shape == "trees")


@pytest.mark.parametrize("wanted", ["curves", ["linear"], ["kernel", "linear"], ("trees", "curves", "trees")])
def test_shapes_to_choose_from(wanted):
    model = BlindAUCClassifierCV(**{**FEW, "shape": wanted, "n_outliers": 0}).fit(X, Y)
    expected = [wanted] if isinstance(wanted, str) else list(dict.fromkeys(wanted))
    assert list(model.shapes_) == expected
    assert (model.bending_ is None) == (wanted != ["kernel", "linear"])


@every_shape
@pytest.mark.parametrize("Estimator", [BlindAUCClassifierCV, PUErrorClassifierCV])
def test_the_best_estimator_can_be_fitted_again_by_its_parameters_alone(Estimator, shape):
    weight = np.random.default_rng(0).integers(1, 3, len(X))
    model = Estimator(**{**FEW, "shape": [shape], "random_state": 3}).fit(X, Y, weight)
    best = model.best_estimator_
    assert best.shape == shape
    again = clone(best).fit(X, Y, weight)
    np.testing.assert_array_equal(again.decision_function(NEW), best.decision_function(NEW))
    np.testing.assert_array_equal(again.outliers_, best.outliers_)


@pytest.mark.parametrize("shape", BENT)
def test_the_order_of_rows_does_not_matter_to_a_search(shape):
    order = np.random.default_rng(0).permutation(len(X))
    one, other = (
        BlindAUCClassifierCV(**{**FEW, "shape": shape}).fit(X[rows], Y[rows]) for rows in (np.arange(len(X)), order)
    )
    np.testing.assert_allclose(other.decision_function(NEW), one.decision_function(NEW), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(other.held_out_rank_, one.held_out_rank_[order], atol=1e-3)


def test_columns_are_selected_by_the_shapes_that_select():
    model = BlindAUCClassifierCV(**{**FEW, "shape": ["curves", "kernel"], "n_outliers": 0}).fit(X, Y)
    counts = set(model.cv_results_["param_n_features_to_select"][model.cv_results_["param_shape"] == "curves"])
    assert counts == {5, 4, 3, 2, 1}
    assert model.inclusion_.argmax() == 0
    assert model.inclusion_[1:3].max() < 0.9
    by_support = BlindAUCClassifierCV(**{**FEW, "shape": ["curves", "kernel"], "n_outliers": 0, "rank_by": "support"})
    by_support.fit(X, Y)
    assert not by_support.model_.columns[~by_support.support_].any()


@pytest.mark.parametrize("chosen", [[5, 2], np.array([5, 2]), 3])
def test_where_columns_are_to_be_selected_only_shapes_that_select_compete(chosen):
    model = BlindAUCClassifierCV(**{**FEW, "n_features_to_select": chosen, "n_outliers": 0}).fit(X, Y)
    assert list(model.shapes_) == ["linear", "curves"]


def test_what_is_possible_competes():
    sparse = BlindAUCClassifierCV(**{**FEW, "n_outliers": 0}).fit(sp.csr_array(X), Y)
    assert list(sparse.shapes_) == ["linear", "trees"]
    shifting = BlindAUCClassifierCV(**{**FEW, "outlier_handling": "shift", "n_features_to_select": None}).fit(X, Y)
    assert list(shifting.shapes_) == ["linear"]


def test_groups_of_columns_go_together_where_columns_are_selected():
    groups = [0, 0, 1, 1, 2]
    model = BlindAUCClassifierCV(**{**FEW, "sparsity": "group_l0", "groups": groups, "n_outliers": 0}).fit(X, Y)
    assert model.support_[0] == model.support_[1]
    assert clone(model.best_estimator_).fit(X, Y).shape == model.best_params_["shape"]


def test_with_few_positives_the_plainest_shape_is_fitted():
    model = BlindAUCClassifierCV().fit(X[50:], Y[50:])
    assert model.cv_results_ == {}
    assert model.best_params_["shape"] == "linear"
    assert model.shapes_ == {"linear": 1.0}
