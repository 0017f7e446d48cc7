"""Newton's method for a smooth function of the variables that may be nonzero.

Where the Hessian is exact its factor gives the step; far from an exact end, a few conjugate gradients often do for a
fraction of the cost. Where it is only about right, as that of a sample of the rows is, it gives the steps, too, and
the changes of the gradient mend it (Nocedal, Updating quasi-Newton matrices with limited storage, Math. Comp. 1980). If
that is slow, its factor preconditions conjugate gradients on the full Hessian (Byrd et al., On the use of stochastic
Hessian information in optimization methods for machine learning, SIAM J. Optim. 2011), so that neither badly scaled nor
strongly correlated columns cost convergence.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from blindauc._typing import Floats
from blindauc.solvers.solution import Restricted

ROUNDING = 4 * np.finfo(np.float64).eps

WORSE = 1e-9
"""What is above by a smaller share is so by rounding."""

MAX_SHORTENED = 60
"""How often a start is shortened, at most."""

ROUGH_ACCURACY = 1e-3
"""Steps that need not lower the gradient by more than this are worth trying without a factor."""

VARIABLES_PER_PRODUCT = 8
"""A factor costs about as much as one product with the Hessian for every so many variables."""

FEW_VARIABLES = 64
"""With fewer a factor costs next to nothing."""

SINGULAR = 1e-7
"""Smaller pivots of a matrix with a diagonal of ones are rounding: that it has a factor at all is luck."""

DAMPINGS = (0.0, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3, 1e-1, 1.0, 10.0, 1e3)
"""What is added to a diagonal of ones until there is a factor."""

SLOW = 0.5
"""A step that leaves more of the gradient is one of few: products with the full Hessian, as dear as gradients, do more.
"""

MAX_STEP_WHERE_FLAT = 4.0
"""In units of a score's standard deviation: further out, a loss may be flat and show no way back."""


class Minimum(NamedTuple):
    """Where Newton's method ended; `gradient_norm` is in units of the columns' spread."""

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
    hopeless_above: float = np.inf,
) -> Minimum:
    """Minimise from z until the gradient's norm is at most `tolerance`, and `reduction` times that at the start.

    A run that will clearly end above `hopeless_above` is given up early.
    """
    if not problem.is_whole and not z.any():
        # From nowhere, the way is found on the sample, roughly: a step there costs a fraction.
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
        # -slope/2 is what a quadratic model promises; twice that and still above is hopeless.
        if value + slope > hopeless_above:
            return Minimum(z, value, norm, False, n_iter)
        moved = _backtrack(problem, z, value, step, slope)
        if moved is None:
            # No step lowers the objective by more than rounding: this is as far as numbers go.
            return Minimum(z, value, norm, bool(-slope <= 1e3 * ROUNDING * abs(value)), n_iter)
        z, value, gradient = moved
        norm = _norm(gradient / problem.scale)
    return Minimum(z, value, norm, norm <= tolerance, max_iter)


def _norm(vector: Floats) -> float:
    """The Euclidean norm; of short vectors `np.linalg.norm` takes several times as long."""
    return sqrt(vector @ vector)


