"""A matrix on a device: products, moments and weights of its rows, all in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from blindauc._typing import Floats, Ints
from blindauc.rows.device.libraries import Array, Library, library_of
from blindauc.rows.digests import mixed, row_factors
from blindauc.rows.matrix import Columns, Matrix


class DeviceMatrix:
    """A dense float64 or float32 matrix on a device.

    Parameters
    ----------
    X : array of shape (n_rows, n_features) of a library with the array API standard
    """

    def __init__(self, X: Array) -> None:
        self.X = X

    @property
    def library(self) -> Library:
        return library_of(self.X)

    def scores(self, coef: Floats) -> Array:
        """X @ coef, on the device."""
        return self.library.scores(self.X, coef)

    def adjoint(self, residual: Array) -> Floats:
        """X.T @ residual, followed by the sum of the residuals, on the host."""
        library = self.library
        total = library.xp.reshape(library.xp.sum(residual), (1,))
        result: Floats = library.to_host(library.joined([library.adjoint(self.X, residual), total]))
        return result

    def rows(self, index: Ints) -> DeviceMatrix:
        """The matrix of some rows."""
        library = self.library
        return DeviceMatrix(library.xp.take(self.X, library.asarray(index), axis=0))

    def moments(self, weight: Array, origin: Floats) -> Floats:
        """The weighted sums of each column and of its square about an origin, on the host."""
        library = self.library
        result: Floats = library.to_host(library.column_moments(self.X, weight, library.asarray(origin)))
        return result

    def gram(self, weight: Array, columns: Columns) -> Floats:
        """X.T @ diag(weight) @ X for a selection of columns, on the host."""
        return self._summed(columns, lambda rows, block: (block * weight[rows][:, None]).T @ block)

    def sums_by_group(self, group: Array, weight: Array, n_groups: int, columns: Columns) -> Floats:
        """The weighted sums of the rows of each group, for a selection of columns, on the host."""
        library = self.library
        every = library.floats(library.xp.arange(n_groups, device=library.device))[:, None]

        def sums(rows: slice, block: Array) -> Array:
            return library.floats(every == group[rows][None, :]) @ (block * weight[rows][:, None])

        return self._summed(columns, sums)

    def _summed(self, columns: Columns, of_block: Callable[[slice, Array], Array]) -> Floats:
        """The sum of a function over blocks of rows, on the host."""
        library, xp = self.library, self.library.xp
        index = None if columns.index is None else library.asarray(columns.index)
        from_here, total = library.asarray(columns.origin), None
        for rows in library.row_blocks(self.X):
            block = library.floats(self.X[rows, :]) - from_here
            block = block if index is None else xp.take(block, index, axis=1)
            if columns.intercept:
                ones = xp.ones((block.shape[0], 1), dtype=xp.float64, device=library.device)
                block = xp.concat([block, ones], axis=1)
            some = of_block(rows, block)
            total = some if total is None else total + some
        result: Floats = library.to_host(total)
        return result

    def extremes(self) -> Floats:
        """The negated minimum and the maximum of each column, of shape (2, p), on the host."""
        library, xp = self.library, self.library.xp
        ends = xp.stack([-xp.min(self.X, axis=0), xp.max(self.X, axis=0)])
        return library.to_host(ends).astype(np.float64)

    def weights_up_to(self, edges: Floats, weight: Array) -> Floats:
        """For each column and edge, the weight of the rows with values up to the edge, of shape (n_edges, p)."""
        library, n_edges = self.library, len(edges)
        columns = []
        for column in range(self.X.shape[1]):
            values = library.floats(self.X[:, column]) + 0.0  # a contiguous copy, which is faster to search with
            place = library.xp.searchsorted(library.asarray(np.ascontiguousarray(edges[:, column])), values)
            (sums,) = library.moments(place, values, weight, n_edges + 1, 1)
            columns.append(library.running_sums(sums)[:n_edges])
        result: Floats = library.to_host(library.xp.stack(columns, axis=1))
        return result

    def digests(self, seed: int) -> Any:
        """A hash of each row (see `digests.py`), on the host."""
        return mixed(self.library.row_codes(self.X, row_factors(self.X.shape[1], seed)))


class MirroredMatrix(Matrix):
    """A matrix in memory with a copy on a device, where its products are computed.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    device_matrix : DeviceMatrix that holds the rows, perhaps among others
    index : the indices of the rows in it
    """

    def __init__(self, X: Any, device_matrix: DeviceMatrix, index: Ints) -> None:
        super().__init__(X)
        self._among, self._index = device_matrix, index
        self._own: DeviceMatrix | None = None

    @property
    def _on_device(self) -> DeviceMatrix:
        # Made at first use: most subsets are used on the host only.
        if self._own is None:
            self._own = self._among.rows(self._index)
        return self._own

    def scores(self, coef: Floats) -> Floats:
        matrix = self._on_device
        result: Floats = matrix.library.to_host(matrix.scores(coef))
        return result

    def adjoint(self, residual: Floats) -> Floats:
        matrix = self._on_device
        return matrix.adjoint(matrix.library.asarray(residual))[:-1]

    def moments(self, weight: Floats, origin: Floats) -> tuple[Floats, Floats]:
        matrix = self._on_device
        first, second = matrix.moments(matrix.library.asarray(weight), origin)
        return first, second

    def gram(self, weight: Floats, columns: Columns) -> Floats:
        matrix = self._on_device
        return matrix.gram(matrix.library.asarray(weight), columns)

    def sums_by_group(self, group: Floats, weight: Floats, n_groups: int, columns: Columns) -> Floats:
        matrix, here = self._on_device, self._on_device.library.asarray
        return matrix.sums_by_group(here(group), here(weight), n_groups, columns)

    def rows(self, index: Ints) -> Matrix:
        return MirroredMatrix(self.X[index], self._among, self._index[index])
