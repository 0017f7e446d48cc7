"""Fewer columns that say what all said.

Where columns are alike, those left out said something that those kept can say as well. Scores by fewer columns are
nearest to those by all where the latter are projected on the former, as in Piironen, Paasiniemi and Vehtari
(Projective inference in high-dimensional problems, Electron. J. Stat. 2020).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge

from blindauc._typing import Bools, Floats
from blindauc.data import Data
from blindauc.evidence.folds import in_random_order
from blindauc.rows.digests import row_digests
from blindauc.rows.matrix import Matrix
from blindauc.rows.storage import in_units, row_products

MAX_ROWS = 2000
"""Rows by which it is seen how columns go together."""

TOLERANCE = 1e-8


class Projection:
    r"""From weights on all columns to weights on some of them, such that scores stay as near as may be.

    In units of the columns' standard deviations these are

    .. math:: w_S + ((1 - \lambda) R_{SS} + \lambda I)^{-1} (1 - \lambda) R_{SN} w_N

    for the kept columns :math:`S` and the others :math:`N`. Of few rows the correlations :math:`R` are uncertain:
    :math:`\lambda` is the shrinkage of Ledoit and Wolf (A well-conditioned estimator for large-dimensional covariance
    matrices, J. Multivar. Anal. 2004). Where it is one, or columns are independent, the weights stay as they are.

    Examples
    --------
    A column twice says as much as once:

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
        """The weights of the kept columns; 0 for the others."""
        projected = np.where(kept, weights, 0.0)
        if not kept.any() or self.shrinkage == 1:
            return projected
        ridge = Ridge(self.shrinkage / (1 - self.shrinkage), solver="lsqr", tol=TOLERANCE)
        lost = self._X @ ((weights - projected) * self._spread)
        projected[kept] += ridge.fit(self._X[:, kept], lost, self._share).coef_ / self._spread[kept]
        return projected

    @cached_property
    def shrinkage(self) -> float:
        """How far correlations are to be shrunk: the share of chance in their squares."""
        share = self._share
        # Products of rows tell as much as those of columns, and are few.
        products = row_products(self._X)
        products = products - share @ products
        products = products - (products @ share)[:, None]
        squares = products**2
        with_mean = squares @ share
        total = share @ with_mean
        chance = share**2 @ (np.diag(squares) - 2 * with_mean + total)
        # The trace is the number of columns that are not constant: each has a correlation of one with itself.
        between_columns = total - share @ np.diag(products)
        return float(chance / between_columns) if chance < between_columns else 1.0


def some_rows(data: Data) -> Bools:
    """Rows chosen by what they hold, as many as are looked at."""
    some = np.zeros(len(data.row), dtype=bool)
    some[in_random_order(np.arange(len(some)), row_digests(data.X, 0))[:MAX_ROWS]] = True
    return some


def _first_row(X: Any) -> Floats:
    """Not zero: a column far from zero would lose its digits."""
    return X[0].astype(np.float64)
