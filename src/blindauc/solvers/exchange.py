"""The default solver: Newton fits on a support, and exchanges of features and outliers while the objective decreases.

It is deterministic, and every accepted move lowers the objective. From each of a few starting supports it alternates

- a Newton fit of the coefficients and shifts that may be nonzero,
- the first of these moves that lowers the objective: choose all outliers again (that block is separable), exchange many
  features at once (a projected gradient step in the units of the columns), exchange one feature, exchange one outlier,
  exchange features and choose all outliers again.

It stops when no move that it tries lowers the objective. The moves follow the splicing of Zhu et al., A polynomial
algorithm for best-subset selection problem, PNAS 2020.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.solvers.fits import Fit, Fitter, first_lowest
from blindauc.solvers.levels import on_a_sample_first
from blindauc.solvers.path import lowest
from blindauc.solvers.solution import (
    Callback,
    Objective,
    Progress,
    Solution,
    Sparsity,
    ignore_progress,
)

_Move = tuple[Bools, Bools, Floats, Floats]
"""A support, a set of outliers, and the coef and shift to start the fit from."""


@on_a_sample_first
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
    objective, features, outliers : the problem, with the methods of `solution.py`
    tol : norm of the gradient at the solution, relative to that at zero
    max_iter : the most Newton steps of one fit
    max_swaps : the most exchanges of each kind to try from one point, in order of their estimated decrease
    callback : called with a `Progress` after each stage
    """
    fitter = Fitter(objective, tol, max_iter)
    search = _Search(objective, features, outliers, fitter, callback)
    # All starts are compared with a fifth of the exchanges (convention). Only the best one is searched fully.
    runs = [search.improve(point, max_swaps // 5) for point in search.starts()]
    best = first_lowest(runs, lambda run: run[-1])
    best += search.improve(best[-1], max_swaps)[1:]
    point = best[-1]
    return Solution(
        coef=point.coef,
        shift=point.shift,
        support=point.support,
        outliers=point.outliers,
        value=point.value,
        values=tuple(passed.value for passed in best),
        gradient_norm=point.gradient_norm / fitter.reference,
        converged=point.converged,
        n_iter=fitter.n_iter,
    )


@dataclass
class _Search:
    """The state of one run: the problem, its fitter, and the supports and outliers that were tried."""

    objective: Objective
    features: Sparsity
    outliers: Sparsity
    fit: Fitter
    callback: Callback
    _tried: set[bytes] = field(default_factory=set)

    def starts(self) -> Iterator[Fit]:
        """Fits to start from.

        Features and outliers are chosen by the fit of all features, by the gradient at zero, and by robust directions.
        The gradient is only a difference of two means, but outliers with high leverage influence it much less than a
        fit.
        """
        no_outliers = np.zeros(self.objective.n_positives, dtype=bool)
        zero = np.zeros(self.objective.n_columns), np.zeros(self.objective.n_positives)
        all_features = np.ones(self.objective.n_columns, dtype=bool)
        dense = self._reported("all features", self.fit(all_features, no_outliers, *zero))
        if self.features.is_everything and self.outliers.is_nothing:
            yield dense
            return
        step = -self.objective.gradient_at_zero / self.objective.column_curvature(*zero)
        means = replace(dense, coef=step)
        for name, point in (("all features", dense), ("means", means)):
            start = self._pruned(self._with_outliers(point))
            yield self._reported(f"chosen by {name}", start)
        if not self.outliers.is_nothing:
            for direction in self.objective.robust_directions:
                flagged = lowest(self.objective, self.outliers, direction)
                start = self.fit(all_features, flagged, dense.coef, zero[1])
                yield self._reported("robust direction", self._pruned(self._with_outliers(start)))
        if self._chooses(self.features):
            start = self._with_outliers(self._pruned(means))
            yield self._reported("features by means", start)

    def _pruned(self, point: Fit) -> Fit:
        """The fit on the most important features."""
        if self.features.is_everything:
            return point
        unit = np.sqrt(self.objective.column_curvature(point.coef, point.shift))
        support = self.features.support(unit * point.coef)
        return self.fit(support, point.outliers, np.where(support, point.coef, 0.0), point.shift)

    def _with_outliers(self, point: Fit) -> Fit:
        """The fit on the same support, with the outliers that lower the objective most."""
        if self.outliers.is_nothing:
            return point
        gain, shift = self.objective.outlyingness(point.coef)
        outliers = self.outliers.support(gain)
        return self.fit(point.support, outliers, point.coef, np.where(outliers, shift, 0.0))

    def improve(self, point: Fit, max_swaps: int) -> list[Fit]:
        """The sequence of fits, each lower than the one before, until no move lowers the objective."""
        passed = [point]
        while (better := self._better_neighbour(passed[-1], max_swaps)) is not None:
            passed.append(self._reported("exchange", better))
        return passed

    def _better_neighbour(self, point: Fit, max_swaps: int) -> Fit | None:
        return next((new for new in self._neighbours(point, max_swaps) if new.is_below(point)), None)

    def _neighbours(self, point: Fit, max_swaps: int) -> Iterator[Fit]:
        """Fits one move away, cheap moves first. Each pair of support and outliers is tried at most once in a run."""
        both_free = self._chooses(self.features) and self._chooses(self.outliers)
        moves = chain(
            self._new_outliers(point),
            self._feature_moves(point, max_swaps),
            self._outlier_swaps(point, max_swaps),
            self._feature_moves(point, max_swaps, without_outliers=True) if both_free else (),
        )
        for support, outliers, coef, shift in moves:
            key = support.tobytes() + outliers.tobytes()
            if key in self._tried:
                continue
            self._tried.add(key)
            # For moves made `without_outliers`, the outliers are chosen after a first fit.
            if outliers.any() or not both_free:
                yield self.fit(support, outliers, coef, shift, goal=point.value)
            else:
                yield self._with_outliers(self.fit(support, outliers, coef, shift))

    @staticmethod
    def _chooses(allowed: Sparsity) -> bool:
        """Whether the set leaves a choice: it allows some members, but not all."""
        return not (allowed.is_nothing or allowed.is_everything)

    def _new_outliers(self, point: Fit) -> Iterator[_Move]:
        if self._chooses(self.outliers):
            gain, shift = self.objective.outlyingness(point.coef)
            outliers = self.outliers.support(gain)
            yield point.support, outliers, point.coef, np.where(outliers, shift, 0.0)

    def _outlier_swaps(self, point: Fit, max_swaps: int) -> Iterator[_Move]:
        # With more positives than 1 / tol, a single one changes the objective by less than the tolerance.
        matters = self.fit.tol * self.objective.n_positives <= 1
        if matters and self._chooses(self.outliers):
            gain, shift = self.objective.outlyingness(point.coef)
            for outliers in self.outliers.swaps(point.outliers, gain, gain, max_swaps):
                yield point.support, outliers, point.coef, np.where(outliers, shift, 0.0)

    def _feature_moves(self, point: Fit, max_swaps: int, without_outliers: bool = False) -> Iterator[_Move]:
        """Exchanges of many features by projected gradient steps, then of one feature for another."""
        if not self._chooses(self.features):
            return
        gradient = self.objective.gradient(point.coef, point.shift).coef
        curvature = self.objective.column_curvature(point.coef, point.shift)
        # The coefficients of the support are already at their minimum: only the others change.
        step = np.where(point.support, 0.0, -gradient / curvature)
        unit = np.sqrt(curvature)
        steps = (self.features.support(unit * (point.coef + h * step)) for h in (1.0, 0.5, 0.25))
        # Twice the change of a quadratic model if a column is added, or removed.
        gain, cost = gradient**2 / curvature, point.coef**2 * curvature
        swaps = self.features.swaps(point.support, gain, cost, max_swaps)
        outliers, shift = point.outliers, point.shift
        if without_outliers:
            outliers, shift = np.zeros_like(outliers), np.zeros_like(shift)
        for support in chain(steps, swaps):
            yield support, outliers, np.where(support, point.coef, 0.0), shift

    def _reported(self, stage: str, point: Fit) -> Fit:
        n_features, n_outliers = int(point.support.sum()), int(point.outliers.sum())
        self.callback(Progress(stage, self.fit.n_iter, point.value, n_features, n_outliers))
        return point
