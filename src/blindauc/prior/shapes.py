"""A library of the shapes two overlapping classes can take, as pairs of distribution functions.

Only ranks are ever compared, so a shape stands for all its increasing transforms: the normal pair covers the lognormal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from scipy import integrate, special, stats
from sklearn.isotonic import isotonic_regression

from blindauc._typing import Floats

N_POINTS = 300

FINE = 8 * N_POINTS

SEPARATIONS = (0.15, 0.35, 0.55, 0.75, 0.95, 1.2, 1.5, 1.8, 2.1, 2.5, 3.0, 3.6, 6.0)
"""Distance of the class centres: AUC 0.54 to 0.99999 in the normal family."""

SPREADS = (0.7, 1.0, 1.4, 2.0)
"""Standard deviation of the positives where that of the negatives is one."""

PURITY_SCALE = 5.0
"""A shape is believed half as much as the purest where its top tenth of positives is so many times as dense."""

TAIL_POWER = 1.0
"""A low tail of positives that is k times too dense makes a shape k to this power times less believed."""


@dataclass(frozen=True)
class ShapeLibrary:
    """Distribution functions of the negatives and the positives, one row for each shape, and beliefs in them.

    That the highest scores are nearly all positives is what every estimator of the prior has to assume. Here it is a
    preference, `pure`, for shapes with a dense top. Low-scoring labels may be wrong, or the low tail of the positives
    may be long, and ranks cannot tell; as nobody could ever be accused like that, `short_tailed` believes less in
    shapes whose positives reach lower than in the normal pair of the same AUC. Intervals run over all three beliefs.

    Parameters
    ----------
    negative, positive : ndarray of shape (n_shapes, N_POINTS)
        Both increase from 0 to 1 along a row; the density ratio positive / negative increases as well.
    plain : ndarray of shape (n_shapes,)
        Logarithm of the belief in each shape before any data: every family equally, every member equally.
    pure, short_tailed : ndarray of shape (n_shapes,)
        The same with the first preference, and with both.
    """

    negative: Floats
    positive: Floats
    plain: Floats
    pure: Floats
    short_tailed: Floats


@lru_cache(maxsize=1)
def shape_library() -> ShapeLibrary:
    """Return normal, heavy-tailed, power and two-humped pairs."""
    families = [_normal(), _heavy_tailed(), _power(), _two_humps()]
    pairs = [_with_increasing_ratio(*pair) for family in families for pair in family]
    negative, positive = (np.array(side) for side in zip(*pairs, strict=True))
    plain = np.concatenate([np.full(len(family), -np.log(len(family))) for family in families])
    top_ratio = _top_ratio(negative, positive)
    pure = plain + np.log(top_ratio / (top_ratio + PURITY_SCALE))
    short_tailed = pure + TAIL_POWER * np.minimum(0.0, _log_purity_of_bottom(negative, positive))
    return ShapeLibrary(negative, positive, *(b - special.logsumexp(b) for b in (plain, pure, short_tailed)))


def _top_ratio(negative: Floats, positive: Floats, share: float = 0.1) -> Floats:
    """Return the share of positives over that of negatives, above the score that this share of positives exceed."""
    above = [1 - np.interp(1 - share, f1, f0) for f0, f1 in zip(negative, positive, strict=True)]
    return share / np.maximum(above, 1e-9)


def _log_purity_of_bottom(negative: Floats, positive: Floats) -> Floats:
    """Return the log-ratio of negatives to positives in the lowest tenth of negatives, less that of the normal pair."""
    bottom_ratio = np.log(_top_ratio(1 - positive[:, ::-1], 1 - negative[:, ::-1]))
    auc = np.array([integrate.trapezoid(f0, f1) for f0, f1 in zip(negative, positive, strict=True)])
    normal = np.array([_with_increasing_ratio(*_location_scale(stats.norm, d)) for d in SEPARATIONS])
    normal_ratio = np.log(_top_ratio(1 - normal[:, 1, ::-1], 1 - normal[:, 0, ::-1]))
    normal_auc = stats.norm.cdf(np.array(SEPARATIONS) / np.sqrt(2))
    return bottom_ratio - np.interp(special.logit(auc), special.logit(normal_auc), normal_ratio)


Pair = tuple[Floats, Floats]


def _location_scale(law: stats.rv_continuous, separation: float, spread: float = 1.0) -> Pair:
    reach = law.isf(1e-6)
    points = np.linspace(min(-reach, separation - spread * reach), max(reach, separation + spread * reach), FINE)
    return law.cdf(points), law.cdf((points - separation) / spread)


def _normal() -> list[Pair]:
    return [
        _location_scale(stats.norm, separation * np.sqrt((1 + spread**2) / 2), spread)
        for separation in SEPARATIONS
        for spread in SPREADS
    ]


def _heavy_tailed() -> list[Pair]:
    return [
        _location_scale(law, 1.4 * separation) for law in (stats.t(3), stats.logistic()) for separation in SEPARATIONS
    ]


def _power() -> list[Pair]:
    """F1 = F0^k and its mirror image: a ratio bounded at the top, or one bounded away from zero at the bottom."""
    rank = np.linspace(0, 1, FINE)
    powers = (1.25, 1.6, 2.0, 2.6, 3.5, 5.0, 8.0, 14.0, 30.0)
    return [pair for k in powers for pair in ((rank, rank**k), (1 - (1 - rank) ** k, rank))]


def _two_humps() -> list[Pair]:
    """Positives in a near and a far hump, and the mirror image with two humps of negatives."""
    pairs = []
    for near, far, share in product((0.5, 1.5), (2.5, 4.0), (0.25, 0.5, 0.75)):
        points = np.linspace(-5, far + 5, FINE)
        negative = stats.norm.cdf(points)
        positive = share * stats.norm.cdf(points - near) + (1 - share) * stats.norm.cdf(points - far)
        pairs.append((negative, positive))
        # A hump of negatives right below the positives is a wrong prior by another name.
        if near > 1:
            pairs.append((1 - positive[::-1], 1 - negative[::-1]))
    return pairs


def _with_increasing_ratio(negative: Floats, positive: Floats) -> Pair:
    """Pool where the density ratio falls, and thin out to points of equal mass.

    A score whose ratio falls somewhere would be improved by re-ranking; what is left of that in good scores is noise.
    """
    mass = np.diff(negative + positive)
    share = np.divide(np.diff(positive), mass, out=np.zeros_like(mass), where=mass > 0)
    share = isotonic_regression(share, sample_weight=np.maximum(mass, 1e-300))
    positive = np.append(0.0, np.cumsum(share * mass))
    negative = np.append(0.0, np.cumsum((1 - share) * mass))
    positive, negative = positive / positive[-1], negative / negative[-1]
    place = np.linspace(0, 2, N_POINTS)
    return np.interp(place, positive + negative, negative), np.interp(place, positive + negative, positive)
