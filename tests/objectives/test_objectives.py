"""Promises of every objective: derivatives of its value, and the meaning of shifts, trimming and weights."""

import gc
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
from instances import LOSSES, NAMED_OBJECTIVES, RISKS, SMOOTH_RISKS, as_matrix, make_objective, numerical_jacobian
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize_scalar
from scipy.special import expit

from blindauc.objectives import BlindAUCObjective, Objective, PUErrorObjective
from blindauc.objectives.restricted import MAX_DENSE_HESSIAN, MAX_EXACT_ENTRIES, MAX_EXACT_PAIRS
from blindauc.pairwise import LARGEST_SCORE
from blindauc.risks import BlindAUCRisk, PUErrorRisk
from blindauc.rows.memory import MemoryRows

STEP = 1e-5  # so small that no margin of the samples crosses a kink

every_objective = pytest.mark.parametrize("name", RISKS)
every_smooth_objective = pytest.mark.parametrize("name", SMOOTH_RISKS)
shifted_or_trimmed = pytest.mark.parametrize("trim", [False, True])


def sample(n_pos=8, n_unl=15, n_features=5, seed=0):
    """A matrix a third of zeros, which of its rows are positive (in no order), and weights."""
    rng = np.random.default_rng(seed)
    n = n_pos + n_unl
    X = rng.normal(size=(n, n_features)) * (rng.uniform(size=(n, n_features)) < 0.67)
    is_positive = rng.permutation(np.arange(n) < n_pos)
    X[is_positive] += 0.3
    return X, is_positive, rng.uniform(0.5, 2.0, n)


def make(name, **options):
    X, is_positive, weight = sample()
    return make_objective(name, X, is_positive, **{"l2": 0.1, "sample_weight": weight} | options)


def point(objective, seed=1, n_shifted=3):
    """A coef and a sparse shift."""
    rng = np.random.default_rng(seed)
    shift = np.zeros(objective.n_positives)
    shift[rng.permutation(len(shift))[:n_shifted]] = rng.normal(size=n_shifted)
    return rng.normal(size=objective.n_columns), shift


@every_objective
def test_value_is_the_formula(name):
    X, is_positive, weight = sample()
    objective = make(name, l2=0.2, shift_l2=0.3)
    coef, shift = point(objective)
    design = np.column_stack([X, np.ones(len(X))]) if objective.risk.has_intercept else X
    f = design @ coef
    p, q = weight[is_positive], weight[~is_positive]
    risk = RISKS[name].plain(f[is_positive] + shift, f[~is_positive], p / p.sum(), q / q.sum())
    # An intercept bears no ridge.
    expected = risk + 0.1 * (coef[: X.shape[1]] ** 2).sum() + 0.15 * (shift**2).sum()
    assert_allclose(objective.value(coef, shift), expected, rtol=1e-12)


@every_objective
def test_gradient_is_that_of_the_value(name):
    objective = make(name)
    coef, shift = point(objective)
    found = objective.gradient(coef, shift)
    by_coef = numerical_jacobian(lambda coef: objective.value(coef, shift), coef, STEP)
    by_shift = numerical_jacobian(lambda shift: objective.value(coef, shift), shift, STEP)
    assert_allclose(found.coef, by_coef, rtol=1e-7, atol=1e-8)
    assert_allclose(found.shift, by_shift, rtol=1e-7, atol=1e-8)


@every_objective
def test_the_gradient_at_zero_is_that_at_zero(name):
    objective = make(name)
    expected = objective.gradient(np.zeros(objective.n_columns), np.zeros(objective.n_positives)).coef
    assert_allclose(objective.gradient_at_zero, expected, rtol=1e-12, atol=1e-14)


@every_objective
def test_a_restricted_objective_goes_with_its_last_reference(name):
    """It holds a copy of its columns, and so must not wait for Python to look for cycles."""
    objective = make(name)
    problem = objective.restricted(
        np.ones(objective.n_columns, dtype=bool), np.zeros(objective.n_positives, dtype=bool)
    )
    problem.hessian(np.zeros(len(problem.scale)))
    gone = weakref.ref(problem)
    gc.disable()
    try:
        del problem
        assert gone() is None
    finally:
        gc.enable()


