"""Sums over all pairs, slow and obvious, and how near the fast ones must be."""

from fractions import Fraction

import numpy as np
import pytest
from instances import ANALYTIC, LOSSES, PIECEWISE, knots
from numpy.testing import assert_allclose

from blindauc.losses import AnalyticLoss
from blindauc.pairwise import pairwise_loss

EPS = np.finfo(float).eps
VANISHED = 1e-290

every_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())

every_analytic = pytest.mark.parametrize("loss", ANALYTIC.values(), ids=ANALYTIC.keys())
every_piecewise = pytest.mark.parametrize("loss", PIECEWISE.values(), ids=PIECEWISE.keys())


def shares(weights):
    return weights / weights.sum()


def double_loop(loss, a, b, p, q):
    """Value and gradients of the mean over pairs, pair by pair."""
    weight = shares(p)[:, None] * shares(q)
    m = a[:, None] - b
    slopes = weight * loss.derivative(m)
    return (weight * loss.value(m)).sum(), slopes.sum(axis=1), -slopes.sum(axis=0)


def magnitude(loss, order, m):
    """The size of the terms that add up to k(m), against which rounding is to be measured.

    Both analytic kernels of order 2 are below exp(-|m|); that of the sigmoid changes sign within it.
    """
    if not isinstance(loss, AnalyticLoss):
        return sum((np.abs(power(m)) for power in loss.powers_of_order(order)), np.zeros_like(m))
    return np.exp(-np.abs(m)) if order == 2 else np.abs(loss.derivative_of_order(order, m))


def assert_same_positive_sums(found, expected, rtol):
    """Elementwise; numbers next to underflow count as zero."""
    assert_allclose(
        np.where(np.abs(found) < VANISHED, 0.0, found),
        np.where(np.abs(expected) < VANISHED, 0.0, expected),
        rtol=rtol,
        atol=10 * VANISHED,
    )


class ExactPairs:
    """Bounds of the value and the gradients of a piecewise loss, in rational numbers.

    A margin is a difference of two floating-point numbers, so it is known to a relative rounding; next to a
    knot the search among sorted scores compares `score + knot`, which is known to a rounding of its size.
    The loss and its derivative anywhere in that interval are right.
    """

    def __init__(self, loss, a, b, p, q):
        self.loss = loss
        p, q = ([Fraction(x) for x in weights] for weights in (p, q))
        self.n = len(a) + len(b)
        self.weight = [[x * y / (sum(p) * sum(q)) for y in q] for x in p]
        self.interval = [[self._margin(Fraction(x), Fraction(y)) for y in b] for x in a]

    def _margin(self, x, y):
        m, ends = x - y, [Fraction(knot) for knot in knots(self.loss)]
        unsure = 4 * Fraction(EPS) * (abs(m) + max(map(abs, ends)))
        for knot in ends:
            at_the_knot = 4 * Fraction(EPS) * (abs(x) + abs(y) + abs(knot))
            if abs(m - knot) <= at_the_knot:
                unsure = max(unsure, at_the_knot)
        return m - unsure, m + unsure

    def _at(self, order, m, size=False):
        terms = [Fraction(0)]
        for coef, knot, side, degree in self.loss.powers_of_order(order):
            distance = side * (m - Fraction(knot))
            power = Fraction(distance > 0) if degree == 0 else max(distance, Fraction(0)) ** degree
            terms.append(Fraction(coef) * power)
        return sum(map(abs, terms)) if size else sum(terms)

    def bounds(self, order):
        """Arrays (lower, upper, rounding) of the weighted pairs."""
        result = []
        for weights, intervals in zip(self.weight, self.interval, strict=True):
            row = []
            for weight, (low, high) in zip(weights, intervals, strict=True):
                inside = [Fraction(knot) for knot in knots(self.loss) if low < knot < high]
                values = [self._at(order, m) for m in (low, high, *inside)]
                size = max(self._at(order, m, size=True) for m in (low, high))
                rounding = 4 * Fraction(EPS) * self.n * size
                row.append([weight * x for x in (min(values), max(values), rounding)])
            result.append(row)
        return np.moveaxis(np.array(result, dtype=object), 2, 0)


def assert_between(found, lower, upper, rounding):
    for x, low, high, slack in np.nditer([found, lower, upper, rounding], flags=["refs_ok"]):
        assert low.item() - slack.item() <= Fraction(float(x)) <= high.item() + slack.item()


def assert_exact_to_rounding(loss, a, b, p, q):
    found = pairwise_loss(a, b, loss=loss, pos_weight=p, unl_weight=q)
    exact = ExactPairs(loss, a, b, p, q)
    assert_between(found.value, *(part.sum() for part in exact.bounds(0)))
    lower, upper, rounding = exact.bounds(1)
    assert_between(found.pos_gradient, lower.sum(axis=1), upper.sum(axis=1), rounding.sum(axis=1))
    assert_between(found.unl_gradient, -upper.sum(axis=0), -lower.sum(axis=0), rounding.sum(axis=0))
