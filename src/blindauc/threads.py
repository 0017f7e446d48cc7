"""How many threads linear algebra may use."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

FEW_ENTRIES = 2**21
"""Up to this many entries of X one thread is as fast as two, and on a busy machine ten times as fast."""


def blas_threads_for(X: Any) -> AbstractContextManager[Any]:
    """One thread where the matrices are small: threads that wait for each other cost more than they bring."""
    is_small = X.shape[0] * X.shape[1] <= FEW_ENTRIES
    return _controller().limit(limits=1, user_api="blas") if is_small else nullcontext()


@cache
def _controller() -> ThreadpoolController:
    """To look for the libraries takes as long as a small fit: once is enough, they are all loaded before a fit."""
    return ThreadpoolController()
