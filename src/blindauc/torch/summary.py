"""Additive summaries of batches, for the loss over all pairs of the whole data set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import torch
from torch import Tensor

from blindauc.losses import Loss
from blindauc.pairwise import summary_of
from blindauc.torch.rows import Rows


def summaries(loss: Loss, rows: Rows) -> tuple[Any, Any]:
    """The summaries of the positives and of the unlabelled rows."""
    pos, unl = (summary_of(loss, *rows.side(side)) for side in (rows.is_positive, ~rows.is_positive))
    return pos, unl


def slopes(loss: Loss, pos: Any, unl: Any, rows: Rows) -> Tensor:
    """The derivative of the sum over all pairs with respect to each score, without the row's own weight."""
    result, is_positive = torch.empty_like(rows.scores), rows.is_positive
    result[is_positive] = unl.sums(loss, 1, 1, rows.scores[is_positive])
    result[~is_positive] = -pos.sums(loss, 1, -1, rows.scores[~is_positive])
    return result


class Trimming(NamedTuple):
    """Positives below the cut are left out; of those tied at the cut a share is kept."""

    cut: Tensor
    tied_share: Tensor

    @classmethod
    def of_lowest(cls, n_left_out: int, scores: Tensor) -> Trimming:
        """Leave out the `n_left_out` lowest scores."""
        ordered = torch.sort(scores).values
        cut = ordered[n_left_out - 1 : n_left_out]
        below, up_to = torch.searchsorted(ordered, cut), torch.searchsorted(ordered, cut, side="right")
        return cls(cut, (up_to - n_left_out) / (up_to - below).to(torch.float64))

    def kept(self, rows: Rows) -> Rows:
        """The rows, with weights reduced to zero, or in part, for positives that are left out."""
        share = torch.where(rows.scores == self.cut, self.tied_share, (rows.scores > self.cut).to(torch.float64))
        return rows.times(torch.where(rows.is_positive, share, 1.0))


@dataclass(frozen=True, eq=False, repr=False)
class PairSummary:
    """Summary of a batch for the loss over the whole data set; summaries of batches add, `first + second`.

    For the logistic and the sigmoid loss it is a few hundred numbers, however many rows there are. It can be pickled
    and sent to other processes. With outliers it also keeps the scores of the positives, and for the other losses all
    scores.

    Attributes
    ----------
    loss : Loss
    n_outliers : int or float
        The number, or share, of the positives to leave out of the whole data set.
    positives : Rows or None
        The labelled positives that may be left out; None without outliers.
    value : float
        The mean loss over all pairs, without the outliers.
    """

    loss: Loss
    n_outliers: float
    positives: Rows | None
    _pos: Any
    _unl: Any

    @classmethod
    def of(cls, rows: Rows, loss: Loss, n_outliers: float) -> PairSummary:
        pos, unl = summaries(loss, rows)
        return cls(loss, n_outliers, _positives(rows) if n_outliers else None, pos, unl)

    def __add__(self, other: PairSummary) -> PairSummary:
        if not isinstance(other, PairSummary):
            return NotImplemented
        if (self.loss, self.n_outliers) != (other.loss, other.n_outliers):
            raise ValueError("These summaries are of different losses: make them with one and the same BlindAUCLoss.")
        positives = None
        if self.positives is not None and other.positives is not None:
            positives = _joined(self.positives, other.positives)
        return replace(self, positives=positives, _pos=self._pos + other._pos, _unl=self._unl + other._unl)

    def __repr__(self) -> str:
        return f"PairSummary({self.loss!r}, weight of positives {self._pos.total:g}, of unlabelled {self._unl.total:g})"

    @property
    def value(self) -> float:
        return self._kept_pos.pair_sum(self.loss, self._unl) / self._pairs

    def value_of(self, rows: Rows) -> float:
        """The contribution of the pairs of a batch's positives with all unlabelled rows to the value."""
        positives = _positives(rows)
        if len(positives.scores) == 0:
            return 0.0
        part, _ = summaries(self.loss, self._kept(positives))
        return part.pair_sum(self.loss, self._unl) / self._pairs

    def gradient(self, rows: Rows) -> Tensor:
        """The gradient of the value with respect to the scores of a batch."""
        result = slopes(self.loss, self._kept_pos, self._unl, rows)
        weight = self._kept(rows).weight
        result /= self._pairs
        return result if weight is None else result.mul_(weight)

    @cached_property
    def _trimming(self) -> Trimming | None:
        if self.positives is None:
            return None
        n_left_out = count_outliers(self.n_outliers, len(self.positives.scores))
        return Trimming.of_lowest(n_left_out, self.positives.scores) if n_left_out else None

    def _kept(self, rows: Rows) -> Rows:
        return rows if self._trimming is None else self._trimming.kept(rows)

    @cached_property
    def _kept_pos(self) -> Any:
        if self.positives is None or self._trimming is None:
            return self._pos
        return summaries(self.loss, self._kept(self.positives))[0]

    @cached_property
    def _pairs(self) -> float:
        """The total weight of all pairs."""
        pos, unl = self._pos.total, self._unl.total
        for total, missing in ((pos, "labelled positive"), (unl, "unlabelled row")):
            if not total > 0:
                raise ValueError(
                    f"There is no {missing} with positive weight among these rows, so there are no pairs: draw batches "
                    "with rows of both kinds, or add up summaries of batches."
                )
        return self._kept_pos.total * unl


def count_outliers(n_outliers: float, n_pos: int) -> int:
    """The number of outliers, from a number or a share of the positives."""
    count = n_outliers if isinstance(n_outliers, int) else round(n_outliers * n_pos)
    if n_pos and count >= n_pos:
        raise ValueError(
            f"n_outliers={n_outliers!r} must leave at least one of the {n_pos} labelled positives: choose fewer, a "
            "share below 1, or larger batches."
        )
    return count if n_pos else 0


def _positives(rows: Rows) -> Rows:
    """The labelled positives of positive weight."""
    chosen = rows.is_positive if rows.weight is None else rows.is_positive & (rows.weight > 0)
    return Rows(rows.scores[chosen], rows.is_positive[chosen], None if rows.weight is None else rows.weight[chosen])


def _joined(first: Rows, second: Rows) -> Rows:
    weight = None
    if first.weight is not None or second.weight is not None:
        weight = torch.cat([torch.ones_like(r.scores) if r.weight is None else r.weight for r in (first, second)])
    return Rows(torch.cat([first.scores, second.scores]), torch.cat([first.is_positive, second.is_positive]), weight)
