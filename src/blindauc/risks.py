"""Risks: what two score vectors cost, and how that changes with them.

Notation, here and in `objectives`: `a` the positives' scores with their shifts, `b` the unlabelled scores,
`p` and `q` their weights, each summing to one, `loss` a function of a margin.

    blind AUC             sum_ij p_i q_j loss(a_i - b_j)
    PU error, paper       sum_i p_i [prior loss(a_i) + (1 - prior) loss(-a_i)] + sum_j q_j loss(-b_j)
    PU error, unbiased    prior sum_i p_i [loss(a_i) - loss(-a_i)] + sum_j q_j loss(-b_j)
    PU error, nonnegative prior sum_i p_i loss(a_i) + max(0, sum_j q_j loss(-b_j) - prior sum_i p_i loss(-a_i))

The unbiased risk is that of du Plessis, Niu and Sugiyama (ICML 2015), the nonnegative one that of Kiryo et al.
(NeurIPS 2017).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite, sqrt
from typing import Any, NamedTuple, Self

import numpy as np

from blindauc._typing import Floats
from blindauc.losses import Loss
from blindauc.pairwise import PairwiseCurvature, ScoreSummary, mean_over_pairs, summary_of
from blindauc.pairwise.bins import BinnedHessian, binned_hessian
from blindauc.pairwise.formed import formed

FEW_PAIRS = 2**15
"""Up to this many, to form the pairs is quicker than not to."""


class RiskValue(NamedTuple):
    """A risk and its derivatives by the scores."""

    value: float
    by_pos: Floats
    by_unl: Floats


class ScoreHessian(NamedTuple):
    """diag(pos, unl) - [[0, cross], [cross.T, 0]] + rank_one_factor * outer(rank_one, rank_one)."""

    pos: Floats
    unl: Any
    cross: Floats | None = None
    rank_one: tuple[Floats, Any] | None = None
    rank_one_factor: float = 0.0

    def product(self, along_pos: Floats, along_unl: Floats) -> tuple[Floats, Floats]:
        """The Hessian times a direction, in its two parts."""
        on_pos, on_unl = self.pos * along_pos, self.unl * along_unl
        if self.cross is not None:
            on_pos -= self.cross @ along_unl
            on_unl -= along_pos @ self.cross
        if self.rank_one is not None:
            pos, unl = self.rank_one
            factor = self.rank_one_factor * (pos @ along_pos + unl @ along_unl)
            on_pos += factor * pos
            on_unl += factor * unl
        return on_pos, on_unl


PosTerm = Callable[[int, Floats], Floats]
"""(order, a) -> the derivative of that order of what one positive costs as a function of its own score."""

ScoreProduct = Callable[[Floats, Floats], tuple[Floats, Floats]]


class Risk(ABC):
    """A function of the two score vectors."""

    has_intercept: bool
    """Whether adding a constant to all scores matters."""

    loss: Loss

    @property
    def is_smooth(self) -> bool:
        """Whether it has second derivatives that tell where it bends."""
        return isfinite(self.loss.max_curvature)

    @cached_property
    def value_at_zero(self) -> float:
        """What scores of zero cost, whatever the rows."""
        nothing, everything = np.zeros(1), np.ones(1)
        return self(nothing, nothing, everything, everything).value

    shifts_work = True
    """Whether shifting a positive's score takes back its pull on the others."""

    @property
    @abstractmethod
    def curvature_scale(self) -> float:
        """How much it can bend, about, when all positive, and all unlabelled, scores move."""

    @property
    @abstractmethod
    def max_pos_slope(self) -> float:
        """A bound of |pos_term'|."""

    def with_known_negatives(self, share: float) -> Self:
        """The risk where known negatives have this share of the unlabelled side.

            (1 - share) R(positives, unlabelled) + share R(positives, known negatives)

        is the same risk of a mixture of both (the PNU combination of Sakai, Niu and Sugiyama, Machine Learning 2018),
        in which positives are rarer than among the unlabelled rows; to the blind AUC that does not matter.
        """
        return self

    @abstractmethod
    def smoothed(self, width: float) -> Self:
        """The risk with its kinks rounded off over `width`."""

    @abstractmethod
    def __call__(self, a: Floats, b: Floats, p: Floats, q: Floats) -> RiskValue:
        """The risk and its gradients."""

    @abstractmethod
    def hessian(self, a: Floats, b: Floats, p: Floats, q: Floats) -> ScoreHessian:
        """The Hessian as arrays: for at most a few million pairs."""

    def about_hessian(self, a: Floats, b: Any, p: Floats, q: Any) -> ScoreHessian | BinnedHessian:
        """The Hessian, with the curvature of pairs about right: for any number of scores, also of those elsewhere."""
        return self.hessian(a, b, p, q)

    @abstractmethod
    def hessian_product(self, a: Floats, b: Floats, p: Floats, q: Floats) -> ScoreProduct:
        """The Hessian as a function of a direction, at the cost of a pass over the scores."""

    def bend(self, a: Floats, b: Floats, p: Floats, q: Floats) -> float:
        """The second derivative as all positive scores move together, plus that as all unlabelled ones do."""
        product = self.hessian_product(a, b, p, q)
        by_pos, _ = product(np.ones_like(a), np.zeros_like(b))
        _, by_unl = product(np.zeros_like(a), np.ones_like(b))
        return float(by_pos.sum() + by_unl.sum())

    @abstractmethod
    def pos_term(self, b: Floats, q: Floats) -> PosTerm:
        """What one positive costs, given the unlabelled scores; convex if the loss is and shifts work."""


