"""Rows in parts, wherever these are: on disk, on a cluster, on a device.

A task, a function of a part, is sent to every part, and the results are combined in a fixed tree. So the total does not
depend on which worker computes a part, nor on the order in which results arrive.
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
"""Results that are combined at once (convention). A tree over n parts has about n / 7 such steps."""

MOST_KEPT = 3
"""Vectors that a part caches: Newton's method uses the scores at a point, the curvature there, and the scores of a
direction."""

Task = Callable[[Any], Any]
"""A function of a part that can be pickled and sent to it."""

Combine = Callable[[Any, Any], Any]


class Part:
    """A block of rows in one place.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, p)
    is_positive : mask of shape (n,)
    weight : array of shape (n,), or None if all rows have weight 1
    start : the number of the first row among all rows
    """

    def __init__(self, X: Any, is_positive: Bools, weight: Floats | None = None, start: int = 0) -> None:
        self.X, self.is_positive, self.start = X, is_positive, start
        self._weight = weight
        self._kept: OrderedDict[Any, Any] = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        # The cache is not pickled: its values can be computed again, and are large.
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
        """X.T @ residual, followed by the sum of the residuals, as a NumPy array."""
        return np.append(self.matrix.adjoint(residual), residual.sum())

    def with_columns(self, X: Any) -> Part:
        """The same rows with other columns."""
        return Part(X, self.is_positive, self._weight, self.start)

    def kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """The cached value of a key, computed by `make` if there is none. The cache drops the least recently used."""
        if key not in self._kept:
            self._kept[key] = make()
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def forget(self) -> None:
        """Empty the cache."""
        self._kept.clear()

    def apply(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """A NumPy function of arrays and numbers."""
        return function(*arguments)

    def sum(self, array: Floats) -> float:
        """The sum of an array."""
        return float(array.sum())

    def max(self, array: Floats) -> float:
        """The largest value of an array."""
        return float(array.max())

    def to_host(self, array: Floats) -> Floats:
        """An array of the part as a NumPy array."""
        return array

    def take(self, index: Ints) -> tuple[Matrix, Floats]:
        """Some rows and their weights, in memory."""
        return self.matrix.rows(index), self.weight[index]

    def moments(self, origin: Floats) -> Floats:
        """The weighted sums of each column and of its square about an origin, over the unlabelled rows."""
        return np.stack(self.matrix.moments(np.where(self.is_positive, 0.0, self.weight), origin))

    def gram(self, weight: Floats, columns: Columns) -> Floats:
        """X.T @ diag(weight) @ X for a selection of columns."""
        return self.matrix.gram(weight, columns)

    def sums_by_group(self, group: Floats, weight: Floats, n_groups: int, columns: Columns) -> Floats:
        """The weighted sums of the rows of each group, for a selection of columns."""
        return self.matrix.sums_by_group(group, weight, n_groups, columns)

    def extremes(self) -> Floats:
        """The negated minimum and the maximum of each column, of shape (2, p)."""
        return self.matrix.extremes()

    def weights_up_to(self, edges: Floats) -> Floats:
        """For each column and edge, the weight of the unlabelled rows up to the edge, of shape (n_edges, p)."""
        return self.matrix.weights_up_to(edges, np.where(self.is_positive, 0.0, self.weight))

    def digests(self, seed: int) -> Any:
        """A hash of each row; see `digests.py`."""
        return row_digests(self.X, seed)


@dataclass(frozen=True)
class RowMetadata:
    """Metadata of rows in parts, in memory: groups, times, and the results of manual checks.

    Attributes
    ----------
    groups : the group of each row, or None
    times : the time of each row, or None
    labelled : the numbers of the rows labelled in the input; None if no row was checked, as they are then the positives
    confirmed, negatives : the numbers of the rows that were checked and found positive or negative, ascending
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
    positives : ndarray, the numbers of the positives among all rows, ascending. A checked row counts as the
        check found it, whatever its label.
    classes : ndarray, the user's labels of unlabelled rows and of positives
    feature_names : sequence of str, or None
    metadata : groups, times and checks of the rows
    can_derive : whether NumPy can compute with X of a part, so that derived columns can be computed there
    """

    n_rows: int
    n_features: int
    positives: Ints
    classes: Any = np.array([0, 1])
    feature_names: Any = None
    metadata: RowMetadata = RowMetadata()
    can_derive = True

    @abstractmethod
    def results(self, task: Task) -> Sequence[Any]:
        """`task(part)` of every part, in their order."""

    def total(self, task: Task, combine: Combine = add) -> Any:
        """The results of `task(part)` for all parts, combined in a fixed tree."""
        results = list(self.results(task))
        while len(results) > 1:
            results = [reduce(combine, results[k : k + FAN_IN]) for k in range(0, len(results), FAN_IN)]
        return results[0]

    def forget(self) -> None:
        """Empty the caches of all parts, to free their memory."""
        self.results(Forget())

    def fewer(self, index: Ints) -> PartedRows | None:
        """Rows by their numbers, ascending, in the same place as all rows; None if products are faster in memory."""
        return None

    def at(self, coef: Floats, constant: float = 0.0) -> Deferred:
        """The scores of all rows."""
        return Deferred(self, Scores(coef, constant))

    def unlabelled_weights(self, factor: float = 1.0, of_negatives: Floats | None = None) -> Deferred:
        """The weights of the unlabelled rows times a factor, and 0 for positives.

        `of_negatives` has a factor for each known negative instead.
        """
        if of_negatives is None:
            return Deferred(self, Weight(factor))
        return Deferred(self, WeightWithNegatives(factor, self.metadata.negatives, of_negatives))

    def adjoint(self, residual: Deferred) -> Floats:
        """X.T @ residual, followed by the sum of the residuals."""
        if residual.adjoint is None:
            residual.adjoint = self.total(Adjoint(residual.node))
        return residual.adjoint

    def total_and_adjoint(self, task: Task, residual: Deferred) -> Any:
        """The combined results of `task(part)`, in one visit that also computes the adjoint of the residual.

        A value needs a pass over the rows for their scores, and its gradient another one: together they need only one.
        """
        total, residual.adjoint = self.total(Both(task, Adjoint(residual.node)), added)
        return total

    def take(self, index: Ints) -> tuple[Matrix, Floats]:
        """Rows by their numbers, ascending, and their weights, in memory."""
        taken = self.total(Taken(index))
        return Matrix.stacked([rows for rows, _ in taken]), np.concatenate([weight for _, weight in taken])


class DerivedParts(PartedRows):
    """Rows in parts with derived columns, which are computed where the rows are whenever they are needed.

    Parameters
    ----------
    rows : PartedRows
    derive : callable, from X of a part to a matrix of derived columns; it must be picklable
    n_features : the number of derived columns
    """

    def __init__(self, rows: PartedRows, derive: Callable[[Any], Any], n_features: int) -> None:
        self.rows, self.derive, self.n_features = rows, derive, n_features
        self.n_rows, self.positives, self.metadata = rows.n_rows, rows.positives, rows.metadata
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
    """A task on the derived columns of a part. The part caches the derived part, which has its own cache."""

    task: Task
    derive: Callable[[Any], Any]
    key: str

    def __call__(self, part: Part) -> Any:
        return self.task(part.kept(self.key, lambda: part.with_columns(self.derive(part.X))))


class BlockParts(PartedRows):
    """Blocks of a matrix in memory, or mapped from disk, processed by a pool of threads.

    Parameters
    ----------
    parts : sequence of Part, in the order of the rows

    Attributes
    ----------
    n_visits : the number of passes over all parts so far
    report : called with `n_visits` before each pass
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts, self.n_visits = parts, 0
        self.report: Callable[[int], None] = ignore_visits
        self.n_rows, self.n_features = sum(part.n_rows for part in parts), parts[0].X.shape[1]
        self.positives = np.concatenate([part.start + np.flatnonzero(part.is_positive) for part in parts])

    @classmethod
    def of(cls, X: Any, is_positive: Bools, weight: Floats | None = None, *, block_rows: int = 2**16) -> Self:
        """A matrix in blocks of `block_rows` rows."""
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
    """The default report, which does nothing."""


@cache
def _threads() -> ThreadPoolExecutor:
    """One pool of threads for all visits: starting threads takes longer than a task on a small part."""
    return ThreadPoolExecutor(cpu_count())
