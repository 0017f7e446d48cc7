"""Whether a few columns stand out, or all say a little.

Where all say a little, a ridge on all columns is best; a few that say much among many that say nothing want to be
selected. Ranks of a few held-out positives hardly tell which it is. The columns do, one by one: by the kurtosis of
their effects, the differences between positives and unlabelled rows.
"""

from __future__ import annotations

import numpy as np

from blindauc._typing import Floats
from blindauc.data import Data
from blindauc.design import Design
from blindauc.tuning.folds import row_digests

NOTHING = 1e-9
"""Effects below this, in standard deviations, are those of constant columns."""

ENOUGH_ROWS = 200
"""So many tell how many columns are independent."""


def evenness(data: Data) -> float:
    r"""How evenly the columns differ between positives and unlabelled rows.

    .. math:: \left( \frac{3}{1 + 2 / q} \Big/ \frac{\overline{d^4}}{\overline{d^2}^2} \right)^{1 - 1/q}:

    the kurtosis that the effects :math:`d`, in standard deviations of their columns, would have if they were normal
    with the correlations of the columns, :math:`q` of which are independent, over the kurtosis that they have. It is 1
    there, or where there is no effect, and less where a few columns stand out. One independent column says nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.data import Data
    >>> from blindauc.tuning.evenness import evenness
    >>> rng = np.random.default_rng(0)
    >>> X, is_positive, rows = rng.normal(size=(100, 50)), np.arange(100) < 20, np.arange(100)
    >>> X[is_positive, :2] += 2
    >>> round(evenness(Data(X, is_positive, np.ones(100), rows, rows[:20])), 2)
    0.3
    """
    design, weight = Design(data.X), data.weight
    in_class = np.array([weight[~data.is_positive].sum(), weight[data.is_positive].sum()])
    difference = design.adjoint(np.where(data.is_positive, weight, -weight) / in_class[data.is_positive.astype(int)])
    spread = design.spread(weight / weight.sum())
    differs = np.abs(difference) > NOTHING * spread
    if not differs.any():
        return 1.0
    squares = (difference / spread)[differs] ** 2
    q = n_independent((_sample(data) / spread)[:, differs])
    return float((3 / (1 + 2 / q) * squares.mean() ** 2 / (squares**2).mean()) ** (1 - 1 / q))


def n_independent(X: Floats) -> float:
    """How many independent columns there would be, of some on a common scale: (tr C)^2 / tr C^2 of covariances C.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.tuning.evenness import n_independent
    >>> X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> n_independent(X), n_independent(np.hstack([X, X]))
    (2.0, 2.0)
    """
    centred = X - X.mean(axis=0)
    # The products of rows have the same traces as those of columns, and rows are few.
    products = centred @ centred.T
    if not products.any():
        return float(X.shape[1])
    return float(np.trace(products) ** 2 / (products**2).sum())


def _sample(data: Data) -> Floats:
    """A few rows; which ones depends on what is in them, not on where they stand."""
    taken = np.argsort(row_digests(data.X, 0), kind="stable")[:ENOUGH_ROWS]
    return Design(data.X).rows(np.sort(taken)).dense()
