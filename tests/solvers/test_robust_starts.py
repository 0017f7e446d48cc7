"""Robust directions start where many labels are wrong."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score

from blindauc.datasets import make_correlated_data
from blindauc.objectives import BlindAUCObjective, PUErrorObjective
from blindauc.solvers import path, robust_start
from blindauc.solvers.fits import Fitter
from blindauc.solvers.path import concentrated
from blindauc.sparsity import L0, AllFeatures


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("handling", [{"trim": True}, {"trim": False, "shift_l2": 1e-5}], ids=["trim", "shift"])
def test_many_far_outliers_are_found_where_a_plain_fit_is_turned_round(seed, handling):
    data = make_correlated_data(0.3, outliers="far", n_features=20, n_unlabelled=1000, n_test=2000, random_state=seed)
    objective = BlindAUCObjective(data.X, data.y_pu == 1, l2=0.1, **handling)
    plain = path(objective, AllFeatures(20), L0(300, 0))
    robust = path(objective, AllFeatures(20), L0(300, 90))
    aucs = [roc_auc_score(data.y_test, data.X_test @ solution.coef) for solution in (plain, robust)]
    assert aucs[0] < 0.6
    assert aucs[1] > 0.85
    assert robust.outliers[data.outliers].mean() >= 0.9


DIRECTIONS = {
    "blind AUC": (40, lambda X, y: BlindAUCObjective(X, y, l2=1.0), 8),
    "with an intercept": (40, lambda X, y: PUErrorObjective(X, y, prior=0.3, l2=1.0), 9),
    "sparse": (40, lambda X, y: BlindAUCObjective(sp.csc_matrix(X), y, l2=1.0), 8),
    "sparse with an intercept": (40, lambda X, y: PUErrorObjective(sp.csr_matrix(X), y, prior=0.3, l2=1.0), 9),
    "float32": (40, lambda X, y: BlindAUCObjective(X.astype(np.float32), y, l2=1.0), 8),
    "few positives": (5, lambda X, y: BlindAUCObjective(X, y, l2=1.0), 8),
    "weights": (40, lambda X, y: BlindAUCObjective(X, y, l2=1.0, sample_weight=np.arange(len(y)) + 1.0), 8),
    "one column": (40, lambda X, y: BlindAUCObjective(X[:, :1], y, l2=1.0), 1),
    "a constant column": (40, lambda X, y: BlindAUCObjective(X * (np.arange(8) > 0), y, l2=1.0), 8),
    "one unlabelled row": (40, lambda X, y: BlindAUCObjective(X[:41], y[:41], l2=1.0), 8),
}


@pytest.mark.parametrize("case", DIRECTIONS)
def test_robust_directions_are_finite_and_of_unit_scores(case):
    n_pos, make, n_columns = DIRECTIONS[case]
    rng = np.random.default_rng(0)
    X, is_positive = rng.normal(size=(100, 8)), np.arange(100) < n_pos
    X[is_positive] += 1.0
    objective = make(X, is_positive)
    directions = objective.robust_directions
    assert len(directions) == (1 if n_pos < 8 or case == "one unlabelled row" else 2)
    for direction in directions:
        assert direction.shape == (n_columns,)
        assert np.isfinite(direction).all()
        if case != "one unlabelled row":
            scores, weight = objective.rows.matrix.scores(direction)[objective.rows.unl], objective.rows.unl_weight
            assert np.cov(scores, aweights=weight, ddof=0) == pytest.approx(1)
    # To the median of the positives: they are above the unlabelled rows.
    scores = objective.rows.matrix.scores(directions[0])
    assert scores[objective.rows.pos].mean() > scores[objective.rows.unl].mean()


@pytest.mark.parametrize("name", ["blind AUC", "PU error"])
def test_robust_directions_by_weight_are_those_of_repeated_rows(name):
    rng = np.random.default_rng(0)
    X, is_positive, weight = rng.normal(size=(90, 3)), np.arange(90) < 31, rng.integers(1, 4, 90)
    X[is_positive] += 1.0
    weight[0] += 1 - weight[is_positive].sum() % 2  # an odd number of positives has one median
    make = {"blind AUC": BlindAUCObjective, "PU error": lambda *d, **k: PUErrorObjective(*d, prior=0.3, **k)}[name]
    weighted = make(X, is_positive, l2=1.0, sample_weight=weight.astype(float))
    repeated = make(X.repeat(weight, axis=0), is_positive.repeat(weight), l2=1.0)
    for one, other in zip(weighted.robust_directions, repeated.robust_directions, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_the_direction_of_spread_has_the_many_uppermost():
    rng = np.random.default_rng(0)
    X, is_positive = rng.normal(size=(600, 5)), np.arange(600) < 200
    X[:70, 0] -= 20.0
    X[70:200, 0] += 1.0
    _, spread = BlindAUCObjective(X, is_positive, l2=1.0).robust_directions
    assert spread[0] > 5 * np.abs(spread[1:]).max()
    flipped = BlindAUCObjective(-X, is_positive, l2=1.0).robust_directions[1]
    np.testing.assert_allclose(flipped, -spread, rtol=1e-6, atol=1e-9)


def test_the_start_is_right_though_more_labels_are_wrong_than_may_be_left_out():
    """If a cluster of wrong labels is larger than what may be left out, the objective prefers to rank it first."""
    prefers_wrong = []
    for seed in range(4):
        data = make_correlated_data(
            0.33, outliers="far", n_features=20, n_unlabelled=1000, n_test=2000, random_state=seed
        )
        objective = BlindAUCObjective(data.X, data.y_pu == 1, l2=0.1, trim=True)
        fitter = Fitter(objective.with_ridge(objective.ridge_unit), 1e-3, 100)
        start = robust_start(objective, L0(300, 90))
        right, wrong = (concentrated(fitter, np.ones(20, dtype=bool), L0(300, 90), coef) for coef in (start, -start))
        assert roc_auc_score(data.y_test, data.X_test @ start) > 0.8
        prefers_wrong.append(wrong.value < right.value)
    assert sum(prefers_wrong) >= 2


@pytest.mark.parametrize("case", DIRECTIONS)
def test_the_median_separation_is_that_of_sorted_scores(case):
    n_pos, make, n_columns = DIRECTIONS[case]
    rng = np.random.default_rng(0)
    X, is_positive = rng.normal(size=(100, 8)), np.arange(100) < n_pos
    rows = make(X, is_positive).rows
    coef = rng.normal(size=n_columns)
    scores = rows.matrix.scores(coef)
    pos = scores[rows.pos].repeat(rows.pos_weight.astype(int))
    unl = scores[rows.unl].repeat(rows.unl_weight.astype(int))
    median = np.sort(pos)[(len(pos) - 1) // 2]  # the lower one of two
    expected = (median - unl.mean()) / (unl.std() or 1.0)
    assert make(X, is_positive).median_separation(coef) == pytest.approx(expected, rel=1e-5)