@every_objective
@pytest.mark.parametrize("store", [sp.csr_array, sp.csc_array, sp.csr_matrix, np.asfortranarray])
def test_storage_does_not_matter(name, store):
    X, is_positive, weight = sample()
    dense = make_objective(name, X, is_positive, l2=0.1, sample_weight=weight)
    other = make_objective(name, store(X), is_positive, l2=0.1, sample_weight=weight)
    coef, shift = point(dense)
    for a, b in zip(dense.gradient(coef, shift), other.gradient(coef, shift), strict=True):
        assert_allclose(a, b, rtol=1e-12, atol=1e-14)
    assert_allclose(other.column_spread, dense.column_spread, rtol=1e-12)


@pytest.mark.parametrize(("name", "construct"), NAMED_OBJECTIVES.items(), ids=NAMED_OBJECTIVES.keys())
def test_named_objectives_are_those_of_their_risks(name, construct):
    X, is_positive, weight = sample()
    named = construct(X, is_positive, l2=0.1, sample_weight=weight)
    coef, shift = point(named)
    assert named.value(coef, shift) == make(name).value(coef, shift)


def test_unknown_names_are_refused():
    X, is_positive, _ = sample()
    with pytest.raises(ValueError, match=r"Unknown risk 'biased'.*'paper', 'unbiased', 'nonnegative'"):
        PUErrorObjective(X, is_positive, prior=0.3, risk="biased", l2=0.1)
    with pytest.raises(ValueError, match="Unknown loss 'ramp'"):
        BlindAUCObjective(X, is_positive, loss="ramp", l2=0.1)


@every_objective
def test_a_trimmed_positive_is_as_if_it_were_not_there(name):
    X, is_positive, weight = sample()
    objective = make(name)
    coef, shift = point(objective)
    gone = np.array([1, 4])
    shift[gone] = np.inf
    left = np.delete(np.arange(len(X)), np.flatnonzero(is_positive)[gone])
    without = make_objective(name, X[left], is_positive[left], l2=0.1, sample_weight=weight[left])
    expected = without.gradient(coef, np.delete(shift, gone))
    found = objective.gradient(coef, shift)
    assert_allclose(found.value, expected.value, rtol=1e-12)
    assert_allclose(found.coef, expected.coef, rtol=1e-11, atol=1e-13)
    assert_allclose(np.delete(found.shift, gone), expected.shift, rtol=1e-11, atol=1e-13)
    assert_array_equal(found.shift[gone], 0.0)


@every_objective
def test_a_weight_is_a_number_of_repetitions(name):
    X, is_positive, _ = sample()
    counts = np.random.default_rng(2).integers(1, 4, len(X))
    weighted = make_objective(name, X, is_positive, l2=0.1, shift_l2=0.0, sample_weight=counts.astype(float))
    rows = np.repeat(np.arange(len(X)), counts)
    repeated = make_objective(name, X[rows], is_positive[rows], l2=0.1, shift_l2=0.0)
    coef, shift = point(weighted)
    found = weighted.gradient(coef, shift)
    expected = repeated.gradient(coef, np.repeat(shift, counts[is_positive]))
    assert_allclose(found.value, expected.value, rtol=1e-12)
    assert_allclose(found.coef, expected.coef, rtol=1e-11, atol=1e-13)
    assert_allclose(weighted.column_spread, repeated.column_spread, rtol=1e-12)


@every_objective
def test_on_unlabelled_is_the_objective_of_those_rows(name):
    X, is_positive, weight = sample()
    chosen = np.array([9, 2, 3, 11])
    rows = np.concatenate([np.flatnonzero(is_positive), np.flatnonzero(~is_positive)[chosen]])
    expected = make_objective(name, X[rows], is_positive[rows], l2=0.1, sample_weight=weight[rows])
    found = make(name).on_unlabelled(chosen)
    assert (found.n_positives, found.n_unlabelled) == (8, 4)
    coef, shift = point(found)
    for a, b in zip(found.gradient(coef, shift), expected.gradient(coef, shift), strict=True):
        assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_smoothed_is_the_objective_of_the_smoothed_risk():
    objective = make("auc_hinge")
    smoothed = objective.smoothed(0.01)
    coef, shift = point(objective)
    assert not objective.is_smooth
    assert smoothed.is_smooth
    assert 0 <= smoothed.value(coef, shift) - objective.value(coef, shift) <= 0.01 / 8


