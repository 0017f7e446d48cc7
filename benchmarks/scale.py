"""Time and memory of each engine from 1e5 rows up, and an extrapolation to 1e9 and 1e10 rows on a cluster.

    python benchmarks/scale.py                               # memory, disk and Dask, 1e5 to 1e7 rows of 50 columns
    python benchmarks/scale.py --engines disk --rows 2e7 4e7 # a fit of 20 million rows, and of twice as many
    python benchmarks/scale.py --engines parquet --rows 2e7  # from a Parquet file: reading into the cache, then the fit

Every run is a separate process, so that its memory can be measured: the peak of its anonymous memory (RssAnon), without
mapped pages of the cache, which the system reclaims when it needs them. On disk, passes are timed beside a plain read
of the same file in the same run. The engine of devices has a benchmark of its own, `device.py`. The table is in
`docs/how-to/large-data.md`, and `docs/pictures/scale.py` draws it from there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from itertools import count
from pathlib import Path

import numpy as np
from speed import side_by_side

SHARE_LABELLED, MOST_LABELLED = 0.01, 100_000
SHARE_WRONG = 0.1
BLOCK = 2**18


def make_rows(folder: Path, n_rows: int, n_columns: int) -> None:
    """A mapped matrix of float32 with a tenth of the labels wrong, written block by block."""
    rng = np.random.default_rng(0)
    n_labelled = min(int(SHARE_LABELLED * n_rows), MOST_LABELLED)
    is_positive = np.zeros(n_rows, dtype=bool)
    is_positive[rng.choice(n_rows, n_labelled, replace=False)] = True
    with (folder / "X").open("wb") as file:
        for start in range(0, n_rows, BLOCK):
            labelled = np.flatnonzero(is_positive[start : start + BLOCK])
            block = rng.standard_normal((min(BLOCK, n_rows - start), n_columns), dtype=np.float32)
            block[labelled, :10] += 0.5
            block[labelled[rng.random(len(labelled)) < SHARE_WRONG], :10] -= 2.0
            file.write(block.tobytes())
    np.save(folder / "labels.npy", is_positive)
    os.sync()  # pending writes would slow down what is measured


class Memory:
    """The peak of this process's own memory, in GB."""

    def __init__(self) -> None:
        self.peak = 0.0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            status = Path("/proc/self/status").read_text()
            self.peak = max(self.peak, int(status.split("RssAnon:")[1].split()[0]) / 1e6)
            time.sleep(0.02)


