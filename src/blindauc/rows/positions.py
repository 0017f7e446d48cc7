"""Positions of rows: distance from the centre of the unlabelled rows, direction, and number of unusual columns.

With the centre m_j and the scale s_j of each column and z_ij = (x_ij - m_j) / s_j, row i has

    distance_i  = log sqrt(CLIP^2 + sum_j z_ij^2)     large for a few gross values, or many unusual ones
    direction_i = sum_j clip(z_ij, -CLIP, CLIP)       large for many columns that are all a little too low or too high

The CLIP^2 acts as one more column in which every row is unusual: in data of mostly zeros, a single nonzero value then
does not make the distance large. Sparse matrices are never densified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from blindauc._typing import Bools, Floats, Ints

SCALE_SHARE = 0.8
"""The scale of a column is this quantile of its absolute deviations (convention). It is above the median, so that
skewed columns look less heavy-tailed, and below 1, so that a fifth of the unlabelled rows may have any value."""

CLIP = 3.0
"""Values are clipped at three standard deviations (convention), so that no single column decides the direction."""

UNUSUAL = 1.0
"""Values at least this many standard deviations from the centre are unusual (convention): a third of normal values, but
all values of an outlier that is only 1.3 standard deviations off in each column."""

BLOCK_ENTRIES = 2**15
"""Dense values standardised at a time: 256 kB, which stay in the cache (100,000 x 100 took a third of the time that
blocks of 8 MB took)."""

_SCALE_OF_NORMAL = 1.2815515655446004  # the 80 % quantile of |N(0, 1)|


class Units(NamedTuple):
    """Centre and scale of the columns. A constant column has an infinite scale, and so never counts."""

    centre: Floats
    scale: Floats


class Positions(NamedTuple):
    """The distance and the direction of each row, and the number of its unusual columns."""

    distance: Floats
    direction: Floats
    n_unusual: Ints


def positions(X: Any, units: Units) -> Positions:
    """The positions of rows, given the units of the columns."""
    sums = _sparse_sums(X, units) if sp.issparse(X) else np.hstack([_sums(z) for z in _standardised(X, units)])
    squares, direction, n_unusual = sums
    return Positions(np.log(CLIP**2 + squares) / 2, direction, np.rint(n_unusual).astype(np.intp))


def _terms(z: Floats) -> Floats:
    """The terms of each standardised value: of the squared distance, the direction, and the count."""
    return np.stack([z**2, np.clip(z, -CLIP, CLIP), np.abs(z) >= UNUSUAL])


def _sums(z: Floats) -> Floats:
    """The sums of `_terms` over the columns, without an array of all terms."""
    unusual = np.count_nonzero(np.abs(z) >= UNUSUAL, axis=-1)
    return np.stack([np.einsum("ij,ij->i", z, z), np.clip(z, -CLIP, CLIP).sum(axis=-1), unusual])


def _standardised(X: Floats, units: Units) -> Iterator[Floats]:
    """Blocks of standardised rows, in float64 whatever the type of X."""
    n_rows = max(1, BLOCK_ENTRIES // X.shape[1])
    for first in range(0, X.shape[0], n_rows):
        yield (X[first : first + n_rows] - units.centre) / units.scale


def _sparse_sums(X: Any, units: Units) -> Floats:
    """The sums of a row of zeros, corrected for the stored values."""
    X = X.tocoo()
    at_zero = _terms(-units.centre / units.scale)
    changes = _terms((X.data - units.centre[X.col]) / units.scale[X.col]) - at_zero[:, X.col]
    sums = [np.bincount(X.row, weights=change, minlength=X.shape[0]) for change in changes]
    return np.asarray(sums) + at_zero.sum(axis=1, keepdims=True)


# --- the units of columns ---


def column_units(unl: Any, pos: Any) -> Units:
    """Centre and scale of the columns of the unlabelled rows; with the labelled rows if a column is constant there."""
    if sp.issparse(unl):
        return _units(_SparseColumns.of(unl), lambda: _SparseColumns.of(sp.vstack([unl, pos])))
    width = max(1, BLOCK_ENTRIES // len(unl))
    blocks = [(unl[:, at : at + width], pos[:, at : at + width]) for at in range(0, unl.shape[1], width)]
    units = [_dense_units(*block) for block in blocks]
    return Units(*map(np.concatenate, zip(*units, strict=True)))


def _dense_units(unl: Any, pos: Any) -> Units:
    return _units(_DenseColumns.of(unl), lambda: _DenseColumns.of(np.vstack([unl, pos])))


def _units(unl: _Columns, both: Callable[[], _Columns]) -> Units:
    """The centre is the median, the scale the larger of a quantile of the deviations and their nonzero median."""
    centre = unl.order_statistics(unl.n_rows // 2)
    deviations = unl.deviations(centre)
    wide = deviations.order_statistics(int(SCALE_SHARE * unl.n_rows)) / _SCALE_OF_NORMAL
    scale = np.maximum(wide, deviations.median_of_nonzero())
    if not scale.all():  # a column may be constant in the unlabelled rows, but not in the labelled ones
        scale = np.where(scale > 0, scale, both().deviations(centre).median_of_nonzero())
    return Units(centre, np.where(scale > 0, scale, np.inf))


class _DenseColumns(NamedTuple):
    """The sorted values of each column, stored as rows: sorting contiguous memory is several times faster."""

    values: Floats

    @classmethod
    def of(cls, X: Any) -> _DenseColumns:
        return cls(np.sort(np.ascontiguousarray(X.T, dtype=np.float64), axis=1))

    @property
    def n_rows(self) -> int:
        return self.values.shape[1]

    def deviations(self, centre: Floats) -> _DenseColumns:
        return _DenseColumns(np.sort(np.abs(self.values - centre[:, None]), axis=1))

    def median_of_nonzero(self) -> Floats:
        return self.order_statistics(((self.values == 0).sum(axis=1) + self.n_rows) // 2)

    def order_statistics(self, rank: int | Ints) -> Floats:
        """The value of each column at a rank from 0 on, at most its largest."""
        ranks = np.minimum(np.broadcast_to(rank, len(self.values)), self.n_rows - 1)
        return np.take_along_axis(self.values, ranks[:, None], axis=1)[:, 0]


class _SparseColumns(NamedTuple):
    """Stored values with their columns, and the fill value of each column, for entries that are not stored."""

    values: Floats
    column: Ints
    fill: Floats
    n_rows: int

    @classmethod
    def of(cls, X: Any) -> _SparseColumns:
        X = X.tocoo()
        return cls(X.data.astype(np.float64), X.col, np.zeros(X.shape[1]), X.shape[0])

    def _count(self, which: Bools) -> Ints:
        return np.bincount(self.column[which], minlength=len(self.fill))

    @property
    def _n_fill(self) -> Ints:
        return self.n_rows - np.bincount(self.column, minlength=len(self.fill))

    def median_of_nonzero(self) -> Floats:
        n_zeros = self._count(self.values == 0) + np.where(self.fill == 0, self._n_fill, 0)
        return self.order_statistics((n_zeros + self.n_rows) // 2)

    def deviations(self, centre: Floats) -> _SparseColumns:
        values = np.abs(self.values - centre[self.column])
        return self._replace(values=values, fill=np.abs(self.fill - centre))

    def order_statistics(self, rank: int | Ints) -> Floats:
        """As for dense columns. In sorted order, the fill values of a column are one run between its stored values."""
        ranks = np.minimum(np.broadcast_to(rank, len(self.fill)), self.n_rows - 1)
        n_before, n_fill = self._count(self.values < self.fill[self.column]), self._n_fill
        first = np.cumsum(self.n_rows - n_fill) - (self.n_rows - n_fill)
        # In sorted order: n_before smaller stored values, n_fill fill values, and the larger stored values.
        place = first + np.where(ranks < n_before, ranks, np.maximum(ranks - n_fill, n_before))
        stored = np.append(self.values[np.lexsort((self.values, self.column))], 0.0)
        within = (ranks >= n_before) & (ranks < n_before + n_fill)
        return np.where(within, self.fill, stored[np.minimum(place, len(self.values))])


_Columns = _DenseColumns | _SparseColumns
