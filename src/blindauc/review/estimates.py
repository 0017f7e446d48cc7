r"""Estimates from the decisions so far: how many checked rows were hits, and how many hits to expect among the rest.

A hit is what the check looks for: a wrong label, or a positive without a label. The model gives each row i of a list
the probability s[i] of a hit. The probabilities may be too high or too low as a whole, by a shift d of their logits,
and over- or underconfident, by a slope a:

    p[i](a, d) = sigmoid(a logit s[i] + d)

The prior of the slope: it is a power of two whose exponent is normal with mean 0. The prior of the shift, given the
slope: it is normal on either side of the shift at which the sum of p is that of s, and its 2.5 % and 97.5 % points give
the model's interval for that sum. Each checked row has the likelihood p[i] or 1 - p[i]. Given slope and shift, the
number of hits among the rest is a sum of independent events, approximated by a normal distribution. Its distribution is
the mixture over both. Rows need not be checked at random: checks in the order of s are ignorable, since the likelihood
conditions on s. Without the slope, a few right labels among those that the model was surest of would lower the
estimate for all others.

Logits are rounded to the grid of d. So a sum over rows is, for all d at once, a correlation between the counts of rows
per logit and a function on the grid. It takes as long for a thousand rows as for ten.
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
"""Confidence level of the intervals (convention)."""

STEP = 0.05
"""Step of the grids of logits (convention): a difference of 5 % in the odds does not matter."""

N_SHIFTS, N_LOGITS = 160, 276
"""Steps of the grids of shifts and of logits to either side (convention): to odds of 3,000 and of a million to one."""

SHIFTS = STEP * np.arange(-N_SHIFTS, N_SHIFTS + 1)

EXPONENTS = np.arange(-2.0, 1.1, 0.5)
"""Exponents of the slopes, which are powers of two (convention). They reach further down, because models are
overconfident more often than underconfident."""

SLOPE_DEVIATION = 0.5
"""The prior standard deviation of the exponent (convention): in one case of twenty, the logits of a model are off by
more than a factor of two."""

_PROBABILITY = expit(STEP * np.arange(-N_LOGITS - N_SHIFTS, N_LOGITS + N_SHIFTS + 1))
_VARIANCE = _PROBABILITY * (1 - _PROBABILITY)
_LOG_FOUND, _LOG_OTHER = np.log(_PROBABILITY), np.log1p(-_PROBABILITY)

NORMAL_POINT = 1.959964
"""The 97.5 % quantile of the standard normal distribution."""

NEGLIGIBLE = 20.0
"""Weights below exp(-20), two in a billion, of the largest are dropped (convention)."""

TINY = 1e-300
"""Keeps logarithms finite."""

NARROWEST = 0.1
"""Minimal prior standard deviation of d (convention): an error of 10 % in the odds is never ruled out beforehand."""


def share_interval(n_found: int, n_checked: int) -> Interval:
    """A share with its exact 95 % interval (Clopper and Pearson, Biometrika 1934).

    Examples
    --------
    >>> from blindauc.review.estimates import share_interval
    >>> share = share_interval(31, 40)
    >>> round(share.value, 3), round(share.low, 3), round(share.high, 3)
    (0.775, 0.615, 0.892)
    """
    n_other, tail = n_checked - n_found, (1 - LEVEL) / 2
    low = betaincinv(n_found, n_other + 1, tail) if n_found else 0.0
    high = betaincinv(n_found + 1, n_other, 1 - tail) if n_other else 1.0
    return Interval(n_found / n_checked, float(low), float(high))


@dataclass(frozen=True)
class CheckSummary:
    """A summary of the checks of a list.

    Attributes
    ----------
    n_checked, n_found : the number of rows that a reviewer decided on, and of hits among them
    share : the share of hits among the checked rows, with its exact interval; None if none was checked
    expected : the number of hits that the model expected among the checked rows; None if it has no probabilities
    rest : the number of hits to expect among the unchecked rows; None if the model has no probabilities
    """

    n_checked: int
    n_found: int
    share: Interval | None
    expected: float | None
    rest: Expected | None


@dataclass(frozen=True)
class Prospect:
    """The expectation of a model for a list of rows.

    Attributes
    ----------
    chances : the probability of a hit for each row; empty if the model has too few labels to estimate it
    low, high : the 95 % interval of the number of hits in the list

    Examples
    --------
    >>> from blindauc.review.estimates import Prospect
    >>> prospect = Prospect((0.9, 0.8, 0.6, 0.3, 0.2, 0.1), low=1.0, high=5.0)
    >>> summary = prospect.after({0: True, 1: True, 2: True})
    >>> summary.n_found, round(summary.expected, 1), summary.rest.value > 0.6
    (3, 2.3, True)
    """

    chances: Sequence[float]
    low: float
    high: float

    def after(self, found: Mapping[int, bool]) -> CheckSummary:
        """The summary after some checks: `found` says, by their indices in the list, which rows were hits."""
        n_checked, n_found = len(found), sum(found.values())
        share = share_interval(n_found, n_checked) if n_checked else None
        if not len(self.chances):
            return CheckSummary(n_checked, n_found, share, None, None)
        expected = float(sum(self.chances[place] for place in found))
        return CheckSummary(n_checked, n_found, share, expected, self._rest(found))

    def _rest(self, found: Mapping[int, bool]) -> Expected:
        places = np.fromiter(found, dtype=np.intp, count=len(found))
        is_found = np.fromiter(found.values(), dtype=bool, count=len(found))
        log_weight, mean, variance = np.hstack([each.after(places, is_found) for each in self._slopes])
        # After some checks most of the grid has a negligible weight, and is left out.
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
    """The model with one slope and all shifts of the grid.

    Parameters
    ----------
    logits : the logits of the probabilities s
    exponent : the exponent of the slope
    in_all : the low end of the model's interval for the number of hits, the sum of s, and the high end
    """

    def __init__(self, logits: Floats, exponent: float, in_all: tuple[float, float, float]) -> None:
        steps = np.clip(2.0**exponent * logits / STEP, -N_LOGITS, N_LOGITS)
        self._places = (steps.round() + N_LOGITS).astype(np.intp)
        self._moments = np.array([_sum(_PROBABILITY, self._places), _sum(_VARIANCE, self._places)])
        # The shifts with which the expected number of hits is each of the three numbers.
        below, middle, above = np.interp(in_all, self._moments[0], SHIFTS).tolist()
        deviation = np.where(middle > SHIFTS, middle - below, above - middle) / NORMAL_POINT
        deviation = np.maximum(deviation, NARROWEST)
        density = np.exp(-0.5 * ((SHIFTS - middle) / deviation) ** 2)
        # The density of the shift is normalised for each slope, then multiplied by the prior of the slope.
        self._log_prior = np.log(density / density.sum() + TINY) - 0.5 * (exponent / SLOPE_DEVIATION) ** 2

    def after(self, places: Ints, is_found: Bools) -> Floats:
        """For each shift, its log weight, and the mean and the variance of the number of hits among the rest."""
        checked = self._places[places]
        likelihood = _sum(_LOG_FOUND, checked[is_found]) + _sum(_LOG_OTHER, checked[~is_found])
        mean, variance = self._moments - np.array([_sum(_PROBABILITY, checked), _sum(_VARIANCE, checked)])
        return np.array([likelihood + self._log_prior, mean, variance])


def _sum(function: Floats, places: Ints) -> Floats:
    """For each shift, the sum over rows of a function of their shifted logits."""
    return np.correlate(function, np.bincount(places, minlength=2 * N_LOGITS + 1).astype(np.float64), mode="valid")


def _quantile(level: float, weight: Floats, mean: Floats, variance: Floats, n: int) -> float:
    """The smallest whole number that the count does not exceed with this probability."""
    deviation = np.sqrt(np.maximum(variance, 1e-12))
    low, high = 0, n
    while low < high:  # bisection, with a continuity correction of one half
        middle = (low + high) // 2
        if weight @ ndtr((middle + 0.5 - mean) / deviation) >= level:
            high = middle
        else:
            low = middle + 1
    return float(low)
