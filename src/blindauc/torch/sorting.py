"""Sums over all pairs for piecewise polynomial losses, in torch operations where the scores are.

The same running sums down the sorted scores as in `blindauc.pairwise.sorting`, which says why they are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from blindauc.losses import PiecewiseLoss, TruncatedPower
from blindauc.torch.rows import Rows


def summaries(rows: Rows) -> tuple[SortedScores, SortedScores]:
    """The summaries of the positives and of the unlabelled rows."""
    weight = torch.ones_like(rows.scores) if rows.weight is None else rows.weight
    pos, unl = (SortedScores.of(rows.scores[side], weight[side]) for side in (rows.is_positive, ~rows.is_positive))
    return pos, unl


def slopes(loss: PiecewiseLoss, pos: SortedScores, unl: SortedScores, rows: Rows) -> Tensor:
    """The derivative of the sum over all pairs by each score, but for the row's own weight."""
    result, is_positive = torch.empty_like(rows.scores), rows.is_positive
    result[is_positive] = unl.sums(loss, 1, 1, rows.scores[is_positive])
    result[~is_positive] = -pos.sums(loss, 1, -1, rows.scores[~is_positive])
    return result


@dataclass(frozen=True)
class _PowersAbove:
    """sum_j weight_j * max(0, source_j - x)**d, d = 0, 1, 2, for x at each of the sorted sources."""

    descending: Tensor
    sums: tuple[Tensor, Tensor, Tensor]

    @classmethod
    def of(cls, descending: Tensor, weights: Tensor) -> _PowersAbove:
        count = torch.cumsum(weights, 0)
        zero, gap = weights.new_zeros(1), -torch.diff(descending)
        first = torch.cumsum(torch.cat([zero, gap * count[:-1]]), 0)
        second = torch.cumsum(torch.cat([zero, gap * (2 * first[:-1] + gap * count[:-1])]), 0)
        return cls(descending, (count, first, second))

    def at(self, base: Tensor, offset: float, degree: int) -> Tensor:
        """The sum of that degree at x = base + offset."""
        above = torch.searchsorted(-self.descending, -(base + offset))
        nearest = (above - 1).clamp_(min=0)
        rest = ((self.descending[nearest] - base) - offset).clamp_(min=0.0)
        count, first, second = (power[nearest] for power in self.sums)
        result = (count, first + rest * count, second + rest * (2 * first + rest * count))[degree]
        return torch.where(above > 0, result, 0.0)


@dataclass(frozen=True)
class SortedScores:
    """Weighted scores in ascending order; the summary of two batches is their merge."""

    scores: Tensor
    weights: Tensor

    @classmethod
    def of(cls, scores: Tensor, weights: Tensor) -> SortedScores:
        ordered, order = torch.sort(scores, stable=True)
        return cls(ordered, weights[order])

    def __add__(self, other: SortedScores) -> SortedScores:
        return self.of(torch.cat([self.scores, other.scores]), torch.cat([self.weights, other.weights]))

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return float(self.weights.sum())

    @cached_property
    def _above(self) -> _PowersAbove:
        return _PowersAbove.of(self.scores.flip(0), self.weights.flip(0))

    @cached_property
    def _below(self) -> _PowersAbove:
        return _PowersAbove.of(-self.scores, self.weights)

    def _power_sums(self, power: TruncatedPower, sign: int, targets: Tensor) -> Tensor:
        """sum_j weight_j * power(sign * (target_i - source_j))."""
        coef, knot, side, degree = power
        if side * sign == -1:
            return coef * self._above.at(targets, -sign * knot, degree)
        return coef * self._below.at(-targets, sign * knot, degree)

    def sums(self, loss: PiecewiseLoss, order: int, sign: int, targets: Tensor) -> Tensor:
        """sum_j weight_j * k(sign * (target_i - source_j)), k the derivative of that order."""
        result = torch.zeros_like(targets)
        if len(self.scores):
            for power in loss.powers_of_order(order):
                result += self._power_sums(power, sign, targets)
        return result

    def pair_sum(self, loss: PiecewiseLoss, unlabelled: SortedScores) -> float:
        """The sum of the loss over all pairs of these positives with those unlabelled scores."""
        return float(self.weights @ unlabelled.sums(loss, 0, 1, self.scores))
