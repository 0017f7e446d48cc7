"""What the array API standard lacks, in torch."""

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
"""Rows handled at a time: temporary memory stays in the cache of a CPU, and below 2 GB on a device."""

DEVICE_ENTRIES = 2**25
"""Entries of a matrix that are widened to float64 at a time on a device: 256 MB. To start smaller pieces takes longer
than to work them out (5e7 x 100 on an H200: 43 ms for X @ w by 2**22 entries, 36 ms by these)."""

MAX_WIDENED = 2**24
"""Entries of a float32 matrix that are widened on a device, at most. For larger ones there are kernels of our own: 18
against 36 ms for X @ w, and 7 against 34 ms for X.T @ r, of 5e7 x 100 on an H200."""


class TorchArrays(Library):
    """Tensors on one device."""

    @property
    def has_many_threads(self) -> bool:
        """Whether the device has thousands of them."""
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
        # Whole numbers of 64 bits multiply and add alike with and without a sign.
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

    def _kernels(self, X: Tensor) -> Any:
        """What multiplies a large float32 matrix, where it can be had."""
        is_large = X.dtype == torch.float32 and X.numel() > MAX_WIDENED and X.is_contiguous()
        return _triton_kernels() if is_large and self.device.type == "cuda" else None


@cache
def _triton_kernels() -> Any:
    """The kernels, or None where Triton or the C compiler that it needs is missing: then matrices are widened."""
    try:
        kernels = import_module("blindauc.rows.device.triton")
        one = torch.ones(1, 1, device="cuda")
        kernels.adjoint(one, kernels.scores(one, one[0].to(torch.float64)))
    except Exception as error:
        warnings.warn(
            f"Kernels of Triton cannot be made ({type(error).__name__}: {error}): products with float32 matrices on "
            "this device will take two to five times as long. Install triton and a C compiler.",
            stacklevel=2,
        )
        return None
    return kernels


def by_index(index: Tensor, n_places: int) -> Callable[[Tensor], Tensor]:
    """Sums over equal indices, one addition after the other."""
    return lambda values: values.new_zeros(n_places).index_add_(0, index, values)


def by_sorting(index: Tensor, n_places: int) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """The order in which equal indices are neighbours, and sums over them.

    Where thousands of threads add to the same few numbers this is faster, and always the same: 5e7 scores on an H200
    took 10.9 ms, and 33.7 ms by atomic additions.
    """
    small = torch.int16 if n_places < 2**15 else torch.int32  # a radix sort takes time by the byte
    ordered, order = torch.sort(index.to(small), stable=True)
    offsets = torch.searchsorted(ordered, torch.arange(n_places + 1, device=index.device, dtype=small))
    return order, lambda values: torch.segment_reduce(values, "sum", offsets=offsets, initial=0, unsafe=True)
