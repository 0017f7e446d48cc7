"""The difference of the blind AUC of two rankings of the same rows, with a paired interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from blindauc._typing import Floats
from blindauc.estimate import Estimate
from blindauc.labels import read_labels
from blindauc.metrics.inputs import read_scores
from blindauc.metrics.uncertainty import normal_quantile, variance_of_mean
from blindauc.theory import check_chance


def blind_auc_difference(
    y_pu: Any,
    y_score: Any,
    y_score_before: Any,
    *,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    confidence: float = 0.95,
) -> Estimate:
    r"""Estimate the difference of the blind AUC of two rankings, with a paired confidence interval.

    .. math:: \frac1n \sum_i (r_i - r'_i)

    where :math:`r_i` and :math:`r'_i` are the shares of unlabelled rows that labelled positive i outranks by the two
    rankings. The variance is DeLong's for correlated curves: that of the mean of :math:`r_i - r'_i` over positives plus
    that of the same differences over unlabelled rows. Variation that both rankings share cancels, so that the interval
    is narrower than two separate ones suggest. If rows are grouped, the groups are the independent units (Obuchowski).

    The difference of the AUC on true labels has the same sign and is larger, by a factor
    :math:`1 / (1 - \eta - \pi)` (Theorem 1 of the paper), if :math:`\eta + \pi < 1`.

    Parameters
    ----------
    y_pu : array-like of shape (n,)
        1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.
    y_score, y_score_before : array-like of shape (n,)
        The two rankings; higher is more likely positive. Their scales do not matter. They must come from models that
        were not fitted to the rows.
    groups : array-like of shape (n,), optional
        The group of each row, such as a patient: the rows of one group count as one observation.
    sample_weight : array-like of shape (n,), optional
    pos_label : object, default=None
        The label of positives; the larger of the two by default.
    confidence : float in (0, 1), default=0.95

    Returns
    -------
    Estimate
        Positive where `y_score` is better.

    References
    ----------
    E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Comparing the areas under two or more correlated receiver
    operating characteristic curves: a nonparametric approach, Biometrics 44, 1988.
    N. A. Obuchowski, Nonparametric analysis of clustered ROC curve data, Biometrics 53, 1997.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.metrics import blind_auc_difference
    >>> rng = np.random.default_rng(0)
    >>> y_pu = np.repeat([1, 0], [100, 900])
    >>> good = rng.normal(size=1000) + 1.5 * y_pu
    >>> print(blind_auc_difference(y_pu, good, good + rng.normal(size=1000)))
    0.098 (95 % interval 0.062 to 0.134)
    """
    check_chance("confidence", confidence)
    after, before = (read_scores(y_pu, scores, sample_weight, pos_label) for scores in (y_score, y_score_before))
    if min(after.pos.n_rows, after.unl.n_rows) < 2:
        raise ValueError(
            "An interval needs at least two labelled positives and two unlabelled rows of positive weight, but "
            f"there are {after.pos.n_rows} and {after.unl.n_rows}: label more rows."
        )
    of_pos = after.unl.share_below(after.pos.values) - before.unl.share_below(before.pos.values)
    of_unl = after.pos.share_below(after.unl.values) - before.pos.share_below(before.unl.values)
    if groups is None:
        variance = variance_of_mean(of_pos, after.pos.weight) + variance_of_mean(of_unl, after.unl.weight)
    else:
        pull = np.empty(len(of_pos) + len(of_unl))
        is_positive = read_labels(y_pu, pos_label).is_positive
        pull[is_positive] = _pull(of_pos, after.pos.weight)
        pull[~is_positive] = -_pull(of_unl, after.unl.weight)
        variance = _variance_of_groups(pull, groups)
    value = float(np.average(of_pos, weights=after.pos.weight))
    reach = normal_quantile(confidence) * math.sqrt(variance)
    return Estimate(value, value - reach, value + reach, confidence)


def _pull(values: Floats, weight: Floats) -> Floats:
    """The influence of each value on the weighted mean."""
    share = weight / weight.sum()
    return share * (values - share @ values)


def _variance_of_groups(pull: Floats, groups: Any) -> float:
    """The variance of a sum over independent groups."""
    _, place = np.unique(np.asarray(groups), return_inverse=True)
    if len(place) != len(pull):
        raise ValueError(f"groups must hold one group per row: expected {len(pull)}, got {len(place)}.")
    of_group = np.bincount(place, pull)
    if len(of_group) < 2:
        raise ValueError("An interval needs at least two groups, and all rows are in one.")
    return float(of_group @ of_group * len(of_group) / (len(of_group) - 1))
