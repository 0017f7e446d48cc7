"""Promises of every loss: right derivatives, no overflow, bounds that hold, formulas as printed."""

import re

import numpy as np
import pytest
from instances import ANALYTIC, LOSSES, SMOOTH, central_difference, knots
from numpy.testing import assert_allclose, assert_array_equal

from blindauc.losses import BarrierHinge, Hinge, Loss, RoundedKinks, Sigmoid, SquaredHinge, get_loss
from blindauc.solvers.fits import SMOOTHING_WIDTHS

MARGINS = np.linspace(-60.0, 60.0, 4801) + 0.0137
KINKED = {"hinge": Hinge(), "barrier_hinge": BarrierHinge(), "small_barrier": BarrierHinge(3.0, 2.0)}

every_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
every_analytic = pytest.mark.parametrize("loss", ANALYTIC.values(), ids=ANALYTIC.keys())
every_kinked = pytest.mark.parametrize("loss", KINKED.values(), ids=KINKED.keys())


def off_the_knots(loss, distance=0.01):
    return MARGINS[[all(abs(m - knot) > distance for knot in knots(loss)) for m in MARGINS]]


def barrier_lines(m, slope, radius):
    return np.max([-slope * (radius + m) + radius, radius - m, slope * (m - radius)], axis=0)


def rounded(m, knot, slope_left, slope_right, width):
    """A kink of max(slope_left * d, slope_right * d), d = m - knot, that bends evenly over the width."""
    d = m - knot
    inside = np.clip(d + width / 2, 0.0, width)
    bent = (slope_right - slope_left) * (inside**2 / (2 * width) + np.maximum(d - width / 2, 0.0))
    return slope_left * d + bent


FORMULAS = {
    "logistic": lambda m: np.logaddexp(0.0, -m),
    "sigmoid": lambda m: (1 - np.tanh(m / 2)) / 2,
    "hinge": lambda m: np.maximum(0.0, 1 - m),
    "squared_hinge": lambda m: np.maximum(0.0, 1 - m) ** 2,
    "barrier_hinge": lambda m: barrier_lines(m, 200.0, 50.0),
    "rounded_hinge": lambda m: rounded(m, 1.0, -1.0, 0.0, 0.5),
    "rounded_barrier_hinge": lambda m: rounded(m, -3.0, -2.0, 0.0, 0.25) + rounded(m, 2.0, -1.0, 3.0, 0.25),
}


@pytest.mark.parametrize("name", LOSSES)
def test_value_is_the_formula(name):
    assert_allclose(LOSSES[name].value(MARGINS), FORMULAS[name](MARGINS), rtol=1e-13, atol=1e-11)


@every_loss
def test_derivative_is_that_of_the_value(loss):
    m = off_the_knots(loss)
    # Values reach 2000, so differences over 1e-3 carry rounding of 2000 * 1e-16 / 1e-3.
    assert_allclose(loss.derivative(m), central_difference(loss.value, m), rtol=1e-9, atol=1e-8)


@every_loss
def test_curvature_is_that_of_the_derivative(loss):
    m = off_the_knots(loss)
    assert_allclose(loss.curvature(m), central_difference(loss.derivative, m), rtol=1e-9, atol=1e-10)


@every_loss
def test_orders_name_value_derivative_and_curvature(loss):
    for order, method in enumerate([loss.value, loss.derivative, loss.curvature]):
        assert_array_equal(loss.derivative_of_order(order, MARGINS), method(MARGINS))


@every_loss
def test_huge_margins_neither_overflow_nor_give_nan(loss):
    m = np.array([-1e6, -1e4, -750.0, -709.0, 0.0, 709.0, 750.0, 1e4, 1e6])
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        for order in range(3):
            assert np.isfinite(loss.derivative_of_order(order, m)).all()


@every_loss
def test_bounds_of_slope_and_curvature_hold(loss):
    one_rounding = 1 + 1e-15
    assert np.abs(loss.derivative(MARGINS)).max() <= loss.max_slope * one_rounding
    assert np.abs(loss.curvature(MARGINS)).max() <= loss.max_curvature * one_rounding


@every_loss
def test_convex_means_that_slopes_never_fall(loss):
    slopes = loss.derivative(np.sort(MARGINS))
    assert loss.convex == (np.diff(slopes) >= -1e-11).all()


