"""Projection of a linear model on a subset of its columns.

If columns are correlated, the kept ones can carry part of what the others contributed. The least-squares projection of
the scores on the kept columns gives the nearest scores (Piironen, Paasiniemi and Vehtari, Projective inference in
high-dimensional problems, Electron. J. Stat. 2020).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge

from blindauc._typing import Bools, Floats
from blindauc.data import Data
from blindauc.evidence.folds import first_in_random_order
from blindauc.rows.matrix import Matrix
from blindauc.rows.storage import in_units, row_products

MAX_ROWS = 2000
"""The most rows from which correlations are estimated (convention)."""

TOLERANCE = 1e-8
"""Relative tolerance of the least-squares solver (convention)."""


class Projection:
    r"""Maps coefficients of all columns to coefficients of some of them, such that the scores are nearest.

    In units of the columns' standard deviations the new coefficients are

    .. math:: w_S + ((1 - \lambda) R_{SS} + \lambda I)^{-1} (1 - \lambda) R_{SN} w_N

    for the kept columns :math:`S` and the others :math:`N`. Correlations :math:`R` of few rows are uncertain:
    :math:`\lambda` is the shrinkage of Ledoit and Wolf (A well-conditioned estimator for large-dimensional covariance
    matrices, J. Multivar. Anal. 2004). If it is 1, or the columns are independent, the coefficients of the kept columns
    do not change.

    Examples
    --------
    Of two equal columns one is dropped, and the other takes over its coefficient:

    >>> import numpy as np
    >>> from blindauc.data import Data
    >>> from blindauc.scorers.projection import Projection
    >>> x, rows = np.random.default_rng(0).normal(size=200), np.arange(200)
    >>> data = Data(np.column_stack([x, x]), rows < 50, np.ones(200), rows, rows[:50])
    >>> Projection(data)(np.array([1.0, 1.0]), np.array([True, False])).round(2)
    array([1.98, 0.  ])
    """

    def __init__(self, data: Data) -> None:
        sample = data.subset(some_rows(data))
        self._share = sample.weight / sample.weight.sum()
        self._spread = Matrix(sample.X).spread(self._share)
        self._X = in_units(sample.X, self._spread, about=_first_row)

    def __call__(self, weights: Floats, kept: Bools) -> Floats:
        """The coefficients of the kept columns; 0 for the others."""
        projected = np.where(kept, weights, 0.0)
        if not kept.any() or self.shrinkage == 1:
            return projected
        ridge = Ridge(self.shrinkage / (1 - self.shrinkage), solver="lsqr", tol=TOLERANCE)
        # The contribution of the dropped columns is regressed on the kept ones.
        lost = self._X @ ((weights - projected) * self._spread)
        projected[kept] += ridge.fit(self._X[:, kept], lost, self._share).coef_ / self._spread[kept]
        return projected

    @cached_property
    def shrinkage(self) -> float:
        """The Ledoit-Wolf shrinkage of the correlations: their sampling variance over the sum of their squares."""
        share = self._share
        # Sums over pairs of columns are computed from the products of pairs of rows, because there may be fewer rows.
        products = row_products(self._X)
        products = products - share @ products
        products = products - (products @ share)[:, None]
        squares = products**2
        with_mean = squares @ share
        total = share @ with_mean
        chance = share**2 @ (np.diag(squares) - 2 * with_mean + total)
        # The diagonal of the correlations is excluded. Its squares sum to the trace: the number of varying columns.
        between_columns = total - share @ np.diag(products)
        return float(chance / between_columns) if chance < between_columns else 1.0


def some_rows(data: Data) -> Bools:
    """Mask of at most `MAX_ROWS` pseudo-random rows. The choice depends on their values, not on their order."""
    some = np.zeros(len(data.row), dtype=bool)
    some[first_in_random_order(np.arange(len(some)), data.digests(), MAX_ROWS)] = True
    return some


def _first_row(X: Any) -> Floats:
    """The origin of the columns. With an origin of zero, columns with values far from zero would lose digits."""
    return X[0].astype(np.float64)
