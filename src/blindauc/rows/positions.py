"""Where rows lie: how far from the centre of others, in which direction, and in how many columns.

With centre m_j and scale s_j of the columns, z_ij = (x_ij - m_j) / s_j, two numbers describe where row i lies:

    distance_i  = log sqrt(CLIP^2 + sum_j z_ij^2)     a few gross values, or many unusual ones
    direction_i = sum_j clip(z_ij, -CLIP, CLIP)       many columns, all a little too low or too high

The CLIP^2 stands for one more column in which every row is unusual, so that in data of mostly zeros one value is not a
great distance. Sparse matrices are never densified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from blindauc._typing import Bools, Floats, Ints

SCALE_SHARE = 0.8
"""The scale of a column is this quantile of its absolute deviations: above the median, so that skewed columns look
less heavy-tailed, and below 1, so that a fifth of the unlabelled rows may be anything."""

CLIP = 3.0
"""One heavy-tailed column must not decide the direction of a row; three deviations, convention."""

UNUSUAL = 1.0
"""A value counts as unusual from this many deviations: a third of normal values, but all of those of an outlier
that lies only 1.3 deviations out."""

BLOCK_ENTRIES = 2**20
"""Dense values standardised at a time."""

_SCALE_OF_NORMAL = 1.2815515655446004  # the 80 % quantile of |N(0, 1)|


class Units(NamedTuple):
    """Centre and scale of the columns; a column without any spread has an infinite scale and so never matters."""

    centre: Floats
    scale: Floats


class Positions(NamedTuple):
    """The distance and the direction of each row, and in how many columns it is unusual."""

    distance: Floats
    direction: Floats
    n_unusual: Ints


def positions(X: Any, units: Units) -> Positions:
    """Where rows lie, in units of their columns."""
    sums = _sparse_sums(X, units) if sp.issparse(X) else np.hstack([_sums(z) for z in _standardised(X, units)])
    squares, direction, n_unusual = sums
    return Positions(np.log(CLIP**2 + squares) / 2, direction, np.rint(n_unusual).astype(np.intp))


def _terms(z: Floats) -> Floats:
    """What each standardised value adds to its row: to the distance, the direction, and the count."""
    return np.stack([z**2, np.clip(z, -CLIP, CLIP), np.abs(z) >= UNUSUAL])


def _sums(z: Floats) -> Floats:
    return _terms(z).sum(axis=-1)


def _standardised(X: Floats, units: Units) -> Iterator[Floats]:
    """The rows in units of the columns, some at a time; always in float64, however X is stored."""
    n_rows = max(1, BLOCK_ENTRIES // X.shape[1])
    for first in range(0, X.shape[0], n_rows):
        yield (X[first : first + n_rows] - units.centre) / units.scale


def _sparse_sums(X: Any, units: Units) -> Floats:
    """As if every column were zero, corrected where it is not."""
    X = X.tocoo()
    at_zero = _terms(-units.centre / units.scale)
    changes = _terms((X.data - units.centre[X.col]) / units.scale[X.col]) - at_zero[:, X.col]
    sums = [np.bincount(X.row, weights=change, minlength=X.shape[0]) for change in changes]
    return np.asarray(sums) + at_zero.sum(axis=1, keepdims=True)


# --- the units of columns ---


def column_units(unl: Any, pos: Any) -> Units:
    """Centre and scale of the columns by unlabelled rows, and by labelled ones where those do not differ."""
    if sp.issparse(unl):
        return _units(_SparseColumns.of(unl), lambda: _SparseColumns.of(sp.vstack([unl, pos])))
    width = max(1, BLOCK_ENTRIES // len(unl))
    blocks = [(unl[:, at : at + width], pos[:, at : at + width]) for at in range(0, unl.shape[1], width)]
    units = [_dense_units(*block) for block in blocks]
    return Units(*map(np.concatenate, zip(*units, strict=True)))


def _dense_units(unl: Any, pos: Any) -> Units:
    return _units(_DenseColumns.of(unl), lambda: _DenseColumns.of(np.vstack([unl, pos])))


def _units(unl: _Columns, both: Callable[[], _Columns]) -> Units:
    """The median, and the larger of a quantile of the deviations and the median of those that are not zero."""
    centre = unl.order_statistics(unl.n_rows // 2)
    deviations = unl.deviations(centre)
    wide = deviations.order_statistics(int(SCALE_SHARE * unl.n_rows)) / _SCALE_OF_NORMAL
    scale = np.maximum(wide, deviations.median_of_nonzero())
    if not scale.all():  # a column that is constant among the unlabelled rows, but perhaps not among the labelled
        scale = np.where(scale > 0, scale, both().deviations(centre).median_of_nonzero())
    return Units(centre, np.where(scale > 0, scale, np.inf))


class _DenseColumns(NamedTuple):
    """The sorted values of each column, in a row of their own: sorting along memory is several times faster."""

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
        """The value of each column with so many before it, or its largest."""
        ranks = np.minimum(np.broadcast_to(rank, len(self.values)), self.n_rows - 1)
        return np.take_along_axis(self.values, ranks[:, None], axis=1)[:, 0]


class _SparseColumns(NamedTuple):
    """Stored values with their columns, and the value of each column where nothing is stored."""

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
        """As of dense columns: what is not stored lies in one run between the stored values."""
        ranks = np.minimum(np.broadcast_to(rank, len(self.fill)), self.n_rows - 1)
        n_before, n_fill = self._count(self.values < self.fill[self.column]), self._n_fill
        first = np.cumsum(self.n_rows - n_fill) - (self.n_rows - n_fill)
        place = first + np.where(ranks < n_before, ranks, np.maximum(ranks - n_fill, n_before))
        stored = np.append(self.values[np.lexsort((self.values, self.column))], 0.0)
        within = (ranks >= n_before) & (ranks < n_before + n_fill)
        return np.where(within, self.fill, stored[np.minimum(place, len(self.values))])


_Columns = _DenseColumns | _SparseColumns
