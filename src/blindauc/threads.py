"""How many threads linear algebra may use."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

FEW_ENTRIES = 2**21
"""Up to this many entries of X one thread is as fast as two, and on a busy machine ten times as fast."""


def blas_threads_for(rows: Any) -> AbstractContextManager[Any]:
    """One thread where the matrices are small: threads that wait for each other cost more than they bring."""
    is_small = (rows.n_positives + rows.n_unlabelled) * rows.n_features <= FEW_ENTRIES
    return one_blas_thread() if is_small else nullcontext()


def one_blas_thread() -> AbstractContextManager[Any]:
    """One thread: where several work side by side, or the last digits must not depend on how many there are."""
    return _controller().limit(limits=1, user_api="blas")


@cache
def _controller() -> ThreadpoolController:
    """To look for the libraries takes as long as a small fit: once is enough, they are all loaded before a fit."""
    return ThreadpoolController()
