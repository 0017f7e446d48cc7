"""A library of shapes of two overlapping classes, as pairs of distribution functions.

Only ranks are used, so a shape stands for all its increasing transforms: the normal pair also covers the lognormal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import integrate, special, stats
from sklearn.isotonic import isotonic_regression

from blindauc._typing import Floats

N_POINTS = 300
"""Number of points at which a distribution function is tabulated (convention)."""

FINE = 8 * N_POINTS
"""Number of points before the density ratio is made monotone and points are thinned to `N_POINTS` (convention)."""

SEPARATIONS = np.append(np.arange(19) * 0.2, [4.5, 6.0])
"""Separations of the classes in the library, with AUCs from 0.5 to 0.9999.

The separation is the distance of the means of the pair of standard normal distributions with the same AUC. At an AUC of
0.9, its standard error is 0.12 with 100 labelled rows, and 0.06 with 500. Intervals interpolate between the steps.
"""

MOST_AUC = 0.9999
"""The largest AUC of the library. Beyond it, pairs of classes differ by less than one of their `N_POINTS` points."""

N_TRIED = 30
"""Number of separations at which the AUC of a kind is computed; the separation for a given AUC is interpolated between
them, with an error of the AUC below 0.002."""

PURITY_SCALE = 5.0
"""The prior weight of a shape is r / (r + PURITY_SCALE), with r the density of positives over that of negatives among
the top tenth of the positives (convention)."""

TAIL_POWER = 1.0
"""If the low tail of the positives is k times as dense as that of the normal pair, the prior weight of the shape is
multiplied by k^-TAIL_POWER.

