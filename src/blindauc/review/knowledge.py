r"""What the decisions so far say: how many of those checked were found, and how many to expect among the rest.

A run gives every row i of a list the probability s[i] that it is of the kind that is looked for: a wrong label, or a
positive without a label. These may be too high or too low as a whole, by a shift d, and too sure or not sure enough, by
a slope a, of their logits,

    p[i](a, d) = sigmoid(a logit s[i] + d).

Before anything was checked, the slope is a power of two whose exponent is normal with mean 0. Given it, the shift has a
normal density on either side of the shift at which the sum of p is that of s; its 2.5 % and 97.5 % points give the
interval of the run for that sum. Every row that was checked has the likelihood p[i] or 1 - p[i]. The number among the
rest, given slope and shift, is a sum of independent events, which is taken for normal; its distribution is the mixture
over both. Rows are checked in the order of s, not at random: that is no matter, since s is what the likelihood
conditions on. Without the slope, a few right labels among those that the run was surest of would speak against all
others.

Logits are rounded to the grid of d, so that a sum over rows, for all d at once, is the correlation of how many rows
have each logit with a function on the grid: it takes as long for a thousand rows as for ten.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betaincinv, expit, logit, ndtr

from blindauc._typing import Bools, Floats, Ints
from blindauc.report.findings import Expected, Interval

LEVEL = 0.95
STEP = 0.05
"""Of the grid: odds that differ by 5 % are as good as the same."""

N_SHIFTS, N_LOGITS = 160, 276
"""How far the grids of d and of logits go to either side, in steps: to odds of 3 thousand, and of a million, to one."""

SHIFTS = STEP * np.arange(-N_SHIFTS, N_SHIFTS + 1)

EXPONENTS = np.arange(-2.0, 1.1, 0.5)
"""Of the slopes, which are powers of two: runs are too sure more often than not sure enough."""

DOUBT_OF_SLOPE = 0.5
"""The standard deviation of the exponent: once in twenty times the logits of a run are off by more than a factor of two
(convention)."""

_PROBABILITY = expit(STEP * np.arange(-N_LOGITS - N_SHIFTS, N_LOGITS + N_SHIFTS + 1))
_VARIANCE = _PROBABILITY * (1 - _PROBABILITY)
_LOG_FOUND, _LOG_OTHER = np.log(_PROBABILITY), np.log1p(-_PROBABILITY)

NORMAL_POINT = 1.959964
"""Of a standard normal variable 2.5 % lie beyond it."""

NEGLIGIBLE = 20.0
"""A weight that is smaller than the largest by so many powers of e is none: two in a billion."""

TINY = 1e-300
"""Keeps logarithms finite."""

NARROWEST = 0.1
"""The least standard deviation of d: odds that are off by a tenth are never ruled out beforehand."""


def share_interval(n_found: int, n_checked: int) -> Interval:
    """A share with its exact 95 % interval (Clopper and Pearson, Biometrika 1934).

    Examples
    --------
    >>> from blindauc.review.knowledge import share_interval
    >>> share = share_interval(31, 40)
    >>> round(share.value, 3), round(share.low, 3), round(share.high, 3)
    (0.775, 0.615, 0.892)
    """
    n_other, tail = n_checked - n_found, (1 - LEVEL) / 2
    low = betaincinv(n_found, n_other + 1, tail) if n_found else 0.0
    high = betaincinv(n_found + 1, n_other, 1 - tail) if n_other else 1.0
    return Interval(n_found / n_checked, float(low), float(high))


@dataclass(frozen=True)
class Known:
    """What was found.

    Attributes
    ----------
    n_checked, n_found : rows of which a reviewer could tell, and those among them that are of the kind looked for
    share : the second as a share of the first, with its exact interval; None where none was checked
    expected : how many of those checked the run expected; None where it cannot tell
    rest : how many to expect among the rows that were not checked; None where the run cannot tell
    """

    n_checked: int
    n_found: int
    share: Interval | None
    expected: float | None
    rest: Expected | None


@dataclass(frozen=True)
class Prospect:
    """What a run expects of a list of rows.

    Attributes
    ----------
    chances : for each row the probability that it is of the kind looked for; empty where the run cannot tell
    low, high : the 95 % interval of how many there are in all

    Examples
    --------
    >>> from blindauc.review.knowledge import Prospect
    >>> prospect = Prospect((0.9, 0.8, 0.6, 0.3, 0.2, 0.1), low=1.0, high=5.0)
    >>> known = prospect.after({0: True, 1: True, 2: True})
    >>> known.n_found, round(known.expected, 1), known.rest.value > 0.6
    (3, 2.3, True)
    """

    chances: Sequence[float]
    low: float
    high: float

    def after(self, found: Mapping[int, bool]) -> Known:
        """What is known when some rows, by their places in the list, were checked, and are of the kind or not."""
        n_checked, n_found = len(found), sum(found.values())
        share = share_interval(n_found, n_checked) if n_checked else None
        if not len(self.chances):
            return Known(n_checked, n_found, share, None, None)
        expected = float(sum(self.chances[place] for place in found))
        return Known(n_checked, n_found, share, expected, self._rest(found))

    def _rest(self, found: Mapping[int, bool]) -> Expected:
        places = np.fromiter(found, dtype=np.intp, count=len(found))
        is_found = np.fromiter(found.values(), dtype=bool, count=len(found))
        log_weight, mean, variance = np.hstack([each.after(places, is_found) for each in self._slopes])
        # What has no weight need not be looked at: by now that may be most of the grid.
        matters = log_weight > log_weight.max() - NEGLIGIBLE
        weight, mean, variance = np.exp(log_weight[matters] - log_weight.max()), mean[matters], variance[matters]
        weight /= weight.sum()
        n_rest = len(self.chances) - len(found)
        low, high = (_quantile(level, weight, mean, variance, n_rest) for level in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
        return Expected(n_rest, min(max(float(weight @ mean), low), high), low, high)

    @cached_property
    def _slopes(self) -> list[_Slope]:
        logits = logit(np.asarray(self.chances, dtype=np.float64))
        in_all = self.low, float(sum(self.chances)), self.high
        return [_Slope(logits, exponent, in_all) for exponent in EXPONENTS.tolist()]


class _Slope:
    """The rows as they would be with one slope and every shift.

    Parameters
    ----------
    logits : of what the run says
    exponent : of the slope
    in_all : the sum of the probabilities, between the ends of its interval
    """

    def __init__(self, logits: Floats, exponent: float, in_all: tuple[float, float, float]) -> None:
        steps = np.clip(2.0**exponent * logits / STEP, -N_LOGITS, N_LOGITS)
        self._places = (steps.round() + N_LOGITS).astype(np.intp)
        self._moments = np.array([_sum(_PROBABILITY, self._places), _sum(_VARIANCE, self._places)])
        below, middle, above = np.interp(in_all, self._moments[0], SHIFTS).tolist()
        deviation = np.where(middle > SHIFTS, middle - below, above - middle) / NORMAL_POINT
        deviation = np.maximum(deviation, NARROWEST)
        density = np.exp(-0.5 * ((SHIFTS - middle) / deviation) ** 2)
        # Of equal weight for every slope but for what is believed of the slope itself.
        self._log_prior = np.log(density / density.sum() + TINY) - 0.5 * (exponent / DOUBT_OF_SLOPE) ** 2

    def after(self, places: Ints, is_found: Bools) -> Floats:
        """For every shift its weight as a logarithm, and the mean and the variance of the number among the rest."""
        checked = self._places[places]
        likelihood = _sum(_LOG_FOUND, checked[is_found]) + _sum(_LOG_OTHER, checked[~is_found])
        mean, variance = self._moments - np.array([_sum(_PROBABILITY, checked), _sum(_VARIANCE, checked)])
        return np.array([likelihood + self._log_prior, mean, variance])


def _sum(function: Floats, places: Ints) -> Floats:
    """For each shift the sum over rows of a function of their shifted logits."""
    return np.correlate(function, np.bincount(places, minlength=2 * N_LOGITS + 1).astype(np.float64), mode="valid")


def _quantile(level: float, weight: Floats, mean: Floats, variance: Floats, n: int) -> float:
    """The least whole number that the count does not exceed with this probability."""
    deviation = np.sqrt(np.maximum(variance, 1e-12))
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if weight @ ndtr((middle + 0.5 - mean) / deviation) >= level:
            high = middle
        else:
            low = middle + 1
    return float(low)
