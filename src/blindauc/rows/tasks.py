"""What parts are asked for: pure functions of a part, small enough to be sent to each, whose results are small, too."""

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
    """The weights of the unlabelled rows, and 0 for positives, times a factor: a node."""

    factor: float = 1.0

    def __call__(self, part: Any) -> Any:
        return part.apply(np.where, part.is_positive, 0.0, part.apply(np.multiply, part.weight, self.factor))


@dataclass(frozen=True)
class WeightWithNegatives:
    """The same, with a factor of its own for each known negative, by its number among all rows: a node."""

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
    """X.T @ node, and the sum of the node behind it."""

    node: Node

    def __call__(self, part: Any) -> Floats:
        result: Floats = part.adjoint(self.node(part))
        return result


@dataclass(frozen=True)
class Both:
    """Two tasks in one visit; the results of parts are `added`."""

    first: Callable[[Any], Any]
    second: Callable[[Any], Any]

    def __call__(self, part: Any) -> tuple[Any, Any]:
        return self.first(part), self.second(part)


def added(one: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Any, Any]:
    """The sums of the firsts and of the seconds."""
    return one[0] + other[0], one[1] + other[1]


@dataclass(frozen=True)
class Taken:
    """Some rows, by their numbers among all rows, in memory, with their weights; a list, which adds."""

    index: Ints

    def __call__(self, part: Any) -> list[tuple[Matrix, Floats]]:
        first, last = np.searchsorted(self.index, [part.start, part.start + part.n_rows])
        index = self.index[first:last] - part.start
        return [part.take(index)] if last > first else []


@dataclass(frozen=True)
class Forget:
    """Nothing: the part gives back what it keeps."""

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
    """The largest value of minus each column, and of each column."""

    def __call__(self, part: Any) -> Floats:
        result: Floats = part.extremes()
        return result


@dataclass(frozen=True)
class WeightsUpTo:
    """The weight of the unlabelled rows up to each of the edges of each column, of shape (n_edges, p)."""

    edges: Floats

    def __call__(self, part: Any) -> Floats:
        result: Floats = part.weights_up_to(self.edges)
        return result


@dataclass(frozen=True)
class Gram:
    """X.T @ diag(node) @ X, of some columns."""

    node: Node
    columns: Columns

    def __call__(self, part: Any) -> Floats:
        result: Floats = part.gram(self.node(part), self.columns)
        return result


@dataclass(frozen=True)
class SumsByGroup:
    """The weighted sums of the rows of each group, of some columns."""

    group: Node
    weight: Node
    n_groups: int
    columns: Columns

    def __call__(self, part: Any) -> Floats:
        result: Floats = part.sums_by_group(self.group(part), self.weight(part), self.n_groups, self.columns)
        return result


@dataclass(frozen=True)
class Digests:
    """The digest of each row of a part, in a list, which adds."""

    seed: int

    def __call__(self, part: Any) -> list[Any]:
        return [part.digests(self.seed)]


@dataclass(frozen=True)
class Values:
    """The values of a node on the host, in a list, which adds."""

    node: Node

    def __call__(self, part: Any) -> list[Floats]:
        return [part.to_host(self.node(part))]


@dataclass(frozen=True)
class LargestSize:
    """The largest absolute value of a node."""

    node: Node

    def __call__(self, part: Any) -> Any:
        return part.max(part.apply(np.absolute, self.node(part)))
