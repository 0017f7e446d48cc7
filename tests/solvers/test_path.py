"""The path solver, and what it stands on: robust starts, ridges, looser sets, medians and scales."""

import sys
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from instances import RISKS, SETS, as_matrix, make_objective
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import RobustScaler, StandardScaler

from blindauc.datasets import make_correlated_data, make_paper_data
from blindauc.objectives import BlindAUCObjective, PUErrorObjective
from blindauc.rows.matrix import Matrix
from blindauc.rows.scaling import SCALINGS, column_scales
from blindauc.solvers import exchange, feature_path, path, robust_start, tightened
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


# --- robust starts ---


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


# --- looser sets ---


@pytest.mark.parametrize("factor", [1.0, 1.5, 2.0, np.inf])
@pytest.mark.parametrize("name", SETS)
def test_a_loosened_set_allows_so_many_times_as_much(name, factor):
    case = SETS[name]
    loose = case.set.loosened(factor)
    importance = np.random.default_rng(0).uniform(1, 2, case.n_columns)
    tight, wide = case.set.support(importance), loose.support(importance)
    assert not (tight & ~wide).any()
    if factor == np.inf:
        assert loose.is_everything
    if factor == 1.0 and name not in ("none", "exclusive_l0_each"):
        np.testing.assert_array_equal(wide, tight)
    if name in ("l0", "l0_roomy"):
        assert wide.sum() == min(case.n_columns, np.ceil(factor * 3) if name == "l0" else 5)
    elif name == "exclusive_l0":
        sizes = [len(np.flatnonzero(importance[group])) for group in ([0, 2, 6], [1, 4], [3], [5])]
        counts = [wide[group].sum() for group in ([0, 2, 6], [1, 4], [3], [5])]
        assert counts == [min(size, np.ceil(factor)) for size in sizes]


def test_loosening_ends_at_everything():
    allowed, n_steps = GroupL0(GROUPS, 1), 0
    while not allowed.is_everything:
        allowed, n_steps = allowed.loosened(1.5), n_steps + 1
        assert n_steps < 20
    free = L0(6, 1).with_free_column().loosened(2.0)
    assert free.support(np.arange(7.0)[::-1]).tolist() == [True, True, False, False, False, False, True]


# --- ladders of sets ---

TWENTY_ONE = AllFeatures(21)
LADDERS = {
    "to one column": [L0(21, 1)],
    "to everything": [L0(21, 21)],
    "several numbers": [L0(21, n) for n in (21, 13, 12, 4, 1)],
    "the same twice": [L0(21, 7), L0(21, 7)],
    "not from everything": [L0(21, n) for n in (5, 2)],
    "all features": [TWENTY_ONE],
    "groups": [GroupL0(GROUPS, n) for n in (7, 3, 1)],
    "few groups": [GroupL0(GROUPS, 1)],
    "in each group": [ExclusiveL0(GROUPS, n) for n in (3, 2, 1)],
    "as many, but others": [ExclusiveL0(GROUPS, n) for n in ([2, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 2])],
    "not one in the other": [ExclusiveL0(GROUPS, n) for n in ([3, 1, 1, 1, 1, 1, 1], [1, 2, 1, 1, 1, 1, 1])],
}


def allows_the_same(one, other, n_columns):
    """They keep the same columns, whichever are the largest."""
    vectors = np.random.default_rng(0).uniform(1, 2, size=(20, n_columns))
    return all((one.support(vector) == other.support(vector)).all() for vector in vectors)


@pytest.mark.parametrize("has_intercept", [False, True])
@pytest.mark.parametrize("case", LADDERS)
def test_a_ladder_has_the_wanted_sets_at_its_places_and_no_long_steps(case, has_intercept):
    wanted = [each.with_free_column() if has_intercept else each for each in LADDERS[case]]
    p = 21 + has_intercept
    # Everything may count columns or, as the sets do, groups of them.
    for everything in (AllFeatures(p), wanted[0].loosened(np.inf)):
        ladder, places = tightened(everything, wanted)
        assert len(places) == len(wanted)
        assert places == sorted(places)
        assert ladder[0].is_everything
        for place, features in zip(places, wanted, strict=True):
            assert allows_the_same(ladder[place], features, p)
        for looser, tighter in pairwise(ladder):
            # Up again to everything, or down by a third at most, rounded up in each pool.
            longest = max(1.5 * tighter.n_units, tighter.loosened(1.5).n_units)
            assert tighter.is_everything or looser.is_everything or looser.n_units <= longest
            assert not looser.is_everything or tighter.loosened(1.5).is_everything or looser.n_units <= longest
        if case in ("to one column", "several numbers", "not from everything") and not has_intercept:
            sizes = [each.n_units for each in ladder]
            assert all(0 <= a - b <= np.ceil(a / 3) for a, b in pairwise(sizes))


