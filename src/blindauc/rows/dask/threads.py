"""One thread of linear algebra in a process whose threads come and go."""

from __future__ import annotations

from contextlib import ExitStack
from threading import Lock
from typing import Any

from blindauc.threads import one_blas_thread


class OneBlasThread:
    """A limit that holds until the last of the threads that want it has left.

    The limit is one of the process. If each thread set it and set it back, the first to leave would take it from the
    others, and their last digits would depend on who was quicker.
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
