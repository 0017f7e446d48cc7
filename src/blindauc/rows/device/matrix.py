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
    """A dense matrix of float64 or float32 where it is.

    Parameters
    ----------
    X : array of shape (n_rows, n_features) of a library that follows the array API standard
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
        """X.T @ residual and, behind it, the sum of the residuals, on the host."""
        library = self.library
        total = library.xp.reshape(library.xp.sum(residual), (1,))
        result: Floats = library.to_host(library.joined([library.adjoint(self.X, residual), total]))
        return result

    def rows(self, index: Ints) -> DeviceMatrix:
        """Some rows."""
        library = self.library
        return DeviceMatrix(library.xp.take(self.X, library.asarray(index), axis=0))

    def moments(self, weight: Array, origin: Floats) -> Floats:
        """The weighted sums of each column and of its square about an origin, on the host."""
        library, from_here = self.library, self.library.asarray(origin)
        first, second = library.zeros(self.X.shape[1]), library.zeros(self.X.shape[1])
        for rows in library.row_blocks(self.X):
            block = library.floats(self.X[rows, :]) - from_here
            first += weight[rows] @ block
            block *= block
            second += weight[rows] @ block
        result: Floats = library.to_host(library.xp.stack([first, second]))
        return result

    def gram(self, weight: Array, columns: Columns) -> Floats:
        """X.T @ diag(weight) @ X, of some columns, on the host."""
        return self._summed(columns, lambda rows, block: (block * weight[rows][:, None]).T @ block)

    def sums_by_group(self, group: Array, weight: Array, n_groups: int, columns: Columns) -> Floats:
        """The weighted sums of the rows of each group, of some columns, on the host."""
        library = self.library
        every = library.floats(library.xp.arange(n_groups, device=library.device))[:, None]

        def sums(rows: slice, block: Array) -> Array:
            return library.floats(every == group[rows][None, :]) @ (block * weight[rows][:, None])

        return self._summed(columns, sums)

    def _summed(self, columns: Columns, of_block: Callable[[slice, Array], Array]) -> Floats:
        """The sum of a function of blocks of rows, on the host."""
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
        """The largest value of minus each column, and of each column, on the host."""
        library, xp = self.library, self.library.xp
        ends = xp.stack([-xp.min(self.X, axis=0), xp.max(self.X, axis=0)])
        return library.to_host(ends).astype(np.float64)

    def weights_up_to(self, edges: Floats, weight: Array) -> Floats:
        """The weight of the rows at most as large as each of the edges of each column, of shape (n_edges, p)."""
        library, n_edges = self.library, len(edges)
        columns = []
        for column in range(self.X.shape[1]):
            values = library.floats(self.X[:, column]) + 0.0  # in one piece, which searches are faster in
            place = library.xp.searchsorted(library.asarray(np.ascontiguousarray(edges[:, column])), values)
            (sums,) = library.moments(place, values, weight, n_edges + 1, 1)
            columns.append(library.running_sums(sums)[:n_edges])
        result: Floats = library.to_host(library.xp.stack(columns, axis=1))
        return result

    def digests(self, seed: int) -> Any:
        """A number for each row that only equal rows share, on the host."""
        return mixed(self.library.row_codes(self.X, row_factors(self.X.shape[1], seed)))


class MirroredMatrix(Matrix):
    """A matrix in memory whose rows are on a device as well, where its products with vectors are taken.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    device_matrix : DeviceMatrix that holds the rows, perhaps among others
    index : their numbers there
    """

    def __init__(self, X: Any, device_matrix: DeviceMatrix, index: Ints) -> None:
        super().__init__(X)
        self._among, self._index = device_matrix, index
        self._own: DeviceMatrix | None = None

    @property
    def _on_device(self) -> DeviceMatrix:
        # Made when it is needed: most subsets are for the host alone.
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

    def gram(self, weight: Floats, columns: Columns) -> Floats:
        matrix = self._on_device
        return matrix.gram(matrix.library.asarray(weight), columns)

    def sums_by_group(self, group: Floats, weight: Floats, n_groups: int, columns: Columns) -> Floats:
        matrix, here = self._on_device, self._on_device.library.asarray
        return matrix.sums_by_group(here(group), here(weight), n_groups, columns)

    def rows(self, index: Ints) -> Matrix:
        return MirroredMatrix(self.X[index], self._among, self._index[index])
