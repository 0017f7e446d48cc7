"""The gradient that trees are boosted by, its bound and its nodes."""

import numpy as np
import pytest
from instances import PRIOR, RISKS, SMOOTH_RISKS, as_matrix, numerical_jacobian

from blindauc.losses import Logistic
from blindauc.risks import BlindAUCRisk, NonnegativePURisk
from blindauc.scorers.boosting import RowRisk
from blindauc.scorers.node_risk import NODE_STEP, NodeRisk


def scores_and_kinds(n_rows=24, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=n_rows), np.arange(n_rows) % 3 == 0, rng.uniform(0.5, 2.0, n_rows)


@pytest.mark.parametrize("name", SMOOTH_RISKS)
def test_the_gradient_is_that_of_the_value(name):
    scores, is_positive, weight = scores_and_kinds()
    of_rows = RowRisk(SMOOTH_RISKS[name].risk, is_positive, weight)
    gradient, _ = of_rows(scores)
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, numerical_jacobian(of_rows.value, scores), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in SMOOTH_RISKS if name.startswith("auc_")])
def test_the_value_is_the_risk_in_units_of_the_curvature_of_a_positive(name):
    scores, is_positive, weight = scores_and_kinds()
    p, q = weight[is_positive] / weight[is_positive].sum(), weight[~is_positive] / weight[~is_positive].sum()
    plain = RISKS[name].plain(scores[is_positive], scores[~is_positive], p, q)
    in_units = weight[is_positive].sum() * plain / (2 * RISKS[name].risk.loss.max_curvature)
    assert RowRisk(RISKS[name].risk, is_positive, weight).value(scores) == pytest.approx(in_units, rel=1e-9)


@pytest.mark.parametrize("name", [name for name in SMOOTH_RISKS if "nonnegative" not in name])
@pytest.mark.parametrize("seed", range(3))
def test_the_bound_is_at_least_the_hessian(name, seed):
    scores, is_positive, weight = scores_and_kinds(seed=seed)
    risk, of_rows = SMOOTH_RISKS[name].risk, RowRisk(SMOOTH_RISKS[name].risk, is_positive, weight)
    p, q = weight[is_positive] / weight[is_positive].sum(), weight[~is_positive] / weight[~is_positive].sum()
    _, bound = of_rows(scores)
    bound = np.append(bound[is_positive], bound[~is_positive]).astype(np.float64)
    shifted = scores + of_rows._intercept
    hessian = of_rows._scale * as_matrix(risk.hessian(shifted[is_positive], shifted[~is_positive], p, q))
    lowest = np.linalg.eigvalsh(np.diag(bound) - hessian).min()
    assert lowest > -1e-6 * bound.max()


def test_half_the_bound_is_not():
    """At zero, where the logistic loss bends most: two scores that move apart feel all of it."""
    of_rows = RowRisk(BlindAUCRisk(Logistic()), np.array([True, False]), np.ones(2))
    hessian = of_rows._scale * as_matrix(BlindAUCRisk(Logistic()).hessian(*np.zeros((2, 1)), *np.ones((2, 1))))
    _, bound = of_rows(np.zeros(2))
    assert np.linalg.eigvalsh(np.diag(bound) - hessian).min() == pytest.approx(0.0, abs=1e-7)


def test_rows_without_weight_have_no_part():
    scores, is_positive, weight = scores_and_kinds()
    weight[:6] = 0.0
    gradient, bound = RowRisk(BlindAUCRisk(Logistic()), is_positive, weight)(scores)
    rest, rest_bound = RowRisk(BlindAUCRisk(Logistic()), is_positive[6:], weight[6:])(scores[6:])
    assert not gradient[:6].any()
    assert not bound[:6].any()
    np.testing.assert_allclose(gradient[6:], rest, rtol=1e-6)
    np.testing.assert_allclose(bound[6:], rest_bound, rtol=1e-6)


@pytest.mark.parametrize(
    ("risk", "far"),
    [(BlindAUCRisk(Logistic()), 0.0), (BlindAUCRisk(Logistic()), 1e6), (NonnegativePURisk.of(Logistic(), PRIOR), 0.0)],
)
def test_nodes_are_right_to_single_precision(risk, far):
    rng = np.random.default_rng(0)
    a, b = rng.normal(1, 1, 300) + far, np.append(rng.uniform(-2, 2, 60_000), np.arange(-2, 2, NODE_STEP)) + far
    p, q = rng.uniform(0, 1, len(a)), rng.uniform(0, 1, len(b))
    q[::7] = 0.0
    p, q = p / p.sum(), q / q.sum()
    exact, found = risk(a, b, p, q), NodeRisk(risk)(a, b, p, q)
    assert found.by_unl.tobytes() != exact.by_unl.tobytes()
    assert found.value == pytest.approx(exact.value, abs=1e-7)
    np.testing.assert_allclose(found.by_pos, exact.by_pos, rtol=0, atol=5e-8 * p.max())
    np.testing.assert_allclose(found.by_unl, exact.by_unl, rtol=0, atol=5e-8 * q.max())


@pytest.mark.parametrize("name", RISKS)
def test_few_scores_need_no_nodes(name):
    rng = np.random.default_rng(0)
    a, b, p, q = rng.normal(size=20), rng.normal(size=40), np.full(20, 0.05), np.full(40, 0.025)
    exact, found = RISKS[name].risk(a, b, p, q), NodeRisk(RISKS[name].risk)(a, b, p, q)
    np.testing.assert_array_equal(found.by_unl, exact.by_unl)
