"""Flagging of suspicious labels at a given false discovery rate."""

from __future__ import annotations

from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats


def expected_fdr(suspicion: Any) -> Floats:
    """Return, for each label, the expected false discovery rate of flagging it and all more suspicious labels.

    `fdr_i = mean of (1 - suspicion_j) over all j with suspicion_j >= suspicion_i`. Ties are flagged together.

    Parameters
    ----------
    suspicion : array-like of shape (n_pos,)
        Probability that each label is wrong.

    Returns
    -------
    ndarray of shape (n_pos,)

    Examples
    --------
    >>> from blindauc.prior import expected_fdr
    >>> expected_fdr([0.9, 0.1, 0.7]).round(3).tolist()
    [0.1, 0.433, 0.2]
    """
    suspicion = np.asarray(suspicion, dtype=np.float64)
    if suspicion.ndim != 1:
        raise ValueError(f"suspicion must be one-dimensional, not of shape {suspicion.shape}.")
    if not ((suspicion >= 0) & (suspicion <= 1)).all():
        raise ValueError("suspicion holds probabilities: every entry must lie in [0, 1].")
    values, group, size = np.unique(-suspicion, return_inverse=True, return_counts=True)
    return (np.cumsum(size * (1 + values)) / np.cumsum(size))[group] if len(values) else suspicion


def flag(suspicion: Any, max_fdr: float = 0.2, *, min_suspicion: float = 0.5) -> Bools:
    """Flag the largest set of the most suspicious labels whose expected false discovery rate is at most `max_fdr`.

    A label is flagged if `expected_fdr <= max_fdr` and `suspicion >= min_suspicion`. Without the second condition, a
    few labels that are certainly wrong would allow the set to include others that are almost certainly right: with a
    tenth of far labels, 16 to 28 % of the flagged labels are right instead of 1 to 11 %, and no further wrong label is
    found.

    Parameters
    ----------
    suspicion : array-like of shape (n_pos,)
        Probability that each label is wrong.
    max_fdr : float, default=0.2
        The largest expected false discovery rate: the mean of (1 - suspicion) over the flagged labels.
    min_suspicion : float, default=0.5
        Labels with less suspicion are never flagged. By default, these are labels more likely right than wrong.

    Returns
    -------
    mask of shape (n_pos,)

    Examples
    --------
    >>> from blindauc.prior import flag
    >>> flag([0.9, 0.1, 0.7, 0.0], max_fdr=0.2).tolist()
    [True, False, True, False]
    >>> flag([1.0, 1.0, 0.4], max_fdr=0.2).tolist()
    [True, True, False]
    >>> flag([1.0, 1.0, 0.4], max_fdr=0.2, min_suspicion=0.0).tolist()
    [True, True, True]
    """
    for name, share in (("max_fdr", max_fdr), ("min_suspicion", min_suspicion)):
        if not 0 <= share <= 1:
            raise ValueError(f"{name} must lie in [0, 1], not {share!r}.")
    # The tolerance admits sets exactly at the limit, despite rounding errors.
    return (expected_fdr(suspicion) <= max_fdr + 1e-12) & (np.asarray(suspicion) >= min_suspicion)
