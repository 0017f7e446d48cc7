"""The blind AUC: labelled positives against unlabelled rows. No prior is needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from blindauc._typing import Floats
from blindauc.metrics.inputs import read_scores


def positive_ranks(y_pu: Any, y_score: Any, *, sample_weight: Any = None, pos_label: Any = None) -> Floats:
    r"""The share of unlabelled rows that each labelled positive outranks.

    .. math:: r_i = \frac{\sum_j q_j \left(1[f_i > f_j] + \frac12 1[f_i = f_j]\right)}{\sum_j q_j}

    for the scores :math:`f_j` and weights :math:`q_j` of the unlabelled rows.

    Parameters
    ----------
    y_pu : array-like of shape (n,)
        1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.
    y_score : array-like of shape (n,)
        Higher is more likely positive.
    sample_weight : array-like of shape (n,), optional
    pos_label : object, default=None
        The label of positives; the larger of the two by default.

    Returns
    -------
    ndarray of shape (n_pos,)
        One rank per labelled positive, in the order of the rows.

    Examples
    --------
    >>> from blindauc.metrics import positive_ranks
    >>> positive_ranks([1, 0, 1, 0], [3.0, 2.0, 2.0, 1.0]).tolist()
    [1.0, 0.75]
    """
    pos, unl = read_scores(y_pu, y_score, sample_weight, pos_label)
    return unl.share_below(pos.values)


def blind_auc_score(y_pu: Any, y_score: Any, *, sample_weight: Any = None, pos_label: Any = None) -> float:
    r"""The probability that a labelled positive outranks an unlabelled row; ties count one half.

    .. math:: BAUC = \frac{\sum_i p_i r_i}{\sum_i p_i}

    for the ranks :math:`r_i` of `positive_ranks` and the weights :math:`p_i` of the labelled positives. The AUC on true
    labels is an increasing function of it (Theorem 1 of the paper), so it suffices to compare rankings. `pu_auc_score`
    converts it to that AUC.

    Parameters
    ----------
    y_pu : array-like of shape (n,)
        1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.
    y_score : array-like of shape (n,)
        Higher is more likely positive.
    sample_weight : array-like of shape (n,), optional
        The weight of a pair is the product of its two weights.
    pos_label : object, default=None
        The label of positives; the larger of the two by default.

    Returns
    -------
    float

    Examples
    --------
    >>> from blindauc.metrics import blind_auc_score
    >>> blind_auc_score([1, 0, 1, 0], [3.0, 2.0, 2.0, 1.0])
    0.875
    """
    pos, unl = read_scores(y_pu, y_score, sample_weight, pos_label)
    return float(np.average(unl.share_below(pos.values), weights=pos.weight))


def trimmed_blind_auc_score(
    y_pu: Any, y_score: Any, *, trim: float = 0.15, sample_weight: Any = None, pos_label: Any = None
) -> float:
    r"""The blind AUC without the labelled positives that rank lowest.

    .. math:: \frac{1}{1 - t} \int_t^1 r_{(u)} \, du

    where :math:`r_{(u)}` is the u-quantile of the ranks of `positive_ranks` and t is `trim`. A mislabelled positive
    should rank low, and leaving out the lowest ranks does not penalise a model for that. Compare candidates only at
    the same trim; the value itself is not an AUC.

    Parameters
    ----------
    y_pu : array-like of shape (n,)
        1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.
    y_score : array-like of shape (n,)
        Higher is more likely positive.
    trim : float in [0, 1), default=0.15
        The share of the labelled positives, by weight, to leave out. A positive at the limit is left out in part.
    sample_weight : array-like of shape (n,), optional
        The weight of a pair is the product of its two weights.
    pos_label : object, default=None
        The label of positives; the larger of the two by default.

    Returns
    -------
    float

    Examples
    --------
    >>> from blindauc.metrics import trimmed_blind_auc_score
    >>> y_pu, y_score = [1, 1, 1, 1, 0, 0], [5.0, 4.0, 3.0, -9.0, 0.0, 1.0]
    >>> trimmed_blind_auc_score(y_pu, y_score, trim=0)
    0.75
    >>> trimmed_blind_auc_score(y_pu, y_score, trim=0.25)
    1.0
    """
    if not 0 <= trim < 1:
        raise ValueError(f"trim is the share of positives to leave out: it must lie in [0, 1), not {trim!r}.")
    pos, unl = read_scores(y_pu, y_score, sample_weight, pos_label)
    ranks = unl.share_below(pos.values)
    order = np.argsort(ranks, kind="stable")
    cumulative = np.cumsum(pos.weight[order])
    kept = np.clip(cumulative - trim * cumulative[-1], 0.0, pos.weight[order])
    return float(np.average(ranks[order], weights=kept))
