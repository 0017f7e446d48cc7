"""A number for each row, where the rows are: known by how a part makes it, not by its values.

Scores are eight bytes a row and stay with the rows. What is done with them is written down as a tree of small
functions of a part, which is sent to the parts when a sum is asked for: arithmetic costs nothing, sums cost one visit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import uuid4

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from blindauc._typing import Floats


class PartLike(Protocol):
    """Some rows in one place, as functions of a part see them."""

    def scores(self, coef: Floats, constant: float) -> Any:
        """X @ coef + constant, an array of the part's own kind."""

    def kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made under this key, or is made now; the least recently used is dropped, and made again."""

    def apply(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """A function of NumPy of arrays and numbers, by what does the same where the part is."""

    def sum(self, array: Any) -> float:
        """The sum of an array."""


class Parted(Protocol):
    """Rows in parts."""

    @property
    def n_rows(self) -> int:
        """Over all parts."""

    def total(self, task: Callable[[Any], Any]) -> Any:
        """The sum of `task(part)` over all parts, on the host."""

    def total_and_adjoint(self, task: Callable[[Any], Any], residual: Deferred) -> Any:
        """The same, by a visit that finds the adjoint of the residual as well."""


Node = Callable[[Any], Any]
"""From a part to an array with a number for each of its rows. Pure, and small enough to be sent to every part."""


@dataclass(frozen=True)
class Scores:
    """X @ coef + constant."""

    coef: Floats
    constant: float = 0.0

    def __call__(self, part: PartLike) -> Any:
        key = self.coef.tobytes(), self.constant
        return part.kept(key, lambda: part.scores(self.coef, self.constant))


@dataclass(frozen=True)
class Kept:
    """A node whose values a part keeps, since they are needed more than once."""

    node: Node
    key: str

    def __call__(self, part: PartLike) -> Any:
        return part.kept(self.key, lambda: self.node(part))


@dataclass(frozen=True)
class Elementwise:
    """A function of numbers, such as `numpy.exp`, of nodes and constants."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def __call__(self, part: PartLike) -> Any:
        return part.apply(self.function, *(each(part) if callable(each) else each for each in self.arguments))


@dataclass(frozen=True)
class Sum:
    """The sum of a node over the rows of a part."""

    node: Node

    def __call__(self, part: PartLike) -> float:
        return part.sum(self.node(part))


class Deferred(NDArrayOperatorsMixin):
    """A number for each row of parts, in arithmetic as an array is.

    NumPy's functions of numbers, `x @ y` and `np.where`, `np.ones_like` and `np.zeros_like` take it.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.rows.deferred import Deferred, Scores
    >>> from blindauc.rows.parts import BlockParts
    >>> X = np.arange(8.0).reshape(4, 2)
    >>> rows = BlockParts.of(X, is_positive=np.array([True, False, False, False]), block_rows=3)
    >>> scores = Deferred(rows, Scores(np.array([1.0, 0.0])))
    >>> (np.exp(0 * scores) + 2 * scores).sum()
    28.0
    """

    def __init__(self, rows: Parted, node: Node) -> None:
        self.rows, self.node = rows, node
        self.adjoint: Floats | None = None  # X.T @ self, where a visit has found it already

    def __len__(self) -> int:
        return self.rows.n_rows

    def kept(self) -> Deferred:
        """The same, whose values the parts keep once they were made."""
        return Deferred(self.rows, Kept(self.node, uuid4().hex))

    def sum(self) -> float:
        """The sum over all rows."""
        return float(self.rows.total(Sum(self.node)))

    def mapped(self, function: Callable[[Any], Any]) -> Deferred:
        """A function of each part's array."""
        return Deferred(self.rows, Mapped(function, self.node))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or set(options) - {"out"}:
            return NotImplemented
        if ufunc is np.matmul:
            return np.multiply(*inputs).sum()
        return self._elementwise(ufunc, inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        if function is np.where:
            return self._elementwise(np.where, args)
        if function in (np.ones_like, np.zeros_like):
            return 0 * self + (1.0 if function is np.ones_like else 0.0)
        return NotImplemented

    def _elementwise(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Deferred:
        nodes = tuple(each.node if isinstance(each, Deferred) else each for each in arguments)
        return Deferred(self.rows, Elementwise(function, nodes))


@dataclass(frozen=True)
class Mapped:
    """A function of the array of a node."""

    function: Callable[[Any], Any]
    node: Node

    def __call__(self, part: PartLike) -> Any:
        return self.function(self.node(part))
