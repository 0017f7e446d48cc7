"""Ranks of rows by models that have not seen them."""

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
"""The folds of a fit without a search; five by convention, and folds that no search uses."""


MODELS_AT_A_TIME = 32
"""Models whose scores are one product with the held-out rows: few enough that the scores are smaller than the rows."""


def held_out_ranks(models: Models, held_out: Data, ranked: Bools | None = None) -> Floats:
    """The share of unlabelled rows that score below each positive, or each `ranked` row, of shape (n_models, n_pos)."""
    ranked, is_unlabelled = held_out.is_positive if ranked is None else ranked, held_out.is_unlabelled
    weight = held_out.weight[is_unlabelled]
    ranks = []
    for some in np.array_split(np.arange(len(models)), -(-len(models) // MODELS_AT_A_TIME)):
        scores = models.subset(some).scores(held_out.X)
        ranks += [share_below(column[ranked], column[is_unlabelled], weight) for column in scores.T]
    return np.array(ranks)


def mean_estimate(values: Floats, weight: Floats, group: Ints | None = None) -> Estimate:
    """The weighted mean of values with its normal 95 % interval.

    Values of different groups are independent, by default all (Liang and Zeger, Longitudinal data analysis using
    generalized linear models, Biometrika 1986).

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
    apart = share * (values - mean)
    if group is not None:
        apart = np.bincount(np.unique(group, return_inverse=True)[1], apart)
    reach = float(ndtri(0.975) * np.sqrt(apart @ apart))
    return Estimate(mean, mean - reach, mean + reach)


class OutOfFold(NamedTuple):
    """How rows rank by models that have not seen them.

    Attributes
    ----------
    rank : array of shape (n,), the share of unlabelled rows held out with a row that rank below it; NaN where it was
        never held out. Means over repeats are ranked again, so that unlabelled rows are spread evenly
    mean_rank : the same as it is, to compare with other models of the same splits
    lift : float, by how much unlabelled rows score higher where a fit has not seen them, in units of their spread
    """

    rank: Floats
    mean_rank: Floats
    lift: float

    @property
    def is_known(self) -> bool:
        """Whether any row was held out."""
        return not bool(np.isnan(self.rank).all())


class Fold(NamedTuple):
    """A model, and a mask of the rows that it has not seen."""

    model: Model
    held_out: Bools


def out_of_fold(data: Data, splits: Sequence[Split], models: Iterable[Model]) -> OutOfFold:
    """Rank every row by the models of the splits that hold it out."""
    total, times, higher = np.zeros(len(data.row)), np.zeros(len(data.row)), []
    for split, model in zip(splits, models, strict=True):
        # One pass over all rows: to copy those of a split takes longer.
        scores = model.scores(data.X)
        new, seen = split.held_out & data.is_unlabelled, split.fitted & data.is_unlabelled
        total[split.held_out] += share_below(scores[split.held_out], scores[new], data.weight[new])
        times[split.held_out] += 1
        above = share_below(scores[new], scores[seen], data.weight[seen])
        higher.append(np.average(above, weights=data.weight[new]))
    known = times > 0
    mean_rank = np.where(known, total / np.maximum(times, 1), np.nan)
    rank = mean_rank.copy()
    # Means over repeats crowd in the middle.
    among = known & data.is_unlabelled
    if among.any():
        rank[known] = share_below(mean_rank[known], mean_rank[among], data.weight[among])
    # Two normal samples of unit spread: by how much one lies above, given how often it is the higher.
    share_higher = np.clip(np.mean(higher), 0.5, 0.99) if higher else 0.5
    return OutOfFold(rank, mean_rank, float(np.sqrt(2) * ndtri(share_higher)))


def out_of_fold_of(scorer: Scorer, data: Data, spec: Spec) -> tuple[OutOfFold, list[Fold]]:
    """How rows rank by fits of one spec to the other folds; nothing is known where rows are too few for folds.

    Of the unlabelled rows, as many as are enough for the positives are ranked.

    Returns
    -------
    known : OutOfFold
    folds : list of Fold, the fits
    """
    ranked = enough_rows(data)
    some = data.subset(ranked)
    splits = fold_splits(some, CALIBRATION_FOLDS, CALIBRATION_SEED)
    models = [scorer.path(some.subset(split.fitted), [spec]).average(np.ones(1)) for split in splits]
    known = out_of_fold(some, splits, models)
    rank, mean_rank = np.full((2, len(data.row)), np.nan)
    rank[ranked], mean_rank[ranked] = known.rank, known.mean_rank
    held_out = np.zeros((len(splits), len(ranked)), dtype=bool)
    for mask, split in zip(held_out, splits, strict=True):
        mask[ranked] = split.held_out
    folds = [Fold(model, mask) for model, mask in zip(models, held_out, strict=True)]
    return OutOfFold(rank, mean_rank, known.lift), folds
