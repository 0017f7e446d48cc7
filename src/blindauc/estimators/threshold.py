"""Thresholds of the score: at a given share of the rows, or at a probability of one half."""

import numpy as np

from blindauc._typing import Floats
from blindauc.prior import ScoreModel


def threshold_of_share(scores: Floats, weight: Floats, share: float) -> float:
    """The threshold above which the highest scores make up `share` of the weight, half-way between two scores.

    Tied scores are on the same side of the threshold, the side for which the share is closer.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.estimators.threshold import threshold_of_share
    >>> threshold_of_share(np.array([4.0, 1.0, 2.0, 3.0]), np.ones(4), share=0.5)
    2.5
    """
    negated, level = np.unique(-scores, return_inverse=True)
    levels = -negated
    # The share predicted positive if the first 0, 1, 2, ... levels are. Rounded, so that rounding errors break no ties.
    above = np.append(0.0, np.cumsum(np.bincount(level, weight))) / weight.sum()
    n_above = int(np.argmin(np.round(np.abs(above - share), 12)))
    edges = np.concatenate([[beyond(levels[0], 1)], levels, [beyond(levels[-1], -1)]])
    return float((edges[n_above] + edges[n_above + 1]) / 2)


def threshold_of_half(model: ScoreModel, scores: Floats) -> float:
    """The score above which the probability exceeds one half; above all scores if there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.estimators.threshold import threshold_of_half
    >>> from blindauc.prior import fit_score_model
    >>> unlabelled = np.arange(100.0)
    >>> model = fit_score_model(np.arange(80.0, 100.0), unlabelled, prior=0.2, contamination=0.0)
    >>> 60 < threshold_of_half(model, unlabelled) < 90
    True
    """
    above = np.flatnonzero(model.probabilities > 0.5)
    if len(above) == 0:
        return beyond(scores.max(), 1)
    return float(model.edges[above[0] - 1]) if above[0] > 0 else beyond(scores.min(), -1)


def beyond(score: float, direction: int) -> float:
    """A score well above (1) or below (-1) another."""
    return float(score + direction * (1.0 + abs(score)))
