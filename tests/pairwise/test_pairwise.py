"""Sums over pairs without the pairs equal the double loop: every loss, tied and weighted."""

import numpy as np
import pytest
from double_loops import (
    assert_exact_to_rounding,
    assert_same_positive_sums,
    double_loop,
    every_analytic,
    every_loss,
    every_piecewise,
    magnitude,
    shares,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from instances import SMOOTH, central_difference, numerical_jacobian
from numpy.testing import assert_allclose, assert_array_equal

from blindauc.pairwise import PairwiseCurvature, pairwise_loss

every_smooth = pytest.mark.parametrize("loss", SMOOTH.values(), ids=SMOOTH.keys())


@st.composite
def samples(draw, max_size=40):
    """Scores a and b with weights p and q: of any size and scale, tied within and across, some weightless."""
    scale = 10.0 ** draw(st.integers(-8, 8))
    offset = draw(st.sampled_from([0.0, 1e3, -1e8, 1e8]))
    score = st.one_of(st.integers(-4, 4), st.integers(-60, 60), st.floats(-10.0, 10.0, allow_subnormal=False))
    weight = st.one_of(st.sampled_from([0.0, 1.0, 2.0]), st.floats(0.01, 10.0))

    def side():
        scores = draw(st.lists(score, min_size=1, max_size=max_size))
        weights = draw(st.lists(weight, min_size=len(scores), max_size=len(scores)))
        if sum(weights) == 0 or draw(st.booleans()):
            weights = [1.0] * len(scores)
        return np.array(scores) * scale + offset, np.array(weights)

    (a, p), (b, q) = side(), side()
    return a, b, p, q


@every_analytic
@settings(max_examples=80)
@given(sample=samples())
def test_analytic_losses_equal_the_double_loop(loss, sample):
    a, b, p, q = sample
    found = pairwise_loss(a, b, loss=loss, pos_weight=p, unl_weight=q)
    value, by_pos, by_unl = double_loop(loss, *sample)
    assert_same_positive_sums(found.value, value, rtol=1e-12)
    assert_same_positive_sums(found.pos_gradient, by_pos, rtol=1e-12)
    assert_same_positive_sums(found.unl_gradient, by_unl, rtol=1e-12)


@every_piecewise
@settings(max_examples=50)
@given(sample=samples(max_size=7))
def test_piecewise_losses_are_exact_to_rounding(loss, sample):
    assert_exact_to_rounding(loss, *sample)


def off_the_knots(seed=0, n_pos=7, n_unl=9):
    """Scores whose margins are 0.05 + multiples of 0.25: no kink of any listed loss is near."""
    rng = np.random.default_rng(seed)
    a, b = 0.25 * rng.integers(-12, 12, n_pos) + 0.1, 0.25 * rng.integers(-12, 12, n_unl) + 0.05
    return a, b, rng.uniform(0.1, 2.0, n_pos), rng.uniform(0.1, 2.0, n_unl)


@every_loss
def test_gradients_are_those_of_the_value(loss):
    a, b, p, q = off_the_knots()

    def value(a, b):
        return pairwise_loss(a, b, loss=loss, pos_weight=p, unl_weight=q).value

    found = pairwise_loss(a, b, loss=loss, pos_weight=p, unl_weight=q)
    assert_allclose(found.pos_gradient, numerical_jacobian(lambda a: value(a, b), a), rtol=1e-9, atol=1e-10)
    assert_allclose(found.unl_gradient, numerical_jacobian(lambda b: value(a, b), b), rtol=1e-9, atol=1e-10)


@every_loss
def test_no_weights_are_equal_weights_and_lists_are_scores(loss):
    a, b, *_ = off_the_knots()
    plain = pairwise_loss(a.tolist(), b.tolist(), loss=loss)
    weighted = pairwise_loss(a, b, loss=loss, pos_weight=np.full(len(a), 3), unl_weight=np.full(len(b), 0.1))
    assert_allclose(plain.value, weighted.value, rtol=1e-13)
    assert_allclose(plain.pos_gradient, weighted.pos_gradient, rtol=1e-13, atol=0)
    assert_allclose(plain.unl_gradient, weighted.unl_gradient, rtol=1e-13, atol=0)


@every_loss
def test_a_weight_is_a_number_of_repetitions(loss):
    a, b, *_ = off_the_knots()
    p, q = np.array([1, 3, 0, 2, 1, 5, 1]), np.array([2, 1, 1, 0, 4, 1, 3, 1, 2])
    weighted = pairwise_loss(a, b, loss=loss, pos_weight=p, unl_weight=q)
    repeated = pairwise_loss(np.repeat(a, p), np.repeat(b, q), loss=loss)
    pos_start, unl_start = (np.append(0, np.cumsum(counts)) for counts in (p, q))
    assert_allclose(weighted.value, repeated.value, rtol=1e-13)
    for found, parts, start in [
        (weighted.pos_gradient, repeated.pos_gradient, pos_start),
        (weighted.unl_gradient, repeated.unl_gradient, unl_start),
    ]:
        assert_allclose(found, np.diff(np.append(0, np.cumsum(parts))[start]), rtol=1e-12, atol=1e-14)


@every_loss
@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 1e4])
def test_curvature_product_is_that_with_the_dense_hessian(loss, scale):
    """Elementwise, against the sum of the sizes of its terms: they have both signs, so it may cancel."""
    rng = np.random.default_rng(1)
    a, b = scale * rng.normal(size=30), scale * rng.normal(size=40)
    p, q = shares(rng.uniform(0, 1, 30)), shares(rng.uniform(0, 1, 40))
    d_pos, d_unl = rng.normal(size=30), rng.normal(size=40)
    m, weight = a[:, None] - b, p[:, None] * q
    bend, change = weight * loss.curvature(m), d_pos[:, None] - d_unl
    terms = weight * magnitude(loss, 2, m) * (np.abs(d_pos)[:, None] + np.abs(d_unl))
    by_pos, by_unl = PairwiseCurvature(loss, a, b, p, q).product(d_pos, d_unl)
    assert (np.abs(by_pos - (bend * change).sum(axis=1)) <= 1e-12 * terms.sum(axis=1)).all()
    assert (np.abs(by_unl + (bend * change).sum(axis=0)) <= 1e-12 * terms.sum(axis=0)).all()


@every_smooth
def test_curvature_product_is_the_change_of_the_gradients(loss):
    a, b, p, q = off_the_knots()
    p, q = shares(p), shares(q)
    d_pos, d_unl = np.cos(np.arange(len(a))), np.sin(np.arange(len(b)))

    def gradient(t):
        found = pairwise_loss(a + t * d_pos, b + t * d_unl, loss=loss, pos_weight=p, unl_weight=q)
        return np.append(found.pos_gradient, found.unl_gradient)

    product = np.concatenate(PairwiseCurvature(loss, a, b, p, q).product(d_pos, d_unl))
    assert_allclose(product, central_difference(gradient, 0.0), rtol=1e-9, atol=1e-10)


@every_loss
def test_curvature_product_with_nothing_is_nothing(loss):
    a, b, p, q = off_the_knots()
    curvature = PairwiseCurvature(loss, a, b, shares(p), shares(q))
    for result in curvature.product(np.zeros_like(a), np.zeros_like(b)):
        assert_array_equal(result, 0.0)
