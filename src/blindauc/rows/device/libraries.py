"""Array libraries: NumPy on the host, and libraries with the array API standard on a device.

Code that processes all scores is written once, with the functions of the standard (`library.xp`). What the standard
lacks, such as sums over the rows of each bin, is a method here, with one version for each library. Only `to_host`
copies arrays to the host, and it counts their entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from blindauc._typing import Floats
from blindauc.extras import imported
from blindauc.rows.digests import bits_of

NEEDED = "Arrays that are not NumPy's need {}: pip install 'blindauc[torch]'."

HOST_BLOCK = 16384
"""Scores processed at once on the host, so that temporary arrays stay in the cache (convention)."""

STANDARD_BLOCK = 1024
"""Rows processed at once by libraries without a bincount: they compare each row with all bins (convention)."""

BLOCK_ENTRIES = 2**22
"""Entries of a matrix that are converted to float64 at once: 32 MB (convention)."""

NAMES_IN_THE_STANDARD = {"absolute": "abs", "power": "pow", "true_divide": "divide", "conjugate": "conj"}
"""NumPy's elementwise functions that have another name in the standard."""

Array = Any
"""An array of any library."""


class Traffic:
    """The number of entries that were copied from devices to the host since the process started."""

    n_entries = 0


class Library:
    """A library with the array API standard, on one device.

    Parameters
    ----------
    xp : the namespace of the library
    device : the device of its arrays
    """

    block_rows = STANDARD_BLOCK
    block_entries = BLOCK_ENTRIES

    def __init__(self, xp: Any, device: Any) -> None:
        self.xp, self.device = xp, device

    @property
    def out_of_memory(self) -> tuple[type[Exception], ...]:
        """The exceptions that the library raises if the device is out of memory."""
        return ()

    def blocks(self, n: int) -> Iterator[slice]:
        """Slices of `block_rows` out of n rows."""
        return (slice(start, min(start + self.block_rows, n)) for start in range(0, n, self.block_rows))

    def asarray(self, values: Any) -> Array:
        """An array of the host, copied to the device."""
        return self.xp.asarray(values, device=self.device)

    def to_host(self, array: Array) -> Any:
        """An array of the device, copied to the host. Nothing else copies to the host."""
        Traffic.n_entries += int(np.prod(array.shape))
        return np.asarray(self._on_the_host(array))

    def _on_the_host(self, array: Array) -> Any:
        return self.xp.from_dlpack(array, device=self.xp.Device("CPU_DEVICE"))

    def plain(self, array: Array) -> Array:
        """The array without the graph that a library may keep for its gradients."""
        return array

    def is_dense(self, array: Array) -> bool:
        """Whether the array is dense."""
        return True

    def number(self, array: Array) -> float:
        """The value of an array with one entry."""
        return float(self.to_host(array))

    def floats(self, array: Array) -> Array:
        """The array as float64."""
        return self.xp.astype(array, self.xp.float64, copy=False)

    def whole(self, array: Array) -> Array:
        """The array as integers, for indexing."""
        return self.xp.astype(array, self.xp.int64)

    def empty(self, n: int) -> Array:
        return self.xp.empty(n, dtype=self.xp.float64, device=self.device)

    def zeros(self, n: int) -> Array:
        return self.xp.zeros(n, dtype=self.xp.float64, device=self.device)

    def joined(self, arrays: Sequence[Array]) -> Array:
        """The arrays concatenated."""
        return self.xp.concat(list(arrays))

    def running_sums(self, array: Array) -> Array:
        return self.xp.cumulative_sum(array)

    def extremes(self, array: Array) -> tuple[float, float]:
        """The minimum and the maximum."""
        low, high = self.to_host(self.xp.stack([self.xp.min(array), self.xp.max(array)])).tolist()
        return low, high

    def apply(self, function: Callable[..., Any], *arguments: Any) -> Array:
        """The equivalent of a NumPy elementwise function."""
        name = NAMES_IN_THE_STANDARD.get(function.__name__, function.__name__)
        plain = [each.item() if isinstance(each, np.generic) else each for each in arguments]
        if name == "where" and not hasattr(plain[1], "dtype") and not hasattr(plain[2], "dtype"):
            plain[1] = self.zeros(1) + plain[1]  # with two Python numbers, the precision of the result is undefined
        return getattr(self.xp, name)(*plain)

    def moments(self, index: Array, place: Array, weight: Array | None, n_places: int, degree: int) -> list[Array]:
        """sum weight * place**k over the rows of each index, for k = 0 ... degree - 1."""
        xp, sums = self.xp, [self.zeros(n_places) for _ in range(degree)]
        every = xp.arange(n_places, device=self.device)[:, None]
        for rows in self.blocks(index.shape[0]):
            is_there = self.floats(every == index[rows][None, :])
            for k, power in enumerate(self._powers(place[rows], None if weight is None else weight[rows], degree)):
                sums[k] += is_there @ power
        return sums

    def _powers(self, place: Array, weight: Array | None, degree: int) -> Iterator[Array]:
        """weight * place**k."""
        power = self.xp.ones_like(place) if weight is None else weight
        for k in range(degree):
            yield power
            if k < degree - 1:
                power = power * place

    def polynomials(self, coefficients: Sequence[Array], index: Array, place: Array) -> Array:
        """sum_k coefficients[k][index] * place**k."""
        total = self.xp.take(coefficients[-1], index, axis=0)
        for coefficient in coefficients[-2::-1]:
            total *= place
            total += self.xp.take(coefficient, index, axis=0)
        return total

    def row_codes(self, X: Array, factor: Any) -> Any:
        """The sum over columns of factors times the bits of each value (see `digests.py`), on the host."""
        return bits_of(self.to_host(X)) @ factor

    def scores(self, X: Array, coef: Floats) -> Array:
        """X @ coef, in float64."""
        weights = self.asarray(coef)
        if X.dtype == self.xp.float64:
            return X @ weights
        return self.joined([self.floats(X[rows, :]) @ weights for rows in self.row_blocks(X)])

    def adjoint(self, X: Array, residual: Array) -> Array:
        """X.T @ residual, in float64."""
        if X.dtype == self.xp.float64:
            return residual @ X
        result = self.zeros(X.shape[1])
        for rows in self.row_blocks(X):
            result += residual[rows] @ self.floats(X[rows, :])
        return result

    def column_moments(self, X: Array, weight: Array, origin: Array) -> Array:
        """The weighted sums of each column and of its square about an origin, in float64, of shape (2, p)."""
        first, second = self.zeros(X.shape[1]), self.zeros(X.shape[1])
        for rows in self.row_blocks(X):
            block = self.floats(X[rows, :]) - origin
            first += weight[rows] @ block
            block *= block
            second += weight[rows] @ block
        return self.xp.stack([first, second])

    def row_blocks(self, X: Array) -> Iterator[slice]:
        """Slices of the rows of a matrix that are converted to float64 at once."""
        n_rows, step = X.shape[0], max(1, self.block_entries // max(1, X.shape[1]))
        return (slice(start, min(start + step, n_rows)) for start in range(0, max(n_rows, 1), step))


class HostArrays(Library):
    """NumPy arrays. They do not need a NumPy with the array API standard, which came with version 2."""

    block_rows = HOST_BLOCK

    def __init__(self) -> None:
        super().__init__(np, "cpu")

    def asarray(self, values: Any) -> Floats:
        return np.asarray(values)

    def to_host(self, array: Floats) -> Floats:
        return array

    def floats(self, array: Any) -> Floats:
        return array.astype(np.float64, copy=False)

    def whole(self, array: Floats) -> Any:
        return array.astype(np.intp)

    def empty(self, n: int) -> Floats:
        return np.empty(n)

    def zeros(self, n: int) -> Floats:
        return np.zeros(n)

    def joined(self, arrays: Sequence[Floats]) -> Floats:
        return np.concatenate(arrays)

    def running_sums(self, array: Floats) -> Floats:
        return np.cumsum(array)

    def extremes(self, array: Floats) -> tuple[float, float]:
        return array.min(), array.max()

    def apply(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return function(*arguments)

    def moments(self, index: Any, place: Floats, weight: Floats | None, n_places: int, degree: int) -> list[Floats]:
        sums: list[Any] = []
        power = weight
        for _ in range(degree):
            sums.append(np.bincount(index, power, n_places))
            power = place if power is None else power * place
        return sums


HOST = HostArrays()


def is_on_host(array: Any) -> bool:
    """Whether this is a NumPy array."""
    return isinstance(array, np.ndarray)


def library_of(array: Any) -> Library:
    """The library of an array, on its device."""
    if isinstance(array, np.ndarray):
        return HOST
    key = type(array), str(array.device)  # as text, since CuPy devices are not hashable
    if key not in _LIBRARIES:
        _LIBRARIES[key] = _new_library(array)
    return _LIBRARIES[key]


_LIBRARIES: dict[tuple[type, str], Library] = {}


def _new_library(array: Any) -> Library:
    compat = imported("array_api_compat", otherwise=NEEDED)
    xp, device = compat.array_namespace(array), compat.device(array)
    for is_it, module, name in (
        (compat.is_torch_namespace, "torch", "TorchArrays"),
        (compat.is_cupy_namespace, "cupy", "CupyArrays"),
    ):
        if is_it(xp):
            library: Library = getattr(import_module(f"blindauc.rows.device.{module}"), name)(xp, device)
            return library
    return Library(xp, device)
