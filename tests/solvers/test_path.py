"""The path solver: allowed and stationary solutions, rough fits, ridges and starts."""

import sys
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from instances import RISKS, as_matrix, make_objective

from blindauc.datasets import make_paper_data
from blindauc.objectives import BlindAUCObjective, PUErrorObjective
from blindauc.solvers import exchange, feature_path, path, robust_start
from blindauc.solvers.fits import Fitter
from blindauc.solvers.newton import _no_worse_than_zero, _Steps
from blindauc.solvers.path import concentrated
from blindauc.sparsity import L0, AllFeatures, ExclusiveL0, GroupL0

DATA = make_paper_data(n_features=21, n_outliers=4, n_relevant=9, n_pos=40, n_negatives=100, random_state=0)
IS_POSITIVE = DATA.y_pu == 1

OBJECTIVES = {
    "blind AUC": lambda **k: BlindAUCObjective(DATA.X, IS_POSITIVE, **k),
    "blind AUC, sparse X": lambda **k: BlindAUCObjective(sp.csr_matrix(DATA.X), IS_POSITIVE, **k),
    "blind AUC, squared hinge": lambda **k: BlindAUCObjective(DATA.X, IS_POSITIVE, loss="squared_hinge", **k),
    "PU error, paper": lambda **k: PUErrorObjective(DATA.X, IS_POSITIVE, prior=0.2, **k),
    "PU error, unbiased": lambda **k: PUErrorObjective(DATA.X, IS_POSITIVE, prior=0.2, risk="unbiased", **k),
}

GROUPS = np.arange(21) // 3
FEATURES = {
    "all": (AllFeatures(21), lambda support: support.all()),
    "l0": (L0(21, 6), lambda support: support.sum() == 6),
    "group_l0": (GroupL0(GROUPS, 3), lambda support: sorted(np.bincount(GROUPS, support)) == [0] * 4 + [3] * 3),
    "exclusive_l0": (ExclusiveL0(GROUPS, 1), lambda support: (np.bincount(GROUPS, support) == 1).all()),
}


def features_for(objective, allowed):
    return allowed.with_free_column() if objective.risk.has_intercept else allowed


# --- fits on the way ---


def test_rough_fits_move_as_the_ridge_falls():
    # Columns that say nearly the same: what tells positives are differences, whose gradient is tiny from the start.
    rng, is_positive = np.random.default_rng(0), np.arange(150) < 50
    X = rng.normal(size=(150, 1)) * 10 + 0.02 * rng.normal(size=(150, 12)) + 5.0 * is_positive[:, None]
    X[is_positive, :2] += [0.02, -0.02]
    objective, nobody = BlindAUCObjective(X, is_positive, l2=1.0), L0(50, 0)
    coef, nothing = np.zeros(12), np.zeros(50)
    for decade in range(2, -8, -1):
        weak, before = objective.with_ridge(10.0**decade), coef
        (rough,) = feature_path(weak, [AllFeatures(12)], nobody, coef)
        coef = rough.coef
    exact = Fitter(weak, 1e-9, 100)(rough.support, rough.outliers, coef, nothing)
    to_do = weak.value(before, nothing) - exact.value
    assert weak.value(before, nothing) - rough.value > 0.5 * to_do > 0


# --- the solution ---


@pytest.mark.parametrize("kind", FEATURES)
@pytest.mark.parametrize("trim", [False, True])
@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_solution_is_allowed_and_stationary(name, trim, kind):
    objective = OBJECTIVES[name](l2=10.0, trim=trim or "unbiased" in name)
    allowed, is_allowed = FEATURES[kind]
    solution = path(objective, features_for(objective, allowed), L0(40, 4))
    assert solution.converged
    assert is_allowed(solution.support[:21])
    assert solution.outliers.sum() == 4
    assert not solution.coef[~solution.support].any()
    assert not solution.shift[~solution.outliers].any()
    assert np.isinf(solution.shift[solution.outliers]).all() == objective.trim
    assert solution.value == pytest.approx(objective.value(solution.coef, solution.shift), rel=1e-12)
    gradient = objective.gradient(solution.coef, solution.shift)
    at_zero = np.linalg.norm(objective.gradient_at_zero / objective.column_spread)
    free = (gradient.coef / objective.column_spread)[solution.support]
    assert np.linalg.norm(np.append(free, gradient.shift[solution.outliers])) <= 2e-6 * at_zero


