"""The best-bin estimator of Garg, Wu, Smola, Balakrishnan & Lipton (NeurIPS 2021), on ranks."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np

from blindauc.estimate import Estimate
from blindauc.prior.result import PriorEstimate
from blindauc.prior.samples import count
from blindauc.theory import check_chance

RISK = 0.05
"""The failure probability of Hoeffding's bounds that place the cut (convention); not the confidence of the interval."""


def best_bin_prior(
    pos_scores: Any, unl_scores: Any, *, pos_weight: Any = None, unl_weight: Any = None, confidence: float = 0.95
) -> PriorEstimate:
    """Estimate the class prior from the purest top bin: `q_unl(c) / q_pos(c)` at the cut c with the lowest upper bound.

    `q(c)` is the share of a sample that scores above c. If no label is wrong, every ratio is at least the prior, and
    equals it if no negative scores above c. The cut minimises `(q_unl + w_unl) / q_pos + w_pos / q_pos` with
    Hoeffding's widths `w = sqrt(log(4 / 0.05) / 2 n)`.

    The contamination is assumed to be zero. A contamination eta raises the estimate to `prior / (1 - eta)`. The
    interval covers sampling error only: if the classes overlap even at the highest scores, the true prior lies below
    it. The interval of `mixture_prior` accounts for such overlap.

    Parameters
    ----------
    pos_scores, unl_scores : array-like of shape (n,)
        Scores of labelled and unlabelled rows, higher for positives, out of fold.
    pos_weight, unl_weight : array-like of shape (n,), optional
        A weight of 2 equals a row given twice.
    confidence : float, default=0.95

    Returns
    -------
    PriorEstimate

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.prior import best_bin_prior
    >>> unlabelled = np.r_[np.arange(700.0), np.linspace(1000, 2000, 300)]
    >>> found = best_bin_prior(np.linspace(1000, 2000, 500), unlabelled)
    >>> round(found.prior, 2), found.prior.low < 0.3 < found.prior.high
    (0.3, True)
    """
    check_chance("confidence", confidence)
    _, counts = count(pos_scores, unl_scores, pos_weight, unl_weight)
    n_pos, n_unl = counts.labelled.sum(), counts.unlabelled.sum()
    q_pos = np.cumsum(counts.labelled[::-1]) / n_pos
    q_unl = np.cumsum(counts.unlabelled[::-1]) / n_unl
    q_pos, q_unl = q_pos[counts.labelled[::-1] > 0], q_unl[counts.labelled[::-1] > 0]
    log_term = np.log(4 / RISK) / 2
    best = int(np.argmin((q_unl + np.sqrt(log_term / n_unl) + np.sqrt(log_term / n_pos)) / q_pos))
    # One extra row keeps the variance positive if the bin holds none, or all, of the unlabelled rows.
    variance = (1 - q_pos[best] + 1 / n_pos) / (q_pos[best] * n_pos) + (1 - q_unl[best] + 1 / n_unl) / (
        q_unl[best] * n_unl + 1
    )
    width = NormalDist().inv_cdf((1 + confidence) / 2) * np.sqrt(variance)
    prior = min(1.0, q_unl[best] / q_pos[best])
    high = min(1.0, (q_unl[best] + 1 / n_unl) / q_pos[best] * np.exp(width))
    return PriorEstimate(
        Estimate(prior, prior * np.exp(-width), max(prior, high), confidence),
        Estimate(0.0, 0.0, 0.0, confidence),
        "best_bin",
    )
