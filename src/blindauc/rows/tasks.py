"""Tasks and nodes: pure functions of a part that are small enough to be sent to each, with small results.

A task returns a result for the host; a node (`deferred.py`) returns a vector over the rows of the part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from blindauc._typing import Floats, Ints
from blindauc.rows.deferred import Node
from blindauc.rows.matrix import Columns, Matrix


@dataclass(frozen=True)
class Weight:
    """A node: the weights of the unlabelled rows times a factor, and 0 for positives."""

    factor: float = 1.0

    def __call__(self, part: Any) -> Any:
        return part.apply(np.where, part.is_positive, 0.0, part.apply(np.multiply, part.weight, self.factor))


@dataclass(frozen=True)
class WeightWithNegatives:
    """A node: the same, with a factor for each known negative, which is given by its number among all rows."""

    factor: float
    negatives: Ints
    of_negatives: Floats

    def __call__(self, part: Any) -> Any:
        factor = np.full(part.n_rows, self.factor)
        first, last = np.searchsorted(self.negatives, [part.start, part.start + part.n_rows])
        factor[self.negatives[first:last] - part.start] = self.of_negatives[first:last]
        return part.apply(np.where, part.is_positive, 0.0, part.apply(np.multiply, part.weight, factor))


@dataclass(frozen=True)
class Adjoint:
    """X.T @ node, followed by the sum of the node."""

    node: Node

    def __call__(self, part: Any) -> Floats:
        result: Floats = part.adjoint(self.node(part))
        return result


@dataclass(frozen=True)
class Both:
    """Two tasks in one visit; combine the pairs of results with `added`."""

    first: Callable[[Any], Any]
    second: Callable[[Any], Any]

    def __call__(self, part: Any) -> tuple[Any, Any]:
        return self.first(part), self.second(part)


def added(one: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Any, Any]:
    """The sum of two pairs, element by element."""
    return one[0] + other[0], one[1] + other[1]


@dataclass(frozen=True)
class Taken:
    """Rows by their numbers among all rows, with their weights, as a list, so that results can be added."""

    index: Ints

    def __call__(self, part: Any) -> list[tuple[Matrix, Floats]]:
        first, last = np.searchsorted(self.index, [part.start, part.start + part.n_rows])
        index = self.index[first:last] - part.start
        return [part.take(index)] if last > first else []


@dataclass(frozen=True)
class Forget:
    """Empties the cache of a part."""

    def __call__(self, part: Any) -> None:
        part.forget()


@dataclass(frozen=True)
class Moments:
    """The weighted sums of each column and of its square about an origin, over the unlabelled rows."""

    origin: Floats

    def __call__(self, part: Any) -> Floats:
        result: Floats = part.moments(self.origin)
        return result


@dataclass(frozen=True)
class Extremes:
    """The negated minimum and the maximum of each column, of shape (2, p)."""

    def __call__(self, part: Any) -> Floats:
        result: Floats = part.extremes()
        return result


@dataclass(frozen=True)
class WeightsUpTo:
    """For each column and edge, the weight of the unlabelled rows up to the edge, of shape (n_edges, p)."""

    edges: Floats

    def __call__(self, part: Any) -> Floats:
        result: Floats = part.weights_up_to(self.edges)
        return result


@dataclass(frozen=True)
class Gram:
    """X.T @ diag(node) @ X for a selection of columns."""

    node: Node
    columns: Columns

    def __call__(self, part: Any) -> Floats:
        result: Floats = part.gram(self.node(part), self.columns)
        return result


@dataclass(frozen=True)
class SumsByGroup:
    """The weighted sums of the rows of each group, for a selection of columns."""

    group: Node
    weight: Node
    n_groups: int
    columns: Columns

    def __call__(self, part: Any) -> Floats:
        result: Floats = part.sums_by_group(self.group(part), self.weight(part), self.n_groups, self.columns)
        return result


@dataclass(frozen=True)
class Digests:
    """The hash of each row, as a list, so that results can be added."""

    seed: int

    def __call__(self, part: Any) -> list[Any]:
        return [part.digests(self.seed)]


@dataclass(frozen=True)
class Values:
    """The values of a node as a NumPy array, in a list, so that results can be added."""

    node: Node

    def __call__(self, part: Any) -> list[Floats]:
        return [part.to_host(self.node(part))]


@dataclass(frozen=True)
class LargestSize:
    """The largest absolute value of a node."""

    node: Node

    def __call__(self, part: Any) -> Any:
        return part.max(part.apply(np.absolute, self.node(part)))
