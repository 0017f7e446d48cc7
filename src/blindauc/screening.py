"""Detection of labelled rows with leverage: rows so unlike all others that a linear fit follows them.

A wrongly labelled row that is unusual in many columns does not rank low. It changes the weights until it ranks high,
which lowers the objective, so that no shift detects it. Its position does: its distance from the unlabelled rows, or
its direction (`rows/positions.py`). The direction detects rows that the distance misses: a row 1.3 standard deviations
below the centre in each of 40 independent columns has a distance only 2.7 standard deviations above that of most rows,
but its direction is 8 standard deviations from 0.

Columns may be correlated in any way: thresholds are estimated from the unlabelled rows, which come from the same
population.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.rows.positions import CLIP, column_units, positions
from blindauc.rows.storage import by_rows

MIN_ROWS = 20
"""With fewer labelled rows, or fewer unlabelled rows, no row is marked (convention): the estimate of a tail
would be too uncertain."""

FALSE_AMONG_UNLABELLED = 0.01
FALSE_AMONG_LABELLED = 0.1
"""Expected number of correct rows per data set beyond the thresholds from unlabelled and from labelled rows, if tails
are exponential. Measured over 30 seeds of 15 clean designs: with 0.01 among unlabelled rows, at most 0.33 % of the rows
of any design are marked; with 0.05, it is 0.7 % of twenty heavy-tailed rows. With 0.1 among labelled rows, hardly any
corrupted row is missed; with 0.5, 6 % of positives with a long tail of severity are marked."""

TAIL_SHARE = 0.1
"""Share of the unlabelled rows that the tail is fitted to (convention; the customary share for Hill's estimator)."""

MIN_TAIL = 10
"""Minimal number of rows that the tail is fitted to (convention)."""

DISTRUSTED_SHARE = 0.005
"""Share of the unlabelled rows that may be corrupted themselves (convention). So many of the most extreme rows do not
contribute to the thresholds."""

MARGIN_OF_DISTANCE = float(np.log(1.25))
MARGIN_OF_DIRECTION = 2 * CLIP
"""A marked row must be this far beyond the furthest trusted row: by a quarter of its distance, or by two columns at
the clipping limit (convention). With few distinct values, as in one-hot columns, the fitted tail may have no spread
although the next possible value is not extreme."""

MAX_ROWS = 4096
"""The largest number of unlabelled rows used (convention): about 20 of them are distrusted, and more rows would hardly
change the thresholds."""

MAX_ROWS_OF_UNITS = 1024
"""The largest number of unlabelled rows used for centres and scales (convention): the standard error of a scale is then
about 3 %, and sorting takes less time than computing the positions."""


@dataclass(frozen=True)
class Leverage:
    """Labelled rows with leverage, which neither fits nor the evidence should use.

    Attributes
    ----------
    rows : mask of shape (n_pos,)
        The labelled rows with leverage.
    n_columns : ndarray of shape (n_pos,)
        Number of columns in which each labelled row is at least one robust standard deviation from the median of the
        unlabelled rows.
    usual_columns : int
        The median of this number over the unlabelled rows.
    """

    rows: Bools
    n_columns: Ints
    usual_columns: int


def find_leverage(X_pos: Any, X_unl: Any) -> Leverage:
    r"""Mark the labelled rows whose distance or direction is extreme among labelled and unlabelled rows.

    .. math::

        t_i > \max\{ T_U,\; T_U + m_L - m_U,\; T_L \}

    where :math:`t_i` is the log-distance of a labelled row from the centre of the unlabelled rows, or its direction, or
    minus its direction (see the module). :math:`T_U` is the threshold from unlabelled rows, the higher of two levels:
    a margin beyond the largest of them, and the level that 0.01 correct labelled rows per data set are expected to
    exceed, by an exponential tail fitted to the upper tenth. The most extreme half percent of the rows is not used. For
    log-distances an exponential tail is a power law, and the fit is Hill's estimator (Annals of Statistics 1975).
    :math:`T_L` is the level that 0.1 rows are expected to exceed, by the tail of the unmarked labelled rows.
    :math:`m_U` and :math:`m_L` are the medians of unlabelled and labelled rows.

    Rows within the range of the unlabelled rows are not marked, nor are rows at the end of a long tail of labelled
    rows. A separate group of positives that is rare among the unlabelled rows is marked, because the data cannot
    distinguish it from corruption.

    The scale of a column is the 80 % quantile of its absolute deviations over that of a normal variable, but at least
    the median of those that are not zero, so that a rare one in a binary column is not extreme. At most 4,096
    unlabelled rows are used, evenly spaced. With fewer than 20 rows of either kind nothing is marked or counted.

    Parameters
    ----------
    X_pos : ndarray or sparse matrix of shape (n_pos, p)
        The labelled rows.
    X_unl : ndarray or sparse matrix of shape (n_unl, p)
        The unlabelled rows.

    Returns
    -------
    Leverage

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.screening import find_leverage
    >>> rng = np.random.default_rng(0)
    >>> X_pos, X_unl = rng.normal(size=(50, 100)), rng.normal(size=(200, 100))
    >>> X_pos[[3, 8]] = rng.normal(-2.0, 0.2, size=(2, 100))
    >>> leverage = find_leverage(X_pos, X_unl)
    >>> np.flatnonzero(leverage.rows).tolist()
    [3, 8]
    >>> leverage.n_columns[[3, 8]].tolist(), leverage.usual_columns
    ([100, 100], 32)
    """
    n_pos = X_pos.shape[0]
    if min(n_pos, X_unl.shape[0]) < MIN_ROWS:
        return Leverage(np.zeros(n_pos, dtype=bool), np.zeros(n_pos, dtype=np.intp), 0)
    unl = _some_rows(X_unl, MAX_ROWS)
    units = column_units(_some_rows(unl, MAX_ROWS_OF_UNITS), _some_rows(X_pos, MAX_ROWS_OF_UNITS))
    labelled, others = positions(X_pos, units), positions(unl, units)
    too_far = _beyond(labelled.distance, others.distance, MARGIN_OF_DISTANCE)
    too_high = _beyond(labelled.direction, others.direction, MARGIN_OF_DIRECTION)
    too_low = _beyond(-labelled.direction, -others.direction, MARGIN_OF_DIRECTION)
    return Leverage(too_far | too_high | too_low, labelled.n_unusual, int(np.median(others.n_unusual)))


def _some_rows(X: Any, at_most: int) -> Any:
    """All rows, or `at_most` evenly spaced ones."""
    X = by_rows(X)
    return X if X.shape[0] <= at_most else X[np.linspace(0, X.shape[0] - 1, at_most).round().astype(int)]


# --- thresholds ---


def _beyond(labelled: Floats, others: Floats, margin: float) -> Bools:
    """The labelled rows above the thresholds from the unlabelled rows and from the other labelled rows."""
    threshold = _threshold(others, margin, len(labelled) / FALSE_AMONG_UNLABELLED)
    marked = labelled > max(threshold, threshold + np.median(labelled) - np.median(others))
    # A forward search (Atkinson and Riani, 2000): marked rows within the tail of the unmarked rows are unmarked, until
    # a gap separates the marked rows. Severe cases at the end of a long tail are unmarked; a separate group is not.
    while marked.any():
        still = marked & (labelled > _threshold(labelled[~marked], margin, len(labelled) / FALSE_AMONG_LABELLED))
        if still.sum() == marked.sum():
            break
        marked = still
    return marked


def _threshold(values: Floats, margin: float, n_new: float) -> float:
    """The level that one of `n_new` more values is expected to exceed; at least a margin above the trusted values."""
    values = np.sort(values)
    n_distrusted = int(np.ceil(DISTRUSTED_SHARE * len(values)))
    n_tail = min(max(MIN_TAIL, round(TAIL_SHARE * len(values))), len(values) - 1)
    start, *tail = values[-n_tail - 1 : -n_distrusted]
    # The distrusted rows are censored at the largest trusted value, which leaves the estimate of the mean excess
    # unbiased (Epstein and Sobel, JASA 1953). Without them the tail would look too short; if they were kept, a single
    # one could hide all others.
    excess = (np.sum(np.subtract(tail, start)) + n_distrusted * (tail[-1] - start)) / len(tail)
    odds = max(1.0, n_tail / len(values) * n_new)
    # The predictive quantile instead of excess * log(odds): the fewer rows the mean comes from, the higher it is.
    return max(tail[-1] + margin, start + excess * len(tail) * np.expm1(np.log(odds) / len(tail)))
