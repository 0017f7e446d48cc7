"""How many threads linear algebra may use."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from threadpoolctl import threadpool_limits

FEW_ENTRIES = 2**21
"""Up to this many entries of X one thread is as fast as two, and on a busy machine ten times as fast."""


def blas_threads_for(X: Any) -> AbstractContextManager[Any]:
    """One thread where the matrices are small: threads that wait for each other cost more than they bring."""
    return threadpool_limits(1, user_api="blas") if X.shape[0] * X.shape[1] <= FEW_ENTRIES else nullcontext()