def restricted(name, trim, **options):
    """The objective on some of its columns (and the intercept), with three outliers."""
    objective = make(name, trim=trim, **options)
    support = np.arange(objective.n_columns) % 2 == 0
    support[-1] = True
    outliers = np.isin(np.arange(objective.n_positives), [0, 3, 6])
    return objective, support, outliers, objective.restricted(support, outliers)


def random_z(problem, seed=3):
    return np.random.default_rng(seed).normal(size=len(problem.scale))


@every_objective
@shifted_or_trimmed
def test_pack_and_unpack_are_inverse(name, trim):
    _, support, outliers, problem = restricted(name, trim)
    z = random_z(problem)
    coef, shift = problem.unpack(z)
    assert len(z) == support.sum() + (0 if trim else outliers.sum())
    assert_array_equal(problem.pack(coef, shift), z)
    assert_array_equal(coef[~support], 0.0)
    assert_array_equal(shift[~outliers], 0.0)
    assert_array_equal(np.isinf(shift), outliers & trim)


@every_objective
@shifted_or_trimmed
def test_restricted_gradient_is_part_of_the_full_one(name, trim):
    objective, support, outliers, problem = restricted(name, trim)
    z = random_z(problem)
    value, gradient = problem.gradient(z)
    full = objective.gradient(*problem.unpack(z))
    expected = full.coef[support] if trim else np.append(full.coef[support], full.shift[outliers])
    assert_allclose(value, full.value, rtol=1e-12)
    assert_allclose(gradient, expected, rtol=1e-11, atol=1e-13)


@every_smooth_objective
@shifted_or_trimmed
@pytest.mark.parametrize("sparse", [False, True])
def test_restricted_hessian_is_the_change_of_the_gradient(name, trim, sparse):
    X, is_positive, weight = sample()
    objective = make_objective(
        name, sp.csr_array(X) if sparse else X, is_positive, l2=0.1, trim=trim, sample_weight=weight
    )
    problem = objective.restricted(np.arange(objective.n_columns) != 1, np.arange(8) % 3 == 0)
    z = random_z(problem)
    hessian = problem.hessian(z)
    assert problem.hessian_is_exact
    assert_allclose(hessian, numerical_jacobian(lambda z: problem.gradient(z)[1], z, STEP), rtol=1e-6, atol=1e-7)
    assert_array_equal(hessian, hessian.T)
    direction = random_z(problem, seed=4)
    product = problem.hessian_product(z)
    assert_allclose(product(direction), hessian @ direction, rtol=1e-10, atol=1e-12)
    assert product.approximate_diagonal.shape == z.shape
    assert (product.approximate_diagonal > 0).all() or not objective.is_convex


@every_objective
def test_curvature_scale_is_positive_and_finite(name):
    scale = make(name, l2=0.0).curvature_scale
    assert (scale > 0).all()
    assert np.isfinite(scale).all()


def test_curvature_scale_of_the_logistic_ranking_risk_is_by_the_columns_variances():
    X, _, weight = sample()
    share = weight / weight.sum()
    variance = share @ (X - share @ X) ** 2
    assert_allclose(make("auc_logistic").curvature_scale, 2 * 0.25 * variance + 0.1, rtol=1e-12)


@every_objective
@shifted_or_trimmed
@pytest.mark.parametrize("size", [1e17, -1e17, 1e290])
def test_scores_out_of_all_range_cost_infinitely_much(name, trim, size):
    *_, problem = restricted(name, trim)
    value, gradient = problem.gradient(np.full(len(problem.scale), size))
    assert value == np.inf
    assert_array_equal(gradient, np.zeros(len(problem.scale)))


def test_scores_up_to_the_largest_that_pairs_are_summed_of_are_within_range():
    X = np.array([1.0, 0.5, -1.0, 0.25])[:, None]
    objective = BlindAUCObjective(X, np.arange(4) < 2, l2=0.0)
    problem = objective.restricted(np.ones(1, dtype=bool), np.zeros(2, dtype=bool))
    for z, largest in [(LARGEST_SCORE, True), (-LARGEST_SCORE, True), (1.01 * LARGEST_SCORE, False)]:
        value, gradient = problem.gradient(np.array([z]))
        assert np.isfinite(value) == largest
        if largest:
            full = objective.gradient(np.array([z]), np.zeros(2))
            assert_allclose(value, full.value, rtol=1e-12)
            assert_allclose(gradient, full.coef, rtol=1e-12)
    shifted = objective.restricted(np.zeros(1, dtype=bool), np.arange(2) == 1)
    assert shifted.gradient(np.array([-2 * LARGEST_SCORE])) == (np.inf, np.zeros(1))


