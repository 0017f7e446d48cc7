"""Outlyingness is what the best shift of each positive gains, or what leaving it out does."""

import numpy as np
import pytest
from instances import LOSSES, RISKS, make_objective
from numpy.testing import assert_allclose, assert_array_equal
from samples_of_rows import every_objective, point, sample
from scipy.optimize import minimize_scalar
from scipy.special import expit

from blindauc.objectives import BlindAUCObjective, Objective
from blindauc.risks import BlindAUCRisk, PUErrorRisk
from blindauc.rows.memory import MemoryRows


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
