"""Newton's method for a smooth function of the variables that may be nonzero.

If the Hessian is exact, steps use its Cholesky factor. Steps that need little accuracy are first tried with a few
conjugate gradient iterations, which often cost a fraction of that. If the Hessian is approximate, for example that of a
sample of the rows, steps use it with BFGS corrections from the changes of the gradient (Nocedal, Updating quasi-Newton
matrices with limited storage, Math. Comp. 1980). If these converge slowly, the approximate Hessian becomes the
preconditioner of conjugate gradients on the full Hessian (Byrd et al., On the use of stochastic Hessian information in
optimization methods for machine learning, SIAM J. Optim. 2011), so that neither badly scaled nor strongly correlated
columns prevent convergence.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from blindauc._typing import Floats
from blindauc.solvers.solution import Restricted

ROUNDING = 4 * np.finfo(np.float64).eps
"""Relative rounding error of the objective (convention)."""

WORSE = 1e-9
"""A start counts as worse than zero if its objective is higher by more than this relative difference (convention).
Smaller differences may be rounding errors."""

MAX_SHORTENED = 60
"""The most times that a start is divided by 4 (convention)."""

ROUGH_ACCURACY = 1e-3
"""A step that need not reduce the gradient below this share is first tried without a Cholesky factor (convention)."""

VARIABLES_PER_PRODUCT = 8
"""For n variables, a factor costs about as much as n / 8 products with the Hessian (chosen by us): conjugate gradients
get that many iterations."""

FEW_VARIABLES = 64
"""With at most this many variables a factor costs little, and conjugate gradients are not tried (convention)."""

SINGULAR = 1e-7
"""Smaller pivots of a matrix with unit diagonal may be rounding errors: a Cholesky factor may then exist only by
accident (convention)."""

DAMPINGS = (0.0, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3, 1e-1, 1.0, 10.0, 1e3)
"""Multiples of the identity that are added to a matrix with unit diagonal, one after another, until it has a Cholesky
factor (convention)."""

SLOW = 0.5
"""If a step leaves a larger share of the gradient, products with the full Hessian are used (convention). Each product
costs as much as a gradient, but the better steps save more gradients than that."""

MAX_STEP_WHERE_FLAT = 4.0
"""The longest step if the loss has flat stretches, in standard deviations of the score (convention). After a longer
step the slope may vanish, and no step would lead back."""


class Minimum(NamedTuple):
    """The result of Newton's method; `gradient_norm` is the norm of the gradient in units of standardised columns."""

    z: Floats
    value: float
    gradient_norm: float
    converged: bool
    n_iter: int


def newton(
    problem: Restricted,
    z: Floats,
    *,
    tolerance: float,
    max_iter: int,
    reduction: float = np.inf,
    stop_above: float = np.inf,
) -> Minimum:
    """Minimise from z until the norm of the gradient is at most `tolerance` and at most `reduction` times its start.

    A run that will clearly end above `stop_above` is stopped early.
    """
    if not problem.is_whole and not z.any():
        # A start at zero is far from the minimum. An approximate minimum on the sample takes a fraction of the time.
        z = newton(problem.sample, z, tolerance=1e4 * tolerance, max_iter=max_iter).z
    steps = _Steps(problem)
    z, value, gradient = _no_worse_than_zero(problem, z)
    norm = _norm(gradient / problem.scale)
    tolerance = min(tolerance, reduction * norm)
    for n_iter in range(max_iter):
        if norm <= tolerance:
            return Minimum(z, value, norm, True, n_iter)
        step = steps(z, gradient, tolerance / norm)
        slope = float(gradient @ step)
        # A quadratic model predicts a decrease of -slope/2. If even twice that is not enough, stop.
        if value + slope > stop_above:
            return Minimum(z, value, norm, False, n_iter)
        moved = _backtrack(problem, z, value, step, slope)
        if moved is None:
            # No step lowers the objective. It has converged if the predicted decrease is no more than rounding.
            return Minimum(z, value, norm, bool(-slope <= 1e3 * ROUNDING * abs(value)), n_iter)
        z, value, gradient = moved
        norm = _norm(gradient / problem.scale)
    return Minimum(z, value, norm, norm <= tolerance, max_iter)


def _norm(vector: Floats) -> float:
    """The Euclidean norm. For short vectors, `np.linalg.norm` takes several times as long."""
    return sqrt(vector @ vector)