@pytest.mark.parametrize("name", RISKS)
def test_a_restricted_objective_has_the_flat_stretches_of_its_loss(name):
    *_, problem = restricted(name, False)
    assert problem.has_flat_stretches == ("sigmoid" in name or "rounded" in name)


@pytest.mark.parametrize("name", ["auc_hinge", "auc_barrier_hinge"])
def test_a_smoothed_objective_has_flat_stretches(name):
    smoothed = make(name).smoothed(0.1)
    assert smoothed.restricted(np.ones(5, dtype=bool), np.zeros(8, dtype=bool)).has_flat_stretches


def test_a_support_of_nothing_and_no_outliers_is_a_problem_without_variables():
    objective = make("auc_logistic")
    problem = objective.restricted(np.zeros(5, dtype=bool), np.zeros(8, dtype=bool))
    value, gradient = problem.gradient(np.empty(0))
    assert_allclose(value, np.log(2), rtol=1e-13)
    assert gradient.shape == (0,)


def test_very_many_variables_have_a_positive_diagonal_for_a_hessian():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(12, MAX_DENSE_HESSIAN + 1))
    objective = BlindAUCObjective(X, np.arange(12) < 5, l2=0.1)
    problem = objective.restricted(np.ones(X.shape[1], dtype=bool), np.arange(5) < 2)
    diagonal = problem.hessian(np.zeros(len(problem.scale)))
    assert not problem.hessian_is_exact
    assert diagonal.shape == problem.scale.shape
    assert (diagonal > 0).all()


@pytest.fixture(scope="module", params=["auc_logistic", "auc_squared_hinge", "nonnegative_logistic"])
def large(request):
    """A problem of more pairs than a Hessian is formed of, with three shifted positives; its Hessian."""
    X, is_positive, weight = sample(1100, 1200, 4, seed=6)
    objective = make_objective(request.param, X, is_positive, l2=0.1, sample_weight=weight)
    assert objective.n_positives * objective.n_unlabelled > MAX_EXACT_PAIRS
    outliers = np.arange(1100) % 400 == 7
    problem = objective.restricted(np.ones(objective.n_columns, dtype=bool), outliers)
    z = random_z(problem) / 3

    ones = [np.ones(len(X))] if objective.risk.has_intercept else []
    marks = np.zeros((len(X), 3))
    marks[np.flatnonzero(is_positive)[outliers], np.arange(3)] = 1.0
    Z = np.column_stack([X, *ones, marks])
    Z = np.vstack([Z[is_positive], Z[~is_positive]])
    p, q = weight[is_positive], weight[~is_positive]
    scores = np.split(Z @ z, [1100])
    inner = as_matrix(objective.risk.hessian(*scores, p / p.sum(), q / q.sum()))
    ridge = np.append(objective.ridge, np.full(3, objective.shift_l2))
    return objective, problem, z, Z.T @ inner @ Z + np.diag(ridge)


def test_the_hessian_of_a_large_problem_is_about_right(large):
    _, problem, z, hessian = large
    assert problem.sample is not problem
    assert problem.sample.sample is problem.sample
    assert not problem.hessian_is_exact
    assert_allclose(problem.hessian(z), hessian, rtol=0, atol=2e-3 * np.abs(hessian).max())


def test_where_products_are_many_the_hessian_is_that_of_fewer_rows(large, monkeypatch):
    objective, problem, z, hessian = large
    monkeypatch.setattr("blindauc.objectives.restricted.MAX_PRODUCTS", 600 * len(z) ** 2)
    again = objective.restricted(np.ones(objective.n_columns, dtype=bool), np.arange(1100) % 400 == 7)
    # A second moment from half of 1100 rows has a standard error of about 5 %.
    assert_allclose(again.hessian(z), hessian, rtol=0, atol=0.15 * np.abs(hessian).max())
    assert np.abs(again.hessian(z) - problem.hessian(z)).max() > 0


def test_the_sample_of_a_large_problem_keeps_the_shifted_positives_at_their_own_weight(large):
    _, problem, z, hessian = large
    value, gradient = problem.gradient(z)
    sampled_value, sampled_gradient = problem.sample.gradient(z)
    assert_allclose(sampled_value, value, rtol=0.05)
    assert_allclose(sampled_gradient[-3:], gradient[-3:], rtol=0.1)
    assert_allclose(np.diag(problem.hessian(z))[-3:], np.diag(hessian)[-3:], rtol=0.1)


