"""Scales of the columns, by which the ridge penalises their coefficients.

No column is ever divided by its scale. A ridge on the coefficients of scaled columns equals

    l2 / 2 * sum_j (scale_j * coef_j)^2

on the coefficients of the unscaled columns. So `coef` is in the user's units, and X is not copied.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from blindauc._typing import Floats
from blindauc.rows.matrix import Matrix

SCALINGS = ("none", "standard", "robust", "variance")

UNIT_FREE = ("standard", "robust")
"""Scalings under which a fit does not change if a column is given in another unit."""

BLOCK_ENTRIES = 2**20
"""Values that are sorted for quartiles at once (convention)."""

_QUARTILES_OF_NORMAL = 1.3489795003921634  # the interquartile range of N(0, 1)


def column_scales(X: Any, weight: Floats, scaling: str) -> Floats:
    """The scale of each column, by which the ridge divides it.

    - "none": 1.
    - "standard": the standard deviation. All columns have the same expected contribution to the score.
    - "robust": the interquartile range, in standard deviations of a normal distribution; if it is zero, the standard
      deviation.
    - "variance": inversely proportional to the standard deviation, which it equals for the column that varies most. The
      expected contribution of a column to the score is proportional to its variance, and without scaling to its
      standard deviation. If all columns have the same unit, the informative ones often vary most, since the difference
      of the classes adds to their variance (Bourgon, Gentleman and Huber, Independent filtering increases detection
      power for high-throughput experiments, PNAS 2010).

    The standard deviation of a constant column counts as 1.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, p)
    weight : array of shape (n,)
    scaling : {"none", "standard", "robust", "variance"}

    Returns
    -------
    ndarray of shape (p,)

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.rows.scaling import column_scales
    >>> X = np.random.default_rng(0).normal(size=(1000, 2)) * [1.0, 10.0]
    >>> X[0] = 1e3
    >>> column_scales(X, np.ones(1000), "robust").round(0).tolist()
    [1.0, 10.0]
    >>> column_scales(X, np.ones(1000), "standard").round(0).tolist()
    [32.0, 33.0]
    """
    check_scaling(scaling)
    if scaling == "none":
        return np.ones(X.shape[1])
    spread = Matrix(X).spread(weight / weight.sum())
    if scaling != "robust":
        return spread if scaling == "standard" else variance_scales(spread)
    low, high = np.hstack([_quartiles(block, weight) for block in _blocks(X)])
    return robust_scales(low, high, spread)


def check_scaling(scaling: str) -> None:
    """Raise unless `scaling` is one of `SCALINGS`."""
    if scaling not in SCALINGS:
        raise ValueError(f"scaling must be one of {', '.join(map(repr, SCALINGS))}, not {scaling!r}.")


def variance_scales(spread: Floats) -> Floats:
    """Scales inversely proportional to the standard deviations of the columns."""
    return spread.max() * (spread.max() / spread)


def robust_scales(low: Floats, high: Floats, spread: Floats) -> Floats:
    """The robust scale of each column from its quartiles; `spread` if these are equal."""
    return np.where(high > low, (high - low) / _QUARTILES_OF_NORMAL, spread)


def _blocks(X: Any) -> Iterator[Floats]:
    """Blocks of dense columns."""
    columns = X.tocsc() if sp.issparse(X) else X
    width = max(1, BLOCK_ENTRIES // max(1, X.shape[0]))
    for first in range(0, X.shape[1], width):
        block = columns[:, first : first + width]
        yield (block.toarray() if sp.issparse(block) else block).astype(np.float64, copy=False)


def _quartiles(values: Floats, weight: Floats) -> Floats:
    """The first and the third quartile of each column, of shape (2, p)."""
    order = np.argsort(values, axis=0, kind="stable")
    below = np.cumsum(weight[order], axis=0)
    places = [(below < share * below[-1]).sum(axis=0, keepdims=True) for share in (0.25, 0.75)]
    return np.vstack([np.take_along_axis(values, np.take_along_axis(order, place, axis=0), axis=0) for place in places])
