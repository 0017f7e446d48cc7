"""The mixtures that explain two samples of scores nearly as well as the best one does.

A mixture m says how dense positives are against negatives in each step of the score, `exp(log_ratio) = f1 / f0`. With
its prior and its contamination that gives

    positive among unlabelled   prior f1 / (prior f1 + (1 - prior) f0)
    wrong among labelled        eta f0 / (eta f0 + (1 - eta) f1)

Whatever is asked of the rows, such as how many positives there are among the first of them, has one answer under each
mixture, and its interval holds the answers of all plausible ones, by the profile likelihood of
`blindauc.prior.posterior`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from scipy import special

from blindauc._typing import Bools, Floats, Ints

REACH = 1.3
"""Mixtures up to so many times as far from the best one as the limit are moved towards it, onto the limit: the library
is a grid, and the answer at the limit may lie between two of its mixtures. Measured by `benchmarks/capacity.py`, the
prior given: at 1.3 intervals hold the number found in 95 to 100 % of draws; at 2 those of the first 200 rows are 1.3
times as wide."""

LEVELS = (0.25, 0.5, 0.75, 1.0)
"""Shares of the limit at which the outermost mixtures are kept."""

CERTAIN = 1e4
"""A log-ratio that leaves no doubt: shares are 0 or 1 to the last digit."""


@dataclass(frozen=True)
class Plausible:
    """Mixtures, each with how far it is from explaining the scores as well as the best one.

    Parameters
    ----------
    prior, contamination : ndarray of shape (n_mixtures,)
    log_ratio : ndarray of shape (n_mixtures, n_steps)
        Of the density of positives over that of negatives.
    root : ndarray of shape (n_mixtures,)
        `sqrt(2 (max l - l))`, at most `limit`.
    far : ndarray of shape (n_steps,)
        Probability that a label there is far below both classes, whatever the mixture.
    confidence : float
        Of the intervals.
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
        """Whether anything may be: these are the mixtures of `nothing_known`."""
        return bool(np.all(np.abs(self.log_ratio) == CERTAIN))

    def positive_shares(self, labelled_share: float = 0.0) -> Floats:
        """Return the share of positives in each step, of shape (n_mixtures, n_steps).

        With c = `labelled_share`, of rows drawn like labelled and unlabelled ones together,

            (c (1 - eta) + (1 - c) prior) f1 / (c f_labelled + (1 - c) f_unlabelled);

        without, of unlabelled rows.
        """
        c, prior, eta = labelled_share, self.prior[:, None], self.contamination[:, None]
        positive, negative = c * (1 - eta) + (1 - c) * prior, c * eta + (1 - c) * (1 - prior)
        return special.expit(self.log_ratio + _log(positive) - _log(negative))

    def wrong_shares(self) -> Floats:
        """Return the share of wrong ones among the labels of each step, of shape (n_mixtures, n_steps)."""
        eta = self.contamination[:, None]
        return self.far + (1 - self.far) * special.expit(_log(eta) - _log(1 - eta) - self.log_ratio)

    def at(self, steps: Ints, far: Floats) -> Plausible:
        """Return the same for steps that each lie in one of these."""
        return replace(self, log_ratio=self.log_ratio[:, steps], far=far)


def limit_of(confidence: float) -> float:
    """Return the two-sided quantile of a standard normal variable."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def nothing_known(n_steps: int, confidence: float) -> Plausible:
    """Return the two mixtures between which everything lies: all rows of every step are positive, or none is."""
    half, sides = np.full(2, 0.5), np.array([[-CERTAIN], [CERTAIN]])
    return Plausible(half, half, np.tile(sides, n_steps), np.zeros(2), np.zeros(n_steps), confidence)


def onto_limit(mixtures: Plausible) -> Plausible:
    """Return the mixtures with those beyond the limit moved towards the best one, until they are at it.

    The root of the deviance is linear on the way where the likelihood is that of a normal sample.
    """
    best = int(mixtures.root.argmin())
    way = np.minimum(1.0, mixtures.limit / np.maximum(mixtures.root, mixtures.limit))

    def moved(values: Floats) -> Floats:
        share = way.reshape(-1, *[1] * (values.ndim - 1))
        return values[best] + share * (values - values[best])

    return replace(
        mixtures,
        prior=moved(mixtures.prior),
        contamination=moved(mixtures.contamination),
        log_ratio=moved(mixtures.log_ratio),
        root=np.minimum(mixtures.root, mixtures.limit),
    )


def outermost(mixtures: Plausible, labelled: Floats, unlabelled: Floats) -> Plausible:
    """Return the few mixtures that can be an end of an interval.

    These are, among all that are within each of `LEVELS`, those with the most and the fewest positives in a step and
    above it, and with the most and the fewest wrong labels below it.

    Parameters
    ----------
    mixtures : Plausible
    labelled, unlabelled : ndarray of shape (n_steps,)
        How many rows there are in each step.
    """
    positive, wrong = mixtures.positive_shares(), mixtures.wrong_shares()
    answers = np.hstack(
        [positive, np.cumsum((positive * unlabelled)[:, ::-1], axis=1), np.cumsum(wrong * labelled, axis=1)]
    )
    kept = mixtures.root == mixtures.root.min()
    for level in LEVELS:
        kept |= _ends(answers, mixtures.root <= level * mixtures.limit)
    return replace(
        mixtures,
        prior=mixtures.prior[kept],
        contamination=mixtures.contamination[kept],
        log_ratio=mixtures.log_ratio[kept],
        root=mixtures.root[kept],
    )


def _ends(answers: Floats, inside: Bools) -> Bools:
    """Return which of the mixtures inside have the lowest or the highest answer to anything."""
    places, ends = np.flatnonzero(inside), np.zeros_like(inside)
    for extreme in (np.argmin, np.argmax):
        ends[places[extreme(answers[inside], axis=0)]] = True
    return ends


def _log(share: Floats) -> Floats:
    """Return the logarithm, of none and of all as of the least share that has one."""
    return np.log(np.maximum(share, 1e-300))
