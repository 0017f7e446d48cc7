"""Candidates judged by rows that their models have not seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.data import Data
from blindauc.design import Design
from blindauc.ranks import Ranked, share_below
from blindauc.solvers import approach, feature_path, robust_start
from blindauc.sparsity import L0
from blindauc.threads import blas_threads_for
from blindauc.tuning.folds import Split, fold_splits
from blindauc.tuning.grid import Candidate, Grid

CALIBRATION_FOLDS, CALIBRATION_SEED = 5, 2**32
"""No seed of a search: its own folds may have been lucky for what it chose."""


class Problem(Protocol):
    """What tuning asks of the estimator that it tunes."""

    @property
    def data(self) -> Data: ...

    def of(self, data: Data) -> Problem:
        """The same problem on other rows."""

    def objective(self, data: Data, scaling: str, loss: Any) -> Any:
        """The objective of some rows, with a ridge of one on the scaled columns."""

    def features(self, n_features_to_select: Any) -> Any:
        """The set of allowed weights."""

    def screened(self, data: Data, n_outliers: int) -> Bools:
        """Rows with leverage, at most so many, to be left out before the fit."""


def held_out_ranks(problem: Problem, split: Split, grid: Grid) -> Floats:
    """The ranks of the held-out positives by each candidate, of shape (n_candidates, n_held_out_positives)."""
    fitted = problem.data.subset(split.fitted)
    with blas_threads_for(fitted.X):
        weights = models(problem, fitted, grid)
        return np.array(list(ranks_held_out(problem.data.subset(split.held_out), weights)))


def ranks_held_out(judge: Data, weights: Iterable[Floats]) -> Iterator[Floats]:
    """The ranks of the positives among the unlabelled rows by each vector of weights."""
    design, is_positive = Design(judge.X), judge.is_positive
    for coef in weights:
        scores = design.scores(coef)
        yield share_below(scores[is_positive], scores[~is_positive], judge.weight[~is_positive])


def ranks_of(problem: Problem, candidate: Candidate, scores: Floats) -> Ranked:
    """The rank of every row among the unlabelled ones of its fold, by fits of a candidate that have not seen it.

    Where the rows are too few for folds, `scores` of a fit that has seen them must do.
    """
    data = problem.data
    unlabelled = ~data.is_positive
    rank = share_below(scores, scores[unlabelled], data.weight[unlabelled])
    for split in fold_splits(data, CALIBRATION_FOLDS, CALIBRATION_SEED):
        fitted = data.subset(split.fitted)
        with blas_threads_for(fitted.X):
            weights = model(problem, fitted, candidate)
        judge = data.subset(split.held_out)
        held_out, among = Design(judge.X).scores(weights), ~judge.is_positive
        rank[split.held_out] = share_below(held_out, held_out[among], judge.weight[among])
    weight = data.weight
    return Ranked(rank[~unlabelled], rank[unlabelled], weight[~unlabelled], weight[unlabelled])


def model(problem: Problem, data: Data, candidate: Candidate) -> Floats:
    """The weights of one candidate, approached as `solver="path"` does."""
    grid = Grid.of(candidate)
    ((objective, outliers),) = _without_outliers_of_leverage(problem, data, grid)
    fit = approach(objective.with_ridge(candidate.l2), problem.features(candidate.n_features_to_select), outliers)
    return fit.coef[: data.X.shape[1]]


def models(problem: Problem, data: Data, grid: Grid) -> Iterator[Floats]:
    """The weights of each candidate of the grid, in its order, each fitted from its neighbour's."""
    sets = [problem.features(n) for n in grid.n_features_to_select]
    problems = list(_without_outliers_of_leverage(problem, data, grid))
    # Each number of outliers has a path of its own down the ridges, so that it stays on the side where it began.
    starts = [robust_start(objective, outliers) for objective, outliers in problems]
    for l2 in grid.l2:
        for k, (objective, outliers) in enumerate(problems):
            fits = [fit.coef for fit in feature_path(objective.with_ridge(l2), sets, outliers, starts[k])]
            starts[k] = fits[0]
            yield from (coef[: data.X.shape[1]] for coef in fits)


def _without_outliers_of_leverage(problem: Problem, data: Data, grid: Grid) -> Iterator[tuple[Any, L0]]:
    """The objective and the outliers left to find for each number of them; mostly it is the same objective."""
    objectives: dict[bytes, Any] = {}
    n_pos = int(data.is_positive.sum())
    for share in grid.n_outliers:
        n_outliers = min(round(share * n_pos), n_pos - 1)
        screened = problem.screened(data, n_outliers)
        key = screened.tobytes()
        if key not in objectives:
            objectives[key] = problem.objective(data.subset(~screened), grid.scaling, grid.loss)
        yield objectives[key], L0(objectives[key].n_positives, n_outliers - int(screened.sum()))
