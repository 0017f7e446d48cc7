"""Rows in parts, wherever these are: on disk, on a cluster, on a device.

A function of a part is sent to every part, and what comes back is put together in a fixed tree: the result does not
depend on who works out which part, nor on when it comes back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, cached_property, reduce
from operator import add
from os import cpu_count
from typing import Any, Self
from uuid import uuid4

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.rows.deferred import Deferred, Scores
from blindauc.rows.digests import row_digests
from blindauc.rows.matrix import Columns, Matrix
from blindauc.rows.tasks import Adjoint, Both, Forget, Taken, Weight, WeightWithNegatives, added
from blindauc.threads import one_blas_thread

FAN_IN = 8
"""Summands of one addition: a tree over n parts adds 1/7 of a task for each."""

MOST_KEPT = 3
"""Vectors that a part keeps: scores at a point, the curvature there, and the scores of a direction."""

Task = Callable[[Any], Any]
"""A function of a part that can be sent to it."""

Combine = Callable[[Any, Any], Any]


class Part:
    """Some rows in one place.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, p)
    is_positive : mask of shape (n,)
    weight : array of shape (n,), or None where all rows weigh one
    start : the number of the first row among all rows
    """

    def __init__(self, X: Any, is_positive: Bools, weight: Floats | None = None, start: int = 0) -> None:
        self.X, self.is_positive, self.start = X, is_positive, start
        self._weight = weight
        self._kept: OrderedDict[Any, Any] = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        # What was kept can be made again, and is not worth the way.
        return vars(self) | {"_kept": OrderedDict()}

    @property
    def n_rows(self) -> int:
        return len(self.is_positive)

    @cached_property
    def matrix(self) -> Matrix:
        return Matrix(self.X)

    @property
    def weight(self) -> Floats:
        return np.ones(self.n_rows) if self._weight is None else self._weight

    def scores(self, coef: Floats, constant: float) -> Floats:
        """X @ coef + constant."""
        return self.matrix.scores(coef) + constant

    def adjoint(self, residual: Floats) -> Floats:
        """X.T @ residual and, behind it, the sum of the residuals, on the host."""
        return np.append(self.matrix.adjoint(residual), residual.sum())

    def with_columns(self, X: Any) -> Part:
        """The same rows with other columns."""
        return Part(X, self.is_positive, self._weight, self.start)

    def kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made under this key, or is made now; the least recently used is dropped, and made again."""
        if key not in self._kept:
            self._kept[key] = make()
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def forget(self) -> None:
        """Keep nothing, until something is made again."""
        self._kept.clear()

    def apply(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """A function of NumPy of arrays and numbers."""
        return function(*arguments)

    def sum(self, array: Floats) -> float:
        """The sum of an array."""
        return float(array.sum())

    def max(self, array: Floats) -> float:
        """The largest of an array."""
        return float(array.max())

    def to_host(self, array: Floats) -> Floats:
        """An array of the part as one of NumPy."""
        return array

    def take(self, index: Ints) -> tuple[Matrix, Floats]:
        """Some rows and their weights, in memory."""
        return self.matrix.rows(index), self.weight[index]

    def moments(self, origin: Floats) -> Floats:
        """The weighted sums of each column and of its square about an origin, over the unlabelled rows."""
        return np.stack(self.matrix.moments(np.where(self.is_positive, 0.0, self.weight), origin))

    def gram(self, weight: Floats, columns: Columns) -> Floats:
        """X.T @ diag(weight) @ X, of some columns."""
        return self.matrix.gram(weight, columns)

    def sums_by_group(self, group: Floats, weight: Floats, n_groups: int, columns: Columns) -> Floats:
        """The weighted sums of the rows of each group, of some columns."""
        return self.matrix.sums_by_group(group, weight, n_groups, columns)

    def extremes(self) -> Floats:
        """The largest value of minus each column, and of each column."""
        return self.matrix.extremes()

    def weights_up_to(self, edges: Floats) -> Floats:
        """The weight of unlabelled rows up to each of the edges, of shape (n_edges, p)."""
        return self.matrix.weights_up_to(edges, np.where(self.is_positive, 0.0, self.weight))

    def digests(self, seed: int) -> Any:
        """A number for each row that only equal rows share."""
        return row_digests(self.X, seed)


@dataclass(frozen=True)
class Said:
    """What is said of rows in parts beside their columns, labels and weights, on the host.

    Attributes
    ----------
    groups : whom each row belongs to, or None
    times : when each row was, or None
    labelled : the numbers of the rows that came with a label; None where these are the positives
    confirmed, negatives : the numbers of rows that were checked, and found positive or negative, ascending
    """

    groups: Any = None
    times: Any = None
    labelled: Ints | None = None
    confirmed: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    negatives: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.intp))