Measured by `benchmarks/suspicion.py --repeats 1` with 300 labelled rows, a tenth of them wrong, for all distributions:
at 1 at most 2.4 % of the clean labels are flagged, and at most 29 % of the flagged labels are right; at 1.5 it is 3.3 %
and 37 %.
"""

Pair = tuple[Floats, Floats]
Kind = Callable[[float], Pair]
"""A function of the separation that returns a pair of classes: equal at 0, and separated at `LARGEST`."""

LARGEST = 14.0
"""A separation at which the classes of every kind hardly overlap."""


@dataclass(frozen=True)
class ShapeLibrary:
    """Distribution functions of the negatives and the positives, one row per shape, and prior weights of the shapes.

    Every estimator of the class prior has to assume that the highest scores are nearly all positives. Here this is only
    a preference: the prior weights `pure` are larger for shapes in which positives dominate at the top. Ranks alone
    cannot distinguish wrong labels with low scores from a long low tail of the positives, and without a further
    assumption no label could ever be flagged. The prior weights `short_tailed` therefore prefer shapes whose positives
    reach no lower than those of the normal pair of the same AUC. They are used for suspicion only.

    Parameters
    ----------
    negative, positive : ndarray of shape (n_shapes, N_POINTS)
        Both increase from 0 to 1 along a row; the density ratio positive / negative increases as well.
    auc : ndarray of shape (n_shapes,)
        AUC of the positives against the negatives. Shapes are ordered by kind, then by AUC; all kinds share the AUCs.
    pure, short_tailed : ndarray of shape (n_shapes,)
        Log-prior weights of the shapes, with the first preference, and with both. Every AUC has the same total weight.
        Apart from the preferences, families of the same AUC have equal weights, and so have the members of a family.
    """

    negative: Floats
    positive: Floats
    auc: Floats
    pure: Floats
    short_tailed: Floats


@lru_cache(maxsize=1)
def shape_library() -> ShapeLibrary:
    """Return the library of normal, heavy-tailed, power and two-humped pairs."""
    families = [_normal(), _heavy_tailed(), _power(), _two_humps()]
    auc = np.minimum(special.ndtr(SEPARATIONS / np.sqrt(2)), MOST_AUC)
    pairs = [pair for family in families for kind in family for pair in _with_auc(kind, auc)]
    negative, positive = (np.array(side) for side in zip(*pairs, strict=True))
    plain = np.concatenate([np.full(len(family) * len(auc), -np.log(len(family))) for family in families])
    top_ratio = _top_ratio(negative, positive)
    pure = _normalised_by_auc(plain + np.log(top_ratio / (top_ratio + PURITY_SCALE)))
    normal = len(auc) * SPREADS.index(1.0) + np.arange(len(auc))
    purity_of_bottom = np.log(_top_ratio(1 - positive[:, ::-1], 1 - negative[:, ::-1])).reshape(-1, len(auc))
    excess = (purity_of_bottom - purity_of_bottom.ravel()[normal]).ravel()
    short_tailed = _normalised_by_auc(pure + TAIL_POWER * np.minimum(0.0, excess))
    return ShapeLibrary(negative, positive, np.tile(auc, len(negative) // len(auc)), pure, short_tailed)


def _normalised_by_auc(log_weight: Floats) -> Floats:
    """Return log-weights normalised to a sum of one, with the same sum for each AUC."""
    by_auc = log_weight.reshape(-1, len(SEPARATIONS))
    return (by_auc - special.logsumexp(by_auc, axis=0) - np.log(len(SEPARATIONS))).ravel()


def _with_auc(kind: Kind, auc: Floats) -> list[Pair]:
    """Return the members of a kind that have these AUCs."""
    tried = LARGEST * np.linspace(0, 1, N_TRIED) ** 2
    found = np.maximum.accumulate([_auc(*_with_increasing_ratio(*kind(separation))) for separation in tried])
    return [_with_increasing_ratio(*kind(separation)) for separation in np.interp(auc, found, tried)]


def _auc(negative: Floats, positive: Floats) -> float:
    return float(integrate.trapezoid(negative, positive))


def _top_ratio(negative: Floats, positive: Floats, share: float = 0.1) -> Floats:
    """Return the share of positives over that of negatives above the score that `share` of the positives exceed."""
    above = [1 - np.interp(1 - share, f1, f0) for f0, f1 in zip(negative, positive, strict=True)]
    return share / np.maximum(above, 1e-9)


SPREADS = (0.7, 1.0, 1.4)
"""Standard deviations of the positives, if that of the negatives is one (convention)."""


def _normal() -> list[Kind]:
    return [_location(stats.norm, spread) for spread in SPREADS]


def _heavy_tailed() -> list[Kind]:
    return [_location(stats.t(3)), _location(stats.logistic())]


def _location(law: stats.rv_continuous, spread: float = 1.0) -> Kind:
    reach = law.isf(1e-6)

    def kind(separation: float) -> Pair:
        # Classes of separation zero must be equal, so they must not differ in their spread either.
        scale = spread ** min(1.0, separation)
        points = np.linspace(min(-reach, separation - scale * reach), max(reach, separation + scale * reach), FINE)
        return law.cdf(points), law.cdf((points - separation) / scale)

    return kind


def _power() -> list[Kind]:
    """F1 = F0^k, whose density ratio is bounded at the top, and its mirror image, bounded away from 0 at the bottom."""
    rank = np.linspace(0, 1, FINE)

    def kind(separation: float) -> Pair:
        return rank, rank ** np.exp(separation)

    return [kind, _mirrored(kind)]


NEAR_HUMP = 0.35
"""Position of the near hump, as a share of the way from the other class to the far hump (convention)."""


def _two_humps() -> list[Kind]:
    """Positives with a near and a far hump, and the mirror image with two humps of negatives."""

    def of_positives(share: float) -> Kind:
        def kind(separation: float) -> Pair:
            points = np.linspace(-5, separation + 5, FINE)
            near, far = special.ndtr(points - NEAR_HUMP * separation), special.ndtr(points - separation)
            return special.ndtr(points), share * near + (1 - share) * far

        return kind

    # Many negatives just below the positives fit the same ranks as a larger prior. Here they are less than a third.
    return [of_positives(0.25), of_positives(0.5), _mirrored(of_positives(0.3))]


def _mirrored(kind: Kind) -> Kind:
    def mirrored(separation: float) -> Pair:
        negative, positive = kind(separation)
        return 1 - positive[::-1], 1 - negative[::-1]

    return mirrored


def _with_increasing_ratio(negative: Floats, positive: Floats) -> Pair:
    """Make the density ratio increasing by isotonic regression, and thin out to points of equal mass.

    Where the ratio decreases, another order of the scores would rank better. In good scores this is only noise.
    """
    mass = np.diff(negative + positive)
    share = np.divide(np.diff(positive), mass, out=np.zeros_like(mass), where=mass > 0)
    share = isotonic_regression(share, sample_weight=np.maximum(mass, 1e-300))
    positive = np.append(0.0, np.cumsum(share * mass))
    negative = np.append(0.0, np.cumsum((1 - share) * mass))
    positive, negative = positive / positive[-1], negative / negative[-1]
    place = np.linspace(0, 2, N_POINTS)
    return np.interp(place, positive + negative, negative), np.interp(place, positive + negative, positive)
