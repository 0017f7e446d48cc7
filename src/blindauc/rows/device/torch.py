"""Torch versions of what the array API standard lacks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import torch
from torch import Tensor

from blindauc._typing import Floats
from blindauc.rows.device.libraries import BLOCK_ENTRIES, Library

CPU_BLOCK, DEVICE_BLOCK = 2**18, 2**24
"""Rows processed at once (convention): temporary arrays stay in the cache of a CPU, and below 2 GB on a device."""

DEVICE_ENTRIES = 2**25
"""Entries of a matrix that are converted to float64 at once on a device: 256 MB. Smaller blocks take longer to launch
than to compute (X @ w with 5e7 x 100 entries on an H200: 43 ms with blocks of 2**22, 36 ms with these)."""

MAX_WIDENED = 2**24
"""The most entries of a float32 matrix that is converted to float64 on a device. Larger ones use our Triton kernels.
For 5e7 x 100 entries on an H200, X @ w takes 18 ms instead of 36, and X.T @ r 7 instead of 34."""


class TorchArrays(Library):
    """Torch tensors on one device."""

    @property
    def has_many_threads(self) -> bool:
        """Whether the device runs thousands of threads, as a GPU does."""
        return bool(self.device.type != "cpu")

    @property
    def block_rows(self) -> int:  # type: ignore[override]
        return DEVICE_BLOCK if self.has_many_threads else CPU_BLOCK

    @property
    def block_entries(self) -> int:  # type: ignore[override]
        return DEVICE_ENTRIES if self.has_many_threads else BLOCK_ENTRIES

    @property
    def out_of_memory(self) -> tuple[type[Exception], ...]:
        return (torch.cuda.OutOfMemoryError,)

    def _on_the_host(self, array: Tensor) -> Any:
        return array.cpu().numpy()

    def plain(self, array: Tensor) -> Tensor:
        return array.detach()

    def is_dense(self, array: Tensor) -> bool:
        return bool(array.layout == torch.strided)

    def running_sums(self, array: Tensor) -> Tensor:
        return torch.cumsum(array, 0)

    def moments(self, index: Tensor, place: Tensor, weight: Tensor | None, n_places: int, degree: int) -> list[Tensor]:
        if self.has_many_threads:
            order, add = by_sorting(index, n_places)
            place, weight = place[order], None if weight is None else weight[order]
        else:
            add = by_index(index, n_places)
        return [add(power) for power in self._powers(place, weight, degree)]

    def polynomials(self, coefficients: Sequence[Tensor], index: Tensor, place: Tensor) -> Tensor:
        total = coefficients[-1].take(index)
        for coefficient in coefficients[-2::-1]:
            total = torch.addcmul(coefficient.take(index), total, place)
        return total

    def row_codes(self, X: Tensor, factor: Any) -> Any:
        # Products and sums of 64-bit integers have the same bits with and without a sign.
        factors, codes = self.asarray(factor.view("int64")), []
        for rows in self.row_blocks(X):
            bits = (X[rows].to(torch.float64) + 0.0).view(torch.int64)
            bits = bits ^ ((bits >> 32) & 0xFFFFFFFF)
            codes.append((bits * factors).sum(1))
        return self.to_host(torch.cat(codes)).view("uint64")

    def scores(self, X: Tensor, coef: Floats) -> Tensor:
        kernels = self._kernels(X)
        return super().scores(X, coef) if kernels is None else kernels.scores(X, self.asarray(coef))

    def adjoint(self, X: Tensor, residual: Tensor) -> Tensor:
        kernels = self._kernels(X)
        return super().adjoint(X, residual) if kernels is None else kernels.adjoint(X, residual)

    def column_moments(self, X: Tensor, weight: Tensor, origin: Tensor) -> Tensor:
        kernels = self._kernels(X)
        return super().column_moments(X, weight, origin) if kernels is None else kernels.moments(X, weight, origin)

    def _kernels(self, X: Tensor) -> Any:
        """The Triton kernels for a large float32 matrix on a GPU, if they are available; else None."""
        is_large = X.dtype == torch.float32 and X.numel() > MAX_WIDENED and X.is_contiguous()
        return _triton_kernels() if is_large and self.device.type == "cuda" else None


@cache
def _triton_kernels() -> Any:
    """The kernels; None, with a warning, if Triton or the C compiler that it needs is missing."""
    try:
        kernels = import_module("blindauc.rows.device.triton")
        one = torch.ones(1, 1, device="cuda")
        kernels.adjoint(one, kernels.scores(one, one[0].to(torch.float64)))
    except Exception as error:
        warnings.warn(
            f"Triton kernels cannot be compiled ({type(error).__name__}: {error}): products with float32 matrices on "
            "this device will take two to five times as long. Install triton and a C compiler.",
            stacklevel=2,
        )
        return None
    return kernels


def by_index(index: Tensor, n_places: int) -> Callable[[Tensor], Tensor]:
    """Sums over equal indices, by `index_add_`."""
    return lambda values: values.new_zeros(n_places).index_add_(0, index, values)


def by_sorting(index: Tensor, n_places: int) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """The order that sorts the indices, and sums over equal ones.

    Unlike atomic additions by thousands of threads, these sums are reproducible, and they are faster: 5e7 scores on an
    H200 took 10.9 ms, and 33.7 ms by atomic additions.
    """
    small = torch.int16 if n_places < 2**15 else torch.int32  # the time of a radix sort grows with the bytes of a key
    ordered, order = torch.sort(index.to(small), stable=True)
    offsets = torch.searchsorted(ordered, torch.arange(n_places + 1, device=index.device, dtype=small))
    return order, lambda values: torch.segment_reduce(values, "sum", offsets=offsets, initial=0, unsafe=True)
