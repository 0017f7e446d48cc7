"""Solvers against exhaustive search, against each other, and on partners that are not ours."""

from types import SimpleNamespace

import numpy as np
import pytest
from referee import best_by_exhaustion, random_instance

from blindauc.datasets import make_paper_data
from blindauc.objectives import BlindAUCObjective, PUErrorObjective
from blindauc.solvers import exchange, path, psg
from blindauc.solvers.newton import newton
from blindauc.sparsity import L0, AllFeatures, ExclusiveL0, GroupL0

PAPER = make_paper_data(n_features=30, n_outliers=4, n_relevant=10, n_pos=40, n_negatives=100, random_state=0)

OBJECTIVES = {
    "blind AUC": lambda **k: BlindAUCObjective(PAPER.X, PAPER.y_pu == 1, **k),
    "blind AUC, sigmoid": lambda **k: BlindAUCObjective(PAPER.X, PAPER.y_pu == 1, loss="sigmoid", **k),
    "blind AUC, hinge": lambda **k: BlindAUCObjective(PAPER.X, PAPER.y_pu == 1, loss="hinge", **k),
    "blind AUC, squared hinge": lambda **k: BlindAUCObjective(PAPER.X, PAPER.y_pu == 1, loss="squared_hinge", **k),
    "blind AUC, barrier hinge": lambda **k: BlindAUCObjective(PAPER.X, PAPER.y_pu == 1, loss="barrier_hinge", **k),
    "PU error, paper": lambda **k: PUErrorObjective(PAPER.X, PAPER.y_pu == 1, prior=0.2, **k),
    "PU error, unbiased": lambda **k: PUErrorObjective(PAPER.X, PAPER.y_pu == 1, prior=0.2, risk="unbiased", **k),
    "PU error, nonnegative": lambda **k: PUErrorObjective(PAPER.X, PAPER.y_pu == 1, prior=0.2, risk="nonnegative", **k),
}


def features_for(objective, allowed):
    return allowed.with_free_column() if objective.risk.has_intercept else allowed


def n_swaps(objective):
    """A loss with kinks takes twenty times as many steps, and passes as many points with fewer swaps."""
    return 5 if objective.is_smooth else 1


TRIMMED_OR_NOT = [(name, trim) for name in OBJECTIVES for trim in (False, True)]
# A loss with kinks takes long: each of the two in one way.
TRIMMED_OR_NOT.remove(("blind AUC, hinge", True))
TRIMMED_OR_NOT.remove(("blind AUC, barrier hinge", False))


@pytest.mark.parametrize(("name", "trim"), TRIMMED_OR_NOT)
def test_exchange_is_monotone_and_allowed(name, trim):
    objective = OBJECTIVES[name](l2=10.0, trim=trim)
    features, outliers = features_for(objective, L0(30, 8)), L0(40, 4)
    solution = exchange(objective, features, outliers, max_swaps=n_swaps(objective))
    assert np.all(np.diff(solution.values) < 0)
    assert np.count_nonzero(solution.coef[:30]) <= 8
    assert np.count_nonzero(solution.shift) <= 4
    assert solution.converged
    assert solution.value == pytest.approx(objective.value(solution.coef, solution.shift), rel=1e-12)
    assert solution.value < objective.value(np.zeros_like(solution.coef), np.zeros(40))


@pytest.mark.parametrize("name", OBJECTIVES)
def test_exchange_is_deterministic(name):
    objective = OBJECTIVES[name](l2=100.0, trim=True)
    features, outliers = features_for(objective, L0(30, 8)), L0(40, 4)
    one, same = (exchange(objective, features, outliers, max_swaps=1) for _ in range(2))
    np.testing.assert_array_equal(one.coef, same.coef)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_no_direction_leads_down_from_a_solution(name):
    """A minimum over all weights: random small steps do not lower the objective."""
    objective = OBJECTIVES[name](l2=10.0)
    solution = exchange(objective, features_for(objective, AllFeatures(30)), L0(40, 0))
    rng = np.random.default_rng(0)
    for size in (1e-2, 1e-4):
        for _ in range(50):
            step = size * rng.normal(size=len(solution.coef)) * (np.abs(solution.coef).max())
            assert objective.value(solution.coef + step, solution.shift) >= solution.value - 2e-6 * size


