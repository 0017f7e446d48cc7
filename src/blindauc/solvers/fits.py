"""Newton fits on a given support with given outliers, the building block of all solvers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.solvers.newton import newton
from blindauc.solvers.solution import Objective

SMOOTHING_WIDTHS = (1.0, 0.1, 0.01, 0.001, 0.0001)
"""An objective with kinks is fitted with the kinks smoothed over these widths, one after another (convention). All fits
but the last are approximate."""


@dataclass(frozen=True)
class Fit:
    """The minimum over the coefficients of the support and the shifts of the outliers."""

    support: Bools
    outliers: Bools
    coef: Floats
    shift: Floats
    value: float
    gradient_norm: float
    converged: bool

    def is_below(self, other: Fit) -> bool:
        """Whether this fit is lower by more than rounding errors, so that no two fits are each below the other."""
        return self.value < other.value - 1e-11 * abs(other.value)


def first_lowest(candidates: Iterable[Any], fit_of: Callable[[Any], Fit] = lambda fit: fit) -> Any:
    """The candidate with the lowest fit; the first of them if several are equally low up to rounding.

    Different starts often end in the same minimum, up to the tolerance. Without this rule, rounding errors would decide
    which of them is lowest, and these depend on how the rows are stored.
    """
    return reduce(lambda low, other: other if fit_of(other).is_below(fit_of(low)) else low, candidates)


class Fitter:
    """Newton fits of one objective to one tolerance, relative to the gradient at zero.

    `n_iter` counts the Newton steps of all fits. With a `reduction`, each fit also reduces the norm of its gradient to
    at most that share of the norm at its start, even if that norm is within the tolerance.
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
        """The fit from a start.

        If there is a `goal`, or `is_near` is true, the start is assumed to be close to the minimum, and only the two
        smallest smoothing widths are used. A fit that will clearly end above the goal is stopped early.
        """
        widths: tuple[float, ...] = (0.0,) if self.objective.is_smooth else SMOOTHING_WIDTHS
        if is_near or goal < np.inf:
            widths = widths[-2:]
        for width in widths:  # each fit is the start of the next one, which is less smoothed
            is_last = width == widths[-1]
            smooth: Any = self.objective.smoothed(width) if width else self.objective
            problem = smooth.restricted(support, outliers)
            end = newton(
                problem,
                problem.pack(coef, shift),
                tolerance=self.tolerance if is_last else 1e3 * self.tolerance,
                max_iter=self.max_iter,
                reduction=self.reduction,
                stop_above=goal if is_last else np.inf,
            )
            self.n_iter += end.n_iter
            coef, shift = problem.unpack(end.z)
        value = end.value if self.objective.is_smooth else self.objective.value(coef, shift)
        return Fit(support, outliers, coef, shift, value, end.gradient_norm, end.converged)
