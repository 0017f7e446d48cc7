"""Theorem 1: conversion between the AUC and the blind AUC."""

from __future__ import annotations

from blindauc.theory.checks import check_share


def blind_auc_slope(prior: float, contamination: float = 0.0) -> float:
    """The distance of the blind AUC from 1/2, divided by that of the AUC: `1 - contamination - prior`.

    Parameters
    ----------
    prior : float in [0, 1)
        The share of positives among the unlabelled rows.
    contamination : float in [0, 1), default=0
        The share of negatives among the labelled positives.

    Returns
    -------
    float in (0, 1]

    Examples
    --------
    >>> from blindauc.theory import blind_auc_slope
    >>> blind_auc_slope(0.25, contamination=0.25)
    0.5
    """
    check_share("prior", prior, "share of positives among the unlabelled rows")
    check_share("contamination", contamination, "share of negatives among the labelled positives")
    slope = 1 - float(contamination) - float(prior)
    if slope <= 0:
        raise ValueError(
            f"contamination + prior must be below 1, not {contamination:g} + {prior:g}: otherwise the labelled rows "
            "hold no larger share of positives than the unlabelled ones, and no AUC can be estimated."
        )
    return slope


def auc_from_blind_auc(blind_auc: float, prior: float, contamination: float = 0.0) -> float:
    r"""Theorem 1: the AUC of positives against negatives, from that of labelled against unlabelled rows.

    .. math:: AUC = \frac12 + \frac{BAUC - 1/2}{1 - \eta - \pi}

    With contamination :math:`\eta = 0` this is the paper's :math:`(BAUC - \pi/2) / (1 - \pi)`. The constant 1/2 is
    correct if ties count one half.

    Parameters
    ----------
    blind_auc : float
    prior : float in [0, 1)
        The share of positives among the unlabelled rows.
    contamination : float in [0, 1), default=0
        The share of negatives among the labelled positives.

    Returns
    -------
    float
        A value outside [0, 1] means that no ranking has such a blind AUC: the prior or the contamination is too
        large, or the blind AUC has a sampling error.

    See Also
    --------
    blindauc.metrics.pu_auc_score : the same from data, with an interval.

    Examples
    --------
    >>> from blindauc.theory import auc_from_blind_auc
    >>> round(auc_from_blind_auc(0.78, prior=0.3), 6)
    0.9
    >>> round(auc_from_blind_auc(0.7, prior=0.3, contamination=0.2), 6)
    0.9
    """
    return 0.5 + (blind_auc - 0.5) / blind_auc_slope(prior, contamination)


def blind_auc_from_auc(auc: float, prior: float, contamination: float = 0.0) -> float:
    r"""The inverse of Theorem 1: the expected blind AUC of a ranking with a given AUC.

    .. math:: BAUC = \frac12 + (1 - \eta - \pi) (AUC - \frac12)

    Parameters
    ----------
    auc : float
    prior : float in [0, 1)
        The share of positives among the unlabelled rows.
    contamination : float in [0, 1), default=0
        The share of negatives among the labelled positives.

    Returns
    -------
    float

    Examples
    --------
    >>> from blindauc.theory import blind_auc_from_auc
    >>> round(blind_auc_from_auc(0.9, prior=0.3), 6)
    0.78
    """
    return 0.5 + blind_auc_slope(prior, contamination) * (auc - 0.5)