def test_the_hessian_product_of_a_large_problem_is_exact(large):
    _, problem, z, hessian = large
    product = problem.hessian_product(z)
    assert_allclose([product(e) for e in np.eye(len(z))], hessian, rtol=1e-10, atol=1e-12)


def test_a_large_problem_is_left_as_it_was_by_its_sample(large):
    objective, problem, z, _ = large
    problem.hessian(z)
    assert_allclose(problem.gradient(z)[0], objective.value(*problem.unpack(z)), rtol=1e-12)


def least(function, reach=60.0):
    """The least value of a function of one number: on a fine grid, then by Brent between neighbours."""
    far = np.geomspace(reach, 1e4, 15)[1:]
    grid = np.concatenate([-far[::-1], np.linspace(-reach, reach, 241), far])
    values = [function(e) for e in grid]
    at = int(np.argmin(values))
    assert 0 < at < len(grid) - 1, "the least value lies outside the grid, or there is none"
    between = (grid[at - 1], grid[at + 1])
    refined = minimize_scalar(function, bounds=between, method="bounded", options={"xatol": 1e-8})
    return min(values[at], refined.fun)


def only(i, e, n):
    """A shift of positive i alone."""
    return np.where(np.arange(n) == i, e, 0.0)


SHIFTABLE = [name for name, case in RISKS.items() if case.risk.shifts_work]


@pytest.mark.parametrize("name", SHIFTABLE)
@pytest.mark.parametrize(("size", "shift_l2"), [(0.3, 0.1), (1.0, 0.01), (3.0, 1e-3)])
def test_outlyingness_is_what_the_best_shift_of_each_positive_gains(name, size, shift_l2):
    X, is_positive, _ = sample()
    objective = make_objective(name, X, is_positive, l2=0.1, shift_l2=shift_l2)
    coef = size * np.random.default_rng(7).normal(size=objective.n_columns)
    gain, shift = objective.outlyingness(coef)
    f = X @ coef[:5] + (coef[-1] if objective.risk.has_intercept else 0.0)
    p, q = np.full(8, 1 / 8), np.full(15, 1 / 15)
    for i in range(0, 8, 3):

        def value(e, i=i):
            return RISKS[name].plain(f[is_positive] + only(i, e, 8), f[~is_positive], p, q) + shift_l2 / 2 * e**2

        assert_allclose(gain[i], value(0.0) - value(shift[i]), rtol=1e-9, atol=1e-12)
        assert_allclose(gain[i], value(0.0) - least(value), rtol=1e-6, atol=1e-9)


def test_a_heavy_positive_gains_by_its_weight():
    X, is_positive, _ = sample()
    weight = np.where(np.arange(len(X)) == np.flatnonzero(is_positive)[0], 9.0, 1.0)
    objective = BlindAUCObjective(X, is_positive, l2=0.1, shift_l2=0.01, sample_weight=weight)
    f = X @ np.arange(5)

    def value(e):
        return 9 / 16 * np.logaddexp(0, f[~is_positive] - f[is_positive][0] - e).mean() + 0.005 * e**2

    gain, _ = objective.outlyingness(np.arange(5.0))
    assert_allclose(gain[0], value(0.0) - least(value), rtol=1e-6)


def test_the_best_shift_of_the_sigmoid_loss_is_found_with_a_small_ridge():
    unlabelled = np.array([160.0] * 3 + [70.0] * 7)
    X = np.concatenate([[0.0, 0.0], unlabelled])[:, None]
    objective = BlindAUCObjective(X, np.arange(12) < 2, loss="sigmoid", l2=0.0, shift_l2=1e-6)

    def value(e):
        return expit(unlabelled - e).mean() / 2 + 1e-6 / 2 * e**2

    gain, _ = objective.outlyingness(np.ones(1))
    assert_allclose(gain, value(0.0) - least(value, 200.0), rtol=1e-6)