def test_sets_within_others():
    order = [L0(21, 1), L0(21, 6), L0(21, 20), TWENTY_ONE]
    for a, one in enumerate(order):
        for b, other in enumerate(order):
            assert one.is_within(other) == (a <= b)
    one, other = ExclusiveL0(GROUPS, [2, 1, 1, 1, 1, 1, 1]), ExclusiveL0(GROUPS, [1, 2, 1, 1, 1, 1, 1])
    assert one.n_units == other.n_units == 8
    assert not one.is_within(other)
    assert not other.is_within(one)
    assert ExclusiveL0(GROUPS, 1).is_within(one)
    assert GroupL0(GROUPS, 7).is_within(TWENTY_ONE)
    assert TWENTY_ONE.is_within(GroupL0(GROUPS, 7))


# --- medians and scales ---


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_medians_are_those_of_numpy(dtype):
    rng = np.random.default_rng(0)
    X, index = rng.normal(size=(50, 4)).astype(dtype), rng.permutation(50)[:31]
    found = Matrix(X).median(index, np.ones(31))
    np.testing.assert_array_equal(found, np.median(X[index], axis=0))
    assert found.dtype == np.float64
    assert Matrix(X, intercept=True).median(index, np.ones(31)).tolist() == [*found.tolist(), 1.0]


def test_weighted_medians_are_those_of_repeated_rows():
    rng = np.random.default_rng(0)
    X, weight = np.round(rng.normal(size=(40, 5)), 1), rng.integers(1, 5, 40)
    weight[0] += 1 - weight.sum() % 2  # an odd number of rows
    repeated = np.median(X.repeat(weight, axis=0), axis=0)
    np.testing.assert_array_equal(Matrix(X).median(np.arange(40), weight.astype(float)), repeated)


def test_the_middle_of_sparse_columns_is_their_mean():
    rng = np.random.default_rng(0)
    X, weight = sp.random_array((40, 5), density=0.3, rng=rng, format="csr"), rng.uniform(size=20)
    expected = np.average(X.toarray()[::2], axis=0, weights=weight)
    for matrix in (X, X.tocsc()):
        np.testing.assert_allclose(Matrix(matrix).median(np.arange(0, 40, 2), weight), expected)


def test_standard_scales_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(60, 3)) * [1.0, 100.0, 1e-3] + [0.0, 1e3, 5.0], rng.uniform(0.5, 2, 60)
    X = np.c_[X, np.full(60, 3.0)]
    np.testing.assert_allclose(
        column_scales(X, weight, "standard"), StandardScaler().fit(X, sample_weight=weight).scale_, rtol=1e-9
    )


def test_robust_scales_are_those_of_scikit_learn_but_for_interpolation():
    rng = np.random.default_rng(0)
    # Of 4 k + 1 rows the quartiles are rows, whichever way they are interpolated.
    X = rng.standard_t(2, size=(401, 3)) * [1.0, 100.0, 1e-3]
    expected = RobustScaler(unit_variance=True).fit(X).scale_
    np.testing.assert_allclose(column_scales(X, np.ones(401), "robust"), expected, rtol=1e-9)


def test_a_column_without_a_middle_half_has_its_standard_deviation():
    X = np.zeros((100, 2))
    X[:10, 0], X[:, 1] = 5.0, np.arange(100)
    robust, standard = (column_scales(X, np.ones(100), name) for name in ("robust", "standard"))
    assert robust[0] == standard[0] == pytest.approx(X[:, 0].std())
    assert robust[1] != standard[1]
    assert column_scales(np.ones((5, 1)), np.ones(5), "robust").tolist() == [1.0]


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix, sp.csc_array, lambda X: X.astype(np.float32)])
def test_scales_by_weight_are_those_of_repeated_rows(scaling, store):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(60, 4)) * (rng.uniform(size=(60, 4)) < 0.7), 2).astype(np.float32).astype(float)
    weight = rng.integers(1, 4, 60)
    expected = column_scales(X.repeat(weight, axis=0), np.ones(weight.sum()), scaling)
    np.testing.assert_allclose(column_scales(store(X), weight.astype(float), scaling), expected, rtol=1e-6)
    # An order of rows is none of its concern.
    order = rng.permutation(60)
    np.testing.assert_allclose(column_scales(store(X[order]), weight[order] * 0.5, scaling), expected, rtol=1e-6)


@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_scales_of_columns_in_blocks_are_those_of_each_column(monkeypatch, store):
    rng = np.random.default_rng(0)
    X, weight = np.round(rng.normal(size=(30, 7)), 1), rng.uniform(0.5, 2.0, 30)
    each = [column_scales(X[:, [j]], weight, "robust")[0] for j in range(7)]
    monkeypatch.setattr("blindauc.rows.scaling.BLOCK_ENTRIES", 70)
    np.testing.assert_array_equal(column_scales(store(X), weight, "robust"), each)


def test_unknown_scalings_are_refused():
    with pytest.raises(ValueError, match="scaling must be one of 'none', 'standard', 'robust', not 'minmax'"):
        column_scales(np.ones((3, 1)), np.ones(3), "minmax")


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
