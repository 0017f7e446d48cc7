"""The plausible mixtures: those that fit two samples of scores nearly as well as the best one.

A mixture m gives the density ratio of positives and negatives in each step of the score, `exp(log_ratio) = f1 / f0`.
With its prior and its contamination eta,

    positive among unlabelled   prior f1 / (prior f1 + (1 - prior) f0)
    wrong among labelled        eta f0 / (eta f0 + (1 - eta) f1)

Any quantity, such as the number of positives among the first rows, has one value under each mixture. Its interval
spans the values of all plausible mixtures, by the profile likelihood of `blindauc.prior.posterior`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from scipy import special

from blindauc._typing import Bools, Floats, Ints

REACH = 1.3
"""Mixtures whose root exceeds the limit by up to this factor are moved towards the best one, onto the limit.

The mixtures form a grid, and the end of an interval may lie between two of them. Measured by `benchmarks/capacity.py`
with the prior given: at 1.3 the intervals contain the true number in 95 to 100 % of draws; at 2 the intervals for the
first 200 rows are 1.3 times as wide.
"""

LEVELS = (0.25, 0.5, 0.75, 1.0)
"""For each of these shares of the limit, the outermost of the mixtures with roots up to it are kept (convention)."""

CERTAIN = 1e4
"""A log-ratio so large that shares of positives are exactly 0 or 1 in double precision."""


@dataclass(frozen=True)
class Plausible:
    """The plausible mixtures, each with the square root of its deviance from the best one.

    Parameters
    ----------
    prior, contamination : ndarray of shape (n_mixtures,)
    log_ratio : ndarray of shape (n_mixtures, n_steps)
        Logarithm of the density of positives over that of negatives.
    root : ndarray of shape (n_mixtures,)
        `sqrt(2 (max l - l))` with l the penalised log-likelihood of `blindauc.prior.posterior`; at most `limit`.
    far : ndarray of shape (n_steps,)
        Probability that a label in each step is far below both classes; the same for all mixtures.
    confidence : float
        Confidence of the intervals.
    """

    prior: Floats
    contamination: Floats
    log_ratio: Floats
    root: Floats
    far: Floats
    confidence: float

    @property
    def limit(self) -> float:
        """The largest root: the two-sided quantile of a standard normal variable."""
        return limit_of(self.confidence)

    @property
    def says_nothing(self) -> bool:
        """Whether these are the uninformative mixtures of `nothing_known`."""
        return bool(np.all(np.abs(self.log_ratio) == CERTAIN))

    def positive_shares(self, labelled_share: float = 0.0) -> Floats:
        """Return the share of positives in each step, of shape (n_mixtures, n_steps).

        In a population with a share c = `labelled_share` of labelled rows it is

            (c (1 - eta) + (1 - c) prior) f1 / (c f_labelled + (1 - c) f_unlabelled).

        By default, c = 0, it is the share among unlabelled rows.
        """
        c, prior, eta = labelled_share, self.prior[:, None], self.contamination[:, None]
        positive, negative = c * (1 - eta) + (1 - c) * prior, c * eta + (1 - c) * (1 - prior)
        return special.expit(self.log_ratio + _log(positive) - _log(negative))

    def wrong_shares(self) -> Floats:
        """Return the share of wrong labels in each step, of shape (n_mixtures, n_steps)."""
        eta = self.contamination[:, None]
        return self.far + (1 - self.far) * special.expit(_log(eta) - _log(1 - eta) - self.log_ratio)

    def at(self, steps: Ints, far: Floats) -> Plausible:
        """Return the mixtures on a finer grid of steps: `steps` are the indices of the current steps."""
        return replace(self, log_ratio=self.log_ratio[:, steps], far=far)


def limit_of(confidence: float) -> float:
    """Return the two-sided quantile of a standard normal variable."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def nothing_known(n_steps: int, confidence: float) -> Plausible:
    """Return the extreme mixtures, with all rows positive and with none, which make all intervals uninformative."""
    half, sides = np.full(2, 0.5), np.array([[-CERTAIN], [CERTAIN]])
    return Plausible(half, half, np.tile(sides, n_steps), np.zeros(2), np.zeros(n_steps), confidence)


def onto_limit(mixtures: Plausible) -> Plausible:
    """Return the mixtures with those beyond the limit moved towards the best one, onto the limit.

    This assumes that the root of the deviance is linear between the two mixtures, as it is for a normal likelihood.
    """
    best = int(mixtures.root.argmin())
    fraction = np.minimum(1.0, mixtures.limit / np.maximum(mixtures.root, mixtures.limit))

    def moved(values: Floats) -> Floats:
        of_row = fraction.reshape(-1, *[1] * (values.ndim - 1))
        return values[best] + of_row * (values - values[best])

    return replace(
        mixtures,
        prior=moved(mixtures.prior),
        contamination=moved(mixtures.contamination),
        # A weighted mean of two increasing rows increases, up to rounding errors.
        log_ratio=np.maximum.accumulate(moved(mixtures.log_ratio), axis=1),
        root=np.minimum(mixtures.root, mixtures.limit),
    )


def outermost(mixtures: Plausible, labelled: Floats, unlabelled: Floats) -> Plausible:
    """Return the few mixtures that can determine the end of an interval.

    For each of `LEVELS` these are the mixtures with the most and the fewest positives in any step and above any step,
    and those with the most and the fewest wrong labels below any step.

    Parameters
    ----------
    mixtures : Plausible
    labelled, unlabelled : ndarray of shape (n_steps,)
        The number of rows in each step.
    """
    positive, wrong = mixtures.positive_shares(), mixtures.wrong_shares()
    quantities = np.hstack(
        [positive, np.cumsum((positive * unlabelled)[:, ::-1], axis=1), np.cumsum(wrong * labelled, axis=1)]
    )
    kept = mixtures.root == mixtures.root.min()
    for level in LEVELS:
        kept |= _attain_extremes(quantities, mixtures.root <= level * mixtures.limit)
    return replace(
        mixtures,
        prior=mixtures.prior[kept],
        contamination=mixtures.contamination[kept],
        log_ratio=mixtures.log_ratio[kept],
        root=mixtures.root[kept],
    )


def _attain_extremes(quantities: Floats, eligible: Bools) -> Bools:
    """Return which of the eligible mixtures attain the minimum or the maximum of any quantity."""
    indices, attains = np.flatnonzero(eligible), np.zeros_like(eligible)
    values = quantities[eligible]
    for extreme in (values.min(axis=0), values.max(axis=0)):
        # The first mixture that attains it. `argmin` and `argmax` take longer: along this axis they copy the array.
        attains[indices[(values == extreme).argmax(axis=0)]] = True
    return attains


def _log(share: Floats) -> Floats:
    """Return the logarithm; shares are clipped from below, so that it is finite."""
    return np.log(np.maximum(share, 1e-300))
