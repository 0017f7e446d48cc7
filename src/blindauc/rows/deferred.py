"""Lazy vectors over rows in parts.

A vector of scores takes eight bytes per row, and stays with the rows. Arithmetic only builds an expression, a tree of
small functions of a part. When a sum is needed, the expression is sent to the parts. So arithmetic costs nothing, and a
sum costs one visit to each part.
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
    """The methods of a part that expressions use."""

    def scores(self, coef: Floats, constant: float) -> Any:
        """X @ coef + constant, an array of the library that the part uses."""

    def kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """The cached value of a key, computed by `make` if there is none. The cache drops the least recently used."""

    def apply(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """A NumPy function of arrays and numbers, by its equivalent in the library that the part uses."""

    def sum(self, array: Any) -> float:
        """The sum of an array."""


class RowsInParts(Protocol):
    """Rows in parts."""

    @property
    def n_rows(self) -> int:
        """The number of rows of all parts."""

    def total(self, task: Callable[[Any], Any]) -> Any:
        """The sum of `task(part)` over all parts, as a NumPy array or number."""

    def total_and_adjoint(self, task: Callable[[Any], Any], residual: Deferred) -> Any:
        """The same, in one visit that also computes the adjoint of the residual."""


Node = Callable[[Any], Any]
"""A pure function from a part to a vector over its rows, small enough to be sent to every part."""


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
    """A node whose values are cached by the part, as they are needed more than once."""

    node: Node
    key: str

    def __call__(self, part: PartLike) -> Any:
        return part.kept(self.key, lambda: self.node(part))


@dataclass(frozen=True)
class Elementwise:
    """An elementwise function, such as `numpy.exp`, of nodes and constants."""

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
    """A vector over rows in parts, with the arithmetic of an array.

    It supports NumPy's elementwise functions, `x @ y`, `np.where`, `np.ones_like` and `np.zeros_like`.

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

    def __init__(self, rows: RowsInParts, node: Node) -> None:
        self.rows, self.node = rows, node
        self.adjoint: Floats | None = None  # X.T @ self, if an earlier visit has computed it

    def __len__(self) -> int:
        return self.rows.n_rows

    def kept(self) -> Deferred:
        """The same vector, with its values cached by the parts."""
        return Deferred(self.rows, Kept(self.node, uuid4().hex))

    def sum(self) -> float:
        """The sum over all rows."""
        return float(self.rows.total(Sum(self.node)))

    def mapped(self, function: Callable[[Any], Any]) -> Deferred:
        """A function applied to the array of each part."""
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
    """A function applied to the array of a node."""

    function: Callable[[Any], Any]
    node: Node

    def __call__(self, part: PartLike) -> Any:
        return self.function(self.node(part))