class PartedRows(ABC):
    """Rows in parts, with their labels and weights.

    Attributes
    ----------
    n_rows, n_features : int
    positives : ndarray, the numbers of the labelled positives among all rows, ascending
    classes : ndarray, what users call unlabelled rows and positives
    feature_names : sequence of str, or None
    said : what else is known of the rows; one that was found positive is positive, whatever its label
    """

    n_rows: int
    n_features: int
    positives: Ints
    classes: Any = np.array([0, 1])
    feature_names: Any = None
    said: Said = Said()

    @abstractmethod
    def results(self, task: Task) -> Sequence[Any]:
        """`task(part)` of every part, in their order, on the host."""

    def total(self, task: Task, combine: Combine = add) -> Any:
        """What `task(part)` gives for every part, put together in a fixed tree."""
        results = list(self.results(task))
        while len(results) > 1:
            results = [reduce(combine, results[k : k + FAN_IN]) for k in range(0, len(results), FAN_IN)]
        return results[0]

    def forget(self) -> None:
        """Give back the memory of what parts keep between visits."""
        self.results(Forget())

    def fewer(self, index: Ints) -> PartedRows | None:
        """Rows by their numbers, ascending, where all rows are; None where products are faster in memory."""
        return None

    def at(self, coef: Floats, constant: float = 0.0) -> Deferred:
        """The scores of all rows."""
        return Deferred(self, Scores(coef, constant))

    def unlabelled_weights(self, factor: float = 1.0, of_negatives: Floats | None = None) -> Deferred:
        """The weights of the unlabelled rows, and 0 for positives, times a factor; known negatives may have others."""
        if of_negatives is None:
            return Deferred(self, Weight(factor))
        return Deferred(self, WeightWithNegatives(factor, self.said.negatives, of_negatives))

    def adjoint(self, residual: Deferred) -> Floats:
        """X.T @ residual and, behind it, the sum of the residuals."""
        if residual.adjoint is None:
            residual.adjoint = self.total(Adjoint(residual.node))
        return residual.adjoint

    def total_and_adjoint(self, task: Task, residual: Deferred) -> Any:
        """What `task(part)` gives for every part, put together, by a visit that finds the adjoint as well.

        A value needs scores, and its gradient the scores and the rows: together they are one pass over these.
        """
        total, residual.adjoint = self.total(Both(task, Adjoint(residual.node)), added)
        return total

    def take(self, index: Ints) -> tuple[Matrix, Floats]:
        """Rows by their numbers, ascending, in memory, and their weights."""
        taken = self.total(Taken(index))
        return Matrix.stacked([rows for rows, _ in taken]), np.concatenate([weight for _, weight in taken])


class DerivedParts(PartedRows):
    """Rows in parts with columns that are derived from theirs, made where the rows are whenever they are needed.

    Parameters
    ----------
    rows : PartedRows
    derive : from X of a part to a matrix of derived columns; can be sent to it
    n_features : how many these are
    """

    def __init__(self, rows: PartedRows, derive: Callable[[Any], Any], n_features: int) -> None:
        self.rows, self.derive, self.n_features = rows, derive, n_features
        self.n_rows, self.positives, self.said = rows.n_rows, rows.positives, rows.said
        self._key = uuid4().hex

    def fewer(self, index: Ints) -> PartedRows | None:
        rows = self.rows.fewer(index)
        return None if rows is None else DerivedParts(rows, self.derive, self.n_features)

    def results(self, task: Task) -> Sequence[Any]:
        return self.rows.results(OnDerived(task, self.derive, self._key))

    def total(self, task: Task, combine: Combine = add) -> Any:
        return self.rows.total(OnDerived(task, self.derive, self._key), combine)


@dataclass(frozen=True)
class OnDerived:
    """A task on the derived columns of a part, which keeps what was kept of them."""

    task: Task
    derive: Callable[[Any], Any]
    key: str

    def __call__(self, part: Part) -> Any:
        return self.task(part.kept(self.key, lambda: part.with_columns(self.derive(part.X))))


class BlockParts(PartedRows):
    """Blocks of a matrix that is there, or mapped from disk, worked through by a few threads.

    Parameters
    ----------
    parts : sequence of Part, in the order of the rows

    Attributes
    ----------
    n_visits : how often all parts were visited
    report : called with it before each visit
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts, self.n_visits = parts, 0
        self.report: Callable[[int], None] = ignore_visits
        self.n_rows, self.n_features = sum(part.n_rows for part in parts), parts[0].X.shape[1]
        self.positives = np.concatenate([part.start + np.flatnonzero(part.is_positive) for part in parts])

    @classmethod
    def of(cls, X: Any, is_positive: Bools, weight: Floats | None = None, *, block_rows: int = 2**16) -> Self:
        """A matrix in blocks of so many rows."""
        blocks = [slice(start, start + block_rows) for start in range(0, X.shape[0], block_rows)]
        weights = [None if weight is None else weight[rows] for rows in blocks]
        pairs = zip(blocks, weights, strict=True)
        return cls([Part(X[rows], is_positive[rows], some, rows.start) for rows, some in pairs])

    def results(self, task: Task) -> Sequence[Any]:
        self.n_visits += 1
        self.report(self.n_visits)
        if len(self.parts) == 1:
            return [task(self.parts[0])]
        with one_blas_thread():
            return list(_threads().map(task, self.parts))


def ignore_visits(n_visits: int) -> None:
    """The report of those who did not ask."""


@cache
def _threads() -> ThreadPoolExecutor:
    """To start threads takes longer than a small part."""
    return ThreadPoolExecutor(cpu_count())
