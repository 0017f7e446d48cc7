"""Fits on a support: what every search for features and outliers is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.solvers.newton import newton
from blindauc.solvers.solution import Objective

SMOOTHING_WIDTHS = (1.0, 0.1, 0.01, 0.001, 0.0001)
"""An objective with kinks is fitted with ever less of them rounded off, all but the last time roughly."""


@dataclass(frozen=True)
class Fit:
    """The minimum over the variables that may be nonzero."""

    support: Bools
    outliers: Bools
    coef: Floats
    shift: Floats
    value: float
    gradient_norm: float
    converged: bool

    def is_below(self, other: Fit) -> bool:
        """Below by more than rounding, so that no two fits are each below the other."""
        return self.value < other.value - 1e-11 * abs(other.value)


class Fitter:
    """Newton fits of one objective, to one tolerance (relative to the gradient at zero), counted.

    With a `reduction`, a fit also lowers the gradient that it begins with, however small, to that share.
    """

    def __init__(self, objective: Objective, tol: float, max_iter: int, reduction: float = np.inf) -> None:
        self.objective, self.tol, self.max_iter, self.reduction = objective, tol, max_iter, reduction
        self.reference = float(np.linalg.norm(objective.gradient_at_zero / objective.column_spread)) or 1.0
        self.tolerance = tol * self.reference
        self.n_iter = 0

    def __call__(
        self,
        support: Bools,
        outliers: Bools,
        coef: Floats,
        shift: Floats,
        *,
        goal: float = np.inf,
        is_near: bool = False,
    ) -> Fit:
        """The fit from a start, one with a goal from near its end; one that will clearly be above it is given up."""
        widths: tuple[float, ...] = (0.0,) if self.objective.is_smooth else SMOOTHING_WIDTHS
        if is_near or goal < np.inf:
            widths = widths[-2:]
        for width in widths:
            is_last = width == widths[-1]
            smooth: Any = self.objective.smoothed(width) if width else self.objective
            problem = smooth.restricted(support, outliers)
            end = newton(
                problem,
                problem.pack(coef, shift),
                tolerance=self.tolerance if is_last else 1e3 * self.tolerance,
                max_iter=self.max_iter,
                reduction=self.reduction,
                hopeless_above=goal if is_last else np.inf,
            )
            self.n_iter += end.n_iter
            coef, shift = problem.unpack(end.z)
        value = end.value if self.objective.is_smooth else self.objective.value(coef, shift)
        return Fit(support, outliers, coef, shift, value, end.gradient_norm, end.converged)
