"""Tasks side by side, on any backend of joblib, with a word after each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from joblib import Parallel


class ReportedParallel(Parallel):  # type: ignore[misc]
    """joblib's `Parallel` that calls a function with the number of tasks done.

    Not by a generator of results: Ray's backend has none.
    """

    def __init__(self, n_jobs: int | None, report: Callable[[int], None]) -> None:
        super().__init__(n_jobs=n_jobs)
        self._report = report

    def print_progress(self) -> Any:
        """Called by joblib as tasks end."""
        self._report(self.n_completed_tasks)
