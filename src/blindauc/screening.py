"""A screen for positives with leverage: rows so far from the other positives that they bend the fit to themselves.

A mislabelled positive that is extreme in many columns does not rank low, it tilts the weights until it ranks high,
and the objective prefers that: no shift can find it. Its distance gives it away.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from blindauc._typing import Bools, Floats

CUTOFF = 5.0
"""In robust standard deviations of the log-distances."""

MIN_POSITIVES = 20
"""Among fewer, a robust deviation is too uncertain to call anything extreme."""

_MAD_OF_NORMAL = 0.6744897501960817


def leverage_screen(X_pos: Any, limit: int) -> Bools:
    """Mark at most `limit` positives whose distance from the others is extreme.

    The distance is the root mean square over columns of (x - median) / robust deviation, and extreme is a
    logarithm more than five robust deviations above the median of all. Sparse rows take zero for the median and
    the root mean square for the deviation. Fewer than twenty positives are never screened.

    Parameters
    ----------
    X_pos : ndarray or sparse matrix of shape (n_pos, p)
    limit : int

    Returns
    -------
    mask of shape (n_pos,)

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.screening import leverage_screen
    >>> X = np.random.default_rng(0).normal(size=(50, 100))
    >>> X[[3, 8]] -= 4.0
    >>> np.flatnonzero(leverage_screen(X, limit=5)).tolist()
    [3, 8]
    """
    if X_pos.shape[0] < MIN_POSITIVES:
        return np.zeros(X_pos.shape[0], dtype=bool)
    distance = _sparse_distances(X_pos) if sp.issparse(X_pos) else _dense_distances(X_pos)
    extremity = _robust_score(np.log(np.maximum(distance, 1e-300)))
    worst = np.argsort(-extremity, kind="stable")[:limit]
    mask = np.zeros(len(distance), dtype=bool)
    mask[worst] = extremity[worst] > CUTOFF
    return mask


def _dense_distances(X: Floats) -> Floats:
    deviations = np.abs(X - np.median(X, axis=0))
    scale = np.median(deviations, axis=0) / _MAD_OF_NORMAL
    # Where more than half of a column is one value, the plain deviation has to do.
    scale = np.where(scale > 0, scale, np.sqrt((deviations**2).mean(axis=0)))
    deviations = deviations[:, scale > 0] / scale[scale > 0]
    return np.sqrt((deviations**2).sum(axis=1) / X.shape[1])


def _sparse_distances(X: Any) -> Floats:
    """As for dense rows where a column's median is zero and its plain deviation the scale."""
    squares = X.multiply(X).tocsr()
    scale = np.asarray(squares.mean(axis=0)).ravel()
    return np.sqrt(squares @ np.where(scale > 0, 1 / np.where(scale > 0, scale, 1.0), 0.0))


def _robust_score(values: Floats) -> Floats:
    centred = values - np.median(values)
    spread = np.median(np.abs(centred)) / _MAD_OF_NORMAL
    return centred / spread if spread > 0 else np.zeros_like(values)
