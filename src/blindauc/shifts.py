"""The best shift of each positive for fixed scores: many problems of one variable, solved together.

min over e of  share * term(a + e) + shift_l2/2 * e^2
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from blindauc._typing import Floats

GRID = np.concatenate([-np.geomspace(1.0, 1e-5, 96), [0.0], np.geomspace(1e-5, 1.0, 96)])
"""Relative to the furthest shift worth its ridge; dense near zero, where scores are."""


def best_shifts(
    term: Callable[[int, Floats], Floats],
    a: Floats,
    share: Floats,
    shift_l2: float,
    *,
    slope_bound: float | None = None,
) -> tuple[Floats, Floats]:
    """What each best shift gains over none, and the shifts.

    Parameters
    ----------
    term : (order, scores) -> derivative of that order of what a positive with such a score costs
    a, share : (n_pos,) the positives' scores and weights
    shift_l2 : positive ridge
    slope_bound : a bound of |term'| where the term is not convex; None where it is
    """

    def slope(e: Floats) -> Floats:
        return share * term(1, a + e) + shift_l2 * e

    def value(e: Floats) -> Floats:
        return share * term(0, a + e) + shift_l2 / 2 * e**2

    if slope_bound is None:
        # At the minimum shift_l2 * e is the slope of the term, for a convex one at most that at e = 0.
        reach = -share * term(1, a) / shift_l2
        low, high = np.minimum(reach, 0.0), np.maximum(reach, 0.0)
        best = np.zeros_like(a)
    else:
        low, best, high = _bracketed(value, share * slope_bound / shift_l2)
    for _ in range(60):
        slopes = slope(best)
        low, high = np.where(slopes < 0, best, low), np.where(slopes < 0, high, best)
        bend = share * term(2, a + best) + shift_l2
        newton = best - slopes / np.where(bend > 0, bend, 1.0)
        usable = (bend > 0) & (low < newton) & (newton < high)
        new = np.where(usable, newton, (low + high) / 2)
        settled = np.abs(new - best) <= 1e-10 * (1.0 + np.abs(best))
        best = new
        if settled.all():
            break
    unshifted = value(np.zeros_like(a))
    return unshifted - np.minimum(value(best), unshifted), best


def _bracketed(value: Callable[[Floats], Floats], reach: Floats) -> tuple[Floats, Floats, Floats]:
    """The best of a grid over [-reach, reach] for each problem, between its neighbours."""
    at = np.array([value(point * reach) for point in GRID]).argmin(axis=0)
    low, high = np.maximum(at - 1, 0), np.minimum(at + 1, len(GRID) - 1)
    return GRID[low] * reach, GRID[at] * reach, GRID[high] * reach