def _no_worse_than_zero(problem: Restricted, z: Floats) -> tuple[Floats, float, Floats]:
    """The start, shortened until it is no worse than zero.

    Coefficients can be far too large if columns were removed whose contributions nearly cancelled theirs. At such a
    start the loss is flat or linear, and Newton steps are unreliable.
    """
    value, gradient = problem.gradient(z)
    for _ in range(MAX_SHORTENED):
        if value <= problem.value_at_zero + WORSE * abs(problem.value_at_zero):
            break
        z = z / 4
        value, gradient = problem.gradient(z)
    return z, value, gradient


def _backtrack(
    problem: Restricted, z: Floats, value: float, step: Floats, slope: float
) -> tuple[Floats, float, Floats] | None:
    """The first point along the step, halving it, that satisfies the Armijo condition."""
    share = 1.0
    for _ in range(40):
        new = z + share * step
        new_value, new_gradient = problem.gradient(new)
        if new_value <= value + 1e-4 * share * slope and new_value < value:
            return new, new_value, new_gradient
        share /= 2
    return None


class _Steps:
    """Newton steps. The factor of an approximate Hessian is kept from step to step."""

    def __init__(self, problem: Restricted) -> None:
        self._problem = problem
        self._quasi_newton: _QuasiNewton | None = None
        self._last_norm = np.inf
        # If the loss has flat stretches, its Hessian changes too much within a step for BFGS corrections to help.
        self._needs_products = problem.has_flat_stretches
        self._skips_factors = len(problem.scale) > FEW_VARIABLES and not problem.has_flat_stretches
        # The index of the last damping: after an indefinite Hessian, the next one is usually indefinite, too.
        self._damping = 0

    def __call__(self, z: Floats, gradient: Floats, accuracy: float) -> Floats:
        find = self._exact if self._problem.hessian_is_exact else self._inexact
        step = find(z, gradient, accuracy)
        if self._problem.has_flat_stretches:
            length = _norm(step * self._problem.scale)
            step *= min(1.0, MAX_STEP_WHERE_FLAT / max(length, 1e-300))
        return step

    def _exact(self, z: Floats, gradient: Floats, accuracy: float) -> Floats:
        if self._skips_factors and accuracy >= ROUGH_ACCURACY:
            rough = self._rough(z, gradient, accuracy)
            if rough.is_solved:
                return rough.x
            self._skips_factors = False  # the Hessian is ill-conditioned, and will be at the next steps
        # Start two dampings below the last one, so that the damping can decrease again.
        solve, self._damping = _solver(self._problem.hessian(z), first=max(self._damping - 2, 0))
        return -solve(gradient)

    def _rough(self, z: Floats, gradient: Floats, accuracy: float) -> ConjugateGradients:
        product = self._problem.hessian_product(z)
        diagonal = _away_from_zero(product.approximate_diagonal)
        return _conjugate_gradients(
            product,
            lambda v: v / diagonal,
            -gradient,
            forcing=max(0.1, accuracy / 2),
            max_iter=len(z) // VARIABLES_PER_PRODUCT,
        )

    def _inexact(self, z: Floats, gradient: Floats, accuracy: float) -> Floats:
        """A step by the approximate Hessian, or by products with the full one if that was slow."""
        norm = _norm(gradient / self._problem.scale)
        is_slow, self._last_norm = norm > SLOW * self._last_norm, norm
        if self._quasi_newton is None or (is_slow and self._quasi_newton.is_old):
            hessian = self._problem.hessian(z)
            self._quasi_newton = _QuasiNewton(_solver(hessian)[0])
            self._needs_products |= hessian.ndim == 1
        elif is_slow:
            self._needs_products = True
        if not self._needs_products:
            return self._quasi_newton.step(z, gradient)
        # Each step reduces the residual to 0.3 of its size (chosen by us): the products for more accurate steps would
        # cost more than the gradients that they save.
        forcing = max(0.3, accuracy)
        return _conjugate_gradients(self._problem.hessian_product(z), self._quasi_newton.solve, -gradient, forcing).x


