"""Labelled rows with leverage: so unlike every other row that a linear fit bends to them.

A wrongly labelled row that is unusual in many columns does not rank low. It tilts the weights until it ranks high, and
the objective prefers that, so no shift finds it. Its position gives it away. With centre m_j and scale s_j of the
columns among the unlabelled rows, z_ij = (x_ij - m_j) / s_j, two numbers describe where row i lies:

    distance_i  = log sqrt(CLIP^2 + sum_j z_ij^2)     a few gross values, or many unusual ones
    direction_i = sum_j clip(z_ij, -CLIP, CLIP)       many columns, all a little too low or too high

The second finds what the first cannot: a row 1.3 deviations below the centre in each of 40 independent columns is only
2.7 standard deviations further out than most, but its direction is 8 standard deviations from 0. The CLIP^2 stands for
one more column in which every row is unusual, so that in data of mostly zeros one value is not a great distance.

Columns may be correlated in any way: how far correct rows go is read off the unlabelled rows, which come from the same
population.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from blindauc._typing import Bools, Floats, Ints

MIN_ROWS = 20
"""Labelled rows, and unlabelled rows, that it takes to call any row unusual; among fewer, a tail is too uncertain."""

FALSE_AMONG_UNLABELLED = 0.01
FALSE_AMONG_LABELLED = 0.1
"""Correct rows beyond either level in a data set, if tails are exponential. Measured over 30 seeds of 15 clean designs:
at 0.01 at most 0.33 % of the rows of any are marked; at 0.05 it is 0.7 % of twenty heavy-tailed rows. A level of 0.1
among labelled rows costs hardly any corrupted row; at 0.5, 6 % of positives with a long tail of severity are marked."""

TAIL_SHARE = 0.1
"""Share of the unlabelled rows the tail is fitted to; the customary share for Hill's estimator."""

MIN_TAIL = 10
"""Rows the tail is fitted to where a tenth of the unlabelled rows is fewer."""

DISTRUSTED_SHARE = 0.005
"""Share of the unlabelled rows that may be corrupted themselves: they do not show how far correct rows go."""

SCALE_SHARE = 0.8
"""The scale of a column is this quantile of its absolute deviations: above the median, so that skewed columns look
less heavy-tailed, and below 1, so that a fifth of the unlabelled rows may be anything."""

CLIP = 3.0
"""One heavy-tailed column must not decide the direction of a row; three deviations, convention."""

MARGIN_OF_DISTANCE = float(np.log(1.25))
MARGIN_OF_DIRECTION = 2 * CLIP
"""How far beyond the furthest trusted row: a quarter of its distance, or two columns at the clip. Where values are
few, as in one-hot columns, the tail may show no spread at all, and the next possible value is not extreme."""

UNUSUAL = 1.0
"""A value counts as unusual from this many deviations: a third of normal values, but all of those of an outlier
that lies only 1.3 deviations out."""

MAX_ROWS = 4096
"""Unlabelled rows to compare with: 20 beyond the distrusted share, so that more would not change the thresholds."""

MAX_ROWS_OF_UNITS = 1024
"""Unlabelled rows for centres and scales: a scale is then known to 3 %, and sorting stays cheaper than scoring."""

BLOCK_ENTRIES = 2**20
"""Dense values standardised at a time."""

_SCALE_OF_NORMAL = 1.2815515655446004  # the 80 % quantile of |N(0, 1)|


