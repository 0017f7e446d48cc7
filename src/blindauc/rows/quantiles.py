"""Exact quantiles of columns that are not in memory, by bisection: each pass counts the weight below many edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from blindauc._typing import Floats

N_EDGES = 255
"""Edges of one pass. Each pass narrows an interval of floating-point numbers to a 256th, so that eight passes resolve
all 64 bits."""


def columns_quantiles(
    weights_up_to: Callable[[Floats], Floats], total: float, low: Floats, high: Floats, share: float
) -> Floats:
    """The smallest value of each column with at least a share of the weight up to it.

    Parameters
    ----------
    weights_up_to : callable, from ascending edges of shape (n_edges, p) to the weight of the rows up to each edge
    total : the weight of all rows
    low, high : arrays of shape (p,), the minimum and the maximum of each column
    share : in (0, 1]

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.rows.quantiles import columns_quantiles
    >>> values = np.array([3.0, 1.0, 2.0, 10.0])
    >>> up_to = lambda edges: (values <= edges).sum(axis=1, keepdims=True)
    >>> columns_quantiles(up_to, 4.0, np.array([1.0]), np.array([10.0]), 0.75)
    array([3.])
    """
    # Bisect in the integers that order floating-point numbers: between two of them there are finitely many values.
    # The quantile is always in (below, at_most].
    below, at_most = _ordered(low) - np.uint64(1), _ordered(high)
    steps = np.arange(1, N_EDGES + 1, dtype=np.uint64)[:, None]
    while (at_most - below > 1).any():
        width = at_most - below
        # Edges are width / 256 apart, but at least 1.
        apart = width // np.uint64(N_EDGES + 1) + np.uint64(1)
        edges = below + np.minimum(steps * apart, width)
        reached = weights_up_to(_floats(edges)) >= share * total
        first = np.where(reached.any(axis=0), reached.argmax(axis=0), N_EDGES)
        ends = np.vstack([below, edges, at_most])
        below, at_most = (np.take_along_axis(ends, (first + k)[None], axis=0)[0] for k in (0, 1))
    return _floats(at_most)


_SIGN = np.uint64(1 << 63)


def _ordered(values: Floats) -> Any:
    """Integers in the order of the floating-point numbers, by their bits."""
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def _floats(ordered: Any) -> Floats:
    """The inverse of `_ordered`."""
    result: Floats = np.where(ordered & _SIGN, ordered ^ _SIGN, ~ordered).view(np.float64)
    return result