@pytest.mark.parametrize("name", OBJECTIVES)
def test_without_anything_to_choose_it_is_the_exact_fit(name):
    objective = OBJECTIVES[name](l2=10.0)
    features, nobody = features_for(objective, AllFeatures(21)), L0(40, 0)
    one, other = (solver(objective, features, nobody, tol=1e-9) for solver in (path, exchange))
    np.testing.assert_allclose(one.coef, other.coef, rtol=1e-5, atol=1e-6 * np.abs(other.coef).max())
    assert one.value == pytest.approx(other.value, rel=1e-10)
    assert not one.outliers.any()


@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_search_from_more_starts_ends_no_higher(name):
    objective = OBJECTIVES[name](l2=10.0, trim=True)
    features, outliers = features_for(objective, L0(21, 6)), L0(40, 4)
    found, searched = path(objective, features, outliers), exchange(objective, features, outliers, max_swaps=10)
    at_zero = objective.value(np.zeros_like(found.coef), np.zeros(40))
    assert searched.value <= found.value + 1e-9 * abs(found.value)
    assert at_zero - found.value >= 0.5 * (at_zero - searched.value)


def test_the_callback_hears_the_end():
    heard = []
    solution = path(OBJECTIVES["blind AUC"](l2=10.0), L0(21, 6), L0(40, 4), callback=heard.append)
    (progress,) = heard
    assert (progress.n_features, progress.n_outliers, progress.objective) == (6, 4, solution.value)


def test_a_feature_path_is_nested_and_begins_with_everything():
    objective = OBJECTIVES["blind AUC"](l2=10.0)
    sets = [L0(21, n) for n in (21, 12, 7, 3)]
    fits = list(feature_path(objective, sets, L0(40, 4), robust_start(objective, L0(40, 4))))
    assert [fit.support.sum() for fit in fits] == [21, 12, 7, 3]
    for looser, tighter in pairwise(fits):
        assert not (tighter.support & ~looser.support).any()
        assert tighter.outliers.sum() == 4


@pytest.mark.parametrize("trim", [False, True])
def test_every_concentration_step_lowers_the_objective(trim, monkeypatch):
    """Outliers anew are the best for the weights, and the fit is the best for the outliers."""
    objective, outliers = OBJECTIVES["blind AUC"](l2=100.0, trim=trim), L0(40, 4)
    start, values = robust_start(objective, outliers), []
    for n_steps in (1, 2, 3, 4):
        monkeypatch.setattr(sys.modules["blindauc.solvers.path"], "CONCENTRATION_STEPS", n_steps)
        fit = concentrated(Fitter(objective, 1e-9, 100), np.ones(21, dtype=bool), outliers, start)
        values.append(fit.value)
    assert (np.diff(values) <= 1e-9 * values[0]).all()
    if trim:
        assert set(np.flatnonzero(IS_POSITIVE)[fit.outliers]) == set(DATA.outliers)


# --- what an objective says about itself ---


@pytest.mark.parametrize("name", RISKS)
def test_bend_is_the_sum_of_the_diagonal_blocks(name):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=7), rng.normal(size=9)
    p, q = (weight / weight.sum() for weight in (rng.uniform(size=7), rng.uniform(size=9)))
    risk = RISKS[name].risk
    if not risk.is_smooth:
        risk = risk.smoothed(0.3)
    hessian = as_matrix(risk.hessian(a, b, p, q))
    expected = hessian[:7, :7].sum() + hessian[7:, 7:].sum()
    assert risk.total_curvature(a, b, p, q) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", ["auc_logistic", "paper_logistic", "nonnegative_squared_hinge"])
