"""Limits on the number of BLAS threads."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

FEW_ENTRIES = 2**21
"""The most entries of X for which one BLAS thread is used. Up to this size, one thread was measured as fast as two, and
ten times as fast on a busy machine."""


def blas_threads_for(rows: Any) -> AbstractContextManager[Any]:
    """A context with one BLAS thread if X is small, where the overhead of threads outweighs their gain."""
    is_small = (rows.n_positives + rows.n_unlabelled) * rows.n_features <= FEW_ENTRIES
    return one_blas_thread() if is_small else nullcontext()


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context with one BLAS thread, for parallel work, or for results that do not depend on the number of threads."""
    return _controller().limit(limits=1, user_api="blas")


@cache
def _controller() -> ThreadpoolController:
    """The thread pool controller, created once: finding the libraries takes as long as a small fit."""
    return ThreadpoolController()