@pytest.mark.parametrize("seed", range(8))
def test_exchange_against_exhaustive_search(seed):
    X, is_positive, l2, shift_l2, s, t = random_instance(seed)
    best, *_ = best_by_exhaustion(X, is_positive, l2, shift_l2, s, t)
    objective = BlindAUCObjective(X, is_positive, l2=l2, shift_l2=shift_l2)
    found = exchange(objective, L0(X.shape[1], s), L0(is_positive.sum(), t), tol=1e-9)
    assert found.value >= best * (1 - 1e-9)
    assert found.value <= best * (1 + 1e-7)


@pytest.mark.slow
def test_exchange_finds_the_global_optimum_and_is_never_above_psg():
    hits = 0
    for seed in range(200):
        X, is_positive, l2, shift_l2, s, t = random_instance(seed)
        best, *_ = best_by_exhaustion(X, is_positive, l2, shift_l2, s, t)
        objective = BlindAUCObjective(X, is_positive, l2=l2, shift_l2=shift_l2)
        features, outliers = L0(X.shape[1], s), L0(is_positive.sum(), t)
        found = exchange(objective, features, outliers, tol=1e-9)
        stochastic = psg(objective, features, outliers, random_state=np.random.RandomState(seed))
        assert found.value <= stochastic.value * (1 + 1e-9)
        hits += found.value <= best * (1 + 1e-7)
    print(f"\nglobal optimum in {hits} of 200 instances")
    assert hits >= 190


@pytest.mark.parametrize("name", OBJECTIVES)
def test_psg_comes_near_exchange_and_not_below(name):
    objective = OBJECTIVES[name](l2=100.0, trim="unbiased" in name or "nonnegative" in name)
    features, outliers = features_for(objective, L0(30, 10)), L0(40, 4)
    exact = exchange(objective, features, outliers, max_swaps=n_swaps(objective))
    stochastic = psg(objective, features, outliers, random_state=np.random.RandomState(0), max_iter=1000)
    at_zero = objective.value(np.zeros_like(exact.coef), np.zeros(40))
    assert exact.value <= stochastic.value + 1e-9 * abs(exact.value)
    assert at_zero - stochastic.value >= 0.8 * (at_zero - exact.value)
    assert np.count_nonzero(stochastic.coef[:30]) <= 10


def test_psg_repeats_itself_with_the_same_seed():
    objective = OBJECTIVES["blind AUC"](l2=100.0)
    runs = [psg(objective, L0(30, 8), L0(40, 4), random_state=np.random.RandomState(3)) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].coef, runs[1].coef)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (GroupL0(np.arange(30), 6), L0(30, 6)),
        (ExclusiveL0(np.zeros(30, dtype=int), 6), L0(30, 6)),
        (L0(30, 30), AllFeatures(30)),
    ],
)
def test_sets_that_are_equal_give_equal_fits(left, right):
    objective = OBJECTIVES["blind AUC"](l2=10.0)
    one, other = (exchange(objective, features, L0(40, 2), max_swaps=5) for features in (left, right))
    np.testing.assert_array_equal(one.coef, other.coef)


def test_groups_come_in_and_go_out_together():
    objective = OBJECTIVES["blind AUC"](l2=10.0)
    groups = np.arange(30) // 3
    solution = exchange(objective, GroupL0(groups, 4), L0(40, 0))
    per_group = np.bincount(groups, solution.support)
    assert sorted(set(per_group)) == [0, 3]
    assert np.count_nonzero(per_group) == 4


