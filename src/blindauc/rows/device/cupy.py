"""CuPy versions of what the array API standard lacks."""

from __future__ import annotations

from typing import Any

import cupy

from blindauc.rows.device.libraries import Library

DEVICE_BLOCK = 2**24
"""Rows processed at once, so that temporary arrays take less than 2 GB (convention)."""


class CupyArrays(Library):
    """CuPy arrays on one device."""

    block_rows = DEVICE_BLOCK

    @property
    def out_of_memory(self) -> tuple[type[Exception], ...]:
        return (cupy.cuda.memory.OutOfMemoryError,)

    def _on_the_host(self, array: Any) -> Any:
        return cupy.asnumpy(array)

    def moments(self, index: Any, place: Any, weight: Any, n_places: int, degree: int) -> list[Any]:
        return [cupy.bincount(index, power, n_places) for power in self._powers(place, weight, degree)]

    def row_codes(self, X: Any, factor: Any) -> Any:
        factors, codes = self.asarray(factor), []
        for rows in self.row_blocks(X):
            bits = (X[rows].astype(cupy.float64) + 0.0).view(cupy.uint64)
            codes.append(((bits ^ (bits >> 32)) * factors).sum(1))
        return self.to_host(cupy.concatenate(codes))
