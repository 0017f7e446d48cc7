"""Fits along a path, each begun from its neighbour: cheap and rough for tuning, made exact as a solver.

The outliers of a fit are chosen by concentration steps (Rousseeuw and Van Driessen, A fast algorithm for the
minimum covariance determinant estimator, Technometrics 1999): fit, take the positives that gain most as outliers,
fit again. They begin from a direction that many outliers cannot turn round. Features leave from all towards few, those
first that matter least.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.solvers.fits import Fit, Fitter
from blindauc.solvers.levels import on_a_sample_first
from blindauc.solvers.solution import Callback, Objective, Progress, Solution, Sparsity, ignore_progress

CONCENTRATION_STEPS = 3

ROUGH = 1e-2
"""The tolerance of fits on the way: the ranking hardly changes any more."""

MAX_ITER = 50
"""Newton steps of a fit on the way, at most."""

REDUCTION = 0.3
"""The first fit of a path lowers the gradient at least to this share: where columns say nearly the same, what tells
rows apart has a small gradient from the beginning, and a fit that is content with that never moves as the ridge falls.
"""

RIDGES = (1e3, 1e2, 1e1)
"""Times the ridge: how the solver comes down to it."""

LARGEST_START = 1e50
"""Columns in units so tiny that their weights are larger are begun from zero."""

TIGHTER = 1.5
"""The factor by which feature sets shrink on the way."""


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
    """Come down to the ridge, then to the features, roughly, and make the last fit exact.

    It does not search: the objective may be higher than that of `exchange`, and what it finds depends less on the
    sample.

    Parameters
    ----------
    objective, features, outliers : known by their methods (`solution.py`)
    tol : size of the gradient at the end, relative to that at zero
    max_iter : Newton steps of one fit
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
        n_iter=max(fitter.n_iter, 1),  # where the rough fit is exact, looking at it is the one step
    )


def approach(objective: Objective, features: Sparsity, outliers: Sparsity, *, max_iter: int = MAX_ITER) -> Fit:
    """Come down to the ridge, then to the features, roughly."""
    coef = robust_start(objective, outliers, max_iter=max_iter)
    for factor in RIDGES if objective.is_convex else ():
        (loose,) = feature_path(objective.with_ridge(factor), [features.loosened(np.inf)], outliers, coef)
        coef = loose.coef
    *_, rough = feature_path(
        objective, tightened(features.loosened(np.inf), [features])[0], outliers, coef, max_iter=max_iter
    )
    return rough


def tightened(everything: Sparsity, wanted: Sequence[Sparsity]) -> tuple[list[Sparsity], list[int]]:
    """Sets from everything down to those wanted, the loosest first, and the places of those wanted.

    No set has fewer than two thirds of the units of the one before it: many columns that leave at once take with them
    what would have become important. A set that is not within the one before it starts from everything again.
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
    """The weights of the best of the fits of all features that begin from robust directions.

    Which is best is seen where the ridge is as strong as the data: a stronger one sees only means, and outliers that
    are many and far can have those on their side.
    """
    # Where the loss is not convex, what is found with one ridge says little about another.
    at = objective.with_ridge(objective.ridge_unit) if objective.is_convex else objective
    fitter = Fitter(at, ROUGH, max_iter)
    everything, zero = np.ones(objective.n_columns, dtype=bool), np.zeros(objective.n_columns)
    nobody, unshifted = np.zeros(objective.n_positives, dtype=bool), np.zeros(objective.n_positives)
    if outliers.is_nothing:
        coef = fitter(everything, nobody, zero, unshifted).coef
    else:
        # From zero: a direction tells who is low, but far out a loss may be flat.
        starts = (lowest(objective, outliers, direction) for direction in objective.robust_directions)
        rough = [fitter(everything, flagged, zero, unshifted) for flagged in starts]
        fits = [concentrated(fitter, everything, outliers, fit.coef) for fit in rough]
        coef = min(fits, key=lambda fit: fit.value).coef
    return coef if np.abs(coef).max() < LARGEST_START else zero


def lowest(objective: Objective, outliers: Sparsity, direction: Floats) -> Bools:
    """The positives with the lowest scores in a direction, as many as outliers are allowed."""
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
    """A fit for each feature set, from the loosest to the tightest, all with outliers of the one set.

    Parameters
    ----------
    objective, feature_sets, outliers : known by their methods (`solution.py`)
    start : weights near those of the first fit
    tol : size of the gradient at the end, relative to that at zero
    max_iter : Newton steps of one fit
    """
    first, others = Fitter(objective, tol, max_iter, REDUCTION), Fitter(objective, tol, max_iter)
    coef = start
    for place, features in enumerate(feature_sets):
        support = _support(objective, features, coef)
        fit = concentrated(others if place else first, support, outliers, np.where(support, coef, 0.0))
        coef = fit.coef
        yield fit


def rough_fitter(objective: Objective) -> Fitter:
    """Fits as those on a path are."""
    return Fitter(objective, ROUGH, MAX_ITER)


def _support(objective: Objective, features: Sparsity, coef: Floats) -> Bools:
    if features.is_everything:
        return np.ones(len(coef), dtype=bool)
    unit = np.sqrt(objective.column_curvature(coef, np.zeros(objective.n_positives)))
    return features.support(unit * coef)


def concentrated(fitter: Fitter, support: Bools, outliers: Sparsity, coef: Floats) -> Fit:
    """The fit on a support whose outliers are those that gain most by being so."""
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
