"""ROC and precision-recall curves, estimated without negatives.

The rates of `blindauc.metrics.rates` are estimated at every threshold. True rates increase as the threshold decreases,
but noisy estimates need not: isotonic regression replaces them by the nearest increasing curve within [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.isotonic import isotonic_regression

from blindauc._typing import Floats
from blindauc.metrics.inputs import read_scores
from blindauc.metrics.levels import Levels, levels_of
from blindauc.metrics.rates import false_positive_rate_of, precision_of, recall_of


@dataclass(frozen=True)
class PURocCurve:
    """A ROC curve, from the highest threshold down.

    Attributes
    ----------
    fpr, tpr : ndarray of shape (n_thresholds,)
        False and true positive rate of predicting positive what scores at least the threshold; both rise from 0 to 1.
    thresholds : ndarray of shape (n_thresholds,)
        Infinity, where nothing is predicted positive, then the distinct scores.
    """

    fpr: Floats
    tpr: Floats
    thresholds: Floats


@dataclass(frozen=True)
class PUPrecisionRecallCurve:
    """A precision-recall curve, from the highest threshold down.

    Attributes
    ----------
    precision, recall : ndarray of shape (n_thresholds,)
        Of predicting positive what scores at least the threshold; recall rises from 0 to 1, and precision starts at
        1 where nothing is predicted positive.
    thresholds : ndarray of shape (n_thresholds,)
        Infinity, where nothing is predicted positive, then the distinct scores.
    """

    precision: Floats
    recall: Floats
    thresholds: Floats


def pu_roc_curve(
    y_pu: Any,
    y_score: Any,
    *,
    prior: float,
    contamination: float = 0.0,
    sample_weight: Any = None,
    pos_label: Any = None,
) -> PURocCurve:
    r"""Estimate the ROC curve of positives against negatives.

    .. math::
        TPR = \frac{(1 - \pi) L - \eta U}{1 - \eta - \pi}, \quad FPR = \frac{(1 - \eta) U - \pi L}{1 - \eta - \pi}

    for the shares L of labelled and U of unlabelled rows at or above a threshold, prior :math:`\pi` and contamination
    :math:`\eta`, each made monotone by isotonic regression and clipped into [0, 1]. Before that, the area under the
    curve is `pu_auc_score`; after it, nearly so.

    Parameters
    ----------
    y_pu : array-like of shape (n,)
        1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.
    y_score : array-like of shape (n,)
        Higher is more likely positive.
    prior : float in [0, 1)
        The share of positives *among the unlabelled rows*.
    contamination : float in [0, 1), default=0
        The share of negatives among the labelled positives.
    sample_weight : array-like of shape (n,), optional
    pos_label : object, default=None
        The label of positives; the larger of the two by default.

    Returns
    -------
    PURocCurve

    See Also
    --------
    pu_roc_band : a confidence band of the curve.

    Examples
    --------
    >>> from blindauc.metrics import pu_roc_curve
    >>> curve = pu_roc_curve([1, 1, 0, 0, 0, 0], [4, 3, 4, 2, 2, 1], prior=0.25)
    >>> curve.tpr.tolist()
    [0.0, 0.5, 1.0, 1.0, 1.0]
    >>> curve.fpr.round(3).tolist()
    [0.0, 0.1, 0.1, 0.667, 1.0]
    >>> curve.thresholds.tolist()
    [inf, 4.0, 3.0, 2.0, 1.0]
    """
    return roc_of(levels_of(read_scores(y_pu, y_score, sample_weight, pos_label)), prior, contamination)


def pu_precision_recall_curve(
    y_pu: Any,
    y_score: Any,
    *,
    prior: float,
    contamination: float = 0.0,
    sample_weight: Any = None,
    pos_label: Any = None,
) -> PUPrecisionRecallCurve:
    r"""Estimate precision and recall at every threshold.

    .. math:: P = \frac{\pi R}{U}

    for the recall R, which is the true positive rate of `pu_roc_curve`, the share U of unlabelled rows at or above a
    threshold, and prior :math:`\pi`; at most 1. It is the precision in the population that the unlabelled rows are
    drawn from.

    Parameters
    ----------
    y_pu : array-like of shape (n,)
        1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.
    y_score : array-like of shape (n,)
        Higher is more likely positive.
    prior : float in [0, 1)
        The share of positives *among the unlabelled rows*.
    contamination : float in [0, 1), default=0
        The share of negatives among the labelled positives.
    sample_weight : array-like of shape (n,), optional
    pos_label : object, default=None
        The label of positives; the larger of the two by default.

    Returns
    -------
    PUPrecisionRecallCurve
        From the highest threshold down; scikit-learn's curve is in the opposite order.

    See Also
    --------
    pu_precision_recall_band : a confidence band of the curve.

    Examples
    --------
    >>> from blindauc.metrics import pu_precision_recall_curve
    >>> curve = pu_precision_recall_curve([1, 1, 0, 0, 0, 0], [4, 3, 4, 2, 2, 1], prior=0.25)
    >>> curve.recall.tolist()
    [0.0, 0.5, 1.0, 1.0, 1.0]
    >>> curve.precision.round(3).tolist()
    [1.0, 0.5, 1.0, 0.333, 0.25]
    """
    return precision_recall_of(levels_of(read_scores(y_pu, y_score, sample_weight, pos_label)), prior, contamination)


def pu_average_precision_score(
    y_pu: Any,
    y_score: Any,
    *,
    prior: float,
    contamination: float = 0.0,
    sample_weight: Any = None,
    pos_label: Any = None,
) -> float:
    r"""Estimate the average precision.

    .. math:: AP = \sum_k (R_k - R_{k-1}) P_k

    for the precision and recall of `pu_precision_recall_curve` at the k-th highest threshold, as in scikit-learn's
    `average_precision_score`. It describes the population that the unlabelled rows are drawn from.

    Parameters
    ----------
    y_pu : array-like of shape (n,)
        1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.
    y_score : array-like of shape (n,)
        Higher is more likely positive.
    prior : float in [0, 1)
        The share of positives *among the unlabelled rows*.
    contamination : float in [0, 1), default=0
        The share of negatives among the labelled positives.
    sample_weight : array-like of shape (n,), optional
    pos_label : object, default=None
        The label of positives; the larger of the two by default.

    Returns
    -------
    float

    Examples
    --------
    >>> from blindauc.metrics import pu_average_precision_score
    >>> pu_average_precision_score([1, 1, 0, 0, 0, 0], [4, 3, 4, 2, 2, 1], prior=0.25)
    0.75
    """
    return average_precision_of(
        pu_precision_recall_curve(
            y_pu,
            y_score,
            prior=prior,
            contamination=contamination,
            sample_weight=sample_weight,
            pos_label=pos_label,
        )
    )


def roc_of(levels: Levels, prior: float, contamination: float) -> PURocCurve:
    """The curve of `pu_roc_curve`."""
    labelled, unlabelled = levels.shares_above
    tpr = recall_of(labelled, unlabelled, prior, contamination)
    fpr = false_positive_rate_of(labelled, unlabelled, prior, contamination)
    return PURocCurve(_rising(fpr, levels), _rising(tpr, levels), np.append(np.inf, levels.scores))


def precision_recall_of(levels: Levels, prior: float, contamination: float) -> PUPrecisionRecallCurve:
    """The curve of `pu_precision_recall_curve`."""
    labelled, unlabelled = levels.shares_above
    recall = _rising(recall_of(labelled, unlabelled, prior, contamination), levels)
    return PUPrecisionRecallCurve(precision_of(recall, unlabelled, prior), recall, np.append(np.inf, levels.scores))


def average_precision_of(curve: PUPrecisionRecallCurve) -> float:
    """The area of `pu_average_precision_score`."""
    return float(np.diff(curve.recall) @ curve.precision[1:])


def _rising(rate: Floats, levels: Levels) -> Floats:
    """The nearest increasing curve within [0, 1]; levels are weighted by their shares of both samples."""
    weight = levels.pos / levels.pos.sum() + levels.unl / levels.unl.sum()
    return np.append(0.0, isotonic_regression(rate[1:], sample_weight=weight, y_min=0.0, y_max=1.0))
