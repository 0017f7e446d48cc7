"""The data matrix as objectives see it: `X @ coef`, `X.T @ residual`, subsets of columns and rows.

Dense matrices (float64, float32) are never copied whole; float32 is widened block by block, so that all
arithmetic is float64. Sparse matrices (CSR, CSC) are never densified.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from blindauc._typing import Floats, Ints

BLOCK_ROWS = 1024

GRAM_ROWS = 8192
"""Rows of a block whose products with each other are summed: few enough to be widened, and enough for BLAS."""


def clean_scores(X: Any, coef: Floats) -> Floats:
    """X @ coef without its last digits, so that equal rows have equal scores wherever they stand in X.

    `coef` may be a matrix with a column for each score.
    """
    return without_last_digits(Matrix(X).scores(coef))


def without_last_digits(scores: Floats) -> Floats:
    """Scores, or columns of them, rounded relative to the largest."""
    exponent = np.frexp(np.abs(scores).max(axis=0, initial=0.0))[1] - 40
    unit = np.ldexp(1.0, np.maximum(exponent, np.finfo(np.float64).minexp))
    return np.round(scores / unit) * unit


def spread_of(values: Floats, weight: Floats) -> float:
    """The weighted standard deviation of some values; 1 where they are all equal."""
    return float(Matrix(values[:, None]).spread(weight / weight.sum())[0])


ROUNDING = 4 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class Columns:
    """Some columns of a matrix about an origin, and perhaps a column of ones behind them.

    Parameters
    ----------
    origin : array of shape (n_features,), of all columns of the matrix
    index : the columns, ascending; None for all
    intercept : whether there is a column of ones
    """

    origin: Floats
    index: Ints | None = None
    intercept: bool = False

    def __len__(self) -> int:
        return len(self.origin if self.index is None else self.index) + self.intercept

    def of(self, block: Any) -> Floats:
        """These columns of some rows, dense."""
        block, origin = (block, self.origin) if self.index is None else (block[:, self.index], self.origin[self.index])
        dense = (block.toarray() if sp.issparse(block) else block.astype(np.float64)) - origin
        return np.column_stack([dense, np.ones(len(dense))]) if self.intercept else dense


class Matrix:
    """A matrix with an optional column of ones behind its own columns.

    Parameters
    ----------
    X : ndarray or CSR or CSC matrix of shape (n_rows, n_features)
    intercept : whether a constant column follows
    """

    def __init__(self, X: Any, *, intercept: bool = False) -> None:
        self.X = X.astype(np.float64) if sp.issparse(X) and X.dtype != np.float64 else X
        self._intercept = intercept

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def n_columns(self) -> int:
        return self.n_features + self._intercept

    def _blocks(self) -> Iterable[tuple[slice, Any]]:
        """The rows in pieces of float64 arithmetic; one piece where nothing has to be widened, or to be made first."""
        is_there = isinstance(self.X, np.ndarray) or sp.issparse(self.X)
        if is_there and self.X.dtype == np.float64:
            return ((slice(None), self.X),)
        every_rows = (slice(start, start + BLOCK_ROWS) for start in range(0, max(self.n_rows, 1), BLOCK_ROWS))
        return ((rows, self.X[rows].astype(np.float64)) for rows in every_rows)

    def scores(self, coef: Floats) -> Floats:
        """X @ coef."""
        weights, constant = (coef[:-1], coef[-1]) if self._intercept else (coef, 0.0)
        parts = [X @ weights for _, X in self._blocks()]
        result: Floats = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return result + constant if self._intercept else result

    def adjoint(self, residual: Floats) -> Floats:
        """X.T @ residual."""
        result: Floats = sum(X.T @ residual[rows] for rows, X in self._blocks())
        return np.append(result, residual.sum()) if self._intercept else result

    def columns(self, index: Ints) -> Matrix:
        """The design of some columns, in ascending order; itself if they are all."""
        if len(index) == self.n_columns:
            return self
        n_own = self.X.shape[1]
        own = index[index < n_own]
        X = self.X if len(own) == n_own else self.X[:, own]
        return Matrix(X, intercept=len(own) < len(index))

    @cached_property
    def _by_rows(self) -> Any:
        return self.X.tocsr() if sp.issparse(self.X) else self.X

    def rows(self, index: Ints) -> Matrix:
        """The design of some rows."""
        return Matrix(self._by_rows[index], intercept=self._intercept)

    def dense(self) -> Floats:
        """The whole of it as one float64 array: for samples of rows only."""
        X = self.X.toarray() if sp.issparse(self.X) else self.X.astype(np.float64)
        return np.column_stack([X, np.ones(self.n_rows)]) if self._intercept else X

    def median(self, index: Ints, weight: Floats) -> Floats:
        """The median of each column over some rows; of a sparse one the mean, since its median is mostly zero."""
        X = self._by_rows[index]
        if sp.issparse(X):
            middle = X.T @ (weight / weight.sum())
        else:
            order = np.argsort(X, axis=0, kind="stable")
            reached = np.cumsum(weight[order], axis=0) >= weight.sum() / 2
            place = np.take_along_axis(order, reached.argmax(axis=0)[None], axis=0)
            middle = np.take_along_axis(X, place, axis=0)[0].astype(np.float64)
        return np.append(middle, 1.0) if self._intercept else middle

    def spread(self, weight: Floats) -> Floats:
        """The standard deviation of each column under weights that sum to one; 1 for a constant column.

        A column whose values differ in their last digits only is constant: it is rounding that differs.
        """
        origin = self.origin
        first, second = self.moments(weight, origin)
        deviation = deviations(first, second, origin)
        return np.append(deviation, 1.0) if self._intercept else deviation

    @property
    def origin(self) -> Floats:
        """Where moments are best taken about: the first row, or zero where most values are."""
        # Not about zero: a column far from zero would lose its digits.
        return np.zeros(self.n_features) if sp.issparse(self.X) else self.X[0].astype(np.float64)

    def moments(self, weight: Floats, origin: Floats) -> tuple[Floats, Floats]:
        """The weighted sums of each column and of its square, of dense ones about an origin."""
        if sp.issparse(self.X):
            return self.X.T @ weight, self.X.multiply(self.X).T @ weight
        first, second = np.zeros(len(origin)), np.zeros(len(origin))
        for start in range(0, self.n_rows, BLOCK_ROWS):
            block = self.X[start : start + BLOCK_ROWS] - origin
            share = weight[start : start + BLOCK_ROWS]
            first += share @ block
            block *= block
            second += share @ block
        return first, second

    def gram(self, weight: Floats, columns: Columns) -> Floats:
        """X.T @ diag(weight) @ X."""
        result = np.zeros((len(columns), len(columns)))
        for rows, block in self._dense_blocks(columns):
            result += (block * weight[rows, None]).T @ block
        return result

    def sums_by_group(self, group: Floats, weight: Floats, n_groups: int, columns: Columns) -> Floats:
        """The weighted sum of the rows of each group, of shape (n_groups, n_columns); groups are whole numbers."""
        result = np.zeros((n_groups, len(columns)))
        for rows, block in self._dense_blocks(columns):
            place, n_rows = group[rows].astype(np.intp), len(block)
            members = sp.csr_array((weight[rows], place, np.arange(n_rows + 1)), shape=(n_rows, n_groups))
            result += members.T @ block
        return result

    def _dense_blocks(self, columns: Columns) -> Iterable[tuple[slice, Floats]]:
        every_rows = (slice(start, start + GRAM_ROWS) for start in range(0, self.n_rows, GRAM_ROWS))
        return ((rows, columns.of(self._by_rows[rows])) for rows in every_rows)

    def about(self, origin: Floats) -> Columns:
        """All of its columns about an origin."""
        return Columns(origin, intercept=self._intercept)

    def extremes(self) -> Floats:
        """The largest value of minus each column, and of each column."""
        ends = [np.stack([-_dense(X.min(axis=0)), _dense(X.max(axis=0))]) for _, X in self._blocks()]
        return np.max(ends, axis=0)

    def weights_up_to(self, edges: Floats, weight: Floats) -> Floats:
        """The weight of the rows at most as large as each of the edges of each column, of shape (n_edges, p)."""
        n_edges = len(edges)
        result = np.empty(edges.shape)
        for column in range(self.n_features):
            values = self.X[:, [column]].toarray().ravel() if sp.issparse(self.X) else self.X[:, column]
            place = np.searchsorted(edges[:, column], values, side="left")
            result[:, column] = np.cumsum(np.bincount(place, weight, n_edges + 1))[:n_edges]
        return result

    @classmethod
    def stacked(cls, matrices: Sequence[Matrix]) -> Matrix:
        """The rows of several, one below the other."""
        parts = [each.X for each in matrices]
        return cls(sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.vstack(parts))


def _dense(row: Any) -> Floats:
    return row.toarray().ravel() if sp.issparse(row) else row


def deviations(first: Floats, second: Floats, origin: Floats) -> Floats:
    """Standard deviations by the moments about an origin; 1 where there is none but by rounding."""
    variance = second - first**2
    is_constant = (variance <= 1e-14 * second) | (variance <= (ROUNDING * np.abs(origin)) ** 2)
    return np.sqrt(np.where(is_constant, 1.0, variance))
