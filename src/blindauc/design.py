"""The data matrix as objectives see it: `X @ coef`, `X.T @ residual`, subsets of columns and rows.

Dense matrices (float64, float32) are never copied whole; float32 is widened block by block, so that all
arithmetic is float64. Sparse matrices (CSR, CSC) are never densified.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from blindauc._typing import Floats, Ints

BLOCK_ROWS = 1024


def clean_scores(X: Any, coef: Floats) -> Floats:
    """X @ coef without its last digits, so that equal rows have equal scores wherever they stand in X.

    `coef` may be a matrix with a column for each score.
    """
    return without_last_digits(Design(X).scores(coef))


def without_last_digits(scores: Floats) -> Floats:
    """Scores, or columns of them, rounded relative to the largest."""
    exponent = np.frexp(np.abs(scores).max(axis=0, initial=0.0))[1] - 40
    unit = np.ldexp(1.0, np.maximum(exponent, np.finfo(np.float64).minexp))
    return np.round(scores / unit) * unit


def spread_of(values: Floats, weight: Floats) -> float:
    """The weighted standard deviation of some values; 1 where they are all equal."""
    return float(Design(values[:, None]).spread(weight / weight.sum())[0])


ROUNDING = 4 * np.finfo(np.float64).eps


class Design:
    """A matrix with an optional column of ones behind its own columns.

    Parameters
    ----------
    X : ndarray or CSR or CSC matrix of shape (n_rows, n_features)
    intercept : whether a constant column follows
    """

    def __init__(self, X: Any, *, intercept: bool = False) -> None:
        self._X = X.astype(np.float64) if sp.issparse(X) and X.dtype != np.float64 else X
        self._intercept = intercept

    @property
    def n_rows(self) -> int:
        return int(self._X.shape[0])

    @property
    def n_features(self) -> int:
        return int(self._X.shape[1])

    @property
    def n_columns(self) -> int:
        return self.n_features + self._intercept

    def _blocks(self) -> Iterable[tuple[slice, Any]]:
        """The rows in pieces of float64 arithmetic; one piece where nothing has to be widened, or to be made first."""
        is_there = isinstance(self._X, np.ndarray) or sp.issparse(self._X)
        if is_there and self._X.dtype == np.float64:
            return ((slice(None), self._X),)
        every_rows = (slice(start, start + BLOCK_ROWS) for start in range(0, max(self.n_rows, 1), BLOCK_ROWS))
        return ((rows, self._X[rows].astype(np.float64)) for rows in every_rows)

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

    def columns(self, index: Ints) -> Design:
        """The design of some columns, in ascending order; itself if they are all."""
        if len(index) == self.n_columns:
            return self
        n_own = self._X.shape[1]
        own = index[index < n_own]
        X = self._X if len(own) == n_own else self._X[:, own]
        return Design(X, intercept=len(own) < len(index))

    @cached_property
    def _by_rows(self) -> Any:
        return self._X.tocsr() if sp.issparse(self._X) else self._X

    def rows(self, index: Ints) -> Design:
        """The design of some rows."""
        return Design(self._by_rows[index], intercept=self._intercept)

    def dense(self) -> Floats:
        """The whole of it as one float64 array: for samples of rows only."""
        X = self._X.toarray() if sp.issparse(self._X) else self._X.astype(np.float64)
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
        first, second = self._moments(weight)
        variance = second - first**2
        rounding = 0.0 if sp.issparse(self._X) else ROUNDING * np.abs(self._X[0].astype(np.float64))
        is_constant = (variance <= 1e-14 * second) | (variance <= rounding**2)
        deviation = np.sqrt(np.where(is_constant, 1.0, variance))
        return np.append(deviation, 1.0) if self._intercept else deviation

    def _moments(self, weight: Floats) -> tuple[Floats, Floats]:
        """The first two moments of each column, of dense ones about their first row."""
        if sp.issparse(self._X):
            return self._X.T @ weight, self._X.multiply(self._X).T @ weight
        # Not about zero: a column far from zero would lose its digits.
        origin = self._X[0].astype(np.float64)
        first, second = np.zeros(len(origin)), np.zeros(len(origin))
        for start in range(0, self.n_rows, BLOCK_ROWS):
            block = self._X[start : start + BLOCK_ROWS] - origin
            share = weight[start : start + BLOCK_ROWS]
            first += share @ block
            block *= block
            second += share @ block
        return first, second
