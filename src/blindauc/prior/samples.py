"""The two samples of scores as counts per bin, which keep only the order of the scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from blindauc._typing import Floats, Ints
from blindauc.checked import FOUND_NEGATIVE, FOUND_POSITIVE


@dataclass(frozen=True)
class Counts:
    """How many labelled and unlabelled scores lie in each bin, in increasing order.

    Parameters
    ----------
    labelled, unlabelled : ndarray of shape (n_bins,)
    right, wrong : ndarray of shape (n_bins,), optional
        How many of the labelled scores belong to labels that were checked and found right, or found wrong.
    """

    labelled: Floats
    unlabelled: Floats
    right: Floats | None = None
    wrong: Floats | None = None

    def without(self, share: Floats) -> Counts:
        """Return the counts without a share of the labelled scores of each bin."""
        right, wrong = (None if each is None else each * (1 - share) for each in (self.right, self.wrong))
        return Counts(self.labelled * (1 - share), self.unlabelled, right, wrong)

    def merged(self, n_bins: int) -> tuple[Counts, Ints]:
        """Merge neighbouring bins into at most `n_bins` of about equal mass, both samples weighted equally.

        Returns
        -------
        merged : Counts
        index : ndarray
            The merged bin of each bin.
        """
        share = self.labelled / self.labelled.sum() + self.unlabelled / self.unlabelled.sum()
        # The cumulative share up to the last score of a bin decides where it goes. It is rounded, so that rounding
        # errors of sums do not separate equal shares.
        place = np.ceil(np.round(np.cumsum(share) / 2 * n_bins, 9))
        index = np.unique(place, return_inverse=True)[1].ravel()
        right, wrong = (None if each is None else _summed(index, each) for each in (self.right, self.wrong))
        return Counts(_summed(index, self.labelled), _summed(index, self.unlabelled), right, wrong), index


def count(
    pos_scores: Any, unl_scores: Any, pos_weight: Any = None, unl_weight: Any = None, pos_verdict: Ints | None = None
) -> tuple[Floats, Counts]:
    """Count the rows of both samples at every distinct score.

    Parameters
    ----------
    pos_scores, unl_scores : array-like of shape (n,)
    pos_weight, unl_weight : array-like of shape (n,), optional
        A weight of 2 equals a score given twice.
    pos_verdict : ndarray of shape (n,), optional
        The results of checked labels, as in `blindauc.checked`. All weights of positives must then be positive.

    Returns
    -------
    values : ndarray
        The distinct scores, increasing.
    counts : Counts

    Examples
    --------
    >>> from blindauc.prior.samples import count
    >>> values, counts = count([1, 2, 2], [0, 0, 1])
    >>> values.tolist(), counts.labelled.tolist(), counts.unlabelled.tolist()
    ([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], [2.0, 1.0, 0.0])
    """
    pos, pos_weight = _checked("pos", pos_scores, pos_weight)
    unl, unl_weight = _checked("unl", unl_scores, unl_weight)
    values = np.unique(np.concatenate([pos, unl]))
    labelled = _summed(np.searchsorted(values, pos), pos_weight, len(values))
    unlabelled = _summed(np.searchsorted(values, unl), unl_weight, len(values))
    if pos_verdict is None:
        return values, Counts(labelled, unlabelled)
    right, wrong = (
        _summed(np.searchsorted(values, pos), pos_weight * (pos_verdict == found), len(values))
        for found in (FOUND_POSITIVE, FOUND_NEGATIVE)
    )
    return values, Counts(labelled, unlabelled, right, wrong)


def _summed(index: Ints, weight: Floats, length: int = 0) -> Floats:
    return np.bincount(index, weight, length).astype(np.float64)


def _checked(name: str, scores: Any, weight: Any) -> tuple[Floats, Floats]:
    scores = _finite_vector(f"{name}_scores", scores)
    if weight is None:
        return scores, np.ones(len(scores))
    weight = _finite_vector(f"{name}_weight", weight)
    if len(weight) != len(scores):
        raise ValueError(f"{name}_weight has {len(weight)} entries for {len(scores)} scores; give one for each.")
    if (weight < 0).any() or not weight.any():
        raise ValueError(f"{name}_weight must be non-negative with a positive sum; drop rows with negative weights.")
    return scores[weight > 0], weight[weight > 0]


def _finite_vector(name: str, values: Any) -> Floats:
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, not of shape {values.shape}; pass one column of scores.")
    if not len(values):
        raise ValueError(f"{name} is empty; at least one score is needed.")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} holds NaN or infinity; drop or impute those rows before scoring.")
    return values
