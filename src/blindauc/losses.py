"""Surrogate losses of the ranking error: `loss(m)` of the margin m = score of a positive - score of an unlabelled row.

Every loss has `value`, `derivative` and `curvature` (elementwise, no overflow). Its class determines how its sums over
all pairs are computed without forming the pairs:

- `AnalyticLoss`: smooth between its `Tail`s, which are a line plus an exponential;
- `PiecewiseLoss`: a sum of truncated powers `coef * max(0, side * (m - knot)) ** degree`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf, perm
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from blindauc._typing import Floats

LARGEST_EXPONENT = 700.0
"""The exponential of this number does not overflow in double precision."""


class Loss(ABC):
    """Base class of the losses."""

    convex: bool
    """Whether the loss is convex: every local minimum of a sum of it is then global."""

    has_flat_stretches = False
    """Whether its curvature vanishes where its slope does not, so that Newton steps may be arbitrarily long."""

    max_slope: float = inf
    """An upper bound of |derivative|."""

    max_curvature: float = inf
    """An upper bound of |curvature|; infinite if the loss has a kink."""

    @abstractmethod
    def value(self, m: Floats) -> Floats:
        """loss(m)."""

    @abstractmethod
    def derivative(self, m: Floats) -> Floats:
        """loss'(m); at a kink, an element of the subgradient."""

    @abstractmethod
    def curvature(self, m: Floats) -> Floats:
        """loss''(m); zero at a kink."""

    def value_and_derivative(self, m: Floats) -> tuple[Floats, Floats]:
        """Value and derivative, for losses in which they share work."""
        return self.value(m), self.derivative(m)

    def smoothed(self, width: float) -> Loss:
        """The loss with its kinks smoothed over `width`; a smooth loss is returned unchanged."""
        return self

    def derivative_of_order(self, order: int, m: Floats) -> Floats:
        """The value, derivative or curvature for order 0, 1, 2."""
        return (self.value, self.derivative, self.curvature)[order](m)


class Tail(NamedTuple):
    """Beyond |m| = 40 a kernel is `constant + slope * m + decay * exp(-|m|)` to machine precision."""

    constant: float = 0.0
    slope: float = 0.0
    decay: float = 0.0


class AnalyticLoss(Loss):
    """A loss analytic in the strip |Im m| < pi, with the same property for its derivatives."""

    @abstractmethod
    def tails(self, order: int) -> tuple[Tail, Tail]:
        """The left (m < -40) and right (m > 40) tail of the derivative of that order."""


def _expit(m: Floats) -> Floats:
    """1 / (1 + exp(-m))."""
    if isinstance(m, np.ndarray):
        return expit(m)
    # NumPy functions, because they can be recorded for margins that are not in memory. SciPy's expit accepts only
    # arrays if SCIPY_ARRAY_API is set, which scikit-learn requires for device arrays.
    decay = np.exp(-np.abs(m))
    return np.where(m >= 0, 1.0, decay) / (1 + decay)


def _growth(m: Floats) -> Floats:
    """exp(-m), clipped to avoid overflow; where it is clipped, log1p(exp(-m)) equals -m."""
    return np.exp(np.minimum(-m, LARGEST_EXPONENT))


def _bump(m: Floats) -> Floats:
    """expit(m) * expit(-m), with one exponential."""
    decay = np.exp(-np.abs(m))
    decay /= (1 + decay) ** 2
    return decay


@dataclass(frozen=True)
class Logistic(AnalyticLoss):
    """log(1 + exp(-m))."""

    convex = True
    max_slope = 1.0
    max_curvature = 0.25

    def value(self, m: Floats) -> Floats:
        # np.logaddexp(0, -m) gives the same values, but takes three times as long.
        return np.maximum(np.log1p(_growth(m)), -m)

    def derivative(self, m: Floats) -> Floats:
        return -_expit(-m)

    def value_and_derivative(self, m: Floats) -> tuple[Floats, Floats]:
        growth = _growth(m)
        value = np.maximum(np.log1p(growth), -m)
        growth /= -1 - growth  # in place: allocating new memory would take as long as the arithmetic
        return value, growth

    def curvature(self, m: Floats) -> Floats:
        return _bump(m)

    def tails(self, order: int) -> tuple[Tail, Tail]:
        return (
            (Tail(slope=-1.0), Tail(decay=1.0)),
            (Tail(constant=-1.0), Tail(decay=-1.0)),
            (Tail(decay=1.0), Tail(decay=1.0)),
        )[order]


@dataclass(frozen=True)
class Sigmoid(AnalyticLoss):
    """1 / (1 + exp(m)): bounded, and symmetric in that loss(m) + loss(-m) = 1."""

    convex = False
    has_flat_stretches = True
    max_slope = 0.25
    max_curvature = 3**0.5 / 18

    def value(self, m: Floats) -> Floats:
        return _expit(-m)

    def derivative(self, m: Floats) -> Floats:
        return -_bump(m)

    def curvature(self, m: Floats) -> Floats:
        return _bump(m) * np.tanh(m / 2)

    def tails(self, order: int) -> tuple[Tail, Tail]:
        return (
            (Tail(constant=1.0), Tail(decay=1.0)),
            (Tail(decay=-1.0), Tail(decay=-1.0)),
            (Tail(decay=-1.0), Tail(decay=1.0)),
        )[order]


