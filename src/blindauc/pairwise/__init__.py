"""Sums over all pairs of a positive and an unlabelled score, in about linear time.

Objectives use the pairs only through sums `sum_j weight_j * k(score_i - score_j)`. The module `cells` computes them for
analytic losses, and `sorting` for piecewise polynomial ones, both from an additive summary of a batch of scores. If
there are few pairs, forming them (`formed`) is faster.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from blindauc._typing import Floats
from blindauc.losses import AnalyticLoss, Loss, PiecewiseLoss, get_loss
from blindauc.pairwise.cells import CellSummary
from blindauc.pairwise.elsewhere import RemoteScores, SummaryOfPart, SumsAt, SumsOverPart
from blindauc.pairwise.sorting import SortedSummary
from blindauc.rows.deferred import Deferred

__all__ = [
    "LARGEST_SCORE",
    "PairwiseCurvature",
    "PairwiseLoss",
    "ScoreSummary",
    "mean_over_pairs",
    "pairwise_loss",
    "summarize",
    "summary_of",
]


LARGEST_SCORE = 1e15
"""The largest absolute score. Beyond it, neighbouring doubles are too far apart to represent a margin of one."""


class ScoreSummary(Protocol):
    """A summary of a batch of weighted scores for sums over pairs; summaries of two batches add."""

    def __add__(self, other: Self, /) -> Self: ...

    @property
    def total(self) -> float: ...

    def sums(self, loss: str | Loss, order: int, sign: int, targets: Floats, /) -> Floats: ...

    def pair_sum(self, loss: str | Loss, unlabelled: Any, /) -> float: ...


@singledispatch
def _summarize(loss: Loss, scores: Floats, weights: Floats | None) -> ScoreSummary:
    raise TypeError(f"{loss!r} must be an AnalyticLoss or a PiecewiseLoss to be summed over pairs.")


@_summarize.register
def _(loss: AnalyticLoss, scores: Floats, weights: Floats | None) -> CellSummary:
    return CellSummary.of(scores, weights)


@_summarize.register
def _(loss: PiecewiseLoss, scores: Floats, weights: Floats | None) -> SortedSummary:
    return SortedSummary.of(scores, weights)


def summary_of(loss: Loss, scores: Any, weights: Any) -> Any:
    """The summary of scores, which may be deferred (not in memory)."""
    if not isinstance(scores, Deferred):
        return _summarize(loss, scores, weights)
    of_part = SummaryOfPart(_summarize, loss, scores.node, weights.node)
    return scores.rows.total(of_part) if isinstance(loss, AnalyticLoss) else RemoteScores(scores, of_part)


def sums_at(summary: Any, loss: Loss, order: int, sign: int, targets: Any) -> Any:
    """`summary.sums` at targets, which may be deferred (not in memory)."""
    if isinstance(targets, Deferred):
        return targets.mapped(SumsAt(summary, loss, order, sign))
    return summary.sums(loss, order, sign, targets)


def summarize(scores: ArrayLike, weight: ArrayLike | None = None, *, loss: str | Loss = "logistic") -> ScoreSummary:
    """Summarise a batch of scores for sums of `loss` over pairs.

    The summary of a union of batches is the sum of their summaries. For the logistic and the sigmoid loss it consists
    of a few hundred numbers, however many scores there are.

    Parameters
    ----------
    scores : array-like of shape (n,)
    weight : array-like of shape (n,), optional
        Weights of the scores; ones by default.
    loss : str or Loss, default="logistic"

    Returns
    -------
    ScoreSummary
        With `+`, `total`, `sums(loss, order, sign, targets)` and `pair_sum(loss, unlabelled)`.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc import pairwise_loss, summarize
    >>> rng = np.random.default_rng(0)
    >>> pos, unl = rng.normal(1, 1, 500), rng.normal(0, 1, 1000)
    >>> batches = summarize(unl[:300]) + summarize(unl[300:])
    >>> mean = summarize(pos).pair_sum("logistic", batches) / (500 * 1000)
    >>> bool(np.isclose(mean, pairwise_loss(pos, unl).value, rtol=1e-13))
    True
    """
    loss = get_loss(loss)
    values = _checked_scores("scores", scores)
    return _summarize(loss, values, _checked_weight("weight", weight, len(values)))


@dataclass(frozen=True)
class PairwiseLoss:
    """The weighted mean of a loss over all pairs, and its gradients.

    Attributes
    ----------
    value : float
    pos_gradient : ndarray of shape (n_pos,)
    unl_gradient : ndarray of shape (n_unl,)
    """

    value: float
    pos_gradient: Floats
    unl_gradient: Floats


def pairwise_loss(
    pos_scores: ArrayLike,
    unl_scores: ArrayLike,
    *,
    loss: str | Loss = "logistic",
    pos_weight: ArrayLike | None = None,
    unl_weight: ArrayLike | None = None,
) -> PairwiseLoss:
    r"""Mean loss over all pairs of a positive and an unlabelled score, with both gradients.

    .. math:: \frac{\sum_{ij} p_i q_j \, \ell(a_i - b_j)}{\sum_{ij} p_i q_j}

    for positive scores :math:`a`, unlabelled scores :math:`b` and their weights :math:`p, q`. The pairs are never
    formed: the cost is that of one pass over the scores (analytic losses) or of sorting them (other losses).

    Parameters
    ----------
    pos_scores : array-like of shape (n_pos,)
    unl_scores : array-like of shape (n_unl,)
    loss : {"logistic", "hinge", "squared_hinge", "sigmoid", "barrier_hinge"} or Loss
    pos_weight, unl_weight : array-like, optional
        Non-negative weights; the weight of a pair is the product of the two weights.

    Returns
    -------
    PairwiseLoss
        With `value`, `pos_gradient` and `unl_gradient`.

    Examples
    --------
    >>> from blindauc import pairwise_loss
    >>> result = pairwise_loss([2.0, 0.5], [0.0, 1.0, -1.0], loss="hinge")
    >>> round(result.value, 6)
    0.333333
    >>> result.pos_gradient.round(3).tolist()
    [0.0, -0.333]
    """
    loss = get_loss(loss)
    pos = _checked_scores("pos_scores", pos_scores)
    unl = _checked_scores("unl_scores", unl_scores)
    p = _checked_weight("pos_weight", pos_weight, len(pos))
    q = _checked_weight("unl_weight", unl_weight, len(unl))
    pos_summary, unl_summary = _summarize(loss, pos, p), _summarize(loss, unl, q)
    pairs = (len(pos) if p is None else p.sum()) * (len(unl) if q is None else q.sum())
    pos_gradient = unl_summary.sums(loss, 1, 1, pos)
    unl_gradient = pos_summary.sums(loss, 1, -1, unl)
    # In place, because copies of a million scores take noticeable time.
    pos_gradient *= (1.0 if p is None else p) / pairs
    unl_gradient *= (-1.0 if q is None else -q) / pairs
    value = pos_summary.pair_sum(loss, unl_summary) / pairs
    return PairwiseLoss(float(value), pos_gradient, unl_gradient)


def mean_over_pairs(loss: Loss, a: Floats, b: Any, p: Floats, q: Any) -> tuple[float, Floats, Any]:
    """The mean loss and its gradients. The weights `p`, and also `q`, sum to one; `b` and `q` may be deferred."""
    if not isinstance(b, Deferred):
        mean = pairwise_loss(a, b, loss=loss, pos_weight=p, unl_weight=q)
        return mean.value, mean.pos_gradient, mean.unl_gradient
    pos = _summarize(loss, a, p)
    by_unl = -q * sums_at(pos, loss, 1, -1, b)
    of_part = SummaryOfPart(_summarize, loss, b.node, q.node)
    if not isinstance(loss, AnalyticLoss):
        values, slopes = b.rows.total_and_adjoint(SumsOverPart(of_part, loss, (0, 1), 1, a), by_unl)
        return float(p @ values), p * slopes, by_unl
    unl = b.rows.total_and_adjoint(of_part, by_unl)
    return pos.pair_sum(loss, unl), p * unl.sums(loss, 1, 1, a), by_unl


class PairwiseCurvature:
    """The Hessian of the mean pairwise loss at given scores, available as products with directions.

    The weights `p` of the positives, and also the weights `q` of the unlabelled scores, sum to one.
    """

    def __init__(self, loss: Loss, pos: Floats, unl: Any, p: Floats, q: Any) -> None:
        self._loss, self._pos, self._unl, self._p, self._q = loss, pos, unl, p, q
        self.pos_diagonal = p * summary_of(loss, unl, q).sums(loss, 2, 1, pos)
        self.unl_diagonal = q * sums_at(_summarize(loss, pos, p), loss, 2, -1, unl)
        if isinstance(unl, Deferred):
            self.unl_diagonal = self.unl_diagonal.kept()

    def product(self, d_pos: Floats, d_unl: Any) -> tuple[Floats, Any]:
        """The Hessian times a change of both score vectors."""
        loss, p, q = self._loss, self._p, self._q
        from_pos = sums_at(_summarize(loss, self._pos, p * d_pos), loss, 2, -1, self._unl)
        by_unl = self.unl_diagonal * d_unl - q * from_pos
        from_unl = _sums_with_adjoint(loss, self._unl, q * d_unl, self._pos, by_unl)
        return self.pos_diagonal * d_pos - p * from_unl, by_unl


def _sums_with_adjoint(loss: Loss, scores: Any, weights: Any, targets: Floats, residual: Any) -> Floats:
    """Sums of curvatures at the targets. For deferred scores, the pass also computes the adjoint of the residual."""
    if not isinstance(scores, Deferred):
        return _summarize(loss, scores, weights).sums(loss, 2, 1, targets)
    of_part = SummaryOfPart(_summarize, loss, scores.node, weights.node)
    if not isinstance(loss, AnalyticLoss):
        sums: Floats = scores.rows.total_and_adjoint(SumsOverPart(of_part, loss, (2,), 1, targets), residual)[0]
        return sums
    summary: ScoreSummary = scores.rows.total_and_adjoint(of_part, residual)
    return summary.sums(loss, 2, 1, targets)


def _checked_scores(name: str, scores: ArrayLike) -> Floats:
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"{name} must be a vector of at least one score, but its shape is {values.shape}.")
    # This also rejects NaN: comparisons with it are false.
    if not (values.min() >= -LARGEST_SCORE and values.max() <= LARGEST_SCORE):
        raise ValueError(
            f"{name} must be finite and at most {LARGEST_SCORE:.0e} in size: remove NaN and infinity, or rescale."
        )
    return values


def _checked_weight(name: str, weight: ArrayLike | None, n: int) -> Floats | None:
    if weight is None:
        return None
    values = np.asarray(weight, dtype=np.float64)
    if values.shape != (n,):
        raise ValueError(f"{name} must hold one weight per score: its shape is {values.shape} instead of {(n,)}.")
    if not (values.min() >= 0 and 0 < values.sum() < np.inf):
        raise ValueError(f"{name} must be non-negative and finite, with a positive sum.")
    return values
