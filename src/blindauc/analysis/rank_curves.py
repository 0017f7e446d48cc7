"""What the ranks of held-out rows show: curves with their bands, and how both kinds of rows are spread."""

from __future__ import annotations

from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.metrics import pu_roc_band, pu_roc_curve
from blindauc.ranks import share_below
from blindauc.report.findings import Curve, Histogram
from blindauc.trust.judgement import left_over, usable_prior

N_BINS = 20

N_LEVELS = 2000
"""Ranks are rounded to so many levels: a curve of 100 points shows no more, and resampling takes far less time."""


class OutOfFoldRanks:
    """The ranks of labelled and of unlabelled rows by models that have not seen them.

    Where nothing could be held out the rows rank by the model that has seen them, and bands say that nothing is sure.

    Parameters
    ----------
    ranking : a fitted `BlindAUCClassifierCV`
    is_positive : mask of shape (n,)
    score : ndarray of shape (n,)
        By the model that has seen them.
    seed : of the resamples
    """

    def __init__(self, ranking: Any, is_positive: Bools, score: Floats, seed: Any = 0) -> None:
        known = ~np.isnan(ranking.held_out_rank_)
        self._is_known = bool(known.any())
        unlabelled = score[~is_positive]
        in_sample = share_below(score, unlabelled, np.ones(len(unlabelled)))
        rank = ranking.held_out_rank_ if self._is_known else in_sample
        weight = np.ones(len(rank))
        # Labels count as far as they are not doubted, as they do in `auc_`.
        weight[is_positive] = np.maximum(1 - ranking.suspicion_, 1e-9)
        taken = known if self._is_known else np.ones_like(known)
        self._rank, self._is_positive, self._weight = rank[taken], is_positive[taken], weight[taken]
        self._seed = seed
        self._prior, self._contamination = usable_prior(ranking.prior_), left_over(ranking.contamination_)

    def roc(self) -> Curve:
        """True against false positive rates."""
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
        low, high = (band.low, band.high) if self._is_known else (np.zeros_like(height), np.ones_like(height))
        # The curve of the sample may lie outside of the middle 95 % of the resampled ones.
        low, high = np.minimum(low, height), np.maximum(high, height)
        return Curve(band.x.tolist(), height.tolist(), low.tolist(), high.tolist())
