"""A library of the shapes two overlapping classes can take, as pairs of distribution functions.

Only ranks are ever compared, so a shape stands for all its increasing transforms: the normal pair covers the lognormal.
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

FINE = 8 * N_POINTS

SEPARATIONS = np.append(np.arange(19) * 0.2, [4.5, 6.0])
"""Distance of the centres of the normal pair that has the same AUC: 0.5 to 0.9999.

With 100 labelled rows and an AUC of 0.9 the distance has a standard error of 0.12, with 500 of 0.06. Intervals
interpolate between the steps.
"""

MOST_AUC = 0.9999
"""Beyond it the pairs differ by less than one of `N_POINTS`."""

N_TRIED = 30
"""Members of a kind among which the one with a given AUC is found by interpolation, to within 0.002."""

PURITY_SCALE = 5.0
"""A shape is believed half as much as the purest where its top tenth of positives is so many times as dense."""

TAIL_POWER = 1.0
"""A low tail of positives that is k times too dense makes a shape k to this power times less believed.

Measured by `benchmarks/suspicion.py --repeats 1` with 300 labelled rows, a tenth of them wrong: at 1 up to 2.4 % of
clean labels are flagged and up to 29 % of those flagged are right, whatever the distribution; at 1.5 3.3 % and 37 %.
"""

Pair = tuple[Floats, Floats]
Kind = Callable[[float], Pair]
"""A pair of classes that grow apart with the argument: equal at 0, apart at `LARGEST`."""

LARGEST = 14.0


@dataclass(frozen=True)
class ShapeLibrary:
    """Distribution functions of the negatives and the positives, one row for each shape, and beliefs in them.

    That the highest scores are nearly all positives is what every estimator of the prior has to assume. Here it is a
    preference, `pure`, for shapes with a dense top. Low-scoring labels may be wrong, or the low tail of the positives
    may be long, and ranks cannot tell; as nobody could ever be accused like that, `short_tailed` believes less in
    shapes whose positives reach lower than in the normal pair of the same AUC. It serves suspicion only.

    Parameters
    ----------
    negative, positive : ndarray of shape (n_shapes, N_POINTS)
        Both increase from 0 to 1 along a row; the density ratio positive / negative increases as well.
    auc : ndarray of shape (n_shapes,)
        Of the positives against the negatives. Shapes are ordered by kind, then by AUC: every kind has the same ones.
    pure, short_tailed : ndarray of shape (n_shapes,)
        Logarithm of the belief in each shape before any data. Every AUC counts alike; among shapes of the same AUC
        every family and every member of it does, but for the first preference, and for both.
    """

    negative: Floats
    positive: Floats
    auc: Floats
    pure: Floats
    short_tailed: Floats


@lru_cache(maxsize=1)
def shape_library() -> ShapeLibrary:
    """Return normal, heavy-tailed, power and two-humped pairs."""
    families = [_normal(), _heavy_tailed(), _power(), _two_humps()]
    auc = np.minimum(special.ndtr(SEPARATIONS / np.sqrt(2)), MOST_AUC)
    pairs = [pair for family in families for kind in family for pair in _with_auc(kind, auc)]
    negative, positive = (np.array(side) for side in zip(*pairs, strict=True))
    plain = np.concatenate([np.full(len(family) * len(auc), -np.log(len(family))) for family in families])
    top_ratio = _top_ratio(negative, positive)
    pure = _every_auc_alike(plain + np.log(top_ratio / (top_ratio + PURITY_SCALE)))
    normal = len(auc) * SPREADS.index(1.0) + np.arange(len(auc))
    purity_of_bottom = np.log(_top_ratio(1 - positive[:, ::-1], 1 - negative[:, ::-1])).reshape(-1, len(auc))
    excess = (purity_of_bottom - purity_of_bottom.ravel()[normal]).ravel()
    short_tailed = _every_auc_alike(pure + TAIL_POWER * np.minimum(0.0, excess))
    return ShapeLibrary(negative, positive, np.tile(auc, len(negative) // len(auc)), pure, short_tailed)


def _every_auc_alike(log_belief: Floats) -> Floats:
    """Return log-beliefs that sum to the same over the shapes of each AUC, and to one over all."""
    by_auc = log_belief.reshape(-1, len(SEPARATIONS))
    return (by_auc - special.logsumexp(by_auc, axis=0) - np.log(len(SEPARATIONS))).ravel()


def _with_auc(kind: Kind, auc: Floats) -> list[Pair]:
    """Return the members of a kind that have these AUCs."""
    tried = LARGEST * np.linspace(0, 1, N_TRIED) ** 2
    found = np.maximum.accumulate([_auc(*_with_increasing_ratio(*kind(separation))) for separation in tried])
    return [_with_increasing_ratio(*kind(separation)) for separation in np.interp(auc, found, tried)]


def _auc(negative: Floats, positive: Floats) -> float:
    return float(integrate.trapezoid(negative, positive))


def _top_ratio(negative: Floats, positive: Floats, share: float = 0.1) -> Floats:
    """Return the share of positives over that of negatives, above the score that this share of positives exceed."""
    above = [1 - np.interp(1 - share, f1, f0) for f0, f1 in zip(negative, positive, strict=True)]
    return share / np.maximum(above, 1e-9)


SPREADS = (0.7, 1.0, 1.4)
"""Standard deviation of the positives where that of the negatives is one."""


def _normal() -> list[Kind]:
    return [_location(stats.norm, spread) for spread in SPREADS]


def _heavy_tailed() -> list[Kind]:
    return [_location(stats.t(3)), _location(stats.logistic())]


def _location(law: stats.rv_continuous, spread: float = 1.0) -> Kind:
    reach = law.isf(1e-6)

    def kind(separation: float) -> Pair:
        # Classes that are not apart do not differ in their spread either.
        scale = spread ** min(1.0, separation)
        points = np.linspace(min(-reach, separation - scale * reach), max(reach, separation + scale * reach), FINE)
        return law.cdf(points), law.cdf((points - separation) / scale)

    return kind


def _power() -> list[Kind]:
    """F1 = F0^k and its mirror image: a ratio bounded at the top, or one bounded away from zero at the bottom."""
    rank = np.linspace(0, 1, FINE)

    def kind(separation: float) -> Pair:
        return rank, rank ** np.exp(separation)

    return [kind, _mirrored(kind)]


NEAR_HUMP = 0.35
"""Where the near hump lies between the other class and the far one."""


def _two_humps() -> list[Kind]:
    """Positives in a near and a far hump, and the mirror image with two humps of negatives."""

    def of_positives(share: float) -> Kind:
        def kind(separation: float) -> Pair:
            points = np.linspace(-5, separation + 5, FINE)
            near, far = special.ndtr(points - NEAR_HUMP * separation), special.ndtr(points - separation)
            return special.ndtr(points), share * near + (1 - share) * far

        return kind

    # Many negatives right below the positives are a wrong prior by another name: no more than a third of them.
    return [of_positives(0.25), of_positives(0.5), _mirrored(of_positives(0.3))]


def _mirrored(kind: Kind) -> Kind:
    def mirrored(separation: float) -> Pair:
        negative, positive = kind(separation)
        return 1 - positive[::-1], 1 - negative[::-1]

    return mirrored


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
