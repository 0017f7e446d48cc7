"""Lazy predictions for Dask collections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from blindauc.rows.dask.blocks import as_numbers
from blindauc.rows.dask.collections import check_rows, is_frame
from blindauc.rows.dask.threads import one_blas_thread_of_worker


def scores_of(function: Callable[[Any], Any], X: Any) -> Any:
    """Map a function of blocks of rows over a Dask collection.

    Parameters
    ----------
    function : picklable, from an ndarray or CSR matrix of shape (n, p) to an array of n scores, labels or rows
    X : dask array of shape (n, p) in blocks of rows, or dask data frame

    Returns
    -------
    dask array
        With the blocks of X, not yet computed.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from blindauc.rows.dask import scores_of
    >>> X = da.from_array(np.arange(8.0).reshape(4, 2), chunks=(3, 2))
    >>> scores_of(lambda rows: rows @ np.array([1.0, 10.0]), X).compute(scheduler="synchronous")
    array([10., 32., 54., 76.])
    """
    check_rows(X)
    like = function(np.zeros((1, X.shape[1])))[:0]
    of_block = _OfBlock(function, like, list(X.columns) if is_frame(X) else None)
    if is_frame(X):
        return X.map_partitions(of_block, meta=like)
    if like.ndim == 1:
        return X.map_blocks(of_block, drop_axis=1, meta=like)
    return X.map_blocks(of_block, chunks=(X.chunks[0], (like.shape[1],)), meta=like)


@dataclass(frozen=True)
class _OfBlock:
    """The function of a block; for an empty block, an empty result."""

    function: Callable[[Any], Any]
    like: Any
    names: list[Any] | None

    def __call__(self, block: Any) -> Any:
        if not block.shape[0]:
            return self.like
        if self.names is not None and list(block.columns) != self.names:
            raise ValueError(
                f"All partitions must have the columns of the frame, {self.names[:20]}, but one has "
                f"{list(block.columns)[:20]}."
            )
        with one_blas_thread_of_worker:
            return self.function(as_numbers(block))
