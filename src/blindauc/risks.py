"""Risks: functions of the two score vectors, with their gradients and Hessians.

Notation, here and in `objectives`: `a` are the scores of the positives with their shifts, `b` the unlabelled scores,
`p` and `q` their weights, each summing to one, and `loss` is a function of a margin.

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
"""With at most this many pairs, forming them is faster than sums without pairs (convention)."""


class RiskValue(NamedTuple):
    """The value of a risk and its gradients with respect to the scores."""

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
"""(order, a) -> the derivative of that order of a positive's loss as a function of its score."""

ScoreProduct = Callable[[Floats, Floats], tuple[Floats, Floats]]


class Risk(ABC):
    """Base class of the risks."""

    has_intercept: bool
    """Whether the risk changes if a constant is added to all scores."""

    loss: Loss

    @property
    def is_smooth(self) -> bool:
        """Whether the risk has bounded second derivatives."""
        return isfinite(self.loss.max_curvature)

    @cached_property
    def value_at_zero(self) -> float:
        """The risk of scores of zero, which does not depend on the rows."""
        scores, share = np.zeros(1), np.ones(1)
        return self(scores, scores, share, share).value

    shifts_work = True
    """Whether shifting a positive's score reduces its influence on the weights."""

    @property
    @abstractmethod
    def curvature_scale(self) -> float:
        """An approximate upper bound of `total_curvature`."""

    @property
    @abstractmethod
    def max_pos_slope(self) -> float:
        """An upper bound of |pos_term'|."""

    def with_known_negatives(self, share: float) -> Self:
        """The risk if known negatives join the unlabelled rows, and have this share of their total weight.

            (1 - share) R(positives, unlabelled) + share R(positives, known negatives)

        It equals the risk with a mixture of both in place of the unlabelled rows (the PNU combination of Sakai, Niu and
        Sugiyama, Machine Learning 2018). The mixture has a smaller prior than the unlabelled rows. The blind AUC does
        not depend on the prior.
        """
        return self

    @abstractmethod
    def smoothed(self, width: float) -> Self:
        """The risk with its kinks smoothed over `width`."""

    @abstractmethod
    def __call__(self, a: Floats, b: Floats, p: Floats, q: Floats) -> RiskValue:
        """The risk and its gradients."""

    @abstractmethod
    def hessian(self, a: Floats, b: Floats, p: Floats, q: Floats) -> ScoreHessian:
        """The Hessian as arrays, for at most a few million pairs."""

    def approximate_hessian(self, a: Floats, b: Any, p: Floats, q: Any) -> ScoreHessian | BinnedHessian:
        """The Hessian with an approximate curvature of pairs; any number of scores, which may be deferred."""
        return self.hessian(a, b, p, q)

    @abstractmethod
    def hessian_product(self, a: Floats, b: Floats, p: Floats, q: Floats) -> ScoreProduct:
        """A function that multiplies the Hessian by a direction; each call takes a pass over the scores."""

    def total_curvature(self, a: Floats, b: Floats, p: Floats, q: Floats) -> float:
        """The second derivative along a common shift of all positive scores, plus that of all unlabelled scores."""
        product = self.hessian_product(a, b, p, q)
        by_pos, _ = product(np.ones_like(a), np.zeros_like(b))
        _, by_unl = product(np.zeros_like(a), np.ones_like(b))
        return float(by_pos.sum() + by_unl.sum())

    @abstractmethod
    def pos_term(self, b: Floats, q: Floats) -> PosTerm:
        """The loss of one positive, given the unlabelled scores; convex if `loss` is and shifts work."""


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

    def approximate_hessian(self, a: Floats, b: Any, p: Floats, q: Any) -> BinnedHessian:
        return binned_hessian(self.loss, a, b, p, q)

    def total_curvature(self, a: Floats, b: Floats, p: Floats, q: Floats) -> float:
        # Only differences of scores matter, so both shifts give the same second derivative.
        return 2 * float(p @ self.pos_term(b, q)(2, a))

    def pos_term(self, b: Floats, q: Floats) -> PosTerm:
        return _PairsTerm(self.loss, b, q)


def _are_few(a: Floats, b: Any) -> bool:
    return isinstance(b, np.ndarray) and len(a) * len(b) <= FEW_PAIRS


@dataclass(frozen=True)
class _PairsTerm:
    """The mean loss of one positive over its pairs with all unlabelled scores."""

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
    """A weighted sum of the losses of positives under both labels, and of unlabelled rows as negatives."""

    loss: Loss
    prior: float
    has_intercept = True

    negative_share: float = 0.0
    """The weight of the loss of positives as negatives."""

    @classmethod
    def paper(cls, loss: Loss, prior: float) -> PUErrorRisk:
        """The risk of the paper, with its signs corrected."""
        return cls(loss, prior, negative_share=1 - prior)

    @classmethod
    def unbiased(cls, loss: Loss, prior: float) -> PUErrorRisk:
        """The unbiased estimator of the classification risk."""
        return cls(loss, prior, negative_share=-prior)

    @property
    def shifts_work(self) -> bool:  # type: ignore[override]
        """False if the loss of positives as negatives is subtracted: the logistic loss then becomes linear."""
        return self.negative_share >= 0

    def with_known_negatives(self, share: float) -> Self:
        # `negative_share` is 1 - prior (paper) or -prior (others): it increases by as much as the prior decreases.
        decrease = share * self.prior
        if not share:
            return self
        return replace(self, prior=self.prior - decrease, negative_share=self.negative_share + decrease)

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
    """The unbiased risk, with its estimate of the risk on negatives clipped at zero."""

    width: float = 0.0
    """The width over which the kink of max(0, .) is smoothed."""

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
        """The smoothed max(0, z), (z + sqrt(z^2 + width^2)) / 2, and its two derivatives; exact at width 0."""
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
        _, slope, curvature = self._clip(negative.value)
        return ScoreHessian(
            p * self._positive_part(2, a) + slope * curved.pos,
            slope * curved.unl,
            rank_one=(negative.by_pos, negative.by_unl),
            rank_one_factor=curvature,
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
