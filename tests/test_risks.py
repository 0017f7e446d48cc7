"""Promises of every risk: its formula, and gradients and Hessians that are its derivatives."""

from itertools import product

import numpy as np
import pytest
from instances import (
    LOSSES,
    PRIOR,
    PU_LOSSES,
    RISKS,
    SMOOTH_RISKS,
    as_matrix,
    central_difference,
    numerical_jacobian,
)
from numpy.testing import assert_allclose, assert_array_equal

from blindauc.risks import PU_ERROR_RISKS, BlindAUCRisk, NonnegativePURisk, PUErrorRisk

every_risk = pytest.mark.parametrize("case", RISKS.values(), ids=RISKS.keys())
every_smooth_risk = pytest.mark.parametrize(
    "risk", [case.risk for case in SMOOTH_RISKS.values()], ids=SMOOTH_RISKS.keys()
)


def scores(seed=0, n_pos=7, n_unl=9, around=0.0):
    """Scores and shares; no margin, and no score, within 0.05 of a kink of any listed loss."""
    rng = np.random.default_rng(seed)
    a = around + 0.25 * rng.integers(-12, 12, n_pos) + 0.1
    b = around + 0.25 * rng.integers(-12, 12, n_unl) + 0.05
    return a, b, rng.dirichlet(np.ones(n_pos)), rng.dirichlet(np.ones(n_unl))


# Shifted up, the estimate of the negatives' part is far above zero; shifted down, it is near or below it.
everywhere = pytest.mark.parametrize("around", [-3.0, 0.0, 3.0])


@every_risk
@everywhere
def test_value_is_the_formula(case, around):
    sample = scores(around=around)
    assert_allclose(case.risk(*sample).value, case.plain(*sample), rtol=1e-12)


@every_risk
@everywhere
def test_gradients_are_those_of_the_value(case, around):
    a, b, p, q = scores(around=around)
    found = case.risk(a, b, p, q)
    by_pos = numerical_jacobian(lambda a: case.risk(a, b, p, q).value, a)
    by_unl = numerical_jacobian(lambda b: case.risk(a, b, p, q).value, b)
    assert_allclose(found.by_pos, by_pos, rtol=1e-8, atol=1e-9)
    assert_allclose(found.by_unl, by_unl, rtol=1e-8, atol=1e-9)


@every_smooth_risk
@everywhere
def test_hessian_is_the_change_of_the_gradients(risk, around):
    a, b, p, q = scores(around=around)

    def gradient(both):
        value = risk(both[: len(a)], both[len(a) :], p, q)
        return np.append(value.by_pos, value.by_unl)

    numerical = numerical_jacobian(gradient, np.append(a, b))
    assert_allclose(as_matrix(risk.hessian(a, b, p, q)), numerical, rtol=1e-7, atol=1e-8)


