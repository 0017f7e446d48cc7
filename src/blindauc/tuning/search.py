"""The search: scalings and ridges with all features first, then ridge, features and outliers together.

What the first repeat of the folds shows to be clearly worse is not tried by the others (a race, as in Maron and Moore,
Hoeffding races, NIPS 1994).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import delayed

from blindauc._typing import Floats
from blindauc.tuning.belief import Belief
from blindauc.tuning.choice import in_question, posterior
from blindauc.tuning.criterion import HeldOut, mean_ranks
from blindauc.tuning.evaluation import Problem, judged
from blindauc.tuning.folds import Split
from blindauc.tuning.grid import Candidate, Grid
from blindauc.tuning.parallel import ReportedParallel

RIDGES_AROUND = 1
"""Neighbours of the first stage's likeliest ridge that the second tries, to either side, whatever they were worth."""

WORTH_A_LOOK = 0.2
"""Ridges that are so likely, compared to the likeliest, go on to the second stage."""

Report = Callable[[str, int, int], None]
"""(stage, tasks done, tasks in all)"""


@dataclass(frozen=True)
class Space:
    """What may be chosen: ridges and feature counts in falling order, outliers in growing order."""

    scaling: Sequence[str]
    loss: Sequence[Any]
    l2: Callable[[str, Any], Sequence[float]]
    n_outliers: Sequence[float]
    n_features_to_select: Sequence[Any]
    belief: Belief
    drawn_up_to: Callable[[str, Any], float]
    """The strongest ridge that is so weak that fits of all features are averages over draws; 0 for none."""

    def grid(self, scaling: str, loss: Any) -> Grid:
        """All that may be chosen with one scaling and loss."""
        return Grid(scaling, loss, self.l2(scaling, loss), self.n_outliers, self.n_features_to_select)

    @property
    def plainest(self) -> Candidate:
        """What to take where nothing can be compared: all features, no outliers, a ridge as strong as the data."""
        scaling, loss = self.scaling[-1], self.loss[0]
        ridges = self.l2(scaling, loss)
        return Candidate(scaling, loss, ridges[len(ridges) // 3], self.n_outliers[0], self.n_features_to_select[0])


@dataclass(frozen=True)
class Stage:
    """Candidates judged by the same splits."""

    name: str
    candidates: list[Candidate]
    ranks: Floats
    n_splits: int
    trim: float
    weight: Floats
    weights: Sequence[Any] = ()
    """Those of all candidates for each split, as sparse arrays, where they were kept."""

    @property
    def held_out(self) -> HeldOut:
        return HeldOut.where_judged(self.ranks, self.weight, self.trim)

    def places(self, candidates: Iterable[Candidate]) -> list[int]:
        """Where some of the candidates stand."""
        place = {candidate: index for index, candidate in enumerate(self.candidates)}
        return [place[candidate] for candidate in candidates]

    def joined(self, later: Stage) -> Stage:
        """The candidates of a later stage, judged by the splits of both; each must have whole repeats of the folds."""
        index = self.places(later.candidates)
        n_splits = self.n_splits + later.n_splits
        ranks = (self.n_splits * self.ranks[index] + later.n_splits * later.ranks) / n_splits
        weights = [each[index] for each in self.weights] + list(later.weights)
        return replace(later, ranks=ranks, n_splits=n_splits, weights=weights)


@dataclass(frozen=True)
class Judge:
    """Judges candidates by the rows held out of their fits, all splits and paths side by side."""

    problem: Problem
    trim: float
    n_jobs: int | None
    report: Report

    def __call__(
        self, name: str, grids: Sequence[Grid], splits: Sequence[Split], *, keep_weights: bool = False
    ) -> Stage:
        tasks = list(product(grids, splits))
        run = ReportedParallel(self.n_jobs, lambda n_done: self.report(name, n_done, len(tasks)))
        parts = run(delayed(judged)(self.problem, split, grid, keep_weights) for grid, split in tasks)
        data, n = self.problem.data, len(splits)
        by_grid = [[part.ranks for part in parts[k * n : (k + 1) * n]] for k in range(len(grids))]
        ranks = np.concatenate([mean_ranks(data, splits, one) for one in by_grid])
        candidates = [candidate for grid in grids for candidate in grid]
        weights = [sp.vstack([part.weights for part in parts[k::n]], format="csr") for k in range(n) if keep_weights]
        return Stage(name, candidates, ranks, n, self.trim, data.weight[data.is_positive], weights)


def staged_search(space: Space, judge: Judge, splits: Sequence[Split], n_first: int) -> list[Stage]:
    """Judge scalings, losses and ridges, then everything about the best of them, and what is left by all splits."""
    first = ridge_stage(space, judge, splits[:n_first])
    grids = _worth_a_look(space, first)
    second = judge("features and outliers", grids, splits[:n_first], keep_weights=True)
    if len(splits) == n_first:
        return [first, second]
    last = judge("finalists", _narrowed(grids, second), splits[n_first:], keep_weights=True)
    return [first, second, second.joined(last)]


def ridge_stage(space: Space, judge: Judge, splits: Sequence[Split]) -> Stage:
    """Scalings, losses and ridges, with all features."""
    grids = [space.grid(scaling, loss) for scaling, loss in product(space.scaling, space.loss)]
    return judge("scaling and ridge", [_coarse(grid) for grid in grids], splits)


def _coarse(grid: Grid) -> Grid:
    """All ridges, all features, and few and many outliers."""
    shares = grid.n_outliers
    many = shares[-2] if len(shares) > 2 else shares[-1]  # the most are more than mostly needed
    some = sorted({shares[0], many})
    return Grid(grid.scaling, grid.loss, grid.l2, some, grid.n_features_to_select[:1])


def _worth_a_look(space: Space, first: Stage) -> list[Grid]:
    """All numbers of features for the scalings, losses and ridges that may be right; with outliers, few ridges only."""
    importance = posterior(first.candidates, first.held_out, space.belief(first.candidates))
    is_likely = importance >= WORTH_A_LOOK * importance.max()
    may_be = {first.candidates[int(index)]: importance[index] for index in np.flatnonzero(is_likely)}
    grids = []
    for kind in dict.fromkeys(candidate.kind for candidate in may_be):
        of_kind = [candidate for candidate in may_be if candidate.kind == kind]
        grid, likeliest = space.grid(*kind), max(of_kind, key=may_be.__getitem__)
        near = _around(grid.l2, likeliest.l2)
        likely = {candidate.l2 for candidate in of_kind if candidate.n_outliers == grid.n_outliers[0]}.union(near)
        ridges, drawn_up_to = [l2 for l2 in grid.l2 if l2 in likely], space.drawn_up_to(*kind)
        strong = [l2 for l2 in grid.l2 if l2 > drawn_up_to]
        grids.append(replace(grid, l2=ridges, n_outliers=grid.n_outliers[:1], drawn_up_to=drawn_up_to))
        grids.append(replace(grid, l2=_around(strong, max(likeliest.l2, strong[-1])), n_outliers=grid.n_outliers[1:]))
    return [grid for grid in grids if grid.n_outliers]


def _around(ridges: Sequence[float], l2: float) -> Sequence[float]:
    place = list(ridges).index(l2)
    return ridges[max(0, place - RIDGES_AROUND) : place + RIDGES_AROUND + 1]


def _narrowed(grids: Sequence[Grid], stage: Stage) -> list[Grid]:
    """The grids without values all of whose candidates are clearly worse than the best."""
    asked = in_question(stage.candidates, stage.held_out)
    left = {candidate for candidate, is_asked in zip(stage.candidates, asked, strict=True) if is_asked}
    each_left = [(grid, [candidate for candidate in grid if candidate in left]) for grid in grids]
    return [_with_values_of(some, grid) for grid, some in each_left if some]


def _with_values_of(candidates: Sequence[Candidate], grid: Grid) -> Grid:
    def some(name: str, *also: Any) -> list[Any]:
        wanted = {getattr(candidate, name) for candidate in candidates} | set(also)
        return [value for value in getattr(grid, name) if value in wanted]

    # All features are on the way to few.
    features = some("n_features_to_select", grid.n_features_to_select[0])
    return replace(grid, l2=some("l2"), n_outliers=some("n_outliers"), n_features_to_select=features)
