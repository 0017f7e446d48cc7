"""Out-of-fold ranks: ranks of rows by models that were not fitted to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import Data
from blindauc.estimate import Estimate
from blindauc.evidence.folds import Split, enough_rows, fold_splits
from blindauc.ranks import share_below
from blindauc.scorers.contract import Model, Models, Scorer
from blindauc.scorers.spec import Spec

CALIBRATION_FOLDS, CALIBRATION_SEED = 5, 2**32
"""Number of folds for a fit without a search (convention), and a seed that no search uses."""

MODELS_AT_A_TIME = 32
"""The most models whose scores are computed in one matrix product (convention): few enough that the scores take less
memory than the rows."""


def held_out_ranks(models: Models, held_out: Data, ranked: Bools | None = None) -> Floats:
    """The share of unlabelled rows that score below each positive, or below each `ranked` row if given.

    The shape is (n_models, n_ranked).
    """
    ranked, is_unlabelled = held_out.is_positive if ranked is None else ranked, held_out.is_unlabelled
    weight = held_out.weight[is_unlabelled]
    ranks = []
    for some in np.array_split(np.arange(len(models)), -(-len(models) // MODELS_AT_A_TIME)):
        scores = held_out.scored_by(models.subset(some))
        ranks += [share_below(column[ranked], column[is_unlabelled], weight) for column in scores.T]
    return np.array(ranks)


def mean_estimate(values: Floats, weight: Floats, group: Ints | None = None) -> Estimate:
    """The weighted mean of values with its normal 95 % interval.

    Values of different groups are assumed independent; without groups, all values are. The variance is cluster-robust
    (Liang and Zeger, Longitudinal data analysis using generalized linear models, Biometrika 1986).

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.evidence.out_of_fold import mean_estimate
    >>> once, twice = np.array([0.0, 1.0]), np.array([0.0, 0.0, 1.0, 1.0])
    >>> copies = mean_estimate(twice, np.ones(4), group=np.array([0, 0, 1, 1]))
    >>> bool(copies.low == mean_estimate(once, np.ones(2)).low < mean_estimate(twice, np.ones(4)).low)
    True
    """
    share = weight / weight.sum()
    mean = float(share @ values)
    residual = share * (values - mean)
    if group is not None:
        residual = np.bincount(np.unique(group, return_inverse=True)[1], residual)
    half_width = float(ndtri(0.975) * np.sqrt(residual @ residual))
    return Estimate(mean, mean - half_width, mean + half_width)


class OutOfFold(NamedTuple):
    """Out-of-fold ranks of all rows.

    Attributes
    ----------
    rank : array of shape (n,)
        The share of the unlabelled rows of the same fold that score below a row; NaN for rows that were never held out.
        Means over repeated folds are ranked again, so that the ranks of unlabelled rows are uniform.
    mean_rank : array of shape (n,)
        The mean rank over repeated folds, not ranked again, to compare models on the same splits.
    lift : float
        The amount by which unlabelled rows score higher if the model was not fitted to them, in standard deviations of
        the scores.
    """

    rank: Floats
    mean_rank: Floats
    lift: float

    @property
    def is_known(self) -> bool:
        """Whether any row was held out, so that there are ranks."""
        return not bool(np.isnan(self.rank).all())


class Fold(NamedTuple):
    """A model, and a mask of the rows that were held out from its fit."""

    model: Model
    held_out: Bools


def out_of_fold(data: Data, splits: Sequence[Split], models: Iterable[Model]) -> OutOfFold:
    """Rank every row by the models of the splits that hold it out.

    Parameters
    ----------
    data : Data
    splits : sequence of Split
    models : iterable of Model
        One model per split, fitted to its `fitted` rows.
    """
    total, times, higher = np.zeros(len(data.row)), np.zeros(len(data.row)), []
    for split, model in zip(splits, models, strict=True):
        # Score all rows in one pass: copying the rows of a split would take longer.
        scores = data.scored_by(model)
        new, seen = split.held_out & data.is_unlabelled, split.fitted & data.is_unlabelled
        total[split.held_out] += share_below(scores[split.held_out], scores[new], data.weight[new])
        times[split.held_out] += 1
        above = share_below(scores[new], scores[seen], data.weight[seen])
        higher.append(np.average(above, weights=data.weight[new]))
    was_held_out = times > 0
    mean_rank = np.where(was_held_out, total / np.maximum(times, 1), np.nan)
    rank = mean_rank.copy()
    # Means over repeats concentrate around one half. Ranking them again makes the ranks of unlabelled rows uniform.
    among = was_held_out & data.is_unlabelled
    if among.any():
        rank[was_held_out] = share_below(mean_rank[was_held_out], mean_rank[among], data.weight[among])
    # The distance between the means of two unit normal distributions, from the probability that one exceeds the other.
    share_higher = np.clip(np.mean(higher), 0.5, 0.99) if higher else 0.5
    return OutOfFold(rank, mean_rank, float(np.sqrt(2) * ndtri(share_higher)))


def out_of_fold_of(scorer: Scorer, data: Data, spec: Spec) -> tuple[OutOfFold, list[Fold]]:
    """Out-of-fold ranks by fits of one spec; all ranks are NaN if there are too few rows for folds.

    Only as many unlabelled rows are ranked as the positives need (`enough_rows`).

    Returns
    -------
    ranks : OutOfFold
    folds : list of Fold
        The fitted models.
    """
    ranked = enough_rows(data)
    some = data.subset(ranked)
    splits = fold_splits(some, CALIBRATION_FOLDS, CALIBRATION_SEED)
    models = [scorer.path(some.subset(split.fitted), [spec]).average(np.ones(1)) for split in splits]
    ranks = out_of_fold(some, splits, models)
    rank, mean_rank = np.full((2, len(data.row)), np.nan)
    rank[ranked], mean_rank[ranked] = ranks.rank, ranks.mean_rank
    held_out = np.zeros((len(splits), len(ranked)), dtype=bool)
    for mask, split in zip(held_out, splits, strict=True):
        mask[ranked] = split.held_out
    folds = [Fold(model, mask) for model, mask in zip(models, held_out, strict=True)]
    return OutOfFold(rank, mean_rank, ranks.lift), folds
