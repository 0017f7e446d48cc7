"""The optimal shift of each labelled positive for fixed scores: one-dimensional problems, solved simultaneously.

min over e of  share * term(a + e) + shift_l2/2 * e^2
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from blindauc._typing import Floats

GRID = np.concatenate([-np.geomspace(1.0, 1e-5, 96), [0.0], np.geomspace(1e-5, 1.0, 96)])
"""Starting points of a non-convex search, relative to the largest shift that can be optimal (convention). They are
dense near zero, where most optima are."""


def best_shifts(
    term: Callable[[int, Floats], Floats],
    a: Floats,
    share: Floats,
    shift_l2: float,
    *,
    slope_bound: float | None = None,
) -> tuple[Floats, Floats]:
    """The decrease of the objective by the best shift of each positive, and these shifts.

    The solver is Newton's method, safeguarded by bisection.

    Parameters
    ----------
    term : callable
        `term(order, scores)` returns the derivative of this order of the loss of positives with these scores.
    a, share : ndarray of shape (n_pos,)
        Scores and weights of the positives.
    shift_l2 : float
        Ridge penalty of the shifts; positive.
    slope_bound : float, optional
        An upper bound of |term'| if the term is not convex; None if it is convex.
    """

    def slope(e: Floats) -> Floats:
        return share * term(1, a + e) + shift_l2 * e

    def value(e: Floats) -> Floats:
        return share * term(0, a + e) + shift_l2 / 2 * e**2

    if slope_bound is None:
        # At the minimum shift_l2 * |e| = share * |term'|. For a convex term this is at most share * |term'| at e = 0.
        reach = -share * term(1, a) / shift_l2
        low, high = np.minimum(reach, 0.0), np.maximum(reach, 0.0)
        best = np.zeros_like(a)
    else:
        low, best, high = _bracketed(value, share * slope_bound / shift_l2)
    for _ in range(60):  # bisection alone would shrink a bracket by a factor of 2^60, to below the tolerance
        slopes = slope(best)
        low, high = np.where(slopes < 0, best, low), np.where(slopes < 0, high, best)
        curvature = share * term(2, a + best) + shift_l2
        newton = best - slopes / np.where(curvature > 0, curvature, 1.0)
        usable = (curvature > 0) & (low < newton) & (newton < high)
        new = np.where(usable, newton, (low + high) / 2)
        settled = np.abs(new - best) <= 1e-10 * (1.0 + np.abs(best))
        best = new
        if settled.all():
            break
    unshifted = value(np.zeros_like(a))
    return unshifted - np.minimum(value(best), unshifted), best


def _bracketed(value: Callable[[Floats], Floats], reach: Floats) -> tuple[Floats, Floats, Floats]:
    """For each problem, the best point of a grid over [-reach, reach], and its neighbours."""
    at = np.array([value(point * reach) for point in GRID]).argmin(axis=0)
    low, high = np.maximum(at - 1, 0), np.minimum(at + 1, len(GRID) - 1)
    return GRID[low] * reach, GRID[at] * reach, GRID[high] * reach
