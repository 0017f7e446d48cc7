"""Objectives of a support and of shifts: gradients, Hessians, scales, and samples of large problems."""

import numpy as np
import pytest
import scipy.sparse as sp
from instances import RISKS, SMOOTH_RISKS, as_matrix, make_objective, numerical_jacobian
from numpy.testing import assert_allclose, assert_array_equal
from samples_of_rows import STEP, every_objective, make, sample

from blindauc.objectives import BlindAUCObjective
from blindauc.objectives.restricted import MAX_DENSE_HESSIAN, MAX_EXACT_ENTRIES, MAX_EXACT_PAIRS
from blindauc.pairwise import LARGEST_SCORE

every_smooth_objective = pytest.mark.parametrize("name", SMOOTH_RISKS)
shifted_or_trimmed = pytest.mark.parametrize("trim", [False, True])


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


def test_the_hessian_of_few_positives_and_many_unlabelled_rows_takes_a_small_sample():
    """Two positives make few pairs, but all rows together would be a dense copy of the data."""
    X = sp.random(200_000, 50, density=0.01, format="csr", rng=np.random.default_rng(0))
    problem = BlindAUCObjective(X, np.arange(200_000) < 2, l2=1.0).restricted(np.ones(50, bool), np.zeros(2, bool))
    assert not problem.hessian_is_exact
    X_pos, X_unl = problem.sample._dense
    assert (len(X_pos) + len(X_unl)) * 50 <= MAX_EXACT_ENTRIES + 50 * 2