@every_smooth_risk
@everywhere
def test_hessian_product_is_that_with_the_hessian(risk, around):
    a, b, p, q = scores(around=around)
    direction = np.random.default_rng(1).normal(size=len(a) + len(b))
    found = risk.hessian_product(a, b, p, q)(*np.split(direction, [len(a)]))
    hessian = as_matrix(risk.hessian(a, b, p, q))
    assert_allclose(np.concatenate(found), hessian @ direction, rtol=1e-12, atol=1e-13)
    formed = risk.hessian(a, b, p, q).product(*np.split(direction, [len(a)]))
    assert_allclose(np.concatenate(formed), hessian @ direction, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("n_pos", [30, 60])
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
def test_few_pairs_are_formed_and_many_are_not_with_the_same_sums(loss, n_pos, monkeypatch):
    risk, (a, b, p, q) = BlindAUCRisk(loss), scores(n_pos=n_pos, n_unl=40)
    formed, terms = risk(a, b, p, q), [risk.pos_term(b, q)(order, a) for order in range(3)]
    monkeypatch.setattr("blindauc.risks.FEW_PAIRS", 0)
    summed = risk(a, b, p, q)
    for one, other in zip(formed, summed, strict=True):
        assert_allclose(one, other, rtol=1e-12, atol=1e-15)
    for order in range(3):
        assert_allclose(terms[order], risk.pos_term(b, q)(order, a), rtol=1e-12, atol=1e-15)


# The clip of the nonnegative risks joins the positives: no one of them has a term of its own.
ADDITIVE = {name: case for name, case in RISKS.items() if not isinstance(case.risk, NonnegativePURisk)}


@pytest.mark.parametrize("case", ADDITIVE.values(), ids=ADDITIVE.keys())
def test_positives_term_is_what_one_positive_adds(case):
    a, b, p, q = scores()
    term = case.risk.pos_term(b, q)
    for i, e in enumerate([-2.0, -0.5, 0.5, 1.0, 2.0]):
        moved = a.copy()
        moved[i] += e
        change = case.plain(moved, b, p, q) - case.plain(a, b, p, q)
        assert_allclose(p[i] * (term(0, moved) - term(0, a))[i], change, rtol=1e-11, atol=1e-12)
    assert_allclose(term(1, a), central_difference(lambda a: term(0, a), a), rtol=1e-8, atol=1e-9)
    if case.risk.is_smooth:
        assert_allclose(term(2, a), central_difference(lambda a: term(1, a), a), rtol=1e-7, atol=1e-8)


@every_risk
def test_only_a_risk_without_intercept_ignores_a_common_shift(case):
    a, b, p, q = scores()
    same = np.isclose(case.risk(a + 0.5, b + 0.5, p, q).value, case.risk(a, b, p, q).value, rtol=1e-12)
    assert case.risk.has_intercept != same


def test_shifts_work_where_no_loss_is_taken_off_again():
    where = {name for name, case in RISKS.items() if case.risk.shifts_work}
    assert where == {name for name in RISKS if name.startswith(("auc", "paper"))}


FAR_AND_NEAR = np.concatenate([np.linspace(-70.0, 70.0, 561) + 0.0137, [-1e4, -300.0, 300.0, 1e4]])


CONVEX = {name: case for name, case in RISKS.items() if case.risk.loss.convex and case.risk.shifts_work}


@pytest.mark.parametrize("case", CONVEX.values(), ids=CONVEX.keys())
def test_positives_term_is_convex_if_the_loss_is_and_shifts_work(case):
    _, b, _, q = scores()
    term = case.risk.pos_term(b, q)
    left, right = np.meshgrid(FAR_AND_NEAR[::7], FAR_AND_NEAR[::11])
    left, right = left.ravel(), right.ravel()
    ends = (term(0, left) + term(0, right)) / 2
    # Powers of both signs add up to the rounded losses: against their squares, for widths of 1/4.
    rounding = 1e-14 * (1.0 + left**2 + right**2)
    assert (term(0, (left + right) / 2) <= ends + rounding).all()


@every_risk
def test_max_pos_slope_bounds_the_slope_of_the_positives_term(case):
    for seed, around in product(range(3), [-20.0, -3.0, 0.0, 3.0, 20.0]):
        _, b, _, q = scores(seed, around=around)
        slopes = case.risk.pos_term(b, q)(1, FAR_AND_NEAR)
        assert np.abs(slopes).max() <= case.risk.max_pos_slope * (1 + 1e-12)
    # Where nothing else bounds the search for a shift, the slope has to.
    assert case.risk.loss.convex or np.isfinite(case.risk.max_pos_slope)


@every_risk
@pytest.mark.parametrize("width", [0.0, 1.0])
def test_scores_of_zero_cost_the_same_whatever_the_rows(case, width):
    risk = case.risk.smoothed(width) if width else case.risk
    a, b, p, q = scores()
    assert_allclose(risk.value_at_zero, risk(np.zeros_like(a), np.zeros_like(b), p, q).value, rtol=1e-9)


@every_risk
def test_curvature_scale_of_the_smoothed_risk_is_positive_and_finite(case):
    assert 0 < case.risk.smoothed(1.0).curvature_scale < np.inf


@pytest.mark.parametrize("name", ["auc_logistic", "paper_logistic"])
def test_curvature_scale_is_how_much_the_logistic_risks_bend_at_zero(name):
    _, _, p, q = scores()
    a, b = np.zeros_like(p), np.zeros_like(q)
    bend = RISKS[name].risk.hessian_product(a, b, p, q)
    by_pos, _ = bend(np.ones_like(a), np.zeros_like(b))
    _, by_unl = bend(np.zeros_like(a), np.ones_like(b))
    assert_allclose(RISKS[name].risk.curvature_scale, 2 * 0.25, rtol=1e-15)
    assert_allclose(by_pos.sum() + by_unl.sum(), 2 * 0.25, rtol=1e-12)


@pytest.mark.parametrize("name", ["hinge", "barrier_hinge"])
def test_a_kinked_risk_is_not_smooth_until_smoothed(name):
    risk = BlindAUCRisk(LOSSES[name])
    smoothed = risk.smoothed(0.1)
    assert not risk.is_smooth
    assert smoothed.is_smooth
    sample = scores()
    # Rounded over 0.1, kinks reach less far than any margin is from them.
    assert_allclose(smoothed(*sample).value, risk(*sample).value, rtol=1e-11)


def test_paper_risk_with_the_logistic_loss_is_the_one_printed():
    a, b, p, q = scores()
    printed = p @ (-PRIOR * a + np.logaddexp(0, a)) + q @ np.logaddexp(0, b)
    assert_allclose(PUErrorRisk.paper(LOSSES["logistic"], PRIOR)(a, b, p, q).value, printed, rtol=1e-13)


def test_unbiased_logistic_risk_is_linear_in_the_positives_so_a_shift_changes_nothing():
    risk = PUErrorRisk.unbiased(LOSSES["logistic"], PRIOR)
    a, b, p, q = scores()
    before = risk(a, b, p, q)
    shifted = a.copy()
    shifted[2] += 7.5
    after = risk(shifted, b, p, q)
    assert_allclose(before.value, -PRIOR * (p @ a) + q @ np.logaddexp(0, b), rtol=1e-13)
    assert_allclose(after.by_pos, before.by_pos, rtol=1e-14)
    assert_array_equal(after.by_unl, before.by_unl)
    assert_allclose(before.by_pos, -PRIOR * p, rtol=1e-14)


@pytest.mark.parametrize("far", [-300.0, -1e4])
def test_nonnegative_risk_of_negatives_that_cost_next_to_nothing(far):
    risk = NonnegativePURisk.of(LOSSES["sigmoid"], PRIOR)
    found = risk(np.array([far]), np.array([far]), np.ones(1), np.ones(1))
    assert np.isfinite([found.value, *found.by_pos, *found.by_unl]).all()


@pytest.mark.parametrize("name", PU_LOSSES)
@pytest.mark.parametrize("around", [-6.0, 0.0, 6.0])
def test_nonnegative_risk_is_the_unbiased_one_where_the_negatives_part_is_positive(name, around):
    loss = LOSSES[name]
    a, b, p, q = scores(around=around)
    a = a + 6.0 if around < 0 else a
    negatives = q @ loss.value(-b) - PRIOR * (p @ loss.value(-a))
    found = NonnegativePURisk.of(loss, PRIOR)(a, b, p, q)
    if negatives > 0:
        expected = PUErrorRisk.unbiased(loss, PRIOR)(a, b, p, q)
        assert_allclose(found.value, expected.value, rtol=1e-12)
        assert_allclose(found.by_pos, expected.by_pos, rtol=1e-12, atol=1e-14)
    else:
        assert_allclose(found.value, PRIOR * (p @ loss.value(a)), rtol=1e-12)
        assert_allclose(found.by_pos, PRIOR * p * loss.derivative(a), rtol=1e-12)
        assert_array_equal(found.by_unl, 0.0)


@pytest.mark.parametrize("name", PU_LOSSES)
def test_both_sides_of_the_clip_are_tested(name):
    loss, signs = LOSSES[name], set()
    for around in (-6.0, 0.0, 6.0):
        a, b, p, q = scores(around=around)
        a = a + 6.0 if around < 0 else a
        signs.add(bool(q @ loss.value(-b) > PRIOR * (p @ loss.value(-a))))
    assert signs == {False, True}


def test_the_nonnegative_risk_has_a_kink_until_smoothed():
    risk = NonnegativePURisk.of(LOSSES["logistic"], PRIOR)
    assert not risk.is_smooth
    assert risk.smoothed(0.1).is_smooth


def test_pu_error_risks_by_name():
    for make in PU_ERROR_RISKS.values():
        assert make(LOSSES["logistic"], PRIOR).has_intercept
