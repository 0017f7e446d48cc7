"""Solve on a sample of the rows first, then refine on all rows.

Searches, paths of ridges and concentration steps evaluate the objective hundreds of times, and a sample is enough to
choose features. All rows are needed only for a last fit, which starts near its minimum, and to choose the outliers
again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from blindauc.solvers.fits import Fit, Fitter
from blindauc.solvers.solution import Callback, Objective, Progress, Solution, Sparsity, ignore_progress

MAX_REFITS = 3
"""The most times that the outliers are chosen again (convention)."""


def on_a_sample_first(solve: Callable[..., Solution]) -> Callable[..., Solution]:
    """Decorate a solver: solve on a sample, recursively if the sample is large, and refine the solution on all rows."""

    @wraps(solve)
    def solved(
        objective: Objective,
        features: Sparsity,
        outliers: Sparsity,
        *,
        tol: float = 1e-6,
        max_iter: int = 100,
        callback: Callback = ignore_progress,
        **options: Any,
    ) -> Solution:
        limits: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "callback": callback}
        if objective.sample is None:
            return solve(objective, features, outliers, **limits, **options)
        start = solved(objective.sample, features, outliers, **limits, **options)
        fitter = Fitter(objective, tol, max_iter)
        end = refined(fitter, outliers, start)
        n_iter = start.n_iter + fitter.n_iter
        callback(Progress("all rows", n_iter, end.value, int(end.support.sum()), int(end.outliers.sum())))
        return replace(
            start,
            coef=end.coef,
            shift=end.shift,
            outliers=end.outliers,
            value=end.value,
            values=(end.value,),
            gradient_norm=end.gradient_norm / fitter.reference,
            converged=end.converged,
            n_iter=n_iter,
        )

    return solved


def refined(fitter: Fitter, outliers: Sparsity, start: Fit | Solution) -> Fit:
    """The fit to all rows from a fit to a sample with the same positives.

    The outliers are chosen again as long as that lowers the objective.
    """
    fit = fitter(start.support, start.outliers, start.coef, start.shift, is_near=True)
    if outliers.is_nothing:
        return fit
    for _ in range(MAX_REFITS):
        gain, shift = fitter.objective.outlyingness(fit.coef)
        flagged = outliers.support(gain)
        if (flagged == fit.outliers).all():
            break
        new = fitter(fit.support, flagged, fit.coef, np.where(flagged, shift, 0.0), goal=fit.value)
        if not new.is_below(fit):
            break
        fit = new
    return fit
