"""Work on one partition, on a worker: read and check it, make a part of it, and run tasks on it.

A fault of a partition is returned, not raised: the client looks at all partitions and names the first one with a fault.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.validation import _check_sample_weight

from blindauc._typing import Bools, Floats, Ints
from blindauc.labels import is_missing
from blindauc.rows.dask.collections import by_name
from blindauc.rows.dask.threads import one_blas_thread_of_worker
from blindauc.rows.numbers import refuse_columns_that_are_no_numbers, refuse_too_large
from blindauc.rows.parts import MOST_KEPT, Combine, Part, Task

MOST_LABELS = 20
"""Different labels that a partition reports: two are allowed, more are shown in the error (convention)."""

PREPROCESS = (
    "fit blindauc.make_preprocessor to a sample of the rows and map its transform over the partitions: it encodes text "
    "and dates and fills in what is missing"
)


@dataclass(frozen=True)
class Block:
    """A partition as it was read: numbers, the user's labels, and weights."""

    X: Any
    y: Any
    weight: Floats | None

    def __sizeof__(self) -> int:
        return _size(self.X) + self.y.nbytes + (0 if self.weight is None else self.weight.nbytes)


@dataclass(frozen=True)
class Facts:
    """What the client must know of a partition before it can become a part.

    Attributes
    ----------
    n_rows, n_features : int
    names : tuple of the names of the columns, or None
    labels : ndarray, the distinct labels, at most `MOST_LABELS`
    fault : str, why the partition cannot be used; empty if it can
    """

    n_rows: int
    n_features: int
    names: tuple[Any, ...] | None
    labels: Any
    fault: str = ""


def read_columns(table: Any, label: str, weight: str | None) -> tuple[Facts, Block | None]:
    """A partition of a table that holds its own labels and weights."""
    own = [name for name in (label, weight) if name is not None]
    return read_block(table.drop(columns=own), table[label], None if weight is None else table[weight])


def read_block(X: Any, y: Any, weight: Any = None) -> tuple[Facts, Block | None]:
    """The facts about a partition, and the partition as numbers; no block if it is empty or cannot be used."""
    names = tuple(X.columns) if hasattr(X, "columns") else None
    n_rows, n_features = X.shape
    if not n_rows:
        return Facts(0, n_features, names, np.zeros(0)), None
    try:
        labels = column_or_1d(y)
        if len(labels) != n_rows:
            remedy = "" if names is None else f" Pass the name of the column of labels, as in {by_name('y', y)}."
            raise ValueError(
                f"X and y must have as many rows as each other: X has {n_rows}, y {len(labels)} in this partition."
                f"{remedy}"
            )
        if weight is not None:
            weight = _check_sample_weight(weight, X, dtype=np.float64, ensure_non_negative=True)
        block = Block(as_numbers(X), labels, weight)
    except (TypeError, ValueError) as error:
        return Facts(n_rows, n_features, names, np.zeros(0), fault=str(error)), None
    return Facts(n_rows, n_features, names, different(labels)), block


def as_numbers(X: Any) -> Any:
    """A block or a table as a dense or CSR matrix of finite float64 or float32."""
    refuse_columns_that_are_no_numbers(X, PREPROCESS)
    try:
        matrix = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32), input_name="X")
    except ValueError as error:
        what = str(error).splitlines()[0]
        is_of_tables = "contains NaN" in what or "could not convert string" in what
        raise ValueError(f"{what.rstrip('.')}: {PREPROCESS}." if is_of_tables else what) from error
    refuse_too_large(matrix)
    return matrix


def different(labels: Any) -> Any:
    """The distinct labels that are not missing, at most `MOST_LABELS`."""
    given = labels[~is_missing(labels)]
    found = np.array([*dict.fromkeys(given.tolist())], dtype=object) if given.dtype == object else np.unique(given)
    return found[:MOST_LABELS]


