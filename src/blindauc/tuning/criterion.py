"""The criterion: how the held-out positives rank, the lowest left out, and how sure that is.

A model that ranks a mislabelled positive low is right, so the lowest ranks say nothing against a candidate. The
same share of them is left out for every candidate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from blindauc._typing import Floats, Ints
from blindauc.data import Data
from blindauc.estimate import Estimate
from blindauc.tuning.folds import Split


def mean_ranks(data: Data, splits: Sequence[Split], parts: Iterable[Floats]) -> Floats:
    """The mean rank of each positive over the splits that hold it out, NaN where none does.

    A part holds the ranks of a split's held-out positives by each candidate.
    """
    times, total = np.zeros(int(data.is_positive.sum())), np.zeros(1)
    for split, part in zip(splits, parts, strict=True):
        held_out = split.held_out[data.is_positive]
        spread = np.zeros((len(part), len(held_out)))
        spread[:, held_out] = part
        total = total + spread
        times += held_out
    return np.where(times > 0, total / np.maximum(times, 1), np.nan)


def interval_of(value: float, standard_error: float) -> Estimate:
    """A number that is normal about the truth, with its 95 % interval."""
    reach = float(ndtri(0.975) * standard_error)
    return Estimate(value, value - reach, value + reach)


@dataclass(frozen=True)
class HeldOut:
    """Ranks of the positives by models that have not seen them, a row for each candidate.

    Parameters
    ----------
    ranks : array of shape (n_candidates, n_pos)
        Share of the held-out unlabelled rows ranked lower, averaged over repeats.
    weight : array of shape (n_pos,)
    trim : share of the lowest ranks to leave out
    """

    ranks: Floats
    weight: Floats
    trim: float

    @classmethod
    def where_judged(cls, ranks: Floats, weight: Floats, trim: float) -> HeldOut:
        """That of the positives which some split held out: the ranks of the others are NaN."""
        judged = ~np.isnan(ranks[0])
        return cls(ranks[:, judged], weight[judged], trim)

    def of(self, candidates: Ints | list[int]) -> HeldOut:
        """That of some candidates only."""
        return replace(self, ranks=self.ranks[candidates])

    def scores(self) -> Floats:
        """The trimmed blind AUC of each candidate."""
        return self._averages(self.ranks, self._kept())

    def blind_auc(self) -> Floats:
        return self._averages(self.ranks, np.broadcast_to(self.weight, self.ranks.shape))

    def standard_errors_below(self, best: int) -> Floats:
        """The standard error by which each candidate's score is below that of the best: the pairs are the same."""
        influence = self._influence()
        return self._errors(influence[best] - influence)

    def standard_errors(self) -> Floats:
        return self._errors(self._influence())

    def _errors(self, influence: Floats) -> Floats:
        return np.sqrt((self.weight**2 * influence**2).sum(axis=1)) / self.weight.sum()

    def _influence(self) -> Floats:
        """How far each positive moves the trimmed mean: those left out count as the lowest of those kept."""
        kept = self._kept()
        lowest = np.where(kept > 0, self.ranks, np.inf).min(axis=1, keepdims=True)
        winsorised = np.maximum(self.ranks, lowest)
        centre = self._averages(winsorised, np.broadcast_to(self.weight, self.ranks.shape))
        return (winsorised - centre[:, None]) / (1 - self.trim)

    def _kept(self) -> Floats:
        """What is kept of each weight."""
        order = np.argsort(self.ranks, axis=1, kind="stable")
        weight = np.broadcast_to(self.weight, self.ranks.shape)
        ordered = np.take_along_axis(weight, order, axis=1)
        dropped = self.trim * self.weight.sum()
        kept = np.empty(self.ranks.shape)
        np.put_along_axis(kept, order, np.clip(np.cumsum(ordered, axis=1) - dropped, 0.0, ordered), axis=1)
        return kept

    @staticmethod
    def _averages(values: Floats, weight: Floats) -> Floats:
        return (values * weight).sum(axis=1) / weight.sum(axis=1)
