"""The ROC curve with its confidence band and the histogram of ranks, from out-of-fold ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.metrics import pu_roc_band, pu_roc_curve
from blindauc.ranks import share_below
from blindauc.report.findings import Curve, Histogram
from blindauc.trust.ranks import residual_contamination, usable_prior

N_BINS = 20
"""Bins of the histogram of ranks (convention)."""

N_LEVELS = 2000
"""Ranks are rounded to this many levels (convention): a curve of 100 points shows no more detail, and resampling is
much faster."""

LEAST_WEIGHT = 1e-9
"""Weight of a label that is certainly wrong (convention): nearly zero, as sample weights must be positive."""


class OutOfFoldRanks:
    """Out-of-fold ranks of the labelled and the unlabelled rows.

    If the fit had no folds (too few labels), in-sample ranks stand in and the band covers everything from 0 to 1.

    Parameters
    ----------
    ranking : a fitted `BlindAUCClassifierCV`
    is_positive : mask of shape (n,)
    score : ndarray of shape (n,)
        The in-sample scores.
    seed : the seed of the resamples
    """

    def __init__(self, ranking: Any, is_positive: Bools, score: Floats, seed: Any = 0) -> None:
        has_rank = ~np.isnan(ranking.held_out_rank_)
        self._has_folds = bool(has_rank.any())
        unlabelled = score[~is_positive]
        in_sample = share_below(score, unlabelled, np.ones(len(unlabelled)))
        rank = ranking.held_out_rank_ if self._has_folds else in_sample
        weight = np.ones(len(rank))
        # Labels count with the probability that they are right, as they do in `auc_`.
        weight[is_positive] = np.maximum(1 - ranking.suspicion_, LEAST_WEIGHT)
        taken = has_rank if self._has_folds else np.ones_like(has_rank)
        self._rank, self._is_positive, self._weight = rank[taken], is_positive[taken], weight[taken]
        self._seed = seed
        self._prior, self._contamination = usable_prior(ranking.prior_), residual_contamination(ranking.contamination_)

    def roc(self) -> Curve:
        """The ROC curve with its band."""
        curve = pu_roc_curve(*self._rows, prior=self._prior, sample_weight=self._weight)
        return self._with_band(curve.fpr, curve.tpr)

    def histogram(self) -> Histogram:
        """The shares of labelled and of unlabelled rows in equal bins of the rank."""
        edges = np.linspace(0.0, 1.0, N_BINS + 1)
        counts = [np.histogram(self._rank[kind], edges)[0] for kind in (self._is_positive, ~self._is_positive)]
        labelled, unlabelled = ((count / count.sum()).tolist() for count in counts)
        return Histogram(edges.tolist(), labelled, unlabelled)

    @property
    def _rows(self) -> tuple[Bools, Floats]:
        return self._is_positive, np.round(self._rank * N_LEVELS) / N_LEVELS

    def _with_band(self, x: Floats, y: Floats) -> Curve:
        band = pu_roc_band(
            *self._rows,
            prior=self._prior,
            contamination=self._contamination,
            sample_weight=self._weight,
            random_state=self._seed,
        )
        height = np.interp(band.x, x, y)
        low, high = (band.low, band.high) if self._has_folds else (np.zeros_like(height), np.ones_like(height))
        # The curve of the sample may lie outside the middle 95 % of the resampled curves.
        low, high = np.minimum(low, height), np.maximum(high, height)
        return Curve(band.x.tolist(), height.tolist(), low.tolist(), high.tolist())
