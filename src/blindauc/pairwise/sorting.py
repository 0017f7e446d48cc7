"""Sums over all pairs for piecewise polynomial losses, by one sort and running sums.

A truncated power needs `sum_j weight_j * max(0, source_j - x)**d` at many x. In descending order of the sources, the
sums for d = 0, 1, 2 at one source follow from those at the previous one, and all terms are positive. Cumulative sums of
1, b and b^2 would be cheaper, but suffer from cancellation for scores far from zero.

Sources and targets may be on a device. If only one of them is, the other one, the scores of the positives, is moved
there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from blindauc.losses import Loss, PiecewiseLoss, TruncatedPower, get_loss, of_another_kind
from blindauc.rows.device.libraries import is_on_host, library_of


@dataclass(frozen=True)
class _PowersAbove:
    """sum_j weight_j * max(0, source_j - x)**d, d = 0, 1, 2, for x at each of the sorted sources."""

    descending: Any
    sums: tuple[Any, Any, Any]

    @classmethod
    def of(cls, descending: Any, weights: Any) -> _PowersAbove:
        library = library_of(descending)
        zero = library.zeros(1)
        count = library.running_sums(weights)
        gap = descending[:-1] - descending[1:]
        first = library.running_sums(library.joined([zero, gap * count[:-1]]))
        second = library.running_sums(library.joined([zero, gap * (2 * first[:-1] + gap * count[:-1])]))
        return cls(descending, (count, first, second))

    def at(self, base: Any, offset: float, degree: int) -> Any:
        """The sum of that degree at x = base + offset."""
        library = library_of(base)
        xp = library.xp
        if self.descending.shape[0] == 0:
            return library.zeros(base.shape[0])
        above = xp.searchsorted(-self.descending, -(base + offset), side="left")
        nearest = xp.where(above > 0, above - 1, 0)
        # Subtracted in this order, because the difference of two scores is more exact than base + offset.
        rest = (xp.take(self.descending, nearest, axis=0) - base) - offset
        rest = xp.where(rest > 0, rest, 0.0)
        count, first, second = (xp.take(power, nearest, axis=0) for power in self.sums)
        result = (count, first + rest * count, second + rest * (2 * first + rest * count))[degree]
        return xp.where(above > 0, result, 0.0)


@dataclass(frozen=True)
class SortedSummary:
    """Summary of weighted scores for piecewise polynomial losses: the sorted scores. The sum of two merges them."""

    scores: Any
    weights: Any

    @classmethod
    def of(cls, scores: Any, weights: Any = None) -> SortedSummary:
        """The summary of scores on the host or on a device, with weights of the same kind."""
        xp = library_of(scores).xp
        order = np.argsort(scores, kind="stable") if is_on_host(scores) else xp.argsort(scores, stable=True)
        ordered = xp.take(scores, order, axis=0)
        return cls(ordered, xp.ones_like(ordered) if weights is None else xp.take(weights, order, axis=0))

    def __add__(self, other: SortedSummary) -> SortedSummary:
        if not isinstance(other, SortedSummary):
            return NotImplemented
        joined = library_of(self.scores).joined
        return self.of(joined([self.scores, other.scores]), joined([self.weights, other.weights]))

    @property
    def total(self) -> float:
        """The sum of the weights."""
        library = library_of(self.weights)
        return library.number(library.xp.sum(self.weights))

    @cached_property
    def _above(self) -> _PowersAbove:
        xp = library_of(self.scores).xp
        return _PowersAbove.of(xp.flip(self.scores), xp.flip(self.weights))

    @cached_property
    def _below(self) -> _PowersAbove:
        return _PowersAbove.of(-self.scores, self.weights)

    def _power_sums(self, power: TruncatedPower, sign: int, targets: Any) -> Any:
        """sum_j weight_j * power(sign * (target_i - source_j))."""
        coef, knot, side, degree = power
        if side * sign == -1:
            return coef * self._above.at(targets, -sign * knot, degree)
        return coef * self._below.at(-targets, sign * knot, degree)

    def sums(self, loss: str | Loss, order: int, sign: int, targets: Any) -> Any:
        """sum_j weight_j * k(sign * (target_i - source_j)), k the derivative of that order, on the targets' device."""
        loss = get_loss(loss)
        if not isinstance(loss, PiecewiseLoss):
            raise of_another_kind(loss)
        own, theirs = library_of(self.scores), library_of(targets)
        if own is not theirs and is_on_host(self.scores):
            moved = SortedSummary(theirs.asarray(self.scores), theirs.asarray(self.weights))
            return moved.sums(loss, order, sign, targets)
        if own is not theirs:
            return own.to_host(self.sums(loss, order, sign, own.asarray(targets)))
        powers = loss.powers_of_order(order)
        return sum((self._power_sums(p, sign, targets) for p in powers), theirs.zeros(targets.shape[0]))

    def pair_sum(self, loss: str | Loss, unlabelled: SortedSummary) -> float:
        """The sum of the loss over all pairs of these positives with those unlabelled scores."""
        library = library_of(self.scores)
        return library.number(self.weights @ unlabelled.sums(loss, 0, 1, self.scores))