class Bowl:
    """An objective that is none of ours: |coef - target|^2 / 2, with nothing to gain from outliers."""

    n_columns, n_positives, n_unlabelled, is_smooth, is_convex = 5, 3, 4, True, True
    column_spread = curvature_scale = np.ones(5)
    target = np.array([3.0, -2.0, 1.0, 0.5, 0.0])
    gradient_at_zero, ridge_unit, robust_directions, sample = -target, 1.0, [np.ones(5)], None

    def median_separation(self, coef):
        return 1.0

    class Restricted:
        hessian_is_exact, is_whole, has_flat_stretches, value_at_zero = True, True, False, 7.125

        def __init__(self, target, support):
            self.target, self.index, self.scale = target, np.flatnonzero(support), np.ones(support.sum())

        @property
        def sample(self):
            return self

        def pack(self, coef, shift):
            return coef[self.index]

        def unpack(self, z):
            coef = np.zeros(5)
            coef[self.index] = z
            return coef, np.zeros(3)

        def gradient(self, z):
            coef = self.unpack(z)[0]
            return float(((coef - self.target) ** 2).sum() / 2), (coef - self.target)[self.index]

        def hessian(self, z):
            return np.eye(len(z))

    def gradient(self, coef, shift):
        value = float(((coef - self.target) ** 2).sum() / 2)
        return SimpleNamespace(value=value, coef=coef - self.target, shift=np.zeros(3))

    def value(self, coef, shift):
        return self.gradient(coef, shift).value

    def restricted(self, support, outliers):
        return self.Restricted(self.target, support)

    def outlyingness(self, coef):
        return np.zeros(3), np.zeros(3)

    def pos_scores(self, coef):
        return np.zeros(3)

    def column_curvature(self, coef, shift):
        return np.ones(5)

    def on_unlabelled(self, index):
        return self

    def with_ridge(self, factor):
        return self


@pytest.mark.parametrize("solver", [exchange, path, psg])
def test_solvers_work_on_an_objective_that_is_not_ours(solver):
    extra = {"random_state": np.random.RandomState(0)} if solver is psg else {}
    solution = solver(Bowl(), L0(5, 2), L0(3, 0), **extra)
    np.testing.assert_allclose(solution.coef, [3.0, -2.0, 0.0, 0.0, 0.0], atol=1e-6)


class Quadratic:
    """|z - 1|^2 / 2 in the metric of a Hessian, of which only something like it is known; products are counted."""

    hessian_is_exact, is_whole, has_flat_stretches = False, True, False

    def __init__(self, about):
        rng = np.random.default_rng(0)
        basis = np.linalg.qr(rng.normal(size=(20, 20)))[0]
        self.true = basis @ np.diag(np.geomspace(1, 1e4, 20)) @ basis.T
        self.about, self.scale, self.n_products = about(self.true), np.ones(20), 0
        self.value_at_zero = self.true.sum() / 2

    def gradient(self, z):
        gradient = self.true @ (z - 1)
        return float((z - 1) @ gradient / 2), gradient

    def hessian(self, z):
        return self.about

    def hessian_product(self, z):
        def product(direction):
            self.n_products += 1
            return self.true @ direction

        return product


def _off_by_a_tenth(hessian):
    factor = np.linalg.cholesky(hessian)
    return factor @ np.diag(np.linspace(0.9, 1.1, 20)) @ factor.T


def test_a_hessian_that_is_about_right_needs_no_products():
    problem = Quadratic(_off_by_a_tenth)
    end = newton(problem, np.full(20, 1.1), tolerance=1e-8, max_iter=30)
    assert end.converged
    assert problem.n_products == 0
    np.testing.assert_allclose(end.z, 1, atol=1e-8)


def test_where_a_hessian_misleads_products_are_taken():
    problem = Quadratic(lambda true: np.eye(20) * 1e4)
    end = newton(problem, np.full(20, 1.1), tolerance=1e-8, max_iter=100)
    assert end.converged
    assert problem.n_products > 0
    np.testing.assert_allclose(end.z, 1, atol=1e-7)
