"""Sums over all pairs for piecewise polynomial losses: one sort, then running sums.

A truncated power needs `sum_j weight_j * max(0, source_j - x)**d` at many x. Going down the sorted sources,
the sums for d = 0, 1, 2 at one source follow from those at the one before it, in terms that are all positive.
Cumulative sums of 1, b and b^2 would cost less and cancel for scores far from zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from blindauc._typing import Floats
from blindauc.losses import Loss, PiecewiseLoss, TruncatedPower, get_loss, of_another_kind


@dataclass(frozen=True)
class _PowersAbove:
    """sum_j weight_j * max(0, source_j - x)**d, d = 0, 1, 2, for x at each of the sorted sources."""

    descending: Floats
    sums: tuple[Floats, Floats, Floats]

    @classmethod
    def of(cls, descending: Floats, weights: Floats) -> _PowersAbove:
        count = np.cumsum(weights)
        gap = -np.diff(descending)
        first = np.cumsum(np.append(0.0, gap * count[:-1]))
        second = np.cumsum(np.append(0.0, gap * (2 * first[:-1] + gap * count[:-1])))
        return cls(descending, (count, first, second))

    def at(self, base: Floats, offset: float, degree: int) -> Floats:
        """The sum of that degree at x = base + offset."""
        if len(self.descending) == 0:
            return np.zeros(len(base))
        above = np.searchsorted(-self.descending, -(base + offset), side="left")
        nearest = np.maximum(above - 1, 0)
        # Not descending - (base + offset): the difference of two scores is the more exact one.
        rest = np.maximum((self.descending[nearest] - base) - offset, 0.0)
        count, first, second = (power[nearest] for power in self.sums)
        result = (count, first + rest * count, second + rest * (2 * first + rest * count))[degree]
        return np.where(above > 0, result, 0.0)


@dataclass(frozen=True)
class SortedSummary:
    """Weighted scores in ascending order; the summary of two batches is their merge."""

    scores: Floats
    weights: Floats

    @classmethod
    def of(cls, scores: Floats, weights: Floats | None = None) -> SortedSummary:
        order = np.argsort(scores, kind="stable")
        return cls(scores[order], np.ones(len(scores)) if weights is None else weights[order])

    def __add__(self, other: SortedSummary) -> SortedSummary:
        if not isinstance(other, SortedSummary):
            return NotImplemented
        return self.of(
            np.concatenate([self.scores, other.scores]),
            np.concatenate([self.weights, other.weights]),
        )

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return float(self.weights.sum())

    @cached_property
    def _above(self) -> _PowersAbove:
        return _PowersAbove.of(self.scores[::-1], self.weights[::-1])

    @cached_property
    def _below(self) -> _PowersAbove:
        return _PowersAbove.of(-self.scores, self.weights)

    def _power_sums(self, power: TruncatedPower, sign: int, targets: Floats) -> Floats:
        """sum_j weight_j * power(sign * (target_i - source_j))."""
        coef, knot, side, degree = power
        if side * sign == -1:
            return coef * self._above.at(targets, -sign * knot, degree)
        return coef * self._below.at(-targets, sign * knot, degree)

    def sums(self, loss: str | Loss, order: int, sign: int, targets: Floats) -> Floats:
        """sum_j weight_j * k(sign * (target_i - source_j)), k the derivative of that order."""
        loss = get_loss(loss)
        if not isinstance(loss, PiecewiseLoss):
            raise of_another_kind(loss)
        powers = loss.powers_of_order(order)
        return sum((self._power_sums(p, sign, targets) for p in powers), np.zeros(len(targets)))

    def pair_sum(self, loss: str | Loss, unlabelled: SortedSummary) -> float:
        """The sum of the loss over all pairs of these positives with those unlabelled scores."""
        return float(self.weights @ unlabelled.sums(loss, 0, 1, self.scores))
