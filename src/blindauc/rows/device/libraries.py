"""Libraries of arrays: NumPy on the host, and what follows the array API standard on a device.

Code that touches every score is written once, in the functions of the standard (`library.xp`). What the standard lacks,
most of all sums over rows of the same place, is a method here, with one version for each library. Arrays come to the
host by `to_host` alone, which counts them.
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
"""Scores handled at a time on the host, so that the work stays in the cache."""

STANDARD_BLOCK = 1024
"""Rows whose places are compared with all places at once, by libraries that know no better way."""

BLOCK_ENTRIES = 2**22
"""Entries of a matrix that are widened to float64 at a time: 32 MB."""

NAMES_IN_THE_STANDARD = {"absolute": "abs", "power": "pow", "true_divide": "divide", "conjugate": "conj"}
"""NumPy's functions of numbers have the names of the standard but for these."""

Array = Any
"""Of whatever library."""


class Traffic:
    """How many numbers came from devices to the host since the process began."""

    n_entries = 0


class Library:
    """Arrays of a library that follows the standard, on one device.

    Parameters
    ----------
    xp : its namespace
    device : where its arrays are
    """

    block_rows = STANDARD_BLOCK
    block_entries = BLOCK_ENTRIES

    def __init__(self, xp: Any, device: Any) -> None:
        self.xp, self.device = xp, device

    @property
    def out_of_memory(self) -> tuple[type[Exception], ...]:
        """What is raised where the device has no room left."""
        return ()

    def blocks(self, n: int) -> Iterator[slice]:
        """Rows handled at a time."""
        return (slice(start, min(start + self.block_rows, n)) for start in range(0, n, self.block_rows))

    def asarray(self, values: Any) -> Array:
        """Numbers of the host here, of the same type."""
        return self.xp.asarray(values, device=self.device)

    def to_host(self, array: Array) -> Any:
        """The one door to the host."""
        Traffic.n_entries += int(np.prod(array.shape))
        return np.asarray(self._on_the_host(array))

    def _on_the_host(self, array: Array) -> Any:
        return self.xp.from_dlpack(array, device=self.xp.Device("CPU_DEVICE"))

    def plain(self, array: Array) -> Array:
        """The numbers alone, without what a library remembers of how they were made."""
        return array

    def is_dense(self, array: Array) -> bool:
        """Whether all of its entries are there."""
        return True

    def number(self, array: Array) -> float:
        """An array of one number."""
        return float(self.to_host(array))

    def floats(self, array: Array) -> Array:
        """As float64."""
        return self.xp.astype(array, self.xp.float64, copy=False)

    def whole(self, array: Array) -> Array:
        """As whole numbers, for places."""
        return self.xp.astype(array, self.xp.int64)

    def empty(self, n: int) -> Array:
        return self.xp.empty(n, dtype=self.xp.float64, device=self.device)

    def zeros(self, n: int) -> Array:
        return self.xp.zeros(n, dtype=self.xp.float64, device=self.device)

    def joined(self, arrays: Sequence[Array]) -> Array:
        """One behind the other."""
        return self.xp.concat(list(arrays))

    def running_sums(self, array: Array) -> Array:
        return self.xp.cumulative_sum(array)

    def extremes(self, array: Array) -> tuple[float, float]:
        """The least and the largest."""
        low, high = self.to_host(self.xp.stack([self.xp.min(array), self.xp.max(array)])).tolist()
        return low, high

    def apply(self, function: Callable[..., Any], *arguments: Any) -> Array:
        """A function of numbers, given by NumPy's of the same meaning."""
        name = NAMES_IN_THE_STANDARD.get(function.__name__, function.__name__)
        plain = [each.item() if isinstance(each, np.generic) else each for each in arguments]
        if name == "where" and not hasattr(plain[1], "dtype") and not hasattr(plain[2], "dtype"):
            plain[1] = self.zeros(1) + plain[1]  # of two numbers nobody knows the precision
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
        """The sum over columns of factors times the bits of each value: see `digests.py`; on the host."""
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

    def row_blocks(self, X: Array) -> Iterator[slice]:
        """Rows of a matrix that are widened at a time."""
        n_rows, step = X.shape[0], max(1, self.block_entries // max(1, X.shape[1]))
        return (slice(start, min(start + step, n_rows)) for start in range(0, max(n_rows, 1), step))


class HostArrays(Library):
    """NumPy's arrays, in any version of it."""

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
    """Whether it is an array of NumPy."""
    return isinstance(array, np.ndarray)


def library_of(array: Any) -> Library:
    """The library of an array, on its device."""
    if isinstance(array, np.ndarray):
        return HOST
    key = type(array), str(array.device)  # by name, since devices of CuPy have no hash
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
