"""Cost of an iteration on a Dask cluster: tasks and bytes per partition, and the time of the scheduler.

    python benchmarks/dask_tasks.py [rows of a partition]

An iteration computes a value and its gradient, in two passes over each partition. The bars: at most 3 tasks and 1 MB
per partition. Bytes are those of the tasks, sent once to each worker, and of all results in the reduction tree.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import cloudpickle
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, SchedulerPlugin

from blindauc.losses import get_loss
from blindauc.objectives import Objective
from blindauc.risks import BlindAUCRisk
from blindauc.rows.dask import DaskRows
from blindauc.rows.parts import FAN_IN
from blindauc.rows.view import PartedView

N_COLUMNS, N_WORKERS, REPEATS = 50, 2, 10


class Counts(SchedulerPlugin):
    """Number of tasks completed since the last call."""

    n_tasks = 0

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        self.n_tasks += (start, finish) == ("processing", "memory")

    def looked(self) -> int:
        found, self.n_tasks = self.n_tasks, 0
        return found


@dataclass(frozen=True)
class BytesOf:
    """The size in bytes of the result of a task. Dask's own estimate ignores arrays inside objects."""

    task: Any

    def __call__(self, part: Any) -> int:
        return len(cloudpickle.dumps(self.task(part)))


class MeasuredRows(DaskRows):
    """Rows that record the tasks that they send."""

    def total(self, task: Any, *combine: Any) -> Any:
        self.tasks = [*getattr(self, "tasks", []), task]
        return super().total(task, *combine)

    def n_bytes(self) -> int:
        """Bytes of the tasks, sent once to each worker, and of the results; sums are as large as results."""
        tree = FAN_IN / (FAN_IN - 1)
        sent = sum(len(cloudpickle.dumps(task)) * min(N_WORKERS, self.n_parts) for task in self.tasks)
        return sent + int(tree * sum(super(MeasuredRows, self).total(BytesOf(task)) for task in self.tasks))


def nothing(part: Any) -> int:
    return 0


def made(client: Client, n_parts: int, part_rows: int) -> MeasuredRows:
    rng = da.random.default_rng(0)
    X = rng.normal(size=(n_parts * part_rows, N_COLUMNS), chunks=(part_rows, N_COLUMNS))
    y = (rng.random(len(X), chunks=part_rows) < 0.05).astype(int)
    return MeasuredRows.of(X, y, client=client)


def seconds(work: Any) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def measured(client: Client, counts: Counts, loss: str, n_parts: int, part_rows: int) -> str:
    with made(client, n_parts, part_rows) as rows:
        view = PartedView.of(rows)
        objective = Objective(BlindAUCRisk(get_loss(loss)), view, l2=np.ones(N_COLUMNS))
        shift = np.zeros(view.n_positives)
        objective.gradient(np.zeros(N_COLUMNS), shift)  # statistics that are computed once
        counts.looked()
        at = [np.full(N_COLUMNS, 0.01 * (k + 1)) for k in range(REPEATS)]
        gradient = median(seconds(lambda coef=coef: objective.gradient(coef, shift)) for coef in at)
        tasks = counts.looked() / REPEATS / n_parts
        rows.tasks = []
        objective.gradient(np.full(N_COLUMNS, 0.3), shift)
        megabytes = rows.n_bytes() / n_parts / 1e6
        visit = median(seconds(lambda: rows.total(nothing)) for _ in range(REPEATS))
        return (
            f"{loss:>14} {n_parts:>10} {view.n_positives:>10,} {tasks:>16.2f} {megabytes:>13.4f} "
            f"{1e3 * gradient:>14.0f} {1e3 * visit:>18.0f}"
        )


def main() -> None:
    part_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    options = {"n_workers": N_WORKERS, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    print(f"{N_WORKERS} workers, {part_rows:,} rows x {N_COLUMNS} columns in a partition; bars: 3 tasks, 1 MB")
    print("          loss partitions  positives  tasks/partition  MB/partition  ms a gradient  ms a visit of none")
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        counts = Counts()
        cluster.scheduler.add_plugin(counts, name="counts")
        for loss in ("logistic", "hinge"):
            for n_parts in (1, 8, 64):
                print(measured(client, counts, loss, n_parts, part_rows))


if __name__ == "__main__":
    main()
