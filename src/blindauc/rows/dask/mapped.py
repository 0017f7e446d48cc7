"""Rows of a memory-mapped file on a cluster whose workers can read the file: each maps the rows that it processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.extras import imported
from blindauc.rows.dask import DaskRows

ROWS_OF_A_PARTITION = 2**18
"""Rows of a partition (convention)."""


@dataclass(frozen=True)
class _Slice:
    """A slice of rows of a mapped matrix, which is opened when the slice is called."""

    path: str
    shape: tuple[int, int]
    start: int
    stop: int

    def __call__(self) -> Any:
        return np.memmap(self.path, np.float32, "r", shape=self.shape)[self.start : self.stop]


def mapped_rows(X: Any, is_positive: Bools, weight: Floats | None, *, client: Any) -> DaskRows:
    """The rows of a mapped matrix of float32, in partitions that the workers map themselves.

    Parameters
    ----------
    X : np.memmap of shape (n, p) and type float32, in C order from the start of its file
    is_positive : mask of shape (n,)
    weight : array of shape (n,), or None
    client : distributed.Client, whose workers can read the file at the same path
    """
    da: Any = imported("dask.array", otherwise="{}")
    delayed: Any = imported("dask", otherwise="{}").delayed
    n, p = X.shape
    starts = range(0, n, ROWS_OF_A_PARTITION)
    slices = [_Slice(str(X.filename), (n, p), start, min(start + ROWS_OF_A_PARTITION, n)) for start in starts]
    blocks = [da.from_delayed(delayed(each)(), (each.stop - each.start, p), np.float32) for each in slices]
    beside = [None if each is None else da.from_array(each, ROWS_OF_A_PARTITION) for each in (is_positive, weight)]
    return DaskRows.of(da.concatenate(blocks), *beside, client=client)
