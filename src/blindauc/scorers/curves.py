"""Curves: a natural cubic spline of each column, all of them added up.

    score(x) = sum_j f_j(x_j)

Each f_j is a combination of the column itself and of how it bends (Hastie, Tibshirani and Friedman, The Elements of
Statistical Learning, 5.2.1), with knots at quantiles; beyond the outermost knots it is a straight line. The columns of
one f_j are made uncorrelated, each of unit variance, the straight one first: a ridge shrinks all functions of a column
that vary as much alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import Data
from blindauc.rows.matrix import ROUNDING
from blindauc.scorers.derived import DerivedModel
from blindauc.scorers.projection import Projection, some_rows

N_KNOTS = 6
"""Harrell (Regression Modeling Strategies, 2.4.6): three to seven are enough for most columns."""

OUTER = 0.05
"""The outermost knots leave this share of the rows beyond them, where curves are straight (Harrell, likewise)."""


@dataclass(frozen=True)
class ColumnCurve:
    """How one column bends.

    Parameters
    ----------
    knots : ndarray of shape (n_knots,), increasing; empty where the column stays as it is
    mean : ndarray, of the basis functions over the rows, the column itself first
    whiten : ndarray of shape (n_functions, n_derived), from centred functions to uncorrelated ones
    """

    knots: Floats
    mean: Floats
    whiten: Floats

    def __call__(self, values: Floats) -> Floats:
        """The derived columns of some values, of shape (n, n_functions)."""
        return (_functions(values, self.knots) - self.mean) @ self.whiten


@dataclass(frozen=True)
class Curves:
    """Derived columns of additive curves.

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
        """A few long arrays: a model file with three for each of hundreds of columns takes seconds to read."""
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
    """A sum of curves: a change of one column changes its own curve alone."""

    def __init__(self, curves: Curves, X: Floats, coef: Floats) -> None:
        self._curves, self._coef = curves.of_column, np.split(coef, np.flatnonzero(np.diff(curves.source)) + 1)
        self._parts = curves.contributions(X, coef)
        self.scores: Floats = self._parts.sum(axis=1)

    def replaced(self, columns: Sequence[int], values: Floats) -> Floats:
        scores = self.scores.copy()
        for column, new in zip(columns, values.T, strict=True):
            scores += self._curves[column](new) @ self._coef[column] - self._parts[:, column]
        return scores


def curves_of(X: Any, weight: Floats) -> Curves:
    """Place knots by what the columns hold.

    A column of two values stays as it is; one of few values has fewer knots than values.
    """
    return Curves(tuple(_curve_of(column, weight / weight.sum()) for column in np.asarray(X, dtype=np.float64).T))


def _curve_of(values: Floats, share: Floats) -> ColumnCurve:
    if np.ptp(values) <= ROUNDING * np.abs(values).max():
        return ColumnCurve(np.zeros(0), values[:1], np.zeros((1, 1)))
    knots = _knots(values, share)
    functions = _functions(values, knots)
    mean = share @ functions
    centred = functions - mean
    # The square root of the weights, so that the triangular factor is that of the covariance.
    triangle = np.linalg.qr(np.sqrt(share)[:, None] * centred, mode="r")
    size = np.abs(np.diag(triangle))
    kept = np.flatnonzero(size > 1e-6 * size.max())
    triangle = np.linalg.qr(np.sqrt(share)[:, None] * centred[:, kept], mode="r")
    whiten = np.zeros((functions.shape[1], len(kept)))
    whiten[kept] = np.linalg.inv(triangle * np.sign(np.diag(triangle))[:, None])
    return ColumnCurve(knots, mean, whiten)


def _knots(values: Floats, share: Floats) -> Floats:
    distinct, place = np.unique(values, return_inverse=True)
    if len(distinct) <= 2:
        return np.zeros(0)
    knots = _quantiles(distinct, np.bincount(place, share).astype(np.float64))
    # Where one value is most of a column, its quantiles coincide: then those of the distinct values have to do.
    return knots if len(knots) > 2 else _quantiles(distinct, np.ones(len(distinct)))


def _quantiles(values: Floats, share: Floats) -> Floats:
    """As many of the increasing values as there may be knots, without repeats."""
    below = np.cumsum(share)
    wanted = np.linspace(OUTER, 1 - OUTER, min(N_KNOTS, len(values))) * below[-1]
    return np.unique(values[np.minimum(np.searchsorted(below, wanted), len(values) - 1)])


def _functions(values: Floats, knots: Floats) -> Floats:
    """The column itself, and the natural cubic splines that bend at the knots, all in units of the knots' range."""
    if len(knots) == 0:
        return values[:, None]
    unit = knots[-1] - knots[0]
    x, at = (values - knots[0]) / unit, (knots - knots[0]) / unit
    cubes = np.maximum(x[:, None] - at, 0.0) ** 3
    slopes = (cubes[:, :-1] - cubes[:, -1:]) / (1.0 - at[:-1])
    return np.column_stack([x, slopes[:, :-1] - slopes[:, -1:]])