@every_loss
def test_a_bounded_or_rounded_loss_says_that_it_has_flat_stretches(loss):
    assert loss.has_flat_stretches == isinstance(loss, Sigmoid | RoundedKinks)


@every_analytic
@pytest.mark.parametrize("order", range(3))
@pytest.mark.parametrize("m", [-300.0, -45.0, -40.0, 40.0, 45.0, 300.0])
def test_tails_are_the_loss(loss, order, m):
    tail = loss.tails(order)[m > 0]
    line_and_decay = tail.constant + tail.slope * m + tail.decay * np.exp(-abs(m))
    assert_allclose(line_and_decay, loss.derivative_of_order(order, np.array(m)), rtol=1e-15)


def test_sigmoid_is_symmetric():
    loss = Sigmoid()
    assert_allclose(loss.value(MARGINS) + loss.value(-MARGINS), 1.0, rtol=1e-15)


@pytest.mark.parametrize(("slope", "radius"), [(200.0, 50.0), (3.0, 2.0), (1.5, 0.5)])
def test_barrier_hinge_is_its_three_lines_and_symmetric_within_the_radius(slope, radius):
    loss = BarrierHinge(slope, radius)
    assert_allclose(loss.value(MARGINS), barrier_lines(MARGINS, slope, radius), rtol=1e-14, atol=1e-12)
    inside = np.linspace(-radius, radius, 101)
    assert_allclose(loss.value(inside) + loss.value(-inside), 2 * radius, rtol=1e-14)


@every_kinked
@pytest.mark.parametrize("width", [1.0, 0.1, 1e-3])
def test_smoothed_stays_within_an_eighth_of_the_width(loss, width):
    m = np.concatenate([MARGINS, [knot + t * width for knot in knots(loss) for t in (-0.5, -0.3, 0, 0.2)]])
    deviation = loss.smoothed(width).value(m) - loss.value(m)
    largest_jump = max(jumps_of_slope(loss).values())
    assert np.abs(deviation).max() <= largest_jump * width / 8 + rounding_of_squares(loss, m, width)
    assert_allclose(deviation.max(), largest_jump * width / 8, rtol=1e-6)


def jumps_of_slope(loss):
    """By how much the slope jumps at each knot: coef on either side of it, so the coefs add up."""
    return {at: sum(power.coef for power in loss.powers() if power.knot == at) for at in knots(loss)}


def rounding_of_squares(loss, m, width):
    """What a difference of two squares over 2 * width loses, since that is how the smooth loss is written."""
    squares = sum(power.coef * np.abs(m - power.knot).max() ** 2 for power in loss.powers())
    return 4 * np.finfo(float).eps * squares / (2 * width)


@every_kinked
@pytest.mark.parametrize("width", SMOOTHING_WIDTHS)
def test_smoothed_stays_close_for_large_margins_and_every_width_of_the_solver(loss, width):
    """Each margin by itself: the rounding of a difference of squares grows with its own square only."""
    m = np.concatenate([[-1e6, 1e6], np.linspace(-1e4, 1e4, 2001) + 0.0137, np.linspace(-100.0, 100.0, 2001) + 0.0137])
    deviation = np.abs(loss.smoothed(width).value(m) - loss.value(m))
    squares = sum(power.coef * (np.abs(m) + abs(power.knot)) ** 2 for power in loss.powers())
    rounding = 2 * np.finfo(float).eps * squares / width
    assert (deviation <= max(jumps_of_slope(loss).values()) * width / 8 + rounding).all()


@pytest.mark.parametrize("loss", SMOOTH.values(), ids=SMOOTH.keys())
def test_a_smooth_loss_is_its_own_smoothed(loss):
    assert loss.smoothed(0.1) is loss


@every_kinked
def test_smoothed_is_smooth(loss):
    assert np.isfinite(loss.smoothed(0.1).max_curvature)


def test_get_loss_knows_names_and_takes_losses():
    for name, loss in LOSSES.items():
        assert get_loss(loss) is loss
        if not name.startswith("rounded"):
            assert isinstance(get_loss(name), Loss)
    mine = SquaredHinge()
    assert get_loss(mine) is mine


def test_get_loss_of_an_unknown_name_says_which_are_known():
    known = ["logistic", "hinge", "squared_hinge", "sigmoid", "barrier_hinge"]
    with pytest.raises(ValueError, match="'ramp'.*" + ".*".join(map(re.escape, known))):
        get_loss("ramp")
