"""Rows on a device: torch tensors, CuPy arrays, and arrays of other libraries with the array API standard.

Vectors over all rows stay on the device. Only sums over rows, the nodes of summaries of scores, and vectors over the
positives are copied to the host, all by `Library.to_host`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from blindauc._typing import Floats, Ints
from blindauc.rows.device.libraries import Array, Library, library_of
from blindauc.rows.device.matrix import DeviceMatrix, MirroredMatrix
from blindauc.rows.matrix import Columns, Matrix
from blindauc.rows.parts import Part, PartedRows, Task


class DevicePart(Part):
    """A block of rows on a device.

    Parameters
    ----------
    X : array of shape (n, p), float64 or float32
    is_positive : mask of shape (n,), on the same device
    weight : float64 array of shape (n,), on the same device, or None if all rows have weight 1
    start : the number of the first row among all rows
    """

    def __init__(self, X: Array, is_positive: Array, weight: Array | None = None, start: int = 0) -> None:
        super().__init__(X, is_positive, weight, start)
        self.device_matrix = DeviceMatrix(X)

    @property
    def library(self) -> Library:
        return library_of(self.X)

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    @property
    def weight(self) -> Array:
        return self.library.zeros(self.n_rows) + 1.0 if self._weight is None else self._weight

    @property
    def _unlabelled_weight(self) -> Array:
        return self.library.xp.where(self.is_positive, 0.0, self.weight)

    def scores(self, coef: Floats, constant: float) -> Array:
        scores = self.device_matrix.scores(coef)
        if constant:
            scores += constant
        return scores

    def adjoint(self, residual: Array) -> Floats:
        return self.device_matrix.adjoint(residual)

    def with_columns(self, X: Array) -> DevicePart:
        return DevicePart(X, self.is_positive, self._weight, self.start)

    def apply(self, function: Callable[..., Any], *arguments: Any) -> Array:
        return self.library.apply(function, *arguments)

    def sum(self, array: Array) -> float:
        return self.library.number(self.library.xp.sum(array))

    def max(self, array: Array) -> float:
        return self.library.number(self.library.xp.max(array))

    def to_host(self, array: Array) -> Floats:
        result: Floats = self.library.to_host(array)
        return result

    def take(self, index: Ints) -> tuple[Matrix, Floats]:
        library = self.library
        X = library.to_host(self.device_matrix.rows(index).X)
        if self._weight is None:
            return Matrix(X), np.ones(len(index))
        return Matrix(X), library.to_host(library.xp.take(self._weight, library.asarray(index), axis=0))

    def moments(self, origin: Floats) -> Floats:
        return self.device_matrix.moments(self._unlabelled_weight, origin)

    def gram(self, weight: Array, columns: Columns) -> Floats:
        return self.device_matrix.gram(weight, columns)

    def sums_by_group(self, group: Array, weight: Array, n_groups: int, columns: Columns) -> Floats:
        return self.device_matrix.sums_by_group(group, weight, n_groups, columns)

    def extremes(self) -> Floats:
        return self.device_matrix.extremes()

    def weights_up_to(self, edges: Floats) -> Floats:
        return self.device_matrix.weights_up_to(edges, self._unlabelled_weight)

    def digests(self, seed: int) -> Any:
        return self.device_matrix.digests(seed)


class DeviceRows(PartedRows):
    """All rows on one device.

    Parameters
    ----------
    X : array of shape (n, p), float64 or float32, of torch, CuPy or another library with the array API standard
    is_positive : mask of shape (n,), on the same device
    weight : float64 array of shape (n,), on the same device, or None if all rows have weight 1

    See Also
    --------
    blindauc.rows.device.inputs.rows_on_device : Create it from the arguments of `fit`.

    Examples
    --------
    >>> import array_api_strict as xp
    >>> import numpy as np
    >>> from blindauc.rows.device.engine import DeviceRows
    >>> X = xp.asarray([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    >>> rows = DeviceRows(X, xp.asarray([True, False, False]))
    >>> (2 * rows.at(np.array([1.0, 0.0]))).sum()
    12.0
    """

    can_derive = False

    def __init__(self, X: Array, is_positive: Array, weight: Array | None = None) -> None:
        self.part = DevicePart(X, is_positive, weight)
        self.n_rows, self.n_features = int(X.shape[0]), int(X.shape[1])
        library = self.part.library
        (places,) = library.xp.nonzero(is_positive)
        self.positives = library.to_host(places).astype(np.intp)

    def results(self, task: Task) -> Sequence[Any]:
        with explaining_out_of_memory(self.part.X):
            return [task(self.part)]

    def fewer(self, index: Ints) -> DeviceRows:
        part, library = self.part, self.part.library
        places = library.asarray(index)
        weight = None if part._weight is None else library.xp.take(part._weight, places, axis=0)
        return DeviceRows(part.device_matrix.rows(index).X, library.xp.take(part.is_positive, places, axis=0), weight)

    def take(self, index: Ints) -> tuple[Matrix, Floats]:
        rows, weight = super().take(index)
        # Every step of a fit uses all positives: their products are computed on the device, too.
        if np.array_equal(index, self.positives):
            rows = MirroredMatrix(rows.X, self.part.device_matrix, index)
        return rows, weight


@contextmanager
def explaining_out_of_memory(X: Array) -> Iterator[None]:
    """Replace an out-of-memory error of the device by one that says what takes the memory, and what to do."""
    library = library_of(X)
    try:
        yield
    except library.out_of_memory as error:
        n_rows, n_features = X.shape
        wide = X.dtype == library.xp.float64
        size = n_rows * n_features * (8 if wide else 4) / 1e9
        raise MemoryError(
            f"The device {library.device} ran out of memory: X of {n_rows} x {n_features} takes {size:.1f} GB there, "
            f"and a fit about {n_rows * BYTES_A_ROW / 1e9:.1f} GB beside it. "
            + ("Pass X as float32, or with fewer columns" if wide else "Pass X with fewer columns")
            + ", free other arrays there, or keep the rows on disk and fit blindauc.ParquetRows."
        ) from error


BYTES_A_ROW = 112
"""Memory of a fit for each row: 80 bytes at the peak of a gradient, measured by `benchmarks/device.py` on an H200, and
four float64 vectors that a part caches."""
