"""Candidates judged by rows that their models have not seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from scipy.special import ndtri

from blindauc._typing import Bools, Floats
from blindauc.data import Data
from blindauc.design import Design, clean_scores, spread_of
from blindauc.ranks import share_below
from blindauc.solvers import approach, feature_path, robust_start
from blindauc.sparsity import L0
from blindauc.threads import blas_threads_for
from blindauc.tuning.draws import draws
from blindauc.tuning.folds import Split, fold_splits
from blindauc.tuning.grid import Candidate, Grid

CALIBRATION_FOLDS, CALIBRATION_SEED = 5, 2**32
"""The folds by which a fit without a search is judged."""


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
    weights : sparse array of shape (n_candidates, p), such that the held-out unlabelled scores have a spread of one;
        None where they were not to be kept
    """

    ranks: Floats
    weights: Any


def judged(problem: Problem, split: Split, grid: Grid, keep_weights: bool = False) -> Judged:
    """Fit each candidate to the fitted rows of a split and rank the held-out positives."""
    fitted, held_out = problem.data.subset(split.fitted), problem.data.subset(split.held_out)
    with blas_threads_for(fitted.X):
        weights = unit_weights(held_out, models(problem, fitted, grid))
    return Judged(held_out_ranks(held_out, weights), sp.csr_array(weights) if keep_weights else None)


def unit_weights(data: Data, weights: Iterable[Floats]) -> Floats:
    """Weights with which the unlabelled scores have a spread of one."""
    design, unlabelled = Design(data.X), ~data.is_positive
    weight = data.weight[unlabelled]
    return np.array([coef / spread_of(design.scores(coef)[unlabelled], weight) for coef in weights])


def held_out_ranks(held_out: Data, weights: Iterable[Floats]) -> Floats:
    """The ranks of the positives among the unlabelled rows by each vector of weights."""
    is_positive = held_out.is_positive
    every_score = (clean_scores(held_out.X, coef) for coef in weights)
    weight = held_out.weight[~is_positive]
    return np.array([share_below(scores[is_positive], scores[~is_positive], weight) for scores in every_score])


class OutOfFold(NamedTuple):
    """How rows rank by models that have not seen them.

    Attributes
    ----------
    rank : array of shape (n,), the share of unlabelled rows held out with a row that rank below it; NaN where it was
        never held out
    lift : float, by how much unlabelled rows score higher where a fit has not seen them, in units of their spread
    """

    rank: Floats
    lift: float


def out_of_fold(data: Data, splits: Sequence[Split], weights: Iterable[Floats]) -> OutOfFold:
    """Rank every row by the weights of the splits that hold it out, and see what unlabelled rows gain by that."""
    total, times, higher = np.zeros(len(data.row)), np.zeros(len(data.row)), []
    for split, coef in zip(splits, weights, strict=True):
        fitted, held_out = data.subset(split.fitted), data.subset(split.held_out)
        scores, among = clean_scores(held_out.X, coef), ~held_out.is_positive
        total[split.held_out] += share_below(scores, scores[among], held_out.weight[among])
        times[split.held_out] += 1
        seen = clean_scores(fitted.X, coef)[~fitted.is_positive]
        above = share_below(scores[among], seen, fitted.weight[~fitted.is_positive])
        higher.append(np.average(above, weights=held_out.weight[among]))
    known = times > 0
    rank = np.where(known, total / np.maximum(times, 1), np.nan)
    # Means over repeats crowd in the middle: ranked again, the unlabelled rows are spread evenly.
    among = known & ~data.is_positive
    if among.any():
        rank[known] = share_below(rank[known], rank[among], data.weight[among])
    # By ranks too: of two normal samples of unit spread, one is so often the higher if it lies so much above.
    share_higher = np.clip(np.mean(higher), 0.5, 0.99) if higher else 0.5
    return OutOfFold(rank, float(np.sqrt(2) * ndtri(share_higher)))


def judged_by_folds(problem: Problem, candidate: Candidate) -> OutOfFold:
    """How rows rank by fits of a candidate to the other folds; nothing is known where they are too few for folds."""
    data = problem.data
    splits = fold_splits(data, CALIBRATION_FOLDS, CALIBRATION_SEED)
    return out_of_fold(data, splits, (_rough(problem, data.subset(split.fitted), candidate) for split in splits))


def _rough(problem: Problem, fitted: Data, candidate: Candidate) -> Floats:
    with blas_threads_for(fitted.X):
        return model(problem, fitted, candidate)


def model(problem: Problem, data: Data, candidate: Candidate) -> Floats:
    """The weights of one candidate, approached as `solver="path"` does."""
    grid = Grid.of(candidate)
    ((objective, outliers, _),) = leverage_screened(problem, data, grid)
    fit = approach(objective.with_ridge(candidate.l2), problem.features(candidate.n_features_to_select), outliers)
    return fit.coef[: data.X.shape[1]]


def models(problem: Problem, data: Data, grid: Grid) -> Iterator[Floats]:
    """The weights of each candidate of the grid, in its order."""
    drawn, fitted = iter(_summed(problem, data, grid.to_draw)), _along_the_paths(problem, data, grid)
    return (next(drawn if candidate.drawn else fitted) for candidate in grid)


def _summed(problem: Problem, data: Data, grid: Grid) -> Iterable[Floats]:
    """The weights of each candidate, brought to one length and summed over draws."""
    if not grid.l2:
        return ()
    return np.sum([unit_weights(data, _along_the_paths(problem, part, grid)) for part in draws(data)], axis=0)


def _along_the_paths(problem: Problem, data: Data, grid: Grid) -> Iterator[Floats]:
    """The weights of each candidate of the grid that is not drawn, each fitted from its neighbour's."""
    sets = [problem.features(n) for n in grid.n_features_to_select]
    ridges = [l2 for l2 in grid.l2 if l2 > grid.drawn_up_to or len(sets) > 1]
    if not ridges:
        return
    problems = [(objective, outliers) for objective, outliers, _ in leverage_screened(problem, data, grid)]
    # Each number of outliers has a path of its own down the ridges, so that it stays on the side where it began.
    starts = [_near(objective, sets[0], outliers, ridges[0]) for objective, outliers in problems]
    for l2 in ridges:
        for k, (objective, outliers) in enumerate(problems):
            at = objective.with_ridge(l2)
            start = starts[k] if objective.is_convex else robust_start(at, outliers)
            fits = [fit.coef for fit in feature_path(at, sets, outliers, start)]
            starts[k] = fits[0]
            yield from (coef[: data.X.shape[1]] for coef in fits[l2 <= grid.drawn_up_to :])


def _near(objective: Any, features: Any, outliers: L0, l2: float) -> Floats:
    """Weights near those of a fit with a weak ridge, by way of stronger ones: from afar a rough fit ends anywhere."""
    coef = robust_start(objective, outliers)
    if objective.is_convex:
        # The start is where the ridge is as strong as the data.
        n_steps = round(np.log10(objective.ridge_unit / l2))
        for ridge in l2 * 10.0 ** np.arange(n_steps - 1, 0, -1):
            (fit,) = feature_path(objective.with_ridge(ridge), [features], outliers, coef)
            coef = fit.coef
    return coef


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
