"""The AUC of positives against negatives, estimated without negatives, and its confidence interval."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from scipy.special import expit, logit
from sklearn.utils import check_random_state

from blindauc._typing import Floats
from blindauc.estimate import Estimate
from blindauc.metrics.inputs import PUSamples, read_scores
from blindauc.metrics.levels import resampled_levels
from blindauc.metrics.uncertainty import (
    chance_of_all_alike,
    check_n_resamples,
    drawn,
    normal_quantile,
    standard_error_of,
    variance_of_mean,
)
from blindauc.theory import auc_from_blind_auc, blind_auc_from_auc, blind_auc_slope, check_chance


def pu_auc_score(
    y_pu: Any,
    y_score: Any,
    *,
    prior: float,
    contamination: float = 0.0,
    sample_weight: Any = None,
    pos_label: Any = None,
    confidence: float = 0.95,
    method: str = "delong",
    n_resamples: int = 999,
    random_state: Any = None,
) -> Estimate:
    r"""Estimate the AUC of positives against negatives, with a confidence interval.

    .. math:: AUC = \frac12 + \frac{BAUC - 1/2}{1 - \eta - \pi}

    for the blind AUC of `blind_auc_score`, prior :math:`\pi` and contamination :math:`\eta` (Theorem 1 of the paper,
    extended to contaminated positives). The variance combines DeLong's variance of the blind AUC with those of an
    uncertain prior and contamination, by the delta method:

    .. math:: \frac{v_{BAUC} + (AUC - \frac12)^2 \, (v_\pi + v_\eta)}{(1 - \eta - \pi)^2}

    Parameters
    ----------
    y_pu : array-like of shape (n,)
        1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.
    y_score : array-like of shape (n,)
        Higher is more likely positive.
    prior : float in [0, 1) or Estimate
        The share of positives *among the unlabelled rows*. If you know the share among all rows of one sample,
        convert it with `blindauc.theory.prior_among_unlabelled_from_counts`.
    contamination : float in [0, 1) or Estimate, default=0
        The share of negatives among the labelled positives.
    sample_weight : array-like of shape (n,), optional
        The weight of a pair is the product of its two weights. For the interval a row of weight two is one observation
        that counts twice, not two observations.
    pos_label : object, default=None
        The label of positives; the larger of the two by default.
    confidence : float in (0, 1), default=0.95
    method : {"delong", "bootstrap"}, default="delong"
        "delong" is a closed formula. "bootstrap" resamples labelled and unlabelled rows separately. A prior and a
        contamination that are `Estimate` are drawn from normal distributions.
    n_resamples : int, default=999
        The number of bootstrap samples.
    random_state : int, RandomState or None, default=None
        Seed of the bootstrap.

    Returns
    -------
    Estimate
        A float with `low`, `high` and `standard_error`. It is not clipped: a value outside of [0, 1] comes with a
        warning, and the ends of the interval may lie outside as well.

    Notes
    -----
    Both samples are taken as independent draws, so that the number of negatives among the labelled positives, and
    of positives among the unlabelled rows, is itself random. If it is fixed by design (exactly 10 of 100, say), the
    interval is slightly too wide. Scores must come from a model that was not fitted to the rows.

    The interval of "delong" is symmetric on the logit scale of the blind AUC. For a blind AUC near 1, which requires a
    prior near 0, and few positives (0.99 from 30, say) it is slightly too short, and that of the bootstrap more so.

    References
    ----------
    E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Comparing the areas under two or more correlated receiver
    operating characteristic curves: a nonparametric approach, Biometrics 44, 1988.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.metrics import pu_auc_score
    >>> rng = np.random.default_rng(0)
    >>> hidden = rng.uniform(size=2000) < 0.3
    >>> y_pu = np.repeat([1, 0], [300, 2000])
    >>> y_score = rng.normal(size=2300) + 1.8124 * np.concatenate([np.ones(300), hidden])  # the AUC is 0.9
    >>> print(pu_auc_score(y_pu, y_score, prior=0.3))
    0.893 (95 % interval 0.859 to 0.925)
    """
    check_chance("confidence", confidence)
    samples = read_scores(y_pu, y_score, sample_weight, pos_label)
    ranks = samples.unl.share_below(samples.pos.values)
    blind_auc = float(np.average(ranks, weights=samples.pos.weight))
    auc = auc_from_blind_auc(blind_auc, prior, contamination)
    _check_two_of_each(samples)
    if method == "delong":
        low, high = _delong_ends(samples, ranks, blind_auc, prior, contamination, confidence)
    elif method == "bootstrap":
        rng = check_random_state(random_state)
        low, high = _bootstrap_ends(samples, prior, contamination, confidence, n_resamples, rng)
    else:
        raise ValueError(f'method must be "delong" or "bootstrap", not {method!r}.')
    _warn_if_impossible(auc, blind_auc, prior, contamination)
    return Estimate(auc, min(low, auc), max(high, auc), confidence)


def _delong_ends(
    samples: PUSamples, ranks: Floats, blind_auc: float, prior: float, contamination: float, confidence: float
) -> tuple[float, float]:
    slope = blind_auc_slope(prior, contamination)
    slope_error = math.hypot(standard_error_of(prior), standard_error_of(contamination))
    # The half-width that an uncertain slope adds, on the scale of the blind AUC.
    by_slope = abs(blind_auc - 0.5) / slope * normal_quantile(confidence) * slope_error
    # Independent errors add in squares, separately on each side of the interval.
    low, high = (math.hypot(end - blind_auc, by_slope) for end in _blind_ends(samples, ranks, blind_auc, confidence))
    auc = auc_from_blind_auc(blind_auc, prior, contamination)
    return auc - low / slope, auc + high / slope


def _blind_ends(samples: PUSamples, ranks: Floats, blind_auc: float, confidence: float) -> tuple[float, float]:
    """The confidence interval of the blind AUC."""
    # If all pairs agree (up to rounding), the estimated variance is zero: use an exact binomial bound instead.
    if not 1e-12 < blind_auc < 1 - 1e-12:
        # At least as many pairs are independent as the smaller sample has rows.
        reach = chance_of_all_alike(min(samples.pos.n_rows, samples.unl.n_rows), confidence)
        return (reach, 1.0) if blind_auc > 0.5 else (0.0, 1 - reach)
    # The second term of DeLong's variance: the share of positives below each unlabelled row.
    unl_ranks = samples.pos.share_below(samples.unl.values)
    variance = variance_of_mean(ranks, samples.pos.weight) + variance_of_mean(unl_ranks, samples.unl.weight)
    half_width = normal_quantile(confidence) * math.sqrt(variance) / (blind_auc * (1 - blind_auc))
    low, high = expit(logit(blind_auc) + np.array([-half_width, half_width]))
    return float(low), float(high)


def _bootstrap_ends(
    samples: PUSamples,
    prior: float,
    contamination: float,
    confidence: float,
    n_resamples: int,
    rng: np.random.RandomState,
) -> tuple[float, float]:
    check_n_resamples(n_resamples)
    distances = np.array([levels.blind_auc - 0.5 for levels in resampled_levels(samples, n_resamples, rng)])
    slopes = np.array([1 - drawn(prior, rng) - drawn(contamination, rng) for _ in range(n_resamples)])
    # If the drawn slope is not positive, the AUC is unbounded.
    unbounded = np.copysign(np.inf, distances)
    aucs = 0.5 + np.divide(distances, slopes, out=unbounded, where=slopes > 0)
    # Quantiles that are elements of the sample: interpolating between infinite values would give NaN.
    low, high = np.quantile(aucs, [(1 - confidence) / 2, (1 + confidence) / 2], method="inverted_cdf")
    return float(low), float(high)


def _check_two_of_each(samples: PUSamples) -> None:
    n_pos, n_unl = (sample.n_rows for sample in samples)
    if min(n_pos, n_unl) < 2:
        raise ValueError(
            f"An interval needs at least two labelled positives and two unlabelled rows of positive weight, but "
            f"there are {n_pos} and {n_unl}: label more rows, or use blindauc.metrics.blind_auc_score (no interval)."
        )


def _warn_if_impossible(auc: float, blind_auc: float, prior: float, contamination: float) -> None:
    if 0 <= auc <= 1:
        return
    best, worst = (blind_auc_from_auc(end, prior, contamination) for end in (1.0, 0.0))
    warnings.warn(
        f"The AUC comes out as {auc:.3f}: a blind AUC of {blind_auc:.3f} is impossible with prior={prior:.3g} and "
        f"contamination={contamination:.3g}, which allow {worst:.3f} to {best:.3f}. Unless this is sampling error, the "
        "prior or the contamination is too large, or the prior is that of all rows instead of the unlabelled rows "
        "(blindauc.theory.prior_among_unlabelled_from_counts converts it).",
        UserWarning,
        stacklevel=3,
    )