class _QuasiNewton:
    """Steps by an approximate Hessian with BFGS corrections from the steps since it was computed."""

    def __init__(self, solve: Callable[[Floats], Floats]) -> None:
        self.solve = solve
        self._changes: list[tuple[Floats, Floats]] = []
        self._last: tuple[Floats, Floats] | None = None

    @property
    def is_old(self) -> bool:
        """Whether the Hessian was computed more than one step ago."""
        return len(self._changes) > 1

    def step(self, z: Floats, gradient: Floats) -> Floats:
        if self._last is not None:
            moved, changed = z - self._last[0], gradient - self._last[1]
            if moved @ changed > 0:  # otherwise the correction would not be positive definite
                self._changes.append((moved, changed))
        self._last = z, gradient
        return -self._solved(gradient, len(self._changes))

    def _solved(self, target: Floats, n_changes: int) -> Floats:
        """The solution by the Hessian with the first `n_changes` BFGS corrections, without forming a matrix."""
        if n_changes == 0:
            return self.solve(target)
        moved, changed = self._changes[n_changes - 1]
        along = (moved @ target) / (moved @ changed)
        rest = self._solved(target - along * changed, n_changes - 1)
        return rest + moved * (along - (changed @ rest) / (moved @ changed))


def _solver(hessian: Floats, first: int = 0) -> tuple[Callable[[Floats], Floats], int]:
    """A solver for the Hessian, and the index of its damping.

    A Hessian that is not positive definite is damped; dampings are tried from the index `first` on. A one-dimensional
    array is a diagonal.
    """
    if hessian.ndim == 1:
        return lambda v: v / hessian, 0
    # The matrix is scaled to a unit diagonal, so that one damping suits all variables.
    scale = 1 / np.sqrt(_away_from_zero(np.abs(np.diag(hessian))))
    scaled = hessian * scale[:, None] * scale
    damped = _with_factor(scaled, first)
    if damped is None:
        return lambda v: scale * scale * v, 0
    return _ScaledSolver(damped, scale), damped.place


class _ScaledSolver:
    """Solves linear systems of a Hessian, given its version scaled to a unit diagonal.

    Only NumPy is used: SciPy has its own BLAS threads, which wait for NumPy's and make a solution ten times as slow.
    NumPy has no triangular solver. The first system is therefore solved with the matrix itself. For a second one the
    Cholesky factor is inverted, which takes as long as three solutions.
    """

    def __init__(self, damped: Damped, scale: Floats) -> None:
        self._damped, self._scale = damped, scale
        self._n_solved = 0

    @cached_property
    def _inverse(self) -> Floats:
        inverse: Any = np.linalg.inv(self._damped.factor)
        return inverse

    def __call__(self, v: Floats) -> Floats:
        self._n_solved += 1
        scaled = self._scale * v
        if self._n_solved == 1:
            solved: Any = np.linalg.solve(self._damped.matrix, scaled)
            return self._scale * solved
        return self._scale * (self._inverse.T @ (self._inverse @ scaled))


class Damped(NamedTuple):
    """A damped, positive definite matrix, its Cholesky factor, and the index of the damping."""

    matrix: Floats
    factor: Floats
    place: int


def _with_factor(scaled: Floats, first: int) -> Damped | None:
    """The matrix with the first damping, from the index `first` on, for which it has a Cholesky factor."""
    for place, damping in enumerate(DAMPINGS[first:], first):
        matrix = scaled + damping * np.eye(len(scaled)) if damping else scaled
        try:
            factor: Any = np.linalg.cholesky(matrix)
        except np.linalg.LinAlgError:
            continue
        if factor.diagonal().min() >= SINGULAR:
            return Damped(matrix, factor, place)
    return None


def _away_from_zero(diagonal: Floats) -> Floats:
    """The diagonal with zeros replaced: an intercept has no ridge, and no curvature where the loss is flat."""
    return np.maximum(diagonal, 1e-14 * diagonal.max(initial=1e-300))


class ConjugateGradients(NamedTuple):
    """The result of conjugate gradients, and whether the residual is small enough."""

    x: Floats
    is_solved: bool


def _conjugate_gradients(
    product: Callable[[Floats], Floats],
    precondition: Callable[[Floats], Floats],
    target: Floats,
    forcing: float,
    max_iter: int = 250,
) -> ConjugateGradients:
    """An approximate solution of product(x) = target. It stops at a direction of nonpositive curvature."""
    x = np.zeros_like(target)
    residual = target.copy()
    direction = precondition(residual)
    size = first_size = float(residual @ direction)
    for _ in range(max_iter):
        image = product(direction)
        curvature = float(direction @ image)
        if curvature <= 0:  # the current x is a descent direction; at the first step, the preconditioned gradient is
            return ConjugateGradients(x if x.any() else direction, False)
        length = size / curvature
        x += length * direction
        residual -= length * image
        preconditioned = precondition(residual)
        new_size = float(residual @ preconditioned)
        if new_size <= forcing**2 * first_size:
            return ConjugateGradients(x, True)
        direction = preconditioned + (new_size / size) * direction
        size = new_size
    return ConjugateGradients(x, False)
