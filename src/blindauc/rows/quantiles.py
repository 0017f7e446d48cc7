"""Exact quantiles of columns that nobody holds: by counts of what lies below, narrowed down pass by pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from blindauc._typing import Floats

N_EDGES = 255
"""Edges of one pass: each narrows an interval of floating-point numbers to a 256th, 64 bits in eight passes."""


def columns_quantiles(
    weights_up_to: Callable[[Floats], Floats], total: float, low: Floats, high: Floats, share: float
) -> Floats:
    """The smallest value of each column with at least a share of the weight up to it.

    Parameters
    ----------
    weights_up_to : edges of shape (n_edges, p), ascending, to the weight of rows up to each
    total : the weight of all rows
    low, high : arrays of shape (p,), the least and the largest value of each column
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
    # Floating-point numbers in their order are whole numbers in theirs: between two there are only so many.
    below, at_most = _ordered(low) - np.uint64(1), _ordered(high)
    steps = np.arange(1, N_EDGES + 1, dtype=np.uint64)[:, None]
    while (at_most - below > 1).any():
        width = at_most - below
        # A step of width / 256, or of one where there are fewer numbers between.
        apart = width // np.uint64(N_EDGES + 1) + np.uint64(1)
        edges = below + np.minimum(steps * apart, width)
        reached = weights_up_to(_floats(edges)) >= share * total
        first = np.where(reached.any(axis=0), reached.argmax(axis=0), N_EDGES)
        ends = np.vstack([below, edges, at_most])
        below, at_most = (np.take_along_axis(ends, (first + k)[None], axis=0)[0] for k in (0, 1))
    return _floats(at_most)


_SIGN = np.uint64(1 << 63)


def _ordered(values: Floats) -> Any:
    """Whole numbers in the order of the floating-point numbers."""
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def _floats(ordered: Any) -> Floats:
    result: Floats = np.where(ordered & _SIGN, ordered ^ _SIGN, ~ordered).view(np.float64)
    return result