@dataclass(frozen=True)
class BlindAUCRisk(Risk):
    """sum_ij p_i q_j loss(a_i - b_j)."""

    loss: Loss
    has_intercept = False

    @property
    def curvature_scale(self) -> float:
        return 2 * self.loss.max_curvature

    @property
    def max_pos_slope(self) -> float:
        return self.loss.max_slope

    def smoothed(self, width: float) -> BlindAUCRisk:
        return replace(self, loss=self.loss.smoothed(width))

    def __call__(self, a: Floats, b: Floats, p: Floats, q: Floats) -> RiskValue:
        if _are_few(a, b):
            value, slopes = formed(self.loss, a, b).mean_and_slopes(p, q)
            return RiskValue(value, p * (slopes @ q), -q * (p @ slopes))
        return RiskValue(*mean_over_pairs(self.loss, a, b, p, q))

    def hessian(self, a: Floats, b: Floats, p: Floats, q: Floats) -> ScoreHessian:
        cross = formed(self.loss, a, b).curvatures()
        cross *= p[:, None]
        cross *= q
        return ScoreHessian(cross.sum(axis=1), cross.sum(axis=0), cross)

    def hessian_product(self, a: Floats, b: Floats, p: Floats, q: Floats) -> ScoreProduct:
        return PairwiseCurvature(self.loss, a, b, p, q).product

    def about_hessian(self, a: Floats, b: Any, p: Floats, q: Any) -> BinnedHessian:
        return binned_hessian(self.loss, a, b, p, q)

    def bend(self, a: Floats, b: Floats, p: Floats, q: Floats) -> float:
        # Only differences of scores matter: moving all of one kind, or of the other, is the same.
        return 2 * float(p @ self.pos_term(b, q)(2, a))

    def pos_term(self, b: Floats, q: Floats) -> PosTerm:
        return _PairsTerm(self.loss, b, q)


def _are_few(a: Floats, b: Any) -> bool:
    return isinstance(b, np.ndarray) and len(a) * len(b) <= FEW_PAIRS


@dataclass(frozen=True)
class _PairsTerm:
    """What one positive costs by its pairs with all unlabelled scores."""

    loss: Loss
    b: Floats
    q: Floats

    @cached_property
    def _summary(self) -> ScoreSummary:
        return summary_of(self.loss, self.b, self.q)

    def __call__(self, order: int, a: Floats) -> Floats:
        if _are_few(a, self.b):
            return formed(self.loss, a, self.b).row_means(order, self.q)
        return self._summary.sums(self.loss, order, 1, a)


