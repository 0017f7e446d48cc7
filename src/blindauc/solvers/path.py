"""Warm-started fits along a path: approximate fits for the search, and a solver that makes the last fit exact.

The outliers of a fit are chosen by concentration steps (Rousseeuw and Van Driessen, A fast algorithm for the minimum
covariance determinant estimator, Technometrics 1999): fit, choose as outliers the positives that lower the objective
most, fit again. The first fit starts from a direction that is robust to many outliers. Features are removed from all to
few, the least important first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.solvers.fits import Fit, Fitter, first_lowest
from blindauc.solvers.levels import on_a_sample_first
from blindauc.solvers.solution import Callback, Objective, Progress, Solution, Sparsity, ignore_progress

CONCENTRATION_STEPS = 3
"""The most concentration steps of a fit (convention)."""

ROUGH = 1e-2
"""Tolerance of approximate fits (convention). Higher accuracy hardly changes the ranking."""

MAX_ITER = 50
"""The most Newton steps of an approximate fit (convention)."""

REDUCTION = 0.3
"""The first fit of a path reduces the norm of the gradient at its start at least to this share (convention). If columns
are nearly collinear, the gradient is small from the start in the directions that separate the classes. Without a
reduction, the fit would count as converged and would not change as the ridge decreases."""

RIDGES = (1e3, 1e2, 1e1)
"""Multiples of the ridge that the solver fits first, one after another (convention)."""

LARGEST_START = 1e50
"""A start with larger coefficients, which columns in tiny units have, is replaced by zero (convention)."""

SIMILAR = 0.05
"""Relative difference of two separations below which the objective decides between two starts (convention). Starts that
end in the same minimum differ by less, because approximate fits stop at different distances from it."""

TIGHTER = 1.5
"""The largest factor by which feature sets shrink in one step of a path (convention; the same as
`choice.space.COLUMN_RATIO`)."""


@on_a_sample_first
def path(
    objective: Objective,
    features: Sparsity,
    outliers: Sparsity,
    *,
    tol: float = 1e-6,
    max_iter: int = 100,
    callback: Callback = ignore_progress,
) -> Solution:
    """Decrease the ridge, then the number of features, with approximate fits, and make the last fit exact.

    This solver does not search for exchanges. The objective may end higher than with `exchange`, but features and
    outliers vary less from sample to sample.

    Parameters
    ----------
    objective, features, outliers : the problem, with the methods of `solution.py`
    tol : norm of the gradient at the solution, relative to that at zero
    max_iter : the most Newton steps of one fit
    callback : called with a `Progress` after each fit
    """
    rough = approach(objective, features, outliers, max_iter=max_iter)
    fitter = Fitter(objective, tol, max_iter)
    end = fitter(rough.support, rough.outliers, rough.coef, rough.shift)
    callback(Progress("path", fitter.n_iter, end.value, int(end.support.sum()), int(end.outliers.sum())))
    return Solution(
        coef=end.coef,
        shift=end.shift,
        support=end.support,
        outliers=end.outliers,
        value=end.value,
        values=(rough.value, end.value),
        gradient_norm=end.gradient_norm / fitter.reference,
        converged=end.converged,
        n_iter=max(fitter.n_iter, 1),  # if the approximate fit is already exact, checking it counts as one step
    )


def approach(objective: Objective, features: Sparsity, outliers: Sparsity, *, max_iter: int = MAX_ITER) -> Fit:
    """Decrease the ridge, then the number of features, with approximate fits."""
    coef = robust_start(objective, outliers, max_iter=max_iter)
    for factor in RIDGES if objective.is_convex else ():
        (loose,) = feature_path(objective.with_ridge(factor), [features.loosened(np.inf)], outliers, coef)
        coef = loose.coef
    *_, rough = feature_path(
        objective, tightened(features.loosened(np.inf), [features])[0], outliers, coef, max_iter=max_iter
    )
    return rough


def tightened(everything: Sparsity, wanted: Sequence[Sparsity]) -> tuple[list[Sparsity], list[int]]:
    """A sequence of feature sets from `everything` to the wanted ones, and the indices of the wanted ones in it.

    The wanted sets are given from the loosest to the tightest. Each set has about two thirds of the units of the one
    before it, or more: among many columns removed at once, some would have become important later. If a wanted set is
    not within the one before it, the sequence starts from `everything` again.
    """
    ladder, places = [everything], []
    for features in wanted:
        if not features.is_within(ladder[-1]):
            ladder.append(everything)
        steps = [features]
        while not steps[-1].is_everything and TIGHTER * steps[-1].n_units < ladder[-1].n_units:
            steps.append(steps[-1].loosened(TIGHTER))
        ladder += [step for step in steps[::-1] if not ladder[-1].is_within(step)]
        places.append(len(ladder) - 1)
    return ladder, places


def robust_start(objective: Objective, outliers: Sparsity, *, max_iter: int = MAX_ITER) -> Floats:
    """The coefficients of the fit of all features whose median positive is the best separated, over robust directions.

    The objective decides only between starts that separate it about equally well: if more labels are wrong than may be
    left out, and they form a distant cluster, it is lowest where that cluster ranks first. The median positive is a
    right one as long as most labels are right (the least median of squares: Rousseeuw, JASA 1984).

    The fits have a ridge of one `ridge_unit`, whose curvature equals that of the data, unless the loss is not convex.
    With a stronger ridge a fit depends on little more than the means, which many distant outliers can shift.
    """
    # If the loss is not convex, a start that is good for one ridge may be poor for another.
    at = objective.with_ridge(objective.ridge_unit) if objective.is_convex else objective
    fitter = Fitter(at, ROUGH, max_iter)
    everything, zero = np.ones(objective.n_columns, dtype=bool), np.zeros(objective.n_columns)
    nobody, unshifted = np.zeros(objective.n_positives, dtype=bool), np.zeros(objective.n_positives)
    if outliers.is_nothing:
        coef = fitter(everything, nobody, zero, unshifted).coef
    else:
        # The directions only choose outliers. The fits start from zero, because the loss may be flat far from it.
        starts = (lowest(objective, outliers, direction) for direction in objective.robust_directions)
        rough = [fitter(everything, flagged, zero, unshifted) for flagged in starts]
        fits = [concentrated(fitter, everything, outliers, fit.coef) for fit in rough]
        separations = np.array([objective.median_separation(fit.coef) for fit in fits])
        is_best = separations >= separations.max() - SIMILAR * abs(separations.max())
        coef = first_lowest(fit for fit, best in zip(fits, is_best, strict=True) if best).coef
    return coef if np.abs(coef).max() < LARGEST_START else zero


def lowest(objective: Objective, outliers: Sparsity, direction: Floats) -> Bools:
    """The positives with the lowest scores in a direction, as many as there may be outliers."""
    scores = objective.pos_scores(direction)
    return outliers.support(scores.max() - scores)


def feature_path(
    objective: Objective,
    feature_sets: Sequence[Sparsity],
    outliers: Sparsity,
    start: Floats,
    *,
    tol: float = ROUGH,
    max_iter: int = MAX_ITER,
) -> Iterator[Fit]:
    """A fit for each feature set, from the loosest to the tightest. All fits have the same allowed sets of outliers.

    Parameters
    ----------
    objective, feature_sets, outliers : the problem, with the methods of `solution.py`
    start : coefficients near those of the first fit
    tol : norm of the gradient at the solution, relative to that at zero
    max_iter : the most Newton steps of one fit
    """
    first, others = Fitter(objective, tol, max_iter, REDUCTION), Fitter(objective, tol, max_iter)
    coef = start
    for place, features in enumerate(feature_sets):
        support = _support(objective, features, coef)
        fit = concentrated(others if place else first, support, outliers, np.where(support, coef, 0.0))
        coef = fit.coef
        yield fit


def rough_fitter(objective: Objective) -> Fitter:
    """A fitter with the tolerance of fits along a path."""
    return Fitter(objective, ROUGH, MAX_ITER)


def _support(objective: Objective, features: Sparsity, coef: Floats) -> Bools:
    if features.is_everything:
        return np.ones(len(coef), dtype=bool)
    unit = np.sqrt(objective.column_curvature(coef, np.zeros(objective.n_positives)))
    return features.support(unit * coef)


def concentrated(fitter: Fitter, support: Bools, outliers: Sparsity, coef: Floats) -> Fit:
    """The fit on a support, with outliers chosen by concentration steps."""
    objective = fitter.objective
    flagged, shift = np.zeros(objective.n_positives, dtype=bool), np.zeros(objective.n_positives)
    if outliers.is_nothing:
        return fitter(support, flagged, coef, shift)
    for _ in range(CONCENTRATION_STEPS):
        gain, best_shift = objective.outlyingness(coef)
        chosen = outliers.support(gain)
        if (chosen == flagged).all():
            break
        flagged = chosen
        fit = fitter(support, flagged, coef, np.where(flagged, best_shift, 0.0))
        coef = fit.coef
    return fit
