"""Precision, recall, F1 and the criterion of Lee and Liu, for predicted labels."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from blindauc.metrics.inputs import PUSamples, read_predictions
from blindauc.metrics.rates import precision_of, recall_of
from blindauc.theory import blind_auc_slope


def pu_recall_score(
    y_pu: Any,
    y_pred: Any,
    *,
    prior: float | None = None,
    contamination: float = 0.0,
    sample_weight: Any = None,
    pos_label: Any = None,
) -> float:
    r"""Estimate the recall: the share of positives that are predicted positive.

    .. math:: R = \frac{(1 - \pi) L - \eta U}{1 - \eta - \pi}

    for the shares L of labelled and U of unlabelled rows that are predicted positive, prior :math:`\pi` and
    contamination :math:`\eta`. Without contamination it is L, whatever the prior.

    Parameters
    ----------
    y_pu : array-like of shape (n,)
        1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.
    y_pred : array-like of shape (n,)
        Predicted labels of all rows, the positive one as in `y_pu`.
    prior : float in [0, 1), optional
        The share of positives *among the unlabelled rows*; needed where positives are contaminated.
    contamination : float in [0, 1), default=0
        The share of negatives among the labelled positives.
    sample_weight : array-like of shape (n,), optional
    pos_label : object, default=None
        The label of positives; the larger of the two by default.

    Returns
    -------
    float
        Clipped to [0, 1]: with contamination, sampling error may move the estimate outside.

    Examples
    --------
    >>> from blindauc.metrics import pu_recall_score
    >>> y_pu, y_pred = [1, 1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 1, 0, 1, 0, 0, 0, 0]
    >>> pu_recall_score(y_pu, y_pred)
    0.75
    """
    if prior is None:
        if contamination:
            raise ValueError("With contaminated positives the recall depends on the prior: pass prior=.")
        prior = 0.0
    return _recall(read_predictions(y_pu, y_pred, sample_weight, pos_label), prior, contamination)


def pu_precision_score(
    y_pu: Any,
    y_pred: Any,
    *,
    prior: float,
    contamination: float = 0.0,
    sample_weight: Any = None,
    pos_label: Any = None,
) -> float:
    r"""Estimate the precision: the share of positives among the rows that are predicted positive.

    .. math:: P = \frac{\pi R}{U}

    for the recall R of `pu_recall_score`, prior :math:`\pi`, and the share U of unlabelled rows that are predicted
    positive. It is the precision in the population that the unlabelled rows are drawn from.

    Parameters
    ----------
    y_pu : array-like of shape (n,)
        1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.
    y_pred : array-like of shape (n,)
        Predicted labels of all rows, the positive one as in `y_pu`.
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
        Clipped to at most 1. 0, with a warning, if no row is predicted positive.

    Examples
    --------
    >>> from blindauc.metrics import pu_precision_score
    >>> y_pu, y_pred = [1, 1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 1, 0, 1, 0, 0, 0, 0]
    >>> round(pu_precision_score(y_pu, y_pred, prior=0.2), 6)
    0.75
    """
    samples = read_predictions(y_pu, y_pred, sample_weight, pos_label)
    return _precision(samples, _recall(samples, prior, contamination), prior)


def pu_f1_score(
    y_pu: Any,
    y_pred: Any,
    *,
    prior: float,
    contamination: float = 0.0,
    sample_weight: Any = None,
    pos_label: Any = None,
) -> float:
    r"""Estimate F1, the harmonic mean of precision and recall.

    .. math:: F_1 = \frac{2 P R}{P + R}

    It describes the population that the unlabelled rows are drawn from.

    Parameters
    ----------
    y_pu : array-like of shape (n,)
        1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.
    y_pred : array-like of shape (n,)
        Predicted labels of all rows, the positive one as in `y_pu`.
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
        0, with a warning, where no row is predicted positive.

    Examples
    --------
    >>> from blindauc.metrics import pu_f1_score
    >>> y_pu, y_pred = [1, 1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 1, 0, 1, 0, 0, 0, 0]
    >>> round(pu_f1_score(y_pu, y_pred, prior=0.2), 6)
    0.75
    """
    samples = read_predictions(y_pu, y_pred, sample_weight, pos_label)
    recall = _recall(samples, prior, contamination)
    precision = _precision(samples, recall, prior)
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def lee_liu_score(y_pu: Any, y_pred: Any, *, sample_weight: Any = None, pos_label: Any = None) -> float:
    r"""The criterion of Lee and Liu: it is high if precision and recall both are, and needs no prior.

    .. math:: \frac{L^2}{U}

    for the shares L of labelled and U of unlabelled rows that are predicted positive. Without contamination it is
    precision times recall, divided by the prior. Use it to compare classifiers; its value has no meaning by itself.

    Parameters
    ----------
    y_pu : array-like of shape (n,)
        1, True or `pos_label` for a labelled positive; 0, -1, False or missing for an unlabelled row.
    y_pred : array-like of shape (n,)
        Predicted labels of all rows, the positive one as in `y_pu`.
    sample_weight : array-like of shape (n,), optional
    pos_label : object, default=None
        The label of positives; the larger of the two by default.

    Returns
    -------
    float
        0, with a warning, where no unlabelled row is predicted positive.

    References
    ----------
    W. S. Lee and B. Liu, Learning with positive and unlabeled examples using weighted logistic regression, ICML 2003.

    Examples
    --------
    >>> from blindauc.metrics import lee_liu_score
    >>> y_pu, y_pred = [1, 1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 1, 0, 1, 0, 0, 0, 0]
    >>> round(lee_liu_score(y_pu, y_pred), 6)
    2.8125
    """
    labelled, unlabelled = (sample.mean for sample in read_predictions(y_pu, y_pred, sample_weight, pos_label))
    if unlabelled == 0:
        _warn_undefined("Lee and Liu's score", "no unlabelled row is")
        return 0.0
    return labelled**2 / unlabelled


def _recall(samples: PUSamples, prior: float, contamination: float) -> float:
    recall = recall_of(np.array(samples.pos.mean), np.array(samples.unl.mean), prior, contamination)
    return float(np.clip(recall, 0.0, 1.0))


def _precision(samples: PUSamples, recall: float, prior: float) -> float:
    blind_auc_slope(prior)
    if samples.pos.mean == samples.unl.mean == 0:
        _warn_undefined("Precision", "no row is")
        return 0.0
    return float(precision_of(np.array(recall), np.array(samples.unl.mean), prior))


def _warn_undefined(metric: str, what_is_not: str) -> None:
    warnings.warn(
        f"{metric} is set to 0, since {what_is_not} predicted positive: lower the threshold.",
        UndefinedMetricWarning,
        stacklevel=3,
    )
