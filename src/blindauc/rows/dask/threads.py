"""A limit of one BLAS thread, for a process whose own threads enter and leave it at any time."""

from __future__ import annotations

from contextlib import ExitStack
from threading import Lock
from typing import Any

from blindauc.threads import one_blas_thread


class OneBlasThread:
    """A context manager for many threads: the limit holds until the last of them has left.

    The limit applies to the whole process. If each thread set and reset it, the first to leave would remove it for the
    others, and their last digits would depend on timing.
    """

    def __init__(self) -> None:
        self._lock, self._n_inside, self._limit = Lock(), 0, ExitStack()

    def __enter__(self) -> None:
        with self._lock:
            if self._n_inside == 0:
                self._limit.enter_context(one_blas_thread())
            self._n_inside += 1

    def __exit__(self, *error: Any) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0:
                self._limit.close()


one_blas_thread_of_worker = OneBlasThread()
