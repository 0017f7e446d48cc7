"""Pointwise confidence bands of ROC and precision-recall curves, by the bootstrap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from blindauc._typing import Floats
from blindauc.metrics.curves import precision_recall_of, roc_of
from blindauc.metrics.inputs import PUSamples, read_scores
from blindauc.metrics.levels import Levels, resampled_levels
from blindauc.metrics.uncertainty import chance_of_all_alike, check_n_resamples, drawn
from blindauc.theory import blind_auc_slope, check_chance

_N_POINTS = 101
"""Points of a band: one per percent (convention)."""


@dataclass(frozen=True)
class Band:
    """A pointwise interval around a curve.

    Attributes
    ----------
    x : ndarray of shape (n_points,)
        False positive rates, or recalls.
    low, high : ndarray of shape (n_points,)
        The ends of the interval of the true positive rate, or of the precision.
    confidence : float
        The nominal coverage of the interval at each point.
    """

    x: Floats
    low: Floats
    high: Floats
    confidence: float


def pu_roc_band(
    y_pu: Any,
    y_score: Any,
    *,
    prior: float,
    contamination: float = 0.0,
    sample_weight: Any = None,
    pos_label: Any = None,
    confidence: float = 0.95,
    n_resamples: int = 199,
    random_state: Any = None,
) -> Band:
    """The band of `pu_roc_curve`: an interval of the true positive rate at each false positive rate.

    The labelled and the unlabelled rows are resampled separately. A prior and a contamination that are `Estimate` are
    drawn from normal distributions. The ends are quantiles of the resampled curves, widened at 0 and 1 to the exact
    binomial bound for the number of labelled positives.

    Parameters
    ----------
    y_pu : array-like of shape (n,)
        1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.
    y_score : array-like of shape (n,)
        Higher is more likely positive.
    prior : float in [0, 1) or Estimate
        The share of positives *among the unlabelled rows*.
    contamination : float in [0, 1) or Estimate, default=0
        The share of negatives among the labelled positives.
    sample_weight : array-like of shape (n,), optional
    pos_label : object, default=None
        The label of positives; the larger of the two by default.
    confidence : float in (0, 1), default=0.95
    n_resamples : int, default=199
    random_state : int, RandomState or None, default=None

    Returns
    -------
    Band

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.metrics import pu_roc_band
    >>> rng = np.random.default_rng(0)
    >>> y_pu = np.repeat([1, 0], [100, 500])
    >>> band = pu_roc_band(y_pu, rng.normal(size=600) + y_pu, prior=0.0, random_state=0)
    >>> at = np.searchsorted(band.x, 0.5)
    >>> bool(band.low[at] < 0.841 < band.high[at])
    True
    """

    def height(levels: Levels, prior: float, contamination: float) -> Floats:
        curve = roc_of(levels, prior, contamination)
        return np.interp(grid, curve.fpr, curve.tpr)

    grid = np.linspace(0.0, 1.0, _N_POINTS)
    samples = read_scores(y_pu, y_score, sample_weight, pos_label)
    band = _band(height, grid, samples, prior, contamination, confidence, n_resamples, random_state)
    # If all labelled positives are on one side of a threshold, so are all resamples: the bootstrap sees no variance.
    reach = chance_of_all_alike(samples.pos.n_rows, confidence)
    return Band(grid, np.minimum(band.low, reach), np.maximum(band.high, 1 - reach), confidence)


def pu_precision_recall_band(
    y_pu: Any,
    y_score: Any,
    *,
    prior: float,
    contamination: float = 0.0,
    sample_weight: Any = None,
    pos_label: Any = None,
    confidence: float = 0.95,
    n_resamples: int = 199,
    random_state: Any = None,
) -> Band:
    """The band of `pu_precision_recall_curve`: an interval of the precision at each recall.

    The rows are resampled as in `pu_roc_band`.

    Parameters
    ----------
    y_pu, y_score, prior, contamination, sample_weight, pos_label, confidence, n_resamples, random_state
        As for `pu_roc_band`.

    Returns
    -------
    Band

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.metrics import pu_precision_recall_band
    >>> rng = np.random.default_rng(0)
    >>> y_pu = np.repeat([1, 0], [100, 500])
    >>> band = pu_precision_recall_band(y_pu, rng.normal(size=600) + y_pu, prior=0.2, random_state=0)
    >>> bool(np.all(band.low <= band.high))
    True
    """

    def height(levels: Levels, prior: float, contamination: float) -> Floats:
        curve = precision_recall_of(levels, prior, contamination)
        return np.interp(grid, curve.recall, curve.precision)

    # At recall 0 precision is 1 by convention, and has no interval.
    grid = np.linspace(0.0, 1.0, _N_POINTS)[1:]
    samples = read_scores(y_pu, y_score, sample_weight, pos_label)
    return _band(height, grid, samples, prior, contamination, confidence, n_resamples, random_state)


def _band(
    height: Callable[[Levels, float, float], Floats],
    grid: Floats,
    samples: PUSamples,
    prior: float,
    contamination: float,
    confidence: float,
    n_resamples: int,
    random_state: Any,
) -> Band:
    blind_auc_slope(prior, contamination)
    check_chance("confidence", confidence)
    check_n_resamples(n_resamples)
    rng = check_random_state(random_state)
    heights = [
        height(levels.occupied, *_drawn_shares(prior, contamination, rng))
        for levels in resampled_levels(samples, n_resamples, rng)
    ]
    low, high = np.quantile(heights, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    return Band(grid, low, high, confidence)


def _drawn_shares(prior: float, contamination: float, rng: np.random.RandomState) -> tuple[float, float]:
    """A prior and a contamination drawn from their distributions, with a sum below 1 so that there is an AUC."""
    while True:
        shares = drawn(prior, rng), drawn(contamination, rng)
        if sum(shares) < 1:
            return shares
