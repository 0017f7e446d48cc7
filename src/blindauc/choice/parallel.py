"""Parallel tasks on any backend of joblib, with a progress callback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from joblib import Parallel


class ReportedParallel(Parallel):  # type: ignore[misc]
    """joblib's `Parallel` that calls `report` with the number of completed tasks.

    It does not use `return_as="generator"`, which Ray's backend does not support.
    """

    def __init__(self, n_jobs: int | None, report: Callable[[int], None]) -> None:
        super().__init__(n_jobs=n_jobs)
        self._report = report

    def print_progress(self) -> Any:
        """Overrides the hook that joblib calls whenever tasks complete."""
        self._report(self.n_completed_tasks)
