"""Additive models with a natural cubic spline for each column.

    score(x) = sum_j f_j(x_j)

Each f_j is a combination of the column itself and of natural cubic splines with knots at quantiles (Hastie, Tibshirani
and Friedman, The Elements of Statistical Learning, 5.2.1); beyond the outermost knots it is linear. The basis functions
of a column are whitened, the linear one first: they are uncorrelated and have unit variance, so that a ridge shrinks
functions of equal variance equally.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import Data
from blindauc.rows.matrix import ROUNDING
from blindauc.scorers.derived import DerivedModel
from blindauc.scorers.projection import Projection, some_rows
from blindauc.scorers.splines import Pieces, natural

N_KNOTS = 6
"""Knots per column. Three to seven are enough for most columns (Harrell, Regression Modeling Strategies, 2.4.6)."""

OUTER = 0.05
"""Share of the rows beyond each of the outermost knots, where curves are linear (Harrell, same section)."""


@dataclass(frozen=True)
class ColumnCurve:
    """The spline basis of one column.

    Parameters
    ----------
    knots : ndarray of shape (n_knots,), increasing; empty if the column has a linear function only
    mean : ndarray of shape (n_functions,), means of the basis functions, the column itself first
    whiten : ndarray of shape (n_functions, n_derived), from centred basis functions to uncorrelated ones
    """

    knots: Floats
    mean: Floats
    whiten: Floats

    @cached_property
    def pieces(self) -> Pieces:
        return Pieces.of([self.knots], [self.origin])

    @property
    def origin(self) -> float:
        """The origin of a column without knots: its mean, because products of values far from zero lose digits."""
        return 0.0 if len(self.knots) else float(self.mean[0])

    @cached_property
    def mix(self) -> Floats:
        """The matrix from spline pieces to derived columns, of shape (n_pieces, n_derived)."""
        return natural(self.knots) @ self.whiten

    @property
    def offset(self) -> Floats:
        """The constants subtracted from the derived columns, of shape (n_derived,)."""
        return self.mean @ self.whiten if len(self.knots) else np.zeros(self.whiten.shape[1])

    def __call__(self, values: Floats) -> Floats:
        """The derived columns of the given values, of shape (n, n_derived)."""
        return self.pieces(values[:, None]) @ self.mix - self.offset


@dataclass(frozen=True)
class Curves:
    """The basis of an additive model.

    Parameters
    ----------
    of_column : tuple with a `ColumnCurve` for each column

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.scorers.curves import curves_of
    >>> x = np.linspace(-2, 2, 201)
    >>> curves = curves_of(np.column_stack([x, x > 0]), np.ones(201))
    >>> curves.source.tolist()
    [0, 0, 0, 0, 0, 1]
    """

    of_column: tuple[ColumnCurve, ...]

    def __getstate__(self) -> dict[str, Any]:
        """The state as four long arrays: a file with three arrays for each of hundreds of columns is slow to read."""
        curves = self.of_column
        return {
            "knots": np.concatenate([curve.knots for curve in curves]),
            "mean": np.concatenate([curve.mean for curve in curves]),
            "whiten": np.concatenate([curve.whiten.ravel() for curve in curves]),
            "sizes": np.array([(len(curve.knots), *curve.whiten.shape) for curve in curves]),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        n_knots, n_functions, n_derived = state["sizes"].T
        knots, mean, whiten = (
            np.split(state[name], np.cumsum(lengths)[:-1])
            for name, lengths in (("knots", n_knots), ("mean", n_functions), ("whiten", n_functions * n_derived))
        )
        shaped = (each.reshape(n, -1) for each, n in zip(whiten, n_functions.tolist(), strict=True))
        object.__setattr__(self, "of_column", tuple(map(ColumnCurve, knots, mean, shaped)))

    @property
    def source(self) -> Ints:
        """The column that each derived column comes from."""
        return np.repeat(np.arange(len(self.of_column)), [each.whiten.shape[1] for each in self.of_column])

    @property
    def n_derived(self) -> int:
        return len(self.source)

    @cached_property
    def functions(self) -> Pieces:
        """The pieces of the splines of all columns."""
        return Pieces.of([curve.knots for curve in self.of_column], [curve.origin for curve in self.of_column])

    @cached_property
    def mix(self) -> Any:
        """The matrix from pieces to derived columns, sparse and of shape (n_pieces, n_derived)."""
        places = np.concatenate([self.functions.places(column) for column in range(len(self.of_column))])
        # The blocks are sparse arrays, so that the result is one. From dense blocks, older versions of SciPy make a
        # sparse matrix, and newer ones warn.
        in_columns = sp.block_diag([sp.csr_array(curve.mix) for curve in self.of_column], format="csr")
        return in_columns[np.argsort(places)]

    @cached_property
    def offset(self) -> Floats:
        return np.concatenate([curve.offset for curve in self.of_column])

    def __call__(self, X: Any) -> Floats:
        columns = np.asarray(X, dtype=np.float64).T
        return np.hstack([curve(column) for curve, column in zip(self.of_column, columns, strict=True)])

    def columns(self, coef: Floats) -> Bools:
        starts = np.flatnonzero(np.diff(self.source, prepend=-1))
        return np.logical_or.reduceat(coef != 0, starts, axis=1)

    def restricted(self, coef: Floats, columns: Bools, data: Data) -> DerivedModel:
        sample = data.subset(some_rows(data))
        derived = sample._replace(X=self(sample.X))
        return DerivedModel(self, Projection(derived)(coef, columns[self.source]))

    def probe(self, X: Floats, coef: Floats) -> CurveProbe:
        return CurveProbe(self, X, coef)

    def contributions(self, X: Any, coef: Floats) -> Floats:
        starts = np.flatnonzero(np.diff(self.source, prepend=-1))
        return np.add.reduceat(self(X) * coef, starts, axis=1)

    def base(self, coef: Floats) -> float:
        return 0.0


class CurveProbe:
    """Scores of fixed rows by an additive model. New values in a column change only the contribution of its curve."""

    def __init__(self, curves: Curves, X: Floats, coef: Floats) -> None:
        self._curves, self._coef = curves.of_column, np.split(coef, np.flatnonzero(np.diff(curves.source)) + 1)
        self._parts = curves.contributions(X, coef)
        self.scores: Floats = self._parts.sum(axis=1)

    def replaced(self, columns: Sequence[int], values: Floats) -> Floats:
        scores = self.scores.copy()
        for column, new in zip(columns, values.T, strict=True):
            scores += self._curves[column](new) @ self._coef[column] - self._parts[:, column]
        return scores

    def interaction(self, j: int, k: int, values: Floats) -> Floats:
        return np.zeros_like(self.scores)


def curves_of(X: Any, weight: Floats) -> Curves:
    """The basis with knots at the quantiles of each column.

    A column with at most two distinct values has a linear function only. Other columns have at most as many knots as
    distinct values.
    """
    return Curves(tuple(_curve_of(column, weight / weight.sum()) for column in np.asarray(X, dtype=np.float64).T))


def _curve_of(values: Floats, share: Floats) -> ColumnCurve:
    if np.ptp(values) <= ROUNDING * np.abs(values).max():
        return ColumnCurve(np.zeros(0), values[:1], np.zeros((1, 1)))
    knots = _knots(values, share)
    functions = Pieces.of([knots], [0.0])(values[:, None]) @ natural(knots)
    mean = share @ functions
    centred = functions - mean
    # Rows are multiplied by the square roots of their weights, so that R.T @ R is the covariance.
    triangle = np.linalg.qr(np.sqrt(share)[:, None] * centred, mode="r")
    # A small diagonal entry means that a function depends linearly on those before it. Such functions are dropped.
    size = np.abs(np.diag(triangle))
    kept = np.flatnonzero(size > 1e-6 * size.max())
    triangle = np.linalg.qr(np.sqrt(share)[:, None] * centred[:, kept], mode="r")
    whiten = np.zeros((functions.shape[1], len(kept)))
    # A positive diagonal makes the factor unique, whatever signs LAPACK returns.
    whiten[kept] = np.linalg.inv(triangle * np.sign(np.diag(triangle))[:, None])
    return ColumnCurve(knots, mean, whiten)


def _knots(values: Floats, share: Floats) -> Floats:
    distinct, place = np.unique(values, return_inverse=True)
    if len(distinct) <= 2:
        return np.zeros(0)
    knots = _quantiles(distinct, np.bincount(place, share).astype(np.float64))
    # If most rows have the same value, the quantiles coincide. Quantiles of the distinct values are used instead.
    return knots if len(knots) > 2 else _quantiles(distinct, np.ones(len(distinct)))


def _quantiles(values: Floats, share: Floats) -> Floats:
    """At most `N_KNOTS` quantiles of increasing values, without repeats."""
    below = np.cumsum(share)
    wanted = np.linspace(OUTER, 1 - OUTER, min(N_KNOTS, len(values))) * below[-1]
    return np.unique(values[np.minimum(np.searchsorted(below, wanted), len(values) - 1)])
