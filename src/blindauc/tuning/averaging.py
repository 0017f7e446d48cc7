"""The average of the candidates that may be the best: steadier than any one of them.

Among hundreds of candidates the highest score is partly luck, and candidates nearly as good differ in what they get
wrong. Linear scores average to a linear score, and projected on the columns with its largest weights it is as sparse as
its parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from blindauc._typing import Bools, Floats
from blindauc.design import Design
from blindauc.solvers import Solution
from blindauc.tuning.criterion import HeldOut, mean_ranks
from blindauc.tuning.evaluation import (
    OutOfFold,
    Problem,
    held_out_ranks,
    leverage_screened,
    models,
    out_of_fold,
    unit_weights,
)
from blindauc.tuning.folds import Split
from blindauc.tuning.grid import Candidate, Grid
from blindauc.tuning.projection import Projection

NEGLIGIBLE = 0.05
"""Candidates with less than this share of the largest importance are left out of the average."""

SMALL_LOSS = 0.01
"""What fewer features may cost in trimmed blind AUC, a standard error counted in."""


class AveragedFit(NamedTuple):
    """A solution without the positives that were screened, and which rows these are."""

    solution: Solution
    screened: Bools


@dataclass(frozen=True)
class Average:
    """Candidates with their importances; one may have it all."""

    problem: Problem
    candidates: Sequence[Candidate]
    importance: Floats
    n_features_to_select: Any = None
    """Features to keep, where it is not the mean of the candidates' numbers."""

    @cached_property
    def share(self) -> Floats:
        kept = np.where(self.importance >= NEGLIGIBLE * self.importance.max(), self.importance, 0.0)
        return kept / kept.sum()

    @property
    def is_one_fit(self) -> bool:
        """Whether an estimator with the parameters of one candidate is the average."""
        return bool(self.share.max() == 1) and not self.candidates[int(self.share.argmax())].drawn

    @cached_property
    def typical(self) -> Candidate:
        """The candidate in the middle; of the ridge on a logarithmic scale, and for the scaling that counts most."""
        top = self.candidates[int(self.share.argmax())]
        if self.share.max() == 1:
            return top
        of_top_kind = self.share * [c.kind == top.kind for c in self.candidates]
        l2 = float(np.exp(np.average(np.log([c.l2 for c in self.candidates]), weights=of_top_kind)))
        n_outliers = float(self.share @ np.array([c.n_outliers for c in self.candidates]))
        n_features = self.n_features_to_select or self._mean_number_of_features
        return Candidate(top.scaling, top.loss, l2, n_outliers, n_features)

    @property
    def _mean_number_of_features(self) -> Any:
        mean = np.round(self.share @ np.array([c.n_features_to_select for c in self.candidates], dtype=np.float64))
        return int(mean) if mean.ndim == 0 else tuple(mean.astype(int).tolist())

    def with_enough_features(self, splits: Sequence[Split], weights: Sequence[Any], trim: float) -> Average:
        """Keep more features than the candidates do on average where it is not sure that the rest can be spared.

        Where columns say nearly the same, each candidate has some of them, and what is small in their average still
        matters. So held-out positives must not rank lower than by all features, by more than a small loss. This is
        judged by the largest weights as they are, on the safe side: projected ones mostly lose less.
        """
        if self.share.max() == 1:
            return self
        mean = self._mean_number_of_features
        more = {c.n_features_to_select for c in self.candidates if np.sum(c.n_features_to_select) > np.sum(mean)}
        options = sorted({mean} | more, key=np.sum)
        data = self.problem.data
        parts = []
        for split, each in zip(splits, weights, strict=True):
            total = self.share @ each
            parts.append(held_out_ranks(data.subset(split.held_out), [self._largest(total, n) for n in options]))
        ranks = mean_ranks(data, splits, parts)
        held_out = HeldOut.where_judged(ranks, data.weight[data.is_positive], trim)
        scores, errors = held_out.scores(), held_out.standard_errors_below(len(options) - 1)
        bearable = scores - errors >= scores[-1] - SMALL_LOSS
        return replace(self, n_features_to_select=options[int(bearable.argmax())])

    def with_outliers(self, doubted: float) -> Average:
        """The average with the doubted share of outliers, where it has some, but fewer or more than twice as many.

        Few shares are tried. One too low lets a wrong label in, and one far too high costs good positives. Where no
        label is doubted, or most are, there is nothing to go by.
        """
        share = self.typical.n_outliers
        if min(share, doubted) == 0 or doubted > 0.5 or share / 2 <= doubted <= share:
            return self
        return replace(self, candidates=[replace(each, n_outliers=doubted) for each in self.candidates])

    def fit(self) -> AveragedFit:
        """The average of fits to all rows, as sparse and with as many outliers as the typical candidate."""
        data, middle = self.problem.data, self.typical
        parts = [share @ unit_weights(data, models(self.problem, data, grid)) for grid, share in self._needed]
        weights = self._sparse(np.sum(parts, axis=0), middle.n_features_to_select)
        ((objective, outliers, screened),) = leverage_screened(self.problem, data, Grid.of(middle))
        objective = objective.with_ridge(middle.l2)
        scores = Design(data.X).scores(weights)[data.is_positive & ~screened]
        flagged = np.zeros(len(scores), dtype=bool)
        if not outliers.is_nothing:
            flagged = outliers.support(scores.max() - scores)
        coef, shift = _scaled(objective, weights, flagged)
        value = float(objective.value(coef, shift))
        solution = Solution(coef, shift, coef != 0, flagged, value, (value,), np.nan, True, int((self.share > 0).sum()))
        return AveragedFit(solution, screened)

    @property
    def _needed(self) -> Iterator[tuple[Grid, Floats]]:
        """Grids of the candidates of any importance, and their shares in them: one for each path of fits."""
        share_of = {c: s for c, s in zip(self.candidates, self.share, strict=True) if s > 0}
        # The loosest set is on the way to the others, whether it matters or not.
        everything = self.candidates[0].n_features_to_select
        for kind, n_outliers in dict.fromkeys((candidate.kind, candidate.n_outliers) for candidate in share_of):
            needed = [c for c in share_of if (c.kind, c.n_outliers) == (kind, n_outliers)]
            l2 = sorted({c.l2 for c in needed}, reverse=True)
            n_features = sorted({everything} | {c.n_features_to_select for c in needed}, key=np.sum, reverse=True)
            drawn_up_to = max((c.l2 for c in needed if c.drawn), default=0.0)
            grid = Grid(*kind, l2, [n_outliers], n_features, drawn_up_to)
            yield grid, np.array([share_of.get(candidate, 0.0) for candidate in grid])

    def out_of_fold(self, splits: Sequence[Split], weights: Sequence[Any]) -> OutOfFold:
        """How rows rank by averages that have not seen them, given all candidates' weights on each split."""
        n_features = self.typical.n_features_to_select
        sparse = (self._sparse(self.share @ each, n_features) for each in weights)
        return out_of_fold(self.problem.data, splits, sparse)

    def _sparse(self, weights: Floats, n_features: Any) -> Floats:
        """The weights projected on the columns of the largest."""
        largest = self._largest(weights, n_features)
        return largest if np.array_equal(largest, weights) else self._projection(weights, largest != 0)

    @cached_property
    def _projection(self) -> Projection:
        return Projection(self.problem.data)

    def _largest(self, weights: Floats, n_features: Any) -> Floats:
        importance = np.append(weights * self._spread, np.zeros(self._n_free))
        support = self.problem.features(n_features).support(importance)
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
