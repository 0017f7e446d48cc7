"""Rough fits over a grid of feature and outlier sets, each begun from its neighbour: what tuning is made of.

The outliers of a fit are chosen by concentration steps (Rousseeuw and Van Driessen, A fast algorithm for the
minimum covariance determinant estimator, Technometrics 1999): fit, take the positives that gain most as outliers,
fit again. Features leave from all towards few, those first that matter least.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.solvers.fits import Fit, Fitter
from blindauc.solvers.solution import Objective, Sparsity

CONCENTRATION_STEPS = 3


def feature_path(
    objective: Objective,
    feature_sets: Sequence[Sparsity],
    outliers: Sparsity,
    start: Floats,
    *,
    tol: float = 1e-2,
    max_iter: int = 50,
) -> Iterator[Fit]:
    """A fit for each feature set, from the loosest to the tightest, all with outliers of the one set.

    Parameters
    ----------
    objective, feature_sets, outliers : known by their methods (`solution.py`)
    start : weights near those of the first fit
    tol : size of the gradient at the end, relative to that at zero
    max_iter : Newton steps of one fit
    """
    fitter = Fitter(objective, tol, max_iter)
    coef = start
    for features in feature_sets:
        support = _support(objective, features, coef)
        fit = concentrated(fitter, support, outliers, np.where(support, coef, 0.0))
        coef = fit.coef
        yield fit


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