def seconds_of(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def plain_read(path: Path) -> None:
    buffer = bytearray(2**24)
    with path.open("rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def mapped(folder: Path, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    return np.memmap(folder / "X", np.float32, "r").reshape(-1, n_columns), np.load(folder / "labels.npy")


def write_parquet(folder: Path, n_columns: int) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    X, is_positive = mapped(folder, n_columns)
    names = [f"column {k}" for k in range(n_columns)]
    schema = pa.schema([*((name, pa.float32()) for name in names), ("label", pa.int8())])
    with parquet.ParquetWriter(folder / "rows.parquet", schema) as writer:
        for rows in (slice(start, start + BLOCK) for start in range(0, len(X), BLOCK)):
            columns = [*np.ascontiguousarray(X[rows].T), is_positive[rows].astype(np.int8)]
            writer.write_table(pa.table(columns, schema=schema))


def engine_of(name: str, X, is_positive, folder: Path):
    from blindauc.rows.disk.parquet import ParquetRows
    from blindauc.rows.parts import BlockParts

    if name == "memory":
        return np.array(X)
    if name == "parquet":
        table = ParquetRows(folder / "rows.parquet", label="label", cache=folder / "cache", memory="1GB").prepared()
        return BlockParts.of(table.X, table.is_positive)
    if name == "disk":
        return BlockParts.of(X, is_positive)
    from distributed import Client, LocalCluster

    from blindauc.rows.dask.mapped import mapped_rows

    client = Client(LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None))
    return mapped_rows(X, is_positive, None, client=client)


def measure(name: str, folder: Path, n_columns: int) -> dict[str, float]:
    """One engine at one size: a pass, a value with its gradient, and a fit with outliers."""
    from blindauc import BlindAUCClassifier
    from blindauc.losses import get_loss
    from blindauc.objectives import Objective
    from blindauc.risks import BlindAUCRisk
    from blindauc.rows.disk.writing import MATRIX
    from blindauc.rows.memory import MemoryRows
    from blindauc.rows.parts import PartedRows
    from blindauc.rows.view import PartedView

    X, is_positive = mapped(folder, n_columns)
    memory, start = Memory(), time.perf_counter()
    engine = engine_of(name, X, is_positive, folder)
    found: dict[str, float] = {"rows": len(X)}
    if name == "parquet":
        found["into_cache_s"] = time.perf_counter() - start
    is_parted = isinstance(engine, PartedRows)
    rows = PartedView.of(engine) if is_parted else MemoryRows.of(engine, is_positive)
    objective = Objective(BlindAUCRisk(get_loss("logistic")), rows, l2=0.01, trim=True)
    coef, shift = np.random.default_rng(0).normal(size=(2, n_columns)) * 0.1, np.zeros(rows.n_positives)
    objective.gradient(coef[0], shift)
    found["gradient_s"] = seconds_of(lambda: objective.gradient(coef[1], shift))
    if name in ("disk", "parquet"):
        file = folder / "X" if name == "disk" else next((folder / "cache").glob(f"*/{MATRIX}"))
        steps = count(1)  # parts cache vectors: each point is evaluated once only
        ones = engine.unlabelled_weights().kept()
        read, scores, adjoint = side_by_side(
            lambda: plain_read(file),
            lambda: engine.at(coef[0] + 1e-3 * next(steps)).sum(),
            lambda: engine.adjoint(next(steps) * ones),
        )
        found |= {"read_s": read, "scores_of_read": read / scores, "adjoint_of_read": read / adjoint}
    model = BlindAUCClassifier(n_outliers=SHARE_WRONG)
    before = getattr(engine, "n_visits", 0)
    found["fit_s"] = seconds_of(lambda: model.fit(engine) if is_parted else model.fit(engine, is_positive.astype(int)))
    found["passes"] = getattr(engine, "n_visits", 0) - before
    return found | {"memory_GB": memory.peak, "coef": model.coef_.tolist()}


COLUMNS = {
    "engine": "{}",
    "rows": "{:.0e}",
    "into_cache_s": "{:.1f}",
    "gradient_s": "{:.3f}",
    "fit_s": "{:.1f}",
    "passes": "{}",
    "memory_GB": "{:.2f}",
    "read_s": "{:.2f}",
    "scores_of_read": "{:.2f}",
    "adjoint_of_read": "{:.2f}",
    "differs": "{:.0e}",
}


def run_all(engines: list[str], sizes: list[int], n_columns: int) -> list[dict[str, float]]:
    results: list[dict[str, float]] = []
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
    for n_rows in sizes:
        with tempfile.TemporaryDirectory() as folder:
            make_rows(Path(folder), n_rows, n_columns)
            if "parquet" in engines:
                write_parquet(Path(folder), n_columns)
            first = None
            for name in engines:
                command = [sys.executable, __file__, "--one", name, "--folder", folder, "--columns", str(n_columns)]
                lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
                found = {"engine": name, **json.loads(lines[-1])}
                coef = np.array(found.pop("coef"))
                first = coef if first is None else first
                found["differs"] = np.abs(coef - first).max() / np.abs(first).max()
                results.append(found)
                print(
                    "| " + " | ".join(COLUMNS[k].format(found[k]) if k in found else "" for k in COLUMNS) + " |",
                    flush=True,
                )
    return results


def projected(results: list[dict[str, float]], n_columns: int) -> None:
    """Extrapolation to a cluster: the slower of its disks and its cores, plus the transfer of the summaries."""
    largest = max((each for each in results if each["engine"] != "memory"), key=lambda each: each["rows"], default=None)
    if largest is None:
        return
    n_cores = len(os.sched_getaffinity(0))
    by_row = largest["gradient_s"] / largest["rows"] * n_cores
    n_evaluations = largest["passes"] or 20  # if passes were not counted
    print(
        f"\nOn a cluster, from {by_row * 1e9:.0f} ns of a core for value and gradient of a row of {n_columns} columns:"
    )
    print(
        "| rows | machines | data, TB | from disks, s | by cores, s | network, ms | a fit, minutes |\n"
        + "|---" * 7
        + "|"
    )
    for n_rows, n_machines in ((1e9, 8), (1e9, 32), (1e10, 32), (1e10, 256)):
        n_bytes = 4 * n_columns * n_rows
        from_disks = n_bytes / (n_machines * 3e9)  # one pass, 3 GB/s each
        by_cores = by_row * n_rows / (n_machines * 16)
        # A summary and a gradient up and down a tree of FAN_IN 8, 10 Gbit/s and 1 ms a step.
        network = 2 * np.ceil(np.log(64 * n_machines) / np.log(8)) * (1e-3 + 8 * 5e4 / 1.25e9)
        in_memory = n_bytes / n_machines < 200e9
        one = max(by_cores, 0.0 if in_memory else from_disks) + network
        print(
            f"| {n_rows:.0e} | {n_machines} of 16 cores | {n_bytes / 1e12:.1f} | {from_disks:.1f} | {by_cores:.1f} | "
            f"{network * 1e3:.0f} | {n_evaluations * one / 60:.1f}{'' if in_memory else ' (from disk)'} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", nargs="+", default=["memory", "disk", "dask"])
    parser.add_argument("--rows", nargs="+", type=float, default=[1e5, 1e6, 1e7])
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.folder, options.columns)))
        return
    results = run_all(options.engines, [int(n) for n in options.rows], options.columns)
    projected(results, options.columns)


if __name__ == "__main__":
    main()