@dataclass(frozen=True)
class PUErrorRisk(Risk):
    """A weighted sum of the positives' losses under both labels, and of the unlabelled rows' as negatives."""

    loss: Loss
    prior: float
    has_intercept = True

    negative_share: float = 0.0
    """What the positives' loss as negatives weighs."""

    @classmethod
    def paper(cls, loss: Loss, prior: float) -> PUErrorRisk:
        """The risk of the paper, with its signs repaired."""
        return cls(loss, prior, negative_share=1 - prior)

    @classmethod
    def unbiased(cls, loss: Loss, prior: float) -> PUErrorRisk:
        """The risk whose mean over samples is the classification risk."""
        return cls(loss, prior, negative_share=-prior)

    @property
    def shifts_work(self) -> bool:  # type: ignore[override]
        """Not where the loss as a negative is taken off again: with the logistic loss a line is left."""
        return self.negative_share >= 0

    def with_known_negatives(self, share: float) -> Self:
        # Both 1 - prior, of the paper, and -prior, of the others, grow by as much as the prior falls.
        less = share * self.prior
        return replace(self, prior=self.prior - less, negative_share=self.negative_share + less) if share else self

    @property
    def curvature_scale(self) -> float:
        return (self.prior + abs(self.negative_share) + 1) * self.loss.max_curvature

    @property
    def max_pos_slope(self) -> float:
        return (self.prior + abs(self.negative_share)) * self.loss.max_slope

    def smoothed(self, width: float) -> Self:
        return replace(self, loss=self.loss.smoothed(width))

    def _pos(self, order: int, a: Floats) -> Floats:
        as_positive = self.loss.derivative_of_order(order, a)
        as_negative = (-1) ** order * self.loss.derivative_of_order(order, -a)
        return self.prior * as_positive + self.negative_share * as_negative

    def _unl(self, order: int, b: Floats) -> Floats:
        return (-1) ** order * self.loss.derivative_of_order(order, -b)

    def __call__(self, a: Floats, b: Floats, p: Floats, q: Floats) -> RiskValue:
        value = p @ self._pos(0, a) + q @ self._unl(0, b)
        return RiskValue(float(value), p * self._pos(1, a), q * self._unl(1, b))

    def hessian(self, a: Floats, b: Floats, p: Floats, q: Floats) -> ScoreHessian:
        return ScoreHessian(p * self._pos(2, a), q * self._unl(2, b))

    def hessian_product(self, a: Floats, b: Floats, p: Floats, q: Floats) -> ScoreProduct:
        pos, unl, *_ = self.hessian(a, b, p, q)
        return lambda d_pos, d_unl: (pos * d_pos, unl * d_unl)

    def pos_term(self, b: Floats, q: Floats) -> PosTerm:
        return self._pos


@dataclass(frozen=True)
class NonnegativePURisk(PUErrorRisk):
    """The unbiased risk with its estimate of the negatives' part kept from falling below zero."""

    width: float = 0.0
    """The scale over which the kink of max(0, .) is rounded off."""

    @classmethod
    def of(cls, loss: Loss, prior: float) -> NonnegativePURisk:
        return cls(loss, prior, negative_share=-prior)

    @property
    def is_smooth(self) -> bool:
        return self.width > 0 and super().is_smooth

    def smoothed(self, width: float) -> Self:
        return replace(self, loss=self.loss.smoothed(width), width=width)

    def _negative_part(self) -> PUErrorRisk:
        return PUErrorRisk(self.loss, 0.0, negative_share=self.negative_share)

    def _positive_part(self, order: int, a: Floats) -> Floats:
        return self.prior * self.loss.derivative_of_order(order, a)

    def _clip(self, z: float) -> tuple[float, float, float]:
        """max(0, z) = (z + sqrt(z^2 + width^2)) / 2 at width 0, and its two derivatives."""
        root = sqrt(z * z + self.width * self.width)
        if root == 0:
            return 0.0, 0.5, inf
        return (z + root) / 2, (1 + z / root) / 2, (self.width / root) ** 2 / (2 * root)

    def __call__(self, a: Floats, b: Floats, p: Floats, q: Floats) -> RiskValue:
        negative = self._negative_part()(a, b, p, q)
        clipped, slope, _ = self._clip(negative.value)
        return RiskValue(
            float(p @ self._positive_part(0, a)) + clipped,
            p * self._positive_part(1, a) + slope * negative.by_pos,
            slope * negative.by_unl,
        )

    def hessian(self, a: Floats, b: Floats, p: Floats, q: Floats) -> ScoreHessian:
        part = self._negative_part()
        negative, curved = part(a, b, p, q), part.hessian(a, b, p, q)
        _, slope, bend = self._clip(negative.value)
        return ScoreHessian(
            p * self._positive_part(2, a) + slope * curved.pos,
            slope * curved.unl,
            rank_one=(negative.by_pos, negative.by_unl),
            rank_one_factor=bend,
        )

    def hessian_product(self, a: Floats, b: Floats, p: Floats, q: Floats) -> ScoreProduct:
        pos, unl, _, direction, factor = self.hessian(a, b, p, q)
        assert direction is not None
        by_pos, by_unl = direction

        def product(d_pos: Floats, d_unl: Floats) -> tuple[Floats, Floats]:
            along = factor * (by_pos @ d_pos + by_unl @ d_unl)
            return pos * d_pos + along * by_pos, unl * d_unl + along * by_unl

        return product


PU_ERROR_RISKS: dict[str, Callable[[Loss, float], Risk]] = {
    "paper": PUErrorRisk.paper,
    "unbiased": PUErrorRisk.unbiased,
    "nonnegative": NonnegativePURisk.of,
}
