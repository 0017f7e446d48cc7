"""Grow the unlabelled sample until the blind AUC stops changing, as the paper advises if rows are expensive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blindauc.data import Data
from blindauc.estimate import Estimate
from blindauc.evidence.folds import fold_splits, in_random_order
from blindauc.evidence.out_of_fold import held_out_ranks, mean_estimate
from blindauc.scorers.contract import Scorer
from blindauc.scorers.spec import Spec

SETTLED = 0.005
"""Growth stops once doubling the unlabelled rows changes the blind AUC by no more than this (convention)."""

N_FOLDS = 5
"""Folds of each step (convention; the default `cv` of the estimators)."""


@dataclass(frozen=True)
class GrowthStep:
    """The size of a sample of the unlabelled rows, and the out-of-fold blind AUC of a single fit with it.

    The interval accounts for the sampling of positives; the unlabelled rows are taken as fixed.
    """

    n_unlabelled: int
    blind_auc: Estimate


def grown(scorer: Scorer, data: Data, spec: Spec) -> tuple[Data, list[GrowthStep]]:
    """The sample at which growth stopped, and the steps that led to it.

    Every sample holds all positives. The first sample has as many unlabelled rows as positives, and each further one
    has twice as many as the one before. The order of the rows depends only on their values, so that samples are nested
    and reproducible.
    """
    unlabelled = in_random_order(np.flatnonzero(data.is_unlabelled), data.digests())
    n_unl, path = int(data.is_positive.sum()), []
    while True:
        taken = ~data.is_unlabelled
        taken[unlabelled[:n_unl]] = True
        sample = data.subset(taken)
        path.append(GrowthStep(min(n_unl, len(unlabelled)), _blind_auc(scorer, sample, spec)))
        is_settled = len(path) > 1 and abs(path[-1].blind_auc - path[-2].blind_auc) <= SETTLED
        if is_settled or n_unl >= len(unlabelled):
            return sample, path
        n_unl *= 2


def _blind_auc(scorer: Scorer, sample: Data, spec: Spec) -> Estimate:
    splits = fold_splits(sample, N_FOLDS, seed=0)
    if not splits:
        return Estimate(0.5, 0.0, 1.0)
    ranks, weights = [], []
    for split in splits:
        held_out = sample.subset(split.held_out)
        ranks.append(held_out_ranks(scorer.path(sample.subset(split.fitted), [spec]), held_out)[0])
        weights.append(held_out.weight[held_out.is_positive])
    return mean_estimate(np.concatenate(ranks), np.concatenate(weights))