class TruncatedPower(NamedTuple):
    """coef * max(0, side * (m - knot)) ** degree, with side -1 or +1; degree 0 is a step, 0 at the knot."""

    coef: float
    knot: float
    side: int
    degree: int

    def __call__(self, m: Floats) -> Floats:
        distance = self.side * (m - self.knot)
        if self.degree == 0:
            return np.where(distance > 0, self.coef, 0.0)
        return self.coef * np.maximum(distance, 0.0) ** self.degree

    def differentiated(self, order: int) -> TruncatedPower:
        """The derivative of that order; beyond the degree it is zero almost everywhere."""
        degree = max(self.degree - order, 0)
        coef = self.coef * self.side**order * perm(self.degree, order)
        return TruncatedPower(coef, self.knot, self.side, degree)


class PiecewiseLoss(Loss):
    """A piecewise polynomial loss, given by its truncated powers."""

    convex = True

    @abstractmethod
    def powers(self) -> tuple[TruncatedPower, ...]:
        """The terms whose sum is the loss."""

    def powers_of_order(self, order: int) -> tuple[TruncatedPower, ...]:
        """The terms whose sum is the derivative of that order."""
        terms = (power.differentiated(order) for power in self.powers())
        return tuple(term for term in terms if term.coef != 0)

    def derivative_of_order(self, order: int, m: Floats) -> Floats:
        return sum((power(m) for power in self.powers_of_order(order)), np.zeros_like(m))

    def value(self, m: Floats) -> Floats:
        return self.derivative_of_order(0, m)

    def derivative(self, m: Floats) -> Floats:
        return self.derivative_of_order(1, m)

    def curvature(self, m: Floats) -> Floats:
        return self.derivative_of_order(2, m)


@dataclass(frozen=True)
class Hinge(PiecewiseLoss):
    """max(0, 1 - m)."""

    max_slope = 1.0

    def powers(self) -> tuple[TruncatedPower, ...]:
        return (TruncatedPower(1.0, 1.0, -1, 1),)

    def smoothed(self, width: float) -> Loss:
        return RoundedKinks(self.powers(), width)


@dataclass(frozen=True)
class SquaredHinge(PiecewiseLoss):
    """max(0, 1 - m)^2."""

    max_curvature = 2.0

    def powers(self) -> tuple[TruncatedPower, ...]:
        return (TruncatedPower(1.0, 1.0, -1, 2),)


@dataclass(frozen=True)
class BarrierHinge(PiecewiseLoss):
    """max(-slope * (radius + m) + radius, radius - m, slope * (m - radius)).

    Symmetric for |m| <= radius, with a barrier that keeps the margins there (Charoenphakdee, Lee and Sugiyama, On
    symmetric losses for learning from corrupted labels, ICML 2019).
    """

    slope: float = 200.0
    radius: float = 50.0

    @property
    def max_slope(self) -> float:  # type: ignore[override]
        return self.slope

    def powers(self) -> tuple[TruncatedPower, ...]:
        left_knot = -self.slope * self.radius / (self.slope - 1)
        return (
            TruncatedPower(1.0, self.radius, -1, 1),
            TruncatedPower(self.slope, self.radius, 1, 1),
            TruncatedPower(self.slope - 1, left_knot, -1, 1),
        )

    def smoothed(self, width: float) -> Loss:
        return RoundedKinks(self.powers(), width)


@dataclass(frozen=True)
class RoundedKinks(PiecewiseLoss):
    """Piecewise linear terms, averaged over a window of `width`; this adds at most coef * width / 8 per term.

    Each term is a difference of squares: far from the kinks only about 16 - log10(m^2 / width) digits are correct. This
    is enough for a fit from which the solver of the original loss starts.
    """

    kinks: tuple[TruncatedPower, ...]
    width: float
    has_flat_stretches = True

    @property
    def max_curvature(self) -> float:  # type: ignore[override]
        return sum(kink.coef for kink in self.kinks) / self.width

    def powers(self) -> tuple[TruncatedPower, ...]:
        # The mean of max(0, d) over [d - w/2, d + w/2] is (max(0, d + w/2)^2 - max(0, d - w/2)^2) / 2w.
        terms = []
        for coef, knot, side, _ in self.kinks:
            scaled, half = coef / (2 * self.width), side * self.width / 2
            terms.append(TruncatedPower(scaled, knot - half, side, 2))
            terms.append(TruncatedPower(-scaled, knot + half, side, 2))
        return tuple(terms)


LOSSES: dict[str, Loss] = {
    "logistic": Logistic(),
    "hinge": Hinge(),
    "squared_hinge": SquaredHinge(),
    "sigmoid": Sigmoid(),
    "barrier_hinge": BarrierHinge(),
}


def get_loss(loss: str | Loss) -> Loss:
    """The loss of that name; a `Loss` is returned unchanged."""
    if isinstance(loss, Loss):
        return loss
    if not isinstance(loss, str) or loss not in LOSSES:
        raise ValueError(f"Unknown loss {loss!r}: choose one of {', '.join(map(repr, LOSSES))}.")
    return LOSSES[loss]


def of_another_kind(loss: Loss) -> TypeError:
    """The error for a summary of scores that was made for another kind of loss."""
    return TypeError(f"This summary of scores is not for {loss!r}: summarize the scores with that loss.")
