"""Run an experiment: every run is a line of a results file, so that an interrupted experiment can be continued."""

from __future__ import annotations

import json
import os
import platform
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score, roc_curve
from threadpoolctl import threadpool_limits

from blindauc.experiments.experiment import Experiment
from blindauc.experiments.systems import SYSTEMS
from blindauc.experiments.task import Task
from blindauc.metrics.scorers import scores_of

Row = dict[str, Any]
"""One run: its settings, its results and the package versions."""

ROC_POINTS = np.linspace(0, 1, 101)
"""False positive rates at which ROC curves are stored (convention)."""


@dataclass(frozen=True)
class Cell:
    """The identity of a run."""

    row: str
    seed: int
    system: str

    @classmethod
    def of(cls, run: Row) -> Cell:
        """The identity of a finished run."""
        return cls(run["row"], run["seed"], run["system"])


def cells(experiment: Experiment, rows: Sequence[str], systems: Sequence[str], repeats: int | None) -> list[Cell]:
    """All runs to make, row by row of the table; `repeats=None` takes those of the experiment."""

    def seeds(row: str) -> range:
        return range(repeats or (1 if row in experiment.once else experiment.repeats))

    return [Cell(row, seed, system) for row in rows for seed in seeds(row) for system in systems]


def runs_made(path: Path, wanted: Sequence[Cell]) -> list[Row]:
    """The wanted runs in a results file; an incomplete last line is ignored."""
    if not path.exists():
        return []
    text = path.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    runs = [json.loads(line) for line in whole.splitlines()]
    taken = set(wanted)
    return [run for run in runs if Cell.of(run) in taken]


def run_missing(experiment: Experiment, wanted: Sequence[Cell], path: Path, n_jobs: int) -> Iterator[Row]:
    """Make the runs that are not in the results file yet, and append each when it ends.

    Parameters
    ----------
    experiment : Experiment
    wanted : all runs that the file should hold in the end
    path : the results file, with one JSON object per line
    n_jobs : the number of runs in parallel
    """
    done = {Cell.of(run) for run in runs_made(path, wanted)}
    missing = [cell for cell in wanted if cell not in done]
    _drop_torn_line(path)
    run = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
    for row in run(delayed(run_cell)(experiment, cell) for cell in missing):
        _append(path, row)
        yield row


def _drop_torn_line(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)


def _append(path: Path, row: Row) -> None:
    with path.open("ab") as file:
        file.write(json.dumps(row).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def run_cell(experiment: Experiment, cell: Cell) -> Row:
    """Draw the task, fit the system, and evaluate it once on the test rows."""
    task = experiment.draw(cell.row, cell.seed)
    start = perf_counter()
    # One thread each: runs are parallel already, and sums must not depend on the number of threads.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # from candidates that tuning rejects
        model = SYSTEMS[cell.system].fitted(task)
    seconds = perf_counter() - start
    scores = np.asarray(scores_of(model, task.X_test), dtype=np.float64)
    return {
        "experiment": experiment.name,
        "row": cell.row,
        "seed": cell.seed,
        "system": cell.system,
        "auc": float(roc_auc_score(task.y_test, scores)),
        "seconds": round(seconds, 3),
        "parameters": _plain(getattr(model, "best_params_", {})),
        **_found(model, task),
        **experiment.measure(model, task),
        **({"roc": _roc(task.y_test, scores)} if experiment.keeps_roc else {}),
        "versions": versions(),
    }


def _found(model: Any, task: Task) -> Row:
    """The selected columns, excluded positives and flagged labels, for systems that have them."""
    if not hasattr(model, "support_"):
        return {}
    doubtful = model.doubtful_labels()
    selected = np.flatnonzero(model.support_)
    return {
        "selected": [task.columns[k] for k in selected] if task.columns else selected.tolist(),
        "left_out": len(model.outliers_),
        "left_out_rightly": len(np.intersect1d(model.outliers_, task.outliers)),
        "doubted": len(doubtful),
        "doubted_rightly": len(np.intersect1d(doubtful, task.outliers)),
        "wrong_labels": len(task.outliers),
    }


def _roc(y_test: Any, scores: Any) -> list[float]:
    false_positives, true_positives, _ = roc_curve(y_test, scores)
    return np.interp(ROC_POINTS, false_positives, true_positives).round(4).tolist()


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters as JSON can hold them."""
    return {name: _as_json(value) for name, value in parameters.items()}


def _as_json(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, int | float | str | None | list | tuple) else repr(value)


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that results depend on."""
    return {"python": platform.python_version()} | {
        name: version(name) for name in ("blindauc", "numpy", "scipy", "scikit-learn")
    }
