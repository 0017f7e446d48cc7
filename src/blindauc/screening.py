"""Labelled rows with leverage: so unlike every other row that a linear fit follows them.

A wrongly labelled row that is unusual in many columns does not rank low. It tilts the weights until it ranks high, and
the objective prefers that, so no shift finds it. Its position gives it away: its distance from the unlabelled rows, or
its direction (`rows/positions.py`). The second finds what the first cannot: a row 1.3 deviations below the centre in
each of 40 independent columns is only 2.7 standard deviations further out than most, but its direction is 8 standard
deviations from 0.

Columns may be correlated in any way: how far correct rows go is read off the unlabelled rows, which come from the same
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
"""Correct rows beyond either level in a data set, if tails are exponential. Measured over 30 seeds of 15 clean designs:
at 0.01 at most 0.33 % of the rows of any are marked; at 0.05 it is 0.7 % of twenty heavy-tailed rows. A level of 0.1
among labelled rows costs hardly any corrupted row; at 0.5, 6 % of positives with a long tail of severity are marked."""

TAIL_SHARE = 0.1
"""Share of the unlabelled rows that the tail is fitted to (convention; the customary share for Hill's estimator)."""

MIN_TAIL = 10
"""Minimal number of rows that the tail is fitted to (convention)."""

DISTRUSTED_SHARE = 0.005
"""Share of the unlabelled rows that may be corrupted themselves (convention). The most extreme ones are not used to
tell how far correct rows go."""

MARGIN_OF_DISTANCE = float(np.log(1.25))
MARGIN_OF_DIRECTION = 2 * CLIP
"""A marked row must be this far beyond the furthest trusted row: by a quarter of its distance, or by two clipped
columns (convention). With few distinct values, as in one-hot columns, the fitted tail may have no spread although the
next possible value is not extreme."""

MAX_ROWS = 4096
"""The most unlabelled rows that are used: about 20 of them are distrusted, and more rows would hardly change the
thresholds."""

MAX_ROWS_OF_UNITS = 1024
"""The most unlabelled rows for centres and scales: the standard error of a scale is then about 3 %, and sorting is
cheaper than scoring."""


@dataclass(frozen=True)
class Leverage:
    """Labelled rows with leverage, which neither fits nor the evidence should use.

    Attributes
    ----------
    rows : mask of shape (n_pos,)
        The labelled rows with leverage.
    n_columns : ndarray of shape (n_pos,)
        In how many columns each labelled row lies at least one robust standard deviation from the median of the
        unlabelled rows.
    usual_columns : int
        In how many columns the median unlabelled row does.
    """

    rows: Bools
    n_columns: Ints
    usual_columns: int


def find_leverage(X_pos: Any, X_unl: Any) -> Leverage:
    r"""Mark the labelled rows that are further out than labelled and unlabelled rows usually go.

    .. math::

        t_i > \max\{ T_U,\; T_U + m_L - m_U,\; T_L \}

    where :math:`t_i` is the log-distance of a labelled row from the centre of the unlabelled rows, or its direction, or
    minus its direction (see the module). :math:`T_U` is how far unlabelled rows go: a margin beyond the largest of
    them, or the level that, by an exponential tail fitted to the upper tenth, 0.01 correct labelled rows exceed in a
    data set, whichever is higher. Half a percent of the rows are not trusted to show it. For log-distances an
    exponential tail is a power law, and the fit is Hill's estimator (Annals of Statistics 1975). :math:`T_L` is the
    level that 0.1 rows exceed by the tail of the labelled rows that are not marked. :math:`m_U` and :math:`m_L` are the
    medians of unlabelled and labelled rows.

    A row no further out than unlabelled rows go is not marked, nor one at the end of a long tail of labelled rows. A
    separate group of positives that is hardly found among the unlabelled rows is marked: nothing in the data tells it
    from corruption.

    The scale of a column is the 80 % quantile of its absolute deviations over that of a normal variable, but at least
    the median of those that are not zero, so that a rare one in a binary column is not extreme. At most 4,096
    unlabelled rows are used, at an even stride. With fewer than 20 rows of either kind nothing is marked or counted.

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


# --- how far is too far ---


def _beyond(labelled: Floats, others: Floats, margin: float) -> Bools:
    """The labelled rows further up than unlabelled rows go, and than the other labelled rows go."""
    reach = _reach(others, margin, len(labelled) / FALSE_AMONG_UNLABELLED)
    marked = labelled > max(reach, reach + np.median(labelled) - np.median(others))
    # A forward search (Atkinson and Riani, 2000): a marked row that the tail of the unmarked ones reaches joins them,
    # until what is marked lies beyond a gap. Severe cases at the end of a long tail stay; a separate group does not.
    while marked.any():
        still = marked & (labelled > _reach(labelled[~marked], margin, len(labelled) / FALSE_AMONG_LABELLED))
        if still.sum() == marked.sum():
            break
        marked = still
    return marked


def _reach(values: Floats, margin: float, n_new: float) -> float:
    """The level that one of `n_new` more values exceeds, at least a margin above the trusted values."""
    values = np.sort(values)
    n_distrusted = int(np.ceil(DISTRUSTED_SHARE * len(values)))
    n_tail = min(max(MIN_TAIL, round(TAIL_SHARE * len(values))), len(values) - 1)
    start, *tail = values[-n_tail - 1 : -n_distrusted]
    # Censored from the largest trusted value on, the mean excess is still estimated without bias (Epstein and Sobel,
    # JASA 1953); dropped, the distrusted rows would make the tail look short, and kept, one of them could hide all.
    excess = (np.sum(np.subtract(tail, start)) + n_distrusted * (tail[-1] - start)) / len(tail)
    odds = max(1.0, n_tail / len(values) * n_new)
    # Not excess * log(odds): the predictive quantile, which is higher the fewer rows the mean comes from.
    return max(tail[-1] + margin, start + excess * len(tail) * np.expm1(np.log(odds) / len(tail)))
