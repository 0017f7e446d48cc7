"""Natural cubic splines as combinations of simple pieces.

In units of the range of the knots, 0 = t_1 < ... < t_K = 1, the pieces of a column z are

    z,    (z - 1)_+,    (min(z, 1) - t_k)_+^3    for k < K.

A natural spline is linear beyond its last knot. There the cubes stay constant, and (z - 1)_+ continues the slope. No
cube is therefore larger than 1. Otherwise the cubes of values far from the knots would nearly cancel, and the sum would
lose most of its digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from blindauc._typing import Floats, Ints


@dataclass(frozen=True)
class Pieces:
    """The pieces of several columns: z of all columns, then (z - 1)_+ of those with knots, then their cubes.

    Parameters
    ----------
    origin, unit : ndarray of shape (p,), z = (x - origin) / unit
    curved : ndarray, the columns with knots
    source : ndarray of shape (n_cubes,), for each cube its column among the curved ones
    at : ndarray of shape (n_cubes,), the knot of each cube
    """

    origin: Floats
    unit: Floats
    curved: Ints
    source: Ints
    at: Floats

    @classmethod
    def of(cls, knots: Sequence[Floats], origins: Sequence[float]) -> Pieces:
        """The pieces of columns with these knots. `origins` is used for columns without knots only."""
        origin = np.array([each[0] if len(each) else start for each, start in zip(knots, origins, strict=True)])
        unit = np.array([np.ptp(each) if len(each) else 1.0 for each in knots])
        of_curved = [_inner(each) for each in knots if len(each)]
        curved, source = np.flatnonzero([len(each) > 0 for each in knots]), np.arange(len(of_curved))
        return cls(origin, unit, curved, np.repeat(source, list(map(len, of_curved))), np.concatenate([[], *of_curved]))

    @property
    def n_pieces(self) -> int:
        return len(self.origin) + len(self.curved) + len(self.source)

    def __call__(self, X: Any) -> Floats:
        """The pieces of rows, of shape (n, n_pieces)."""
        p, q = len(self.origin), len(self.curved)
        # Each piece is a contiguous row until the final transpose, which is fastest. np.power takes ten times as long.
        pieces = np.empty((self.n_pieces, X.shape[0]))
        z, beyond, cubes = pieces[:p], pieces[p : p + q], pieces[p + q :]
        z[:] = np.asarray(X).T
        z -= self.origin[:, None]
        z /= self.unit[:, None]
        within = np.minimum(z[self.curved], 1.0)
        np.subtract(z[self.curved], within, out=beyond)
        np.subtract(within[self.source], self.at[:, None], out=cubes)
        np.maximum(cubes, 0.0, out=cubes)
        cubes *= cubes * cubes
        return pieces.T

    def places(self, column: int) -> Ints:
        """The indices of the pieces of one column."""
        p, q = len(self.origin), len(self.curved)
        (which,) = np.nonzero(self.curved == column)
        return np.concatenate([[column], p + which, p + q + np.flatnonzero(np.isin(self.source, which))])


def _inner(knots: Floats) -> Floats:
    """All knots but the last, in units of their range."""
    return (knots[:-1] - knots[0]) / np.ptp(knots)


def natural(knots: Floats) -> Floats:
    """The natural cubic splines of a column as combinations of its pieces, of shape (n_pieces, n_splines).

    The first is the column itself; the others are those of Hastie, Tibshirani and Friedman, The Elements of Statistical
    Learning, equation 5.4.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.scorers.splines import Pieces, natural
    >>> knots = np.array([0.0, 1.0, 2.0])
    >>> splines = Pieces.of([knots], [0.0])(np.array([[-1.0], [1.0], [2.0], [3.0], [4.0]])) @ natural(knots)
    >>> np.diff(splines[2:], axis=0)
    array([[0.5 , 0.75],
           [0.5 , 0.75]])
    """
    if len(knots) == 0:
        return np.ones((1, 1))
    at = _inner(knots)
    mix = np.zeros((len(at) + 2, len(at)))
    mix[0, 0] = 1.0
    for k in range(len(at) - 1):
        mix[1, k + 1] = 3 * (at[-1] - at[k])  # the slope at the last knot
        mix[k + 2, k + 1], mix[-1, k + 1] = 1 / (1 - at[k]), -1 / (1 - at[-1])
    return mix