SIGMOID = LOSSES["sigmoid"]
SIGMOID_RISKS = {"auc": BlindAUCRisk(SIGMOID)} | {
    f"paper_{prior}": PUErrorRisk.paper(SIGMOID, prior) for prior in (0.1, 0.45, 0.8)
}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("risk", SIGMOID_RISKS.values(), ids=SIGMOID_RISKS.keys())
def test_the_best_shift_of_the_sigmoid_loss_is_found_among_many_local_ones(risk, seed):
    rng = np.random.default_rng(seed)
    X, is_positive, weight = sample(n_features=1, seed=seed)
    shift_l2, coef = 10.0 ** rng.uniform(-4, -1), 10.0 ** rng.uniform(-1, 1) * np.array([1.0, rng.normal()])
    coef = coef if risk.has_intercept else coef[:1]
    objective = Objective(risk, MemoryRows.of(X, is_positive, weight), l2=0.0, shift_l2=shift_l2)
    gain, shift = objective.outlyingness(coef)
    a, b = (X[rows, 0] * coef[0] + sum(coef[1:]) for rows in (is_positive, ~is_positive))
    p, q = weight[is_positive], weight[~is_positive] / weight[~is_positive].sum()
    for i in range(0, 8, 2):

        def value(e, i=i):
            m = a[i] + e
            paper = risk.has_intercept
            cost = risk.prior * expit(-m) + (1 - risk.prior) * expit(m) if paper else q @ expit(b - m)
            return p[i] / p.sum() * cost + shift_l2 / 2 * e**2

        assert_allclose(gain[i], value(0.0) - value(shift[i]), rtol=1e-9, atol=1e-12)
        assert_allclose(gain[i], value(0.0) - least(value), rtol=1e-6, atol=1e-9)


def left_out_gains(objective, coef):
    """What the objective falls by when each positive alone is trimmed."""
    n = objective.n_positives
    left_out = [objective.value(coef, np.where(row, np.inf, 0.0)) for row in np.eye(n, dtype=bool)]
    return objective.value(coef, np.zeros(n)) - np.array(left_out)


# The clip of the nonnegative risks joins the positives: no one of them has a cost of its own.
ADDITIVE = [name for name in RISKS if not name.startswith("nonnegative")]


@pytest.mark.parametrize("name", ADDITIVE)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [0.3, 3.0])
def test_outlyingness_by_trimming_is_what_leaving_each_out_gains_but_for_a_constant(name, weighted, size):
    X, is_positive, weight = sample()
    weight[np.flatnonzero(is_positive)[:2]] = 0.01, 9.0
    objective = make_objective(name, X, is_positive, l2=0.1, trim=True, sample_weight=weight if weighted else None)
    coef = size * point(objective)[0]
    gain, shift = objective.outlyingness(coef)
    true_gain = left_out_gains(objective, coef)
    assert np.isinf(shift).all()
    assert gain.min() == 0
    assert_allclose(gain, true_gain - true_gain.min(), rtol=1e-10, atol=1e-13 * abs(objective.value(coef, np.zeros(8))))


@every_objective
def test_outlyingness_by_trimming_ranks_equal_positives_as_leaving_each_out_does(name):
    X, is_positive, _ = sample()
    objective = make_objective(name, X, is_positive, l2=0.1, trim=True)
    coef, _ = point(objective)
    gain, shift = objective.outlyingness(coef)
    assert np.isinf(shift).all()
    assert gain.min() == 0
    assert_array_equal(np.argsort(gain), np.argsort(left_out_gains(objective, coef)))


def test_outlyingness_by_trimming_heeds_weights():
    X = np.array([0.0, 0.1, 5.0, 1.0, 2.0])[:, None]
    objective = BlindAUCObjective(X, np.arange(5) < 3, l2=0.0, trim=True, sample_weight=np.array([0.01, 1, 1, 1, 1]))
    gain, _ = objective.outlyingness(np.ones(1))
    # The first costs most, but it weighs next to nothing.
    assert_array_equal(np.argsort(-gain), [1, 0, 2])
    assert_array_equal(np.argsort(gain), np.argsort(left_out_gains(objective, np.ones(1))))


def test_the_hessian_of_few_positives_and_many_unlabelled_rows_takes_a_small_sample():
    """Two positives make few pairs, but all rows together would be a dense copy of the data."""
    X = sp.random(200_000, 50, density=0.01, format="csr", rng=np.random.default_rng(0))
    problem = BlindAUCObjective(X, np.arange(200_000) < 2, l2=1.0).restricted(np.ones(50, bool), np.zeros(2, bool))
    assert not problem.hessian_is_exact
    X_pos, X_unl = problem.sample._dense
    assert (len(X_pos) + len(X_unl)) * 50 <= MAX_EXACT_ENTRIES + 50 * 2
