r"""Accumulated local effects (Apley and Zhu, Visualizing the effects of predictor variables, JRSS B 2020).

Between two neighbours of a grid z[0] < ... < z[m] of values of column j, the score changes by

    step[k] = mean of f(x with x_j = z[k]) - f(x with x_j = z[k - 1])

over the reference rows with z[k - 1] <= x_j <= z[k]. What the column adds to the score at z[k] is step[1] + ... +
step[k], up to a constant. Rows are moved only to their neighbours on the grid, so that the score is never evaluated far
from the data, as it would be with partial dependence. A row whose value is on the grid is moved both up and down, as
Apley and Zhu do for categories. For an additive score the result is exact on the grid.

Levels of a category have no neighbours. The contribution of a level is the mean of f(x with x_j = the level) over all
reference rows, up to a constant: partial dependence (Friedman, Greedy function approximation: a gradient boosting
machine, Ann. Stat. 2001).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.special import stdtrit

from blindauc._typing import Bools, Floats
from blindauc.rows.matrix import Matrix
from blindauc.scorers.contract import Model, Probe

MAX_VALUES = 20
"""The largest number of values on a grid (convention): about 5 % of the rows lie between two neighbours."""

COMMON = 0.1
"""A value that occurs in more than this share of the rows is always on the grid, and quantiles are taken of the other
rows (convention). Otherwise, most quantiles of a column that is mostly zero would be zero."""


NO_CATEGORIES: Mapping[int, Sequence[str]] = MappingProxyType({})


@dataclass(frozen=True)
class Effect:
    """The accumulated local effect of one column: its contribution to the score, as a function of its value.

    Attributes
    ----------
    values : ndarray of shape (n_values,)
        The grid, increasing: quantiles of the column, or its distinct values if these are few. It is empty if the
        column is missing in all reference rows. For a category, it holds the codes of the 20 most common levels.
    contribution : ndarray of shape (n_values,)
        What the column adds to the score at each value. The mean over the reference rows is zero.
    low, high : ndarray of shape (n_values,)
        A pointwise 95 % band. Without resampled models there is none: both equal the contribution.
    share : ndarray of shape (n_values,)
        The share of the reference rows that are nearest to each value; it sums to one.
    size : float
        The standard deviation of the contribution over the reference rows.
    levels : tuple of str
        For a category, the name of the level at each value; otherwise empty.
    """

    values: Floats
    contribution: Floats
    low: Floats
    high: Floats
    share: Floats
    size: float
    levels: tuple[str, ...] = ()

    @property
    def weight(self) -> float:
        """The size, with the sign of the covariance between contributions and ranks of the values.

        It is negative if the contribution mostly decreases with the value. Ranks make it robust to a few extreme rows.
        Levels of a category have no order, and their weight is the size.

        Examples
        --------
        >>> import numpy as np
        >>> from blindauc.explain import Effect
        >>> falls = np.array([1.0, -1.0])
        >>> Effect(np.array([0.0, 2.0]), falls, falls, falls, np.array([0.5, 0.5]), 1.0).weight
        -1.0
        """
        if self.levels:
            return self.size
        rank = np.cumsum(self.share) - self.share / 2
        slope = float(self.share * (rank - self.share @ rank) @ self.contribution)
        return self.size * float(np.sign(slope))

    def at(self, values: Any) -> Floats:
        """The contribution at the given values.

        It is interpolated linearly between the values of the grid, and extrapolated with the slope of the first or last
        interval. The extrapolation is exact for linear scores and for curves, but not for kernels and trees. For a
        category, only the contributions of the levels in `levels` are known.

        Parameters
        ----------
        values : array-like of float, or of the names of levels

        Returns
        -------
        ndarray
            NaN for missing values and for unknown levels.

        Examples
        --------
        >>> import numpy as np
        >>> from blindauc.explain import Effect
        >>> line = np.array([-1.0, 1.0])
        >>> Effect(np.array([0.0, 2.0]), line, line, line, np.array([0.5, 0.5]), 1.0).at([0.5, 3.0, np.nan]).tolist()
        [-0.5, 2.0, nan]
        """
        if self.levels:
            known = dict(zip(self.levels, self.contribution.tolist(), strict=True))
            return np.array([known.get(name, np.nan) for name in values])
        x = np.asarray(values, dtype=np.float64)
        if len(self.values) < 2:
            return np.where(np.isnan(x), np.nan, 0.0)
        grid, heights = self.values, self.contribution
        upper = np.clip(np.searchsorted(grid, x), 1, len(grid) - 1)
        lower = upper - 1
        fraction = (x - grid[lower]) / (grid[upper] - grid[lower])
        return heights[lower] + fraction * (heights[upper] - heights[lower])


OF_THE_GRID = ("values", "contribution", "low", "high", "share")
"""The array attributes of an Effect."""


def packed(effects: Sequence[Effect]) -> dict[str, Any]:
    """Effects as a few long arrays: a file with separate arrays for each of hundreds of columns is slow to read.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.explain.effects import Effect, packed, unpacked
    >>> line = np.array([-1.0, 1.0])
    >>> effect = Effect(np.array([0.0, 2.0]), line, line, line, np.array([0.5, 0.5]), 1.0)
    >>> unpacked(packed([effect, effect]))[1].values
    array([0., 2.])
    """
    arrays = {name: np.concatenate([getattr(effect, name) for effect in effects]) for name in OF_THE_GRID}
    n_values, size = ([len(effect.values) for effect in effects], [effect.size for effect in effects])
    # Levels never have empty names, so that an empty name marks a value of a numeric column.
    names = [effect.levels or ("",) * n for effect, n in zip(effects, n_values, strict=True)]
    levels = {"levels": np.array([name for of_effect in names for name in of_effect])} if any(map(any, names)) else {}
    return arrays | {"n_values": np.array(n_values), "size": np.array(size)} | levels


def unpacked(arrays: Mapping[str, Any]) -> list[Effect]:
    """The inverse of `packed`."""
    ends = np.cumsum(arrays["n_values"])[:-1]
    names = arrays.get("levels", np.full(len(arrays["values"]), ""))
    levels = [tuple(filter(None, of_effect.tolist())) for of_effect in np.split(names, ends)]
    of_grid = (np.split(arrays[name], ends) for name in OF_THE_GRID)
    return [Effect(*parts) for parts in zip(*of_grid, arrays["size"].tolist(), levels, strict=True)]


def effects_of(
    model: Model,
    resampled: Sequence[Model],
    X: Any,
    *,
    n_repeats: int = 1,
    levels: Mapping[int, Sequence[str]] = NO_CATEGORIES,
) -> list[Effect]:
    r"""The effect of every column on the score, with a pointwise 95 % band.

    The band is the delete-a-group jackknife over the models fitted without one of K folds,

    .. math:: \hat{\sigma}^2 = \frac{K - 1}{K} \sum_k (\theta_k - \bar{\theta})^2

    (Shao and Tu, The jackknife and bootstrap, 1995). It extends by :math:`t_{M - 1} \hat{\sigma}` to both sides, with
    the quantile of Student's t for M models, because a standard deviation estimated from few models is imprecise.
    With repeated folds the variance is K - 1 times the mean square over all fits: the delete-d jackknife with random
    subsets (Shao and Wu, A general theory for jackknife variance estimation, Ann. Stat. 1989).

    The model is evaluated twice for each column that it uses, and once for each level of a category. A column that it
    does not use contributes zero; its band comes from the resampled models that use it.

    Rows in which a column is missing or infinite are left out of its grid, shares and mean.

    Parameters
    ----------
    model : Model
    resampled : sequence of Model
        Averaged models, each fitted without one fold. With fewer than two models there is no band.
    X : ndarray or sparse matrix of shape (n, p)
        Reference rows, such as a few hundred unlabelled rows. A sparse matrix is converted to a dense array.
    n_repeats : int, default=1
        How many times the rows were split into folds; `resampled` holds K models for each.
    levels : mapping from int to sequence of str, optional
        For the number of each categorical column, the names of its levels; X holds positions in this sequence.

    Returns
    -------
    list of Effect
        One for each column.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.explain import effects_of
    >>> from blindauc.scorers import LinearModel
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> folds = [LinearModel(np.array([slope, 0.0])) for slope in (1.9, 2.0, 2.1)]
    >>> used, unused = effects_of(LinearModel(np.array([2.0, 0.0])), folds, X)
    >>> bool(np.allclose(used.contribution, 2 * (used.values - X[:, 0].mean())))
    True
    >>> bool((used.low < used.contribution).all()), unused.size
    (True, 0.0)
    """
    rows = Matrix(X).dense()
    if len(model.columns) != rows.shape[1]:
        raise ValueError(
            f"The model was fitted to {len(model.columns)} columns, but the reference rows have {rows.shape[1]}: pass "
            "rows with the same columns."
        )
    n_folds = len(resampled) / n_repeats
    probes = [(each.columns, each.probe(rows)) for each in (model, *resampled)]
    effects = []
    for j in range(rows.shape[1]):
        column = _Category(rows[:, j], levels[j]) if j in levels else _Column(rows[:, j])
        curve, *others = (column.curve(j, uses, probe) for uses, probe in probes)
        effects.append(column.effect(curve, _half_width(np.array(others), n_folds)))
    return effects


def _half_width(curves: Floats, n_folds: float) -> Floats | float:
    """The half-width of the band at each value, from the curves of models fitted without one fold each."""
    if len(curves) < 2 or n_folds <= 1:
        return 0.0
    return stdtrit(len(curves) - 1, 0.975) * np.sqrt((n_folds - 1) * np.var(curves, axis=0))


class _Column:
    """The values of one column in the reference rows, and their positions on its grid."""

    def __init__(self, values: Floats) -> None:
        self._values, self._known = values, np.isfinite(values)
        self._x = values[self._known]
        self._grid = grid_of(self._x)
        # Positions of the grid values strictly below and strictly above; -1 and len(grid) if there is none.
        self._below = np.searchsorted(self._grid, self._x, "left") - 1
        self._above = np.searchsorted(self._grid, self._x, "right")

    def curve(self, j: int, uses: Bools, probe: Probe) -> Floats:
        """The centred contribution of the column at each value of the grid."""
        if not uses[j] or len(self._grid) < 2:
            return np.zeros(len(self._grid))
        curve = np.append(0.0, np.cumsum(self._steps(j, probe)))
        return curve - np.interp(self._x, self._grid, curve).mean()

    def _steps(self, j: int, probe: Probe) -> Floats:
        """The mean change of the score over each interval of the grid."""
        below, above, n_intervals = self._below, self._above, len(self._grid) - 1
        lower, upper, own = (
            self._moved(j, probe, np.maximum(below, 0)),
            self._moved(j, probe, np.minimum(above, n_intervals)),
            probe.scores[self._known],
        )
        # A value between two grid values is moved to both of them. A value on the grid is moved to its two neighbours.
        inside = above - below == 1
        from_below, to_above = ~inside & (below >= 0), ~inside & (above <= n_intervals)
        interval = np.concatenate([below[inside], below[from_below], above[to_above] - 1])
        change = np.concatenate(
            [(upper - lower)[inside], (own - lower)[from_below], (upper - own)[to_above]],
        )
        return np.bincount(interval, change, n_intervals) / np.bincount(interval, minlength=n_intervals)

    def _moved(self, j: int, probe: Probe, place: Any) -> Floats:
        """The scores of the rows in which the column is finite, with its values replaced by those of the grid."""
        values = self._values.copy()
        values[self._known] = self._grid[place]
        return probe.replaced([j], values[:, None])[self._known]

    def effect(self, curve: Floats, half_width: Floats | float) -> Effect:
        over_rows = np.interp(self._x, self._grid, curve) if len(self._grid) else np.zeros(1)
        return Effect(self._grid, curve, curve - half_width, curve + half_width, self._shares(), float(over_rows.std()))

    def _shares(self) -> Floats:
        middles = self._grid[:-1] / 2 + self._grid[1:] / 2
        nearest = np.searchsorted(middles, self._x)
        return np.bincount(nearest, minlength=len(self._grid)) / max(len(self._x), 1)


class _Category:
    """The levels of one column in the reference rows."""

    def __init__(self, numbers: Floats, levels: Sequence[str]) -> None:
        self._n_rows = len(numbers)
        present, count = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
        most_common = np.sort(np.argsort(-count, kind="stable")[:MAX_VALUES])
        self._grid, self._share = present[most_common], count[most_common] / max(count[most_common].sum(), 1)
        self._levels = tuple(str(levels[int(number)]) for number in self._grid)

    def curve(self, j: int, uses: Bools, probe: Probe) -> Floats:
        """The centred contribution of each level."""
        if not uses[j] or len(self._grid) < 2:
            return np.zeros(len(self._grid))
        means = [probe.replaced([j], np.full((self._n_rows, 1), number)).mean() for number in self._grid]
        return np.array(means) - self._share @ means

    def effect(self, curve: Floats, half_width: Floats | float) -> Effect:
        size = float(np.sqrt(self._share @ curve**2))
        return Effect(self._grid, curve, curve - half_width, curve + half_width, self._share, size, self._levels)


def grid_of(values: Floats) -> Floats:
    """At most 20 of the values, increasing: all distinct values if these are few, else common values and quantiles.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.explain.effects import grid_of
    >>> grid_of(np.array([1.0, 0.0, 1.0])).tolist(), len(grid_of(np.arange(500.0)))
    ([0.0, 1.0], 20)
    """
    distinct, count = np.unique(values, return_counts=True)
    if len(distinct) <= MAX_VALUES:
        return distinct
    is_common = count > COMMON * len(values)
    common, others = distinct[is_common], values[~np.isin(values, distinct[is_common])]
    quantiles = np.linspace(0, 1, MAX_VALUES - len(common))
    # `inverted_cdf` returns values that occur in the rows, so that every interval of the grid contains rows.
    return np.union1d(common, np.quantile(others, quantiles, method="inverted_cdf"))