def test_with_ridge_multiplies_the_ridge_of_the_weights_only(name):
    rng = np.random.default_rng(0)
    X, is_positive, ridge = rng.normal(size=(30, 4)), np.arange(30) < 10, np.array([1.0, 2.0, 0.5, 4.0])
    made = make_objective(name, X, is_positive, l2=ridge)
    for attribute in ("gradient_at_zero", "curvature_scale", "column_spread", "robust_directions"):
        getattr(made, attribute)  # cached before the ridge changes
    changed, fresh = made.with_ridge(7.0), make_objective(name, X, is_positive, l2=7.0 * ridge)
    coef, shift = rng.normal(size=made.n_columns), rng.normal(size=10)
    for one, other in zip(changed.gradient(coef, shift), fresh.gradient(coef, shift), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    np.testing.assert_allclose(changed.curvature_scale, fresh.curvature_scale)
    np.testing.assert_allclose(changed.gradient_at_zero, fresh.gradient_at_zero)
    assert changed.ridge_unit == pytest.approx(made.ridge_unit / 7)
    # The original is as it was.
    np.testing.assert_array_equal(made.ridge[:4], ridge)


def test_at_the_ridge_unit_the_ridge_bends_as_much_as_the_data():
    rng = np.random.default_rng(0)
    X, is_positive = 10 * rng.normal(size=(200, 3)), np.arange(200) < 50
    for made in (
        BlindAUCObjective(X, is_positive, l2=0.25),
        PUErrorObjective(X, is_positive, prior=0.3, l2=0.25),
        BlindAUCObjective(X, is_positive, l2=0.25 * np.array([1.0, 1.0, 0.0])),
    ):
        at_unit = made.with_ridge(made.ridge_unit)
        ridged = at_unit.ridge > 0
        data_bend = (at_unit.curvature_scale - at_unit.ridge)[ridged]
        assert np.mean(data_bend / at_unit.ridge[ridged]) == pytest.approx(1)
    assert BlindAUCObjective(X, is_positive, l2=0.0).ridge_unit == 1.0


# --- medians and scales ---


@pytest.mark.parametrize("l2", [1.0, 1e2, 1e4])
def test_rough_fits_without_factors_end_where_those_with_them_end(l2, monkeypatch):
    data = make_paper_data(n_features=90, n_outliers=4, n_pos=40, n_negatives=100, random_state=0)
    objective = BlindAUCObjective(data.X, data.y_pu == 1, l2=l2)
    everything, nobody = np.ones(90, dtype=bool), np.zeros(40, dtype=bool)

    def fit():
        fitter = Fitter(objective, 1e-3, 50)
        return fitter(everything, nobody, np.zeros(90), np.zeros(40)), fitter.tolerance

    fits = []
    for few in (0, 1000):
        monkeypatch.setattr("blindauc.solvers.newton.FEW_VARIABLES", few)
        found, tolerance = fit()
        assert found.converged
        assert found.gradient_norm <= tolerance
        fits.append(found)
    np.testing.assert_allclose(fits[0].value, fits[1].value, rtol=1e-3)
    scores = [data.X @ found.coef for found in fits]
    assert np.corrcoef(scores)[0, 1] > 0.999


def test_rough_steps_where_the_loss_is_flat_in_the_intercept():
    class Flat:
        approximate_diagonal = np.append(np.ones(100), 0.0)

        def __call__(self, direction):
            return self.approximate_diagonal * direction

    class Problem:
        scale, has_flat_stretches = np.ones(101), False

        def hessian_product(self, z):
            return Flat()

    gradient = np.append(np.full(100, 2.0), 1e-9)
    step = _Steps(Problem())._rough(np.zeros(101), gradient, 0.1)
    assert np.isfinite(step.x).all()
    np.testing.assert_allclose(step.x[:100], -2.0, rtol=0.1)


@pytest.mark.parametrize("name", ["blind AUC", "PU error, paper"])
def test_a_start_that_is_far_too_long_is_shortened(name):
    objective = OBJECTIVES[name](l2=1e-6)
    problem = objective.restricted(np.ones(objective.n_columns, dtype=bool), np.zeros(40, dtype=bool))
    rng = np.random.default_rng(0)
    far = 1e6 * rng.normal(size=objective.n_columns)
    z, value, gradient = _no_worse_than_zero(problem, far)
    assert value <= (1 + 1e-9) * problem.value_at_zero < problem.gradient(far)[0]
    np.testing.assert_allclose(z / np.linalg.norm(z), far / np.linalg.norm(far))
    found_value, found_gradient = problem.gradient(z)
    assert found_value == value
    np.testing.assert_array_equal(found_gradient, gradient)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_start_without_numbers_is_not_shortened_for_ever(value):
    problem = OBJECTIVES["blind AUC"](l2=1e-6).restricted(np.ones(21, dtype=bool), np.zeros(40, dtype=bool))
    with np.errstate(invalid="ignore"):
        assert _no_worse_than_zero(problem, np.full(21, value))[1] == np.inf


def test_a_start_that_is_not_too_long_is_kept():
    objective = OBJECTIVES["blind AUC"](l2=1e-6)
    problem = objective.restricted(np.ones(21, dtype=bool), np.zeros(40, dtype=bool))
    for start in (np.zeros(21), -1e-3 * objective.gradient_at_zero):
        assert _no_worse_than_zero(problem, start)[0] is start