def _no_worse_than_zero(problem: Restricted, z: Floats) -> tuple[Floats, float, Floats]:
    """The start, shortened where it is far too long, as weights are that have lost those which they leaned on.

    From there, where the loss is flat or a line, steps go anywhere.
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
    """The first point along the step, halving it, with a fair share of the promised decrease."""
    share = 1.0
    for _ in range(40):
        new = z + share * step
        new_value, new_gradient = problem.gradient(new)
        if new_value <= value + 1e-4 * share * slope and new_value < value:
            return new, new_value, new_gradient
        share /= 2
    return None


class _Steps:
    """Newton steps; the factor of a Hessian that is about right is kept from step to step."""

    def __init__(self, problem: Restricted) -> None:
        self._problem = problem
        self._mended: _Mended | None = None
        self._last_norm = np.inf
        # Where the loss has flat stretches, its Hessian is another one a step further.
        self._needs_products = problem.has_flat_stretches
        self._skips_factors = len(problem.scale) > FEW_VARIABLES and not problem.has_flat_stretches
        self._place = 0  # of the last damping: where one Hessian is indefinite, the next is, too

    def __call__(self, z: Floats, gradient: Floats, accuracy: float) -> Floats:
        find = self._exact if self._problem.hessian_is_exact else self._by_about
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
            self._skips_factors = False  # badly conditioned, and it will stay so
        solve, self._place = _solver(self._problem.hessian(z), is_kept=False, first=max(self._place - 2, 0))
        return -solve(gradient)

    def _rough(self, z: Floats, gradient: Floats, accuracy: float) -> ConjugateGradients:
        product = self._problem.hessian_product(z)
        diagonal = _away_from_zero(product.about_diagonal)
        return _conjugate_gradients(
            product,
            lambda v: v / diagonal,
            -gradient,
            forcing=max(0.1, accuracy / 2),
            max_iter=len(z) // VARIABLES_PER_PRODUCT,
        )

    def _by_about(self, z: Floats, gradient: Floats, accuracy: float) -> Floats:
        """By a Hessian that is about right, or by products with the full one where that was slow."""
        norm = _norm(gradient / self._problem.scale)
        is_slow, self._last_norm = norm > SLOW * self._last_norm, norm
        if self._mended is None or (is_slow and self._mended.is_old):
            hessian = self._problem.hessian(z)
            self._mended = _Mended(_solver(hessian, is_kept=True)[0])
            self._needs_products |= hessian.ndim == 1
        elif is_slow:
            self._needs_products = True
        if not self._needs_products:
            return self._mended.step(z, gradient)
        # A third of the way at a time: more accurate steps cost more products than they save gradients.
        forcing = max(0.3, accuracy)
        return _conjugate_gradients(self._problem.hessian_product(z), self._mended.solve, -gradient, forcing).x


class _Mended:
    """Steps by a Hessian that is about right, mended by how the gradient has changed since."""

    def __init__(self, solve: Callable[[Floats], Floats]) -> None:
        self.solve = solve
        self._changes: list[tuple[Floats, Floats]] = []
        self._last: tuple[Floats, Floats] | None = None

    @property
    def is_old(self) -> bool:
        """Whether it was made more than a step ago."""
        return len(self._changes) > 1

    def step(self, z: Floats, gradient: Floats) -> Floats:
        if self._last is not None:
            moved, changed = z - self._last[0], gradient - self._last[1]
            if moved @ changed > 0:
                self._changes.append((moved, changed))
        self._last = z, gradient
        return -self._solved(gradient, len(self._changes))

    def _solved(self, target: Floats, n_changes: int) -> Floats:
        """The solution by the Hessian and the first so many changes (BFGS, without forming a matrix)."""
        if n_changes == 0:
            return self.solve(target)
        moved, changed = self._changes[n_changes - 1]
        along = (moved @ target) / (moved @ changed)
        rest = self._solved(target - along * changed, n_changes - 1)
        return rest + moved * (along - (changed @ rest) / (moved @ changed))


def _solver(hessian: Floats, is_kept: bool, first: int = 0) -> tuple[Callable[[Floats], Floats], int]:
    """A solver for the Hessian, or its diagonal, made positive definite where it is not, and the damping's place.

    Dampings are tried from the `first` on.
    """
    if hessian.ndim == 1:
        return lambda v: v / hessian, 0
    scale = 1 / np.sqrt(_away_from_zero(np.abs(np.diag(hessian))))
    scaled = hessian * scale[:, None] * scale
    damped = _with_factor(scaled, first)
    if damped is None:
        return lambda v: scale * scale * v, 0
    # NumPy alone: SciPy's own BLAS threads would wait for NumPy's, at ten times the cost. It has no triangular
    # solver, so one that is used once solves anew, and one that is kept inverts its factor.
    if not is_kept:
        return lambda v: scale * np.linalg.solve(damped.matrix, scale * v), damped.place
    inverse = np.linalg.inv(damped.factor)
    return lambda v: scale * (inverse.T @ (inverse @ (scale * v))), damped.place


class Damped(NamedTuple):
    """A matrix made positive definite, its factor, and the place of the damping that did it."""

    matrix: Floats
    factor: Floats
    place: int


def _with_factor(scaled: Floats, first: int) -> Damped | None:
    """The matrix with the least damping, from the `first` on, that gives it a factor."""
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
    """An intercept has no ridge, and no curvature where the loss is flat."""
    return np.maximum(diagonal, 1e-14 * diagonal.max(initial=1e-300))


class ConjugateGradients(NamedTuple):
    """Where conjugate gradients ended, and whether near enough."""

    x: Floats
    is_solved: bool


def _conjugate_gradients(
    product: Callable[[Floats], Floats],
    precondition: Callable[[Floats], Floats],
    target: Floats,
    forcing: float,
    max_iter: int = 250,
) -> ConjugateGradients:
    """About the solution of product(x) = target; stops where the curvature is not positive."""
    x = np.zeros_like(target)
    residual = target.copy()
    direction = precondition(residual)
    size = first_size = float(residual @ direction)
    for _ in range(max_iter):
        bent = product(direction)
        curvature = float(direction @ bent)
        if curvature <= 0:
            return ConjugateGradients(x if x.any() else direction, False)
        length = size / curvature
        x += length * direction
        residual -= length * bent
        preconditioned = precondition(residual)
        new_size = float(residual @ preconditioned)
        if new_size <= forcing**2 * first_size:
            return ConjugateGradients(x, True)
        direction = preconditioned + (new_size / size) * direction
        size = new_size
    return ConjugateGradients(x, False)
