"""Sums over few pairs, which are formed explicitly.

The logistic loss needs one exponential per score instead of one per pair, because exp(b - a) is a product. Pairs of
equal weight share a logarithm, because log(1 + g) + log(1 + h) is the logarithm of a product.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from blindauc._typing import Floats
from blindauc.losses import Logistic, Loss

FEWEST_WORTH_SHARING = 2**11
"""With fewer pairs, the overhead of sharing exponentials and logarithms exceeds what it saves."""

HALVINGS = 3
"""2 ** 3 pairs share a logarithm (convention)."""

LARGEST_LEAD = 80.0
"""Exponentials are shared if no unlabelled score exceeds a positive's by more: exp(80) ** 8 does not overflow."""


class FormedPairs(Protocol):
    """A loss of all margins a_i - b_j, with weights p_i * q_j."""

    def mean_and_slopes(self, p: Floats, q: Floats) -> tuple[float, Floats]:
        """The mean loss, and the derivative of each pair's loss, one row per positive."""

    def row_means(self, order: int, q: Floats) -> Floats:
        """For each positive, the mean of the derivative of that order over its pairs."""

    def curvatures(self) -> Floats:
        """The second derivative of each pair's loss."""


def formed(loss: Loss, a: Floats, b: Floats) -> FormedPairs:
    """The pairs of positive scores `a` and unlabelled scores `b`."""
    worth_sharing = isinstance(loss, Logistic) and len(a) * len(b) >= FEWEST_WORTH_SHARING
    if worth_sharing and b.max() - a.min() <= LARGEST_LEAD:
        return _LogisticPairs(a, b)
    return _Pairs(loss, a[:, None] - b)


class _Pairs:
    def __init__(self, loss: Loss, margins: Floats) -> None:
        self._loss, self._margins = loss, margins

    def mean_and_slopes(self, p: Floats, q: Floats) -> tuple[float, Floats]:
        value, slopes = self._loss.value_and_derivative(self._margins)
        return float(p @ value @ q), slopes

    def row_means(self, order: int, q: Floats) -> Floats:
        return self._loss.derivative_of_order(order, self._margins) @ q

    def curvatures(self) -> Floats:
        return self._loss.curvature(self._margins)


class _LogisticPairs:
    """Logistic loss. Arrays have one row per unlabelled score, so that halves of them are contiguous."""

    def __init__(self, a: Floats, b: Floats) -> None:
        lowest = a.min()  # subtracted from all scores, so that neither factor overflows
        self._growth = np.exp(b - lowest)[:, None] * np.exp(lowest - a)

    def mean_and_slopes(self, p: Floats, q: Floats) -> tuple[float, Floats]:
        return float(self._row_values(q) @ p), self._slopes()

    def row_means(self, order: int, q: Floats) -> Floats:
        if order == 0:
            return self._row_values(q)
        return (self._slopes() if order == 1 else self.curvatures()) @ q

    def curvatures(self) -> Floats:
        result = self._growth + 1
        result *= result
        return np.divide(self._growth, result, out=result).T

    def _slopes(self) -> Floats:
        result = -1 - self._growth
        return np.divide(
            self._growth, result, out=result
        ).T  # in place: allocating would cost as much as the arithmetic

    def _row_values(self, q: Floats) -> Floats:
        if (q == q[0]).all():
            return q[0] * _sum_of_log1p(self._growth, HALVINGS)
        return q @ np.log1p(self._growth)


def _sum_of_log1p(growth: Floats, halvings: int) -> Floats:
    """The sum of log1p over the rows. Halves are combined as (1 + g)(1 + h) - 1 = gh + g + h, to keep small digits."""
    half, odd = divmod(len(growth), 2)
    if halvings == 0 or half == 0:
        return np.log1p(growth).sum(axis=0)
    upper, lower = growth[:half], growth[half : 2 * half]
    joint = upper * lower
    joint += upper
    joint += lower
    total = _sum_of_log1p(joint, halvings - 1)
    return total + np.log1p(growth[-1]) if odd else total
