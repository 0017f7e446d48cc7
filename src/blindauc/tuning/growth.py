"""Growing the unlabelled sample until the estimate settles, as the paper advises where rows are dear."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blindauc.data import Data
from blindauc.estimate import Estimate
from blindauc.tuning.criterion import HeldOut, interval_of, mean_ranks
from blindauc.tuning.evaluation import Problem, judged
from blindauc.tuning.folds import fold_splits, in_random_order, row_digests
from blindauc.tuning.grid import Candidate, Grid

SETTLED = 0.005
"""The estimate has settled when doubling the unlabelled rows moves it by no more."""

N_FOLDS = 5


@dataclass(frozen=True)
class GrowthStep:
    """A sample of the unlabelled rows and the blind AUC that a plain fit reaches with it, out of fold.

    The interval is that over positives, for the unlabelled rows as they are.
    """

    n_unlabelled: int
    blind_auc: Estimate


def grown(problem: Problem, candidate: Candidate) -> tuple[Data, list[GrowthStep]]:
    """As many rows as it takes: all positives, and unlabelled rows doubled from as many as there are positives."""
    data = problem.data
    unlabelled = in_random_order(np.flatnonzero(~data.is_positive), row_digests(data.X, 0))
    n_unl, path = int(data.is_positive.sum()), []
    while True:
        taken = data.is_positive.copy()
        taken[unlabelled[:n_unl]] = True
        sample = data.subset(taken)
        path.append(GrowthStep(min(n_unl, len(unlabelled)), _blind_auc(problem, sample, candidate)))
        is_settled = len(path) > 1 and abs(path[-1].blind_auc - path[-2].blind_auc) <= SETTLED
        if is_settled or n_unl >= len(unlabelled):
            return sample, path
        n_unl *= 2


def _blind_auc(problem: Problem, sample: Data, candidate: Candidate) -> Estimate:
    on_sample = problem.of(sample)
    splits = fold_splits(sample, N_FOLDS, seed=0)
    if not splits:
        return Estimate(0.5, 0.0, 1.0)
    parts = [judged(on_sample, split, Grid.of(candidate)).ranks for split in splits]
    held_out = HeldOut(mean_ranks(sample, splits, parts), sample.weight[sample.is_positive], trim=0.0)
    return interval_of(float(held_out.scores()[0]), held_out.standard_errors()[0])
