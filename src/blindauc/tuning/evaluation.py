"""Candidates judged by rows that their models have not seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol

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

    @property
    def n_columns(self) -> int:
        """Those of X and, where the risk has one, an intercept."""

    def of(self, data: Data) -> Problem:
        """The same problem on other rows."""

    def objective(self, data: Data, scaling: str, loss: Any) -> Any:
        """The objective of some rows, with a ridge of one on the scaled columns."""

    def features(self, n_features_to_select: Any) -> Any:
        """The set of allowed weights."""

    def screened(self, data: Data, n_outliers: int) -> Bools:
        """Rows with leverage, at most so many, to be left out before the fit."""


class Judged(NamedTuple):
    """Candidates on one split.

    Attributes
    ----------
    ranks : array of shape (n_candidates, n_held_out_positives)
    weights : array of shape (n_candidates, p), such that the held-out unlabelled scores have a spread of one
    """

    ranks: Floats
    weights: Floats


def judged(problem: Problem, split: Split, grid: Grid) -> Judged:
    """Fit each candidate to the fitted rows of a split and rank the held-out positives."""
    fitted, held_out = problem.data.subset(split.fitted), problem.data.subset(split.held_out)
    with blas_threads_for(fitted.X):
        weights = unit_weights(held_out, models(problem, fitted, grid))
    return Judged(held_out_ranks(held_out, weights), weights)


def unit_weights(data: Data, weights: Iterable[Floats]) -> Floats:
    """Weights with which the unlabelled scores have a spread of one."""
    design, unlabelled = Design(data.X), ~data.is_positive
    spreads = ((coef, design.scores(coef)[unlabelled].std()) for coef in weights)
    return np.array([coef / spread if spread > 0 else coef for coef, spread in spreads])


def held_out_ranks(held_out: Data, weights: Iterable[Floats]) -> Floats:
    """The ranks of the positives among the unlabelled rows by each vector of weights."""
    design, is_positive = Design(held_out.X), held_out.is_positive
    every_score = (design.scores(coef) for coef in weights)
    weight = held_out.weight[~is_positive]
    return np.array([share_below(scores[is_positive], scores[~is_positive], weight) for scores in every_score])


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
    ((objective, outliers, _),) = leverage_screened(problem, data, grid)
    fit = approach(objective.with_ridge(candidate.l2), problem.features(candidate.n_features_to_select), outliers)
    return fit.coef[: data.X.shape[1]]


def models(problem: Problem, data: Data, grid: Grid) -> Iterator[Floats]:
    """The weights of each candidate of the grid, in its order, each fitted from its neighbour's."""
    sets = [problem.features(n) for n in grid.n_features_to_select]
    problems = [(objective, outliers) for objective, outliers, _ in leverage_screened(problem, data, grid)]
    # Each number of outliers has a path of its own down the ridges, so that it stays on the side where it began.
    starts = [robust_start(objective, outliers) for objective, outliers in problems]
    for l2 in grid.l2:
        for k, (objective, outliers) in enumerate(problems):
            fits = [fit.coef for fit in feature_path(objective.with_ridge(l2), sets, outliers, starts[k])]
            starts[k] = fits[0]
            yield from (coef[: data.X.shape[1]] for coef in fits)


class Screened(NamedTuple):
    """The objective without some rows of leverage, the outliers that are left to find, and those rows."""

    objective: Any
    outliers: L0
    rows: Bools


def leverage_screened(problem: Problem, data: Data, grid: Grid) -> Iterator[Screened]:
    """The problem for each number of outliers; mostly nothing is screened, and it is the same objective."""
    objectives: dict[bytes, Any] = {}
    n_pos = int(data.is_positive.sum())
    for share in grid.n_outliers:
        n_outliers = min(round(share * n_pos), n_pos - 1)
        screened = problem.screened(data, n_outliers)
        key = screened.tobytes()
        if key not in objectives:
            objectives[key] = problem.objective(data.subset(~screened), grid.scaling, grid.loss)
        left = L0(objectives[key].n_positives, n_outliers - int(screened.sum()))
        yield Screened(objectives[key], left, screened)
