"""The curvature of all pairs, by bins of scores. It gives the Hessian in the weights in one pass over the rows:

    sum_ij p_i q_j loss''(a_i - b_j) (x_i - u_j) (x_i - u_j).T

Scores are put into bins of equal width h. The curvature of a pair is replaced by its mean over the two bins: for bins
at a distance d it is (loss(d + h) - 2 loss(d) + loss(d - h)) / h^2. For a convex loss it is never negative, so that the
matrix is positive semidefinite like the exact one. Kinks that were smoothed over less than a bin also count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from blindauc._typing import Floats
from blindauc.losses import Loss
from blindauc.rows.deferred import Deferred
from blindauc.rows.device.libraries import library_of

N_BINS = 256
"""Number of bins (convention)."""

REACH = 5.0
"""Bins cover this many standard deviations on either side of a mean (convention). Scores beyond are counted in the
outermost bins."""

LEAST_WIDTH = 1e-3
"""The minimal width of a bin (convention): second differences over smaller widths are dominated by rounding errors."""


class BinnedHessian(NamedTuple):
    """Bins and weights of the scores, and the curvature of each pair of bins. Bins are whole numbers."""

    pos_bin: Floats
    unl_bin: Any
    p: Floats
    q: Any
    curvature: Floats


def binned_hessian(loss: Loss, a: Floats, b: Any, p: Floats, q: Any) -> BinnedHessian:
    """The curvature of pairs of positive and unlabelled scores, whose weights sum to one on either side."""
    ends = [_ends(a, p), _ends(b, q)]
    low = min(end[0] for end in ends)
    width = max((max(end[1] for end in ends) - low) / N_BINS, LEAST_WIDTH)
    return BinnedHessian(_bins(a, low, width), _bins(b, low, width), p, q, _curvature(loss, width))


def _ends(scores: Any, share: Any) -> tuple[float, float]:
    mean = float(share @ scores)
    reach = REACH * float(np.sqrt(share @ (scores - mean) ** 2))
    return mean - reach, mean + reach


def _bins(scores: Any, low: float, width: float) -> Any:
    return np.minimum(np.maximum(np.floor((scores - low) / width), 0.0), N_BINS - 1.0)


def _curvature(loss: Loss, width: float) -> Floats:
    """The mean curvature of each pair of bins, of shape (bin of the positive, bin of the unlabelled row)."""
    distances: Floats = width * np.arange(-N_BINS, N_BINS + 1, dtype=np.float64)
    values = loss.derivative_of_order(0, distances)
    means = (values[2:] - 2 * values[1:-1] + values[:-2]) / width**2
    # Entry (i, j) is means[i - j + N_BINS - 1]: each row is a window of the reversed means.
    return np.ascontiguousarray(sliding_window_view(means[::-1], N_BINS)[::-1])


def looked_up(values: Floats, index: Any) -> Any:
    """values[index]; the result is deferred, or on a device, if the index is."""
    return index.mapped(Lookup(values)) if isinstance(index, Deferred) else Lookup(values)(index)


@dataclass(frozen=True)
class Lookup:
    """A function from indices to values."""

    values: Floats

    def __call__(self, index: Any) -> Any:
        library = library_of(index)
        return library.xp.take(library.asarray(self.values), library.whole(index), axis=0)