def check_facts(facts: Sequence[Facts]) -> None:
    """Raise for the first partition that cannot be used, or whose columns differ from those of the first."""
    for k, each in enumerate(facts):
        if each.fault:
            raise ValueError(f"{each.fault} Found in partition {k}, counted from 0.")
        if (each.n_features, each.names) != (facts[0].n_features, facts[0].names):
            raise ValueError(
                f"All partitions must have the columns of the first, {_columns(facts[0])}, but partition {k}, counted "
                f"from 0, has {_columns(each)}."
            )
    if not any(each.n_rows for each in facts):
        raise ValueError("X has no rows: all of its partitions are empty.")


def _columns(facts: Facts) -> str:
    return str(facts.n_features) if facts.names is None else str(list(facts.names[:20]))


def labels_of(facts: Sequence[Facts]) -> Any:
    """The distinct labels of all partitions that are not missing; a missing label if there are none."""
    labels = [each.labels for each in facts if len(each.labels)]
    if not labels:
        return np.array([np.nan])
    is_one_kind = len({each.dtype.kind == "U" for each in labels}) == 1
    return different(np.concatenate(labels if is_one_kind else [each.astype(object) for each in labels]))


def facts_of(read: tuple[Facts, Block | None]) -> Facts:
    """The facts without the block."""
    return read[0]


class WorkersPart(Part):
    """A part in the memory of a worker. It reports its size, so that the scheduler moves tasks instead of parts."""

    def __init__(self, X: Any, is_positive: Bools, weight: Floats | None, start: int) -> None:
        super().__init__(in_order(X), is_positive, in_order(weight), start)

    def __reduce__(self) -> tuple[Any, ...]:
        # By the constructor, which calls `in_order`: arrays may be unaligned after a transfer to another worker.
        return WorkersPart, (self.X, self.is_positive, self._weight, self.start)

    def __sizeof__(self) -> int:
        return _size(self.X) + self.n_rows * (17 + 8 * MOST_KEPT)


def in_order(array: Any) -> Any:
    """An aligned array in C order.

    Arrays received over a network may be unaligned, and those of tables are in Fortran order. BLAS multiplies these by
    other code, so that the last digits would depend on which worker has loaded a partition.
    """
    if isinstance(array, np.ndarray):
        return np.require(array, requirements=["C", "ALIGNED"])
    if array is None or all(each.flags.aligned for each in (array.data, array.indices, array.indptr)):
        return array
    return array.copy()


def unpacked(packed: bytes) -> Any:
    """The object of a pickle. Its arrays are newly allocated, and therefore aligned."""
    return pickle.loads(packed)


def part_of(read: tuple[Facts, Block], start: int, positive: Any) -> WorkersPart:
    """The part of a partition, given the number of its first row and the label of positives."""
    block = read[1]
    return WorkersPart(block.X, _equal(block.y, positive), block.weight, start)


def _equal(labels: Any, positive: Any) -> Bools:
    is_given = ~is_missing(labels)
    result: Bools = np.zeros(len(labels), dtype=bool)
    result[is_given] = labels[is_given] == positive
    return result


@dataclass(frozen=True)
class Positives:
    """The numbers of the positives of a part among all rows."""

    def __call__(self, part: Part) -> Ints:
        return part.start + np.flatnonzero(part.is_positive)


@dataclass(frozen=True)
class Listed:
    """The result of a task in a list, so that results can be added."""

    task: Task

    def __call__(self, part: Part) -> list[Any]:
        return [self.task(part)]


def run_task(packed: bytes, part: Part) -> Any:
    """The result of a task, which is sent as a pickle so that its arrays are aligned (see `in_order`)."""
    task: Task = unpacked(packed)
    with one_blas_thread_of_worker:
        return task(part)


def combined(combine: Combine, results: Sequence[Any]) -> Any:
    """Several results combined to one."""
    with one_blas_thread_of_worker:
        return reduce(combine, results)


def _size(X: Any) -> int:
    """The size of a dense or CSR matrix in bytes."""
    arrays = (X,) if isinstance(X, np.ndarray) else (X.data, X.indices, X.indptr)
    return sum(array.nbytes for array in arrays)
