"""The data matrix in memory: `X @ coef`, `X.T @ residual`, moments, and subsets of columns and rows.

Dense matrices (float64, float32) are never copied whole; float32 is converted block by block, so that all arithmetic is
in float64. Sparse matrices (CSR, CSC) are never densified.
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
"""Rows whose moments and digests are taken at once (convention)."""

WIDENED_ENTRIES = 2**19
"""Entries that are converted to float64 at once: 4 MB. Two threads computed the scores of 2e7 x 50 of mapped float32 at
0.69 of the speed of a plain read of the file, and gradients at 0.65. With half as many entries it was 0.63 and 0.57,
with an eighth 0.45 and 0.50 (`benchmarks/scale.py`; the file was in memory, and the read took 0.15 s)."""

GRAM_ENTRIES = 2**18
"""Entries of a block in Gram matrices and sums by group: 2 MB, which stay in the cache of a core. For 11,500 x 100 of
float64, one thread took 11 and 8 ms; with blocks of 8,192 rows, it took 18 and 12 ms."""


def clean_scores(X: Any, coef: Floats) -> Floats:
    """X @ coef without its last digits, so that equal rows have equal scores whatever their position in X.

    `coef` may be a matrix with a column for each score.
    """
    return without_last_digits(Matrix(X).scores(coef))


def without_last_digits(scores: Floats) -> Floats:
    """Scores, or columns of scores, rounded to 40 bits relative to the largest."""
    # BLAS may sum the rows of a block in different orders, which changes the last few of the 53 bits of a score.
    exponent = np.frexp(np.abs(scores).max(axis=0, initial=0.0))[1] - 40
    unit = np.ldexp(1.0, np.maximum(exponent, np.finfo(np.float64).minexp))
    return np.round(scores / unit) * unit


def spread_of(values: Floats, weight: Floats) -> float:
    """The weighted standard deviation of some values; 1 if they are all equal."""
    return float(Matrix(values[:, None]).spread(weight / weight.sum())[0])


ROUNDING = 4 * np.finfo(np.float64).eps
"""Relative differences up to this size are rounding errors (convention)."""


@dataclass(frozen=True)
class Columns:
    """A selection of columns with an origin, which is subtracted, and an optional last column of ones.

    Parameters
    ----------
    origin : array of shape (n_features,), for all columns of the matrix
    index : the selected columns, ascending; None for all
    intercept : whether there is a column of ones
    """

    origin: Floats
    index: Ints | None = None
    intercept: bool = False

    def __len__(self) -> int:
        return len(self.origin if self.index is None else self.index) + self.intercept

    def of(self, block: Any) -> Floats:
        """The selected columns of a block of rows, minus the origin, as a dense array."""
        block, origin = (block, self.origin) if self.index is None else (block[:, self.index], self.origin[self.index])
        dense = np.empty((block.shape[0], len(self)))
        np.subtract(block.toarray() if sp.issparse(block) else block, origin, out=dense[:, : len(origin)])
        dense[:, len(origin) :] = 1.0
        return dense


class Matrix:
    """A matrix with an optional last column of ones.

    Parameters
    ----------
    X : ndarray or CSR or CSC matrix of shape (n_rows, n_features)
    intercept : whether there is a column of ones
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
        """Blocks of float64 rows. A matrix that is float64 already is one block."""
        if self.X.dtype == np.float64:
            return ((slice(None), self.X),)
        return self._widened()

    def _widened(self) -> Iterable[tuple[slice, Floats]]:
        """Blocks of float64 rows. They share one buffer: with a new array for each, passes took up to 50 % longer."""
        n_rows = max(1, WIDENED_ENTRIES // max(1, self.n_features))
        buffer = np.empty((min(n_rows, self.n_rows), self.n_features))
        for start in range(0, max(self.n_rows, 1), n_rows):
            rows = slice(start, start + n_rows)
            block = buffer[: len(self.X[rows])]
            np.copyto(block, self.X[rows])
            yield rows, block

    def scores(self, coef: Floats) -> Floats:
        """X @ coef."""
        weights, constant = (coef[:-1], coef[-1]) if self._intercept else (coef, 0.0)
        result: Floats
        if self.X.dtype == np.float64:
            result = self.X @ weights
        else:
            result = np.empty((self.n_rows, *weights.shape[1:]))
            for rows, X in self._widened():
                np.matmul(X, weights, out=result[rows])
        return result + constant if self._intercept else result

    def adjoint(self, residual: Floats) -> Floats:
        """X.T @ residual."""
        result: Floats = sum(X.T @ residual[rows] for rows, X in self._blocks())
        return np.append(result, residual.sum()) if self._intercept else result

    def columns(self, index: Ints) -> Matrix:
        """The matrix of some columns, in ascending order; itself if these are all columns."""
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
        """The matrix of some rows."""
        return Matrix(self._by_rows[index], intercept=self._intercept)

    def dense(self) -> Floats:
        """The whole matrix as one dense float64 array. Only for samples of rows."""
        X = self.X.toarray() if sp.issparse(self.X) else self.X.astype(np.float64)
        return np.column_stack([X, np.ones(self.n_rows)]) if self._intercept else X

    def median(self, index: Ints, weight: Floats) -> Floats:
        """The weighted median of each column over some rows; for sparse matrices the mean, as medians are mostly 0."""
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

        A column whose values differ only by rounding errors counts as constant.
        """
        origin = self.origin
        first, second = self.moments(weight, origin)
        deviation = deviations(first, second, origin)
        return np.append(deviation, 1.0) if self._intercept else deviation

    @property
    def origin(self) -> Floats:
        """The origin of moments: the first row, or zero if the matrix is sparse."""
        # Moments about zero of a column far from zero would lose digits.
        return np.zeros(self.n_features) if sp.issparse(self.X) else self.X[0].astype(np.float64)

    def moments(self, weight: Floats, origin: Floats) -> tuple[Floats, Floats]:
        """The weighted sums of each column and of its square, after subtracting the origin (zero if X is sparse)."""
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
        root, sign = np.sqrt(np.abs(weight)), np.sign(weight)
        for rows, block in self._dense_blocks(columns):
            block *= root[rows, None]
            # With the same array on both sides the product is symmetric, and BLAS computes only half of it.
            other = block if sign[rows].min() >= 0 else block * sign[rows, None]
            result += other.T @ block
        return result

    def sums_by_group(self, group: Floats, weight: Floats, n_groups: int, columns: Columns) -> Floats:
        """The weighted sum of the rows of each group, of shape (n_groups, n_columns); groups are whole numbers."""
        result = np.zeros((n_groups, len(columns)))
        for rows, block in self._dense_blocks(columns):
            place, n_rows = group[rows].astype(np.int32), len(block)
            # One entry per row: the product of this sparse matrix with the block sums rows by group.
            starts = np.arange(n_rows + 1, dtype=np.int32)
            result += sp.csc_array((weight[rows], place, starts), shape=(n_groups, n_rows)) @ block
        return result

    def _dense_blocks(self, columns: Columns) -> Iterable[tuple[slice, Floats]]:
        n_rows = max(1, GRAM_ENTRIES // max(1, len(columns)))
        every_rows = (slice(start, start + n_rows) for start in range(0, self.n_rows, n_rows))
        return ((rows, columns.of(self._by_rows[rows])) for rows in every_rows)

    def about(self, origin: Floats) -> Columns:
        """All columns, with an origin."""
        return Columns(origin, intercept=self._intercept)

    def extremes(self) -> Floats:
        """The negated minimum and the maximum of each column, of shape (2, p); both combine by `np.maximum`."""
        ends = [np.stack([-_dense(X.min(axis=0)), _dense(X.max(axis=0))]) for _, X in self._blocks()]
        return np.max(ends, axis=0)

    def weights_up_to(self, edges: Floats, weight: Floats) -> Floats:
        """For each column and edge, the weight of the rows with values up to the edge, of shape (n_edges, p)."""
        n_edges = len(edges)
        result = np.empty(edges.shape)
        for column in range(self.n_features):
            values = self.X[:, [column]].toarray().ravel() if sp.issparse(self.X) else self.X[:, column]
            place = np.searchsorted(edges[:, column], values, side="left")
            result[:, column] = np.cumsum(np.bincount(place, weight, n_edges + 1))[:n_edges]
        return result

    @classmethod
    def stacked(cls, matrices: Sequence[Matrix]) -> Matrix:
        """The rows of several matrices, stacked; those of a single one are not copied."""
        parts = [each.X for each in matrices]
        if len(parts) == 1:
            return cls(parts[0])
        return cls(sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.vstack(parts))


def _dense(row: Any) -> Floats:
    return row.toarray().ravel() if sp.issparse(row) else row


def deviations(first: Floats, second: Floats, origin: Floats) -> Floats:
    """Standard deviations from the moments about an origin; 1 if the variance is no more than rounding errors."""
    variance = second - first**2
    # A column is constant if its variance is a rounding error of the difference, or of the values themselves.
    is_constant = (variance <= 1e-14 * second) | (variance <= (ROUNDING * np.abs(origin)) ** 2)
    return np.sqrt(np.where(is_constant, 1.0, variance))
