"""The default solver: Newton on a support, then exchanges of features and outliers while the objective falls.

Deterministic and monotone. From each of a few starting supports it alternates

- a Newton fit of the weights and shifts that may be nonzero,
- the first move that lowers the objective: all outliers anew (that block is separable), many features at once
  (a projected gradient step in the columns' own units), one feature for another, one outlier for another, one
  feature for another with all outliers anew,

and stops where no move that it tries lowers the objective. The moves follow the splicing of Zhu et al., A
polynomial algorithm for best-subset selection problem, PNAS 2020.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.solvers.newton import newton
from blindauc.solvers.solution import (
    Callback,
    Objective,
    Progress,
    Solution,
    Sparsity,
    ignore_progress,
)

SMOOTHING_WIDTHS = (1.0, 0.1, 0.01, 0.001, 0.0001)
"""An objective with kinks is fitted with ever less of them rounded off, all but the last time roughly."""

_Move = tuple[Bools, Bools, Floats, Floats]
"""A support, outliers, and coef and shift to start the fit from."""


def exchange(
    objective: Objective,
    features: Sparsity,
    outliers: Sparsity,
    *,
    tol: float = 1e-6,
    max_iter: int = 100,
    max_swaps: int = 50,
    callback: Callback = ignore_progress,
) -> Solution:
    """Minimise the objective over the allowed supports and outliers.

    Parameters
    ----------
    objective, features, outliers : known by their methods (`solution.py`)
    tol : size of the gradient at the end, relative to that at zero
    max_iter : Newton steps of one fit
    max_swaps : exchanges of each kind tried, most promising first, before a support is taken to be the best
    callback : called with a `Progress` after each stage
    """
    zero = np.zeros(objective.n_columns), np.zeros(objective.n_positives)
    at_zero = objective.gradient(*zero).coef / objective.column_spread
    reference = float(np.linalg.norm(at_zero)) or 1.0
    search = _Search(objective, features, outliers, tol * reference, max_iter, callback)
    # A fifth of the depth shows which start leads furthest; the rest is spent on that one.
    ends = [search.improve(point, max_swaps // 5) for point in search.starts()]
    best = min(ends, key=lambda end: end[-1].value)
    best += search.improve(best[-1], max_swaps)[1:]
    point = best[-1]
    return Solution(
        coef=point.coef,
        shift=point.shift,
        support=point.support,
        outliers=point.outliers,
        value=point.value,
        values=tuple(passed.value for passed in best),
        gradient_norm=point.gradient_norm / reference,
        converged=point.converged,
        n_iter=search.n_iter,
    )


@dataclass(frozen=True)
class _Point:
    """A fit on a support."""

    support: Bools
    outliers: Bools
    coef: Floats
    shift: Floats
    value: float
    gradient_norm: float
    converged: bool

    def is_below(self, other: _Point) -> bool:
        """Below by more than rounding, so that no two points are each below the other."""
        return self.value < other.value - 1e-11 * abs(other.value)


@dataclass
class _Search:
    """One run of the solver: the problem, its limits, and what has been spent."""

    objective: Objective
    features: Sparsity
    outliers: Sparsity
    tolerance: float
    max_iter: int
    callback: Callback
    n_iter: int = 0
    _tried: set[bytes] = field(default_factory=set)

    def fit(self, support: Bools, outliers: Bools, coef: Floats, shift: Floats, goal: float = np.inf) -> _Point:
        """The minimum over the variables that may be nonzero, from a start near it."""
        widths: tuple[float, ...] = (0.0,) if self.objective.is_smooth else SMOOTHING_WIDTHS
        if goal < np.inf:
            widths = widths[-2:]  # a trial begins near where it will end
        for width in widths:
            is_last = width == widths[-1]
            smooth = self.objective.smoothed(width) if width else self.objective
            problem = smooth.restricted(support, outliers)
            end = newton(
                problem,
                problem.pack(coef, shift),
                tolerance=self.tolerance if is_last else 1e3 * self.tolerance,
                max_iter=self.max_iter,
                hopeless_above=goal if is_last else np.inf,
            )
            self.n_iter += end.n_iter
            coef, shift = problem.unpack(end.z)
        value = end.value if self.objective.is_smooth else self.objective.value(coef, shift)
        return _Point(support, outliers, coef, shift, value, end.gradient_norm, end.converged)

    def starts(self) -> Iterator[_Point]:
        """Fits to begin from.

        Features and outliers are chosen twice: by the fit of all features, and by the gradient at zero. That is
        no more than a difference of two means, but an outlier with leverage cannot bend it to its own side.
        """
        nobody = np.zeros(self.objective.n_positives, dtype=bool)
        zero = np.zeros(self.objective.n_columns), np.zeros(self.objective.n_positives)
        everything = np.ones(self.objective.n_columns, dtype=bool)
        dense = self._reported("all features", self.fit(everything, nobody, *zero))
        if self.features.is_everything and self.outliers.is_nothing:
            yield dense
            return
        step = -self.objective.gradient(*zero).coef / self.objective.column_curvature(*zero)
        means = replace(dense, coef=step)
        for name, point in (("all features", dense), ("means", means)):
            start = self._pruned(self._with_outliers(point))
            yield self._reported(f"chosen by {name}", start)
        if self._chooses(self.features):
            start = self._with_outliers(self._pruned(means))
            yield self._reported("features by means", start)

    def _pruned(self, point: _Point) -> _Point:
        """The fit on the most important features."""
        if self.features.is_everything:
            return point
        unit = np.sqrt(self.objective.column_curvature(point.coef, point.shift))
        support = self.features.support(unit * point.coef)
        return self.fit(support, point.outliers, np.where(support, point.coef, 0.0), point.shift)

    def _with_outliers(self, point: _Point) -> _Point:
        """The fit with the positives as outliers that gain most from it."""
        if self.outliers.is_nothing:
            return point
        gain, shift = self.objective.outlyingness(point.coef)
        outliers = self.outliers.support(gain)
        return self.fit(point.support, outliers, point.coef, np.where(outliers, shift, 0.0))

    def improve(self, point: _Point, max_swaps: int) -> list[_Point]:
        """The points passed while moves lower the objective."""
        passed = [point]
        while (better := self._better_neighbour(passed[-1], max_swaps)) is not None:
            passed.append(self._reported("exchange", better))
        return passed

    def _better_neighbour(self, point: _Point, max_swaps: int) -> _Point | None:
        return next((new for new in self._neighbours(point, max_swaps) if new.is_below(point)), None)

    def _neighbours(self, point: _Point, max_swaps: int) -> Iterator[_Point]:
        """Fits one move away, cheap moves first, each support with its outliers at most once in a search."""
        both_free = self._chooses(self.features) and self._chooses(self.outliers)
        moves = chain(
            self._outliers_anew(point),
            self._feature_moves(point, max_swaps),
            self._outlier_swaps(point, max_swaps),
            self._feature_moves(point, max_swaps, without_outliers=True) if both_free else (),
        )
        for support, outliers, coef, shift in moves:
            key = support.tobytes() + outliers.tobytes()
            if key in self._tried:
                continue
            self._tried.add(key)
            if outliers.any() or not both_free:
                yield self.fit(support, outliers, coef, shift, goal=point.value)
            else:
                yield self._with_outliers(self.fit(support, outliers, coef, shift))

    @staticmethod
    def _chooses(allowed: Sparsity) -> bool:
        return not (allowed.is_nothing or allowed.is_everything)

    def _outliers_anew(self, point: _Point) -> Iterator[_Move]:
        if self._chooses(self.outliers):
            gain, shift = self.objective.outlyingness(point.coef)
            outliers = self.outliers.support(gain)
            yield point.support, outliers, point.coef, np.where(outliers, shift, 0.0)

    def _outlier_swaps(self, point: _Point, max_swaps: int) -> Iterator[_Move]:
        if self._chooses(self.outliers):
            gain, shift = self.objective.outlyingness(point.coef)
            for outliers in self.outliers.swaps(point.outliers, gain, gain, max_swaps):
                yield point.support, outliers, point.coef, np.where(outliers, shift, 0.0)

    def _feature_moves(self, point: _Point, max_swaps: int, without_outliers: bool = False) -> Iterator[_Move]:
        """Many features at once by a projected gradient step, then one for another."""
        if not self._chooses(self.features):
            return
        gradient = self.objective.gradient(point.coef, point.shift).coef
        curvature = self.objective.column_curvature(point.coef, point.shift)
        step = np.where(point.support, 0.0, -gradient / curvature)
        unit = np.sqrt(curvature)
        steps = (self.features.support(unit * (point.coef + h * step)) for h in (1.0, 0.5, 0.25))
        gain, cost = gradient**2 / curvature, point.coef**2 * curvature
        swaps = self.features.swaps(point.support, gain, cost, max_swaps)
        outliers, shift = point.outliers, point.shift
        if without_outliers:
            outliers, shift = np.zeros_like(outliers), np.zeros_like(shift)
        for support in chain(steps, swaps):
            yield support, outliers, np.where(support, point.coef, 0.0), shift

    def _reported(self, stage: str, point: _Point) -> _Point:
        n_features, n_outliers = int(point.support.sum()), int(point.outliers.sum())
        self.callback(Progress(stage, self.n_iter, point.value, n_features, n_outliers))
        return point