@dataclass(frozen=True)
class Leverage:
    """Labelled rows that should neither fit nor vote.

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
    units = _column_units(_some_rows(unl, MAX_ROWS_OF_UNITS), _some_rows(X_pos, MAX_ROWS_OF_UNITS))
    labelled, others = _positions(X_pos, units), _positions(unl, units)
    too_far = _beyond(labelled.distance, others.distance, MARGIN_OF_DISTANCE)
    too_high = _beyond(labelled.direction, others.direction, MARGIN_OF_DIRECTION)
    too_low = _beyond(-labelled.direction, -others.direction, MARGIN_OF_DIRECTION)
    return Leverage(too_far | too_high | too_low, labelled.n_unusual, int(np.median(others.n_unusual)))


def _some_rows(X: Any, at_most: int) -> Any:
    """All rows, or so many of them, spread evenly."""
    X = X.tocsr() if sp.issparse(X) else X
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


# --- where rows lie ---


class _Units(NamedTuple):
    """Centre and scale of the columns; a column without any spread has an infinite scale and so never matters."""

    centre: Floats
    scale: Floats


class _Positions(NamedTuple):
    distance: Floats
    direction: Floats
    n_unusual: Ints


def _positions(X: Any, units: _Units) -> _Positions:
    sums = _sparse_sums(X, units) if sp.issparse(X) else np.hstack([_sums(z) for z in _standardised(X, units)])
    squares, direction, n_unusual = sums
    return _Positions(np.log(CLIP**2 + squares) / 2, direction, np.rint(n_unusual).astype(np.intp))


def _terms(z: Floats) -> Floats:
    """What each standardised value adds to its row: to the distance, the direction, and the count."""
    return np.stack([z**2, np.clip(z, -CLIP, CLIP), np.abs(z) >= UNUSUAL])


def _sums(z: Floats) -> Floats:
    return _terms(z).sum(axis=-1)


def _standardised(X: Floats, units: _Units) -> Iterator[Floats]:
    """The rows in units of the columns, some at a time; always in float64, however X is stored."""
    n_rows = max(1, BLOCK_ENTRIES // X.shape[1])
    for first in range(0, X.shape[0], n_rows):
        yield (X[first : first + n_rows] - units.centre) / units.scale


def _sparse_sums(X: Any, units: _Units) -> Floats:
    """As if every column were zero, corrected where it is not."""
    X = X.tocoo()
    at_zero = _terms(-units.centre / units.scale)
    changes = _terms((X.data - units.centre[X.col]) / units.scale[X.col]) - at_zero[:, X.col]
    sums = [np.bincount(X.row, weights=change, minlength=X.shape[0]) for change in changes]
    return np.asarray(sums) + at_zero.sum(axis=1, keepdims=True)


# --- the units of columns ---


def _column_units(unl: Any, pos: Any) -> _Units:
    if sp.issparse(unl):
        return _units(_SparseColumns.of(unl), lambda: _SparseColumns.of(sp.vstack([unl, pos])))
    width = max(1, BLOCK_ENTRIES // len(unl))
    blocks = [(unl[:, at : at + width], pos[:, at : at + width]) for at in range(0, unl.shape[1], width)]
    units = [_dense_units(*block) for block in blocks]
    return _Units(*map(np.concatenate, zip(*units, strict=True)))


def _dense_units(unl: Any, pos: Any) -> _Units:
    return _units(_DenseColumns.of(unl), lambda: _DenseColumns.of(np.vstack([unl, pos])))


def _units(unl: _Columns, both: Callable[[], _Columns]) -> _Units:
    """The median, and the larger of a quantile of the deviations and the median of those that are not zero."""
    centre = unl.order_statistics(unl.n_rows // 2)
    deviations = unl.deviations(centre)
    wide = deviations.order_statistics(int(SCALE_SHARE * unl.n_rows)) / _SCALE_OF_NORMAL
    scale = np.maximum(wide, deviations.median_of_nonzero())
    if not scale.all():  # a column that is constant among the unlabelled rows, but perhaps not among the labelled
        scale = np.where(scale > 0, scale, both().deviations(centre).median_of_nonzero())
    return _Units(centre, np.where(scale > 0, scale, np.inf))


class _DenseColumns(NamedTuple):
    """The sorted values of each column, in a row of their own: sorting along memory is several times faster."""

    values: Floats

    @classmethod
    def of(cls, X: Any) -> _DenseColumns:
        return cls(np.sort(np.ascontiguousarray(X.T, dtype=np.float64), axis=1))

    @property
    def n_rows(self) -> int:
        return self.values.shape[1]

    def deviations(self, centre: Floats) -> _DenseColumns:
        return _DenseColumns(np.sort(np.abs(self.values - centre[:, None]), axis=1))

    def median_of_nonzero(self) -> Floats:
        return self.order_statistics(((self.values == 0).sum(axis=1) + self.n_rows) // 2)

    def order_statistics(self, rank: int | Ints) -> Floats:
        """The value of each column with so many before it, or its largest."""
        ranks = np.minimum(np.broadcast_to(rank, len(self.values)), self.n_rows - 1)
        return np.take_along_axis(self.values, ranks[:, None], axis=1)[:, 0]


class _SparseColumns(NamedTuple):
    """Stored values with their columns, and the value of each column where nothing is stored."""

    values: Floats
    column: Ints
    fill: Floats
    n_rows: int

    @classmethod
    def of(cls, X: Any) -> _SparseColumns:
        X = X.tocoo()
        return cls(X.data.astype(np.float64), X.col, np.zeros(X.shape[1]), X.shape[0])

    def _count(self, which: Bools) -> Ints:
        return np.bincount(self.column[which], minlength=len(self.fill))

    @property
    def _n_fill(self) -> Ints:
        return self.n_rows - np.bincount(self.column, minlength=len(self.fill))

    def median_of_nonzero(self) -> Floats:
        n_zeros = self._count(self.values == 0) + np.where(self.fill == 0, self._n_fill, 0)
        return self.order_statistics((n_zeros + self.n_rows) // 2)

    def deviations(self, centre: Floats) -> _SparseColumns:
        values = np.abs(self.values - centre[self.column])
        return self._replace(values=values, fill=np.abs(self.fill - centre))

    def order_statistics(self, rank: int | Ints) -> Floats:
        """As of dense columns: what is not stored lies in one run between the stored values."""
        ranks = np.minimum(np.broadcast_to(rank, len(self.fill)), self.n_rows - 1)
        n_before, n_fill = self._count(self.values < self.fill[self.column]), self._n_fill
        first = np.cumsum(self.n_rows - n_fill) - (self.n_rows - n_fill)
        place = first + np.where(ranks < n_before, ranks, np.maximum(ranks - n_fill, n_before))
        stored = np.append(self.values[np.lexsort((self.values, self.column))], 0.0)
        within = (ranks >= n_before) & (ranks < n_before + n_fill)
        return np.where(within, self.fill, stored[np.minimum(place, len(self.values))])


_Columns = _DenseColumns | _SparseColumns
