"""The average of the candidates that may be the best: steadier than any one of them.

Among hundreds of candidates the highest score is partly luck, and candidates nearly as good differ in what they get
wrong. Linear scores average to a linear score, and keeping its largest weights makes it as sparse as its parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from blindauc._typing import Bools, Floats
from blindauc.design import Design
from blindauc.solvers import Solution
from blindauc.tuning.evaluation import OutOfFold, Problem, leverage_screened, models, out_of_fold, unit_weights
from blindauc.tuning.folds import Split
from blindauc.tuning.grid import Candidate, Grid

NEGLIGIBLE = 1e-2
"""Candidates with less than this share of the largest importance are left out of the average."""


class AveragedFit(NamedTuple):
    """A solution without the positives that were screened, and which rows these are."""

    solution: Solution
    screened: Bools


@dataclass(frozen=True)
class Average:
    """Candidates of one scaling and loss with their importances; one may have it all."""

    problem: Problem
    candidates: Sequence[Candidate]
    importance: Floats

    @cached_property
    def share(self) -> Floats:
        kept = np.where(self.importance >= NEGLIGIBLE * self.importance.max(), self.importance, 0.0)
        return kept / kept.sum()

    @cached_property
    def typical(self) -> Candidate:
        """The candidate in the middle, on the logarithmic scales of ridge and features."""
        top = self.candidates[int(self.share.argmax())]
        if self.share.max() == 1:
            return top
        n_features = self._mean_of_logarithms([c.n_features_to_select for c in self.candidates])
        n_features = np.maximum(1, np.round(n_features)).astype(int).tolist()
        l2 = float(self._mean_of_logarithms([c.l2 for c in self.candidates]))
        n_outliers = float(self.share @ np.array([c.n_outliers for c in self.candidates]))
        is_by_group = isinstance(n_features, list)
        return Candidate(top.scaling, top.loss, l2, n_outliers, tuple(n_features) if is_by_group else n_features)

    def _mean_of_logarithms(self, values: Any) -> Floats:
        return np.exp(self.share @ np.log(np.array(values, dtype=np.float64)))

    def fit(self) -> AveragedFit:
        """The average of fits to all rows, as sparse and with as many outliers as the typical candidate."""
        data, middle = self.problem.data, self.typical
        grid, share = self._needed
        weights = self._sparse(share @ unit_weights(data, models(self.problem, data, grid)))
        ((objective, outliers, screened),) = leverage_screened(self.problem, data, Grid.of(middle))
        objective = objective.with_ridge(middle.l2)
        scores = Design(data.X).scores(weights)[data.is_positive & ~screened]
        flagged = np.zeros(len(scores), dtype=bool)
        if not outliers.is_nothing:
            flagged = outliers.support(scores.max() - scores)
        coef, shift = _scaled(objective, weights, flagged)
        value = float(objective.value(coef, shift))
        solution = Solution(coef, shift, coef != 0, flagged, value, (value,), np.nan, True, len(share))
        return AveragedFit(solution, screened)

    @property
    def _needed(self) -> tuple[Grid, Floats]:
        """The smallest grid that holds all candidates of any importance, and their shares in its order."""
        share_of = {c: s for c, s in zip(self.candidates, self.share, strict=True) if s > 0}
        first = next(iter(share_of))

        def values(name: str, falling: bool) -> list[Any]:
            return sorted({getattr(c, name) for c in share_of}, reverse=falling)

        l2, n_features = values("l2", True), values("n_features_to_select", True)
        # The loosest set is on the way to the others, whether it matters or not.
        everything = self.candidates[0].n_features_to_select
        n_features = list(dict.fromkeys([everything, *n_features]))
        grid = Grid(first.scaling, first.loss, l2, values("n_outliers", False), n_features)
        return grid, np.array([share_of.get(candidate, 0.0) for candidate in grid])

    def out_of_fold(self, splits: Sequence[Split], weights: Sequence[Any]) -> OutOfFold:
        """How rows rank by averages that have not seen them, given all candidates' weights on each split."""
        return out_of_fold(self.problem.data, splits, (self._sparse(self.share @ each) for each in weights))

    def _sparse(self, weights: Floats) -> Floats:
        importance = np.append(weights * self._spread, np.zeros(self._n_free))
        support = self.problem.features(self.typical.n_features_to_select).support(importance)
        return np.where(support[: len(weights)], weights, 0.0)

    @cached_property
    def _spread(self) -> Floats:
        data = self.problem.data
        return Design(data.X).spread(data.weight / data.weight.sum())

    @cached_property
    def _n_free(self) -> int:
        """Columns, such as an intercept, that are not the user's."""
        return self.problem.n_columns - self.problem.data.X.shape[1]


def _scaled(objective: Any, weights: Floats, flagged: Bools) -> tuple[Floats, Floats]:
    """Weights and shifts at the length, and with the intercept, that lower the objective most: averages have none."""

    def coef(point: Floats) -> Floats:
        return np.append(np.exp(np.clip(point[0], -30.0, 5.0)) * weights, point[1:])

    def shifts(point: Floats) -> Floats:
        return np.where(flagged, objective.outlyingness(coef(point)).shift, 0.0)

    point = np.zeros(1 + objective.n_columns - len(weights))
    for _ in range(2):
        # The best shifts depend on the length, and the best length on the shifts.
        fixed = shifts(point)
        point = minimize(lambda at, s: objective.value(coef(at), s), point, args=(fixed,), method="Nelder-Mead").x
    return coef(point), shifts(point)
