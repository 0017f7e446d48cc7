"""Objectives: the risk of linear scores plus ridge penalties, with the data bound.

    F(coef, shift) = risk(X_pos @ coef + shift, X_unl @ coef) + l2/2 |coef|^2 + shift_l2/2 |shift|^2

`shift` has one entry per positive. A nonzero entry marks an outlier. An infinite entry removes the positive from the
risk, whose mean is then over the others ("trimming"). If the risk depends on an intercept, it is the last entry of
`coef`, without a ridge.

Shapes: coef (n_columns,), shift (n_positives,), positives and unlabelled rows in the order of X.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.losses import Loss, get_loss
from blindauc.objectives.restricted import RestrictedObjective
from blindauc.risks import PU_ERROR_RISKS, BlindAUCRisk, Risk
from blindauc.rows.contract import Rows
from blindauc.rows.matrix import Matrix
from blindauc.rows.memory import MemoryRows
from blindauc.shifts import best_shifts

MAX_SPREAD_COLUMNS, MAX_SPREAD_ROWS = 1000, 5000
"""Robust directions use covariances of at most this many columns, from at most this many unlabelled rows
(convention)."""

LARGEST_START = 1e100
"""The largest coefficient of a start (convention): its square must be finite."""

SMALLEST_RIDGE_UNIT = 1e-250
"""The smallest ridge unit, for columns that hardly vary (convention): a ridge nine decades below it must be a normal
floating-point number."""


class Gradient(NamedTuple):
    """The value of an objective, and its gradient with respect to coef and shift."""

    value: float
    coef: Floats
    shift: Floats


class Outlyingness(NamedTuple):
    """For each positive, the decrease of the objective if only this positive were an outlier, and its best shift.

    With trimming, a constant is added to the gains so that the smallest is zero. Gains of the nonnegative risk ignore
    its clipping at zero.
    """

    gain: Floats
    shift: Floats


class Objective:
    """The risk of linear scores of some rows, with ridge penalties.

    Parameters
    ----------
    risk : Risk
    rows : Rows
    l2 : ridge on coef: one number, or one for each feature
    shift_l2 : ridge on shift
    trim : whether outliers are trimmed instead of shifted
    """

    def __init__(
        self, risk: Risk, rows: Rows, *, l2: float | Floats, shift_l2: float = 1e-3, trim: bool = False
    ) -> None:
        self.risk = risk
        self.rows = rows.with_ones() if risk.has_intercept else rows
        # An intercept has no ridge.
        self.ridge = np.zeros(self.n_columns)
        self.ridge[: rows.n_features] = l2
        self.shift_l2 = float(shift_l2)
        self.trim = trim

    @property
    def n_columns(self) -> int:
        return self.rows.n_columns

    @property
    def n_positives(self) -> int:
        return self.rows.n_positives

    @property
    def n_unlabelled(self) -> int:
        return self.rows.n_unlabelled

    @property
    def is_smooth(self) -> bool:
        return self.risk.is_smooth

    @property
    def is_convex(self) -> bool:
        return self.risk.loss.convex and self.risk.shifts_work

    def smoothed(self, width: float) -> Objective:
        """The objective with the kinks of its risk smoothed over `width`."""
        other = copy(self)
        other.risk = self.risk.smoothed(width)
        return other

    def with_ridge(self, factor: float) -> Objective:
        """The objective with its ridge on `coef` multiplied by a factor."""
        other = copy(self)
        other.ridge = factor * self.ridge
        # `copy` also copies cached properties. The one that depends on the ridge is dropped.
        vars(other).pop("curvature_scale", None)
        # The gradient of the ridge vanishes at zero: the gradient there is the same for all ridges.
        vars(other)["gradient_at_zero"] = self.gradient_at_zero
        return other

    def on_unlabelled(self, index: Ints) -> Objective:
        """The objective over all positives and these unlabelled rows."""
        other = copy(self)
        other.rows = self.rows.subset(np.arange(self.n_positives), index)
        return other

    @property
    def sample(self) -> Objective | None:
        """The objective over all positives and a sample of the unlabelled rows; None if there are few rows."""
        rows = self.rows.sample
        if rows is None:
            return None
        other = copy(self)
        other.rows = rows
        # Cached properties that depend on the unlabelled rows are dropped.
        for name in ("column_spread", "gradient_at_zero", "robust_directions", "curvature_scale"):
            vars(other).pop(name, None)
        return other

    def restricted(self, support: Bools, outliers: Bools) -> RestrictedObjective:
        """The objective as a function of the coefficients of a support and the shifts of outliers."""
        return RestrictedObjective(self, np.flatnonzero(support), np.flatnonzero(outliers))

    def gradient(self, coef: Floats, shift: Floats) -> Gradient:
        """Value and gradient. The gradient with respect to the shift of a trimmed positive is zero."""
        rows, finite = self.rows, np.isfinite(shift)
        shift = np.where(finite, shift, 0.0)
        a, b = rows.scores(coef)
        risk = self.risk(a + shift, b, rows.shares(finite), rows.unl_share)
        ridges = self.ridge @ coef**2 + self.shift_l2 * (shift @ shift)
        return Gradient(
            risk.value + float(ridges) / 2,
            rows.adjoint(risk.by_pos, risk.by_unl) + self.ridge * coef,
            risk.by_pos + self.shift_l2 * shift,
        )

    def pos_scores(self, coef: Floats) -> Floats:
        """The scores of the positives, without shifts."""
        return self.rows.scores(coef)[0]

    def median_separation(self, coef: Floats) -> float:
        """The median score of the positives minus the mean of the unlabelled rows, in standard deviations of these."""
        scores = Matrix(self.pos_scores(coef)[:, None])
        median = float(scores.median(np.arange(self.n_positives), self.rows.pos_weight)[0])
        return (median - float(self.rows.unl_mean @ coef)) / self.rows.unl_spread(coef)

    def value(self, coef: Floats, shift: Floats) -> float:
        return self.gradient(coef, shift).value

    @cached_property
    def column_spread(self) -> Floats:
        """The standard deviation of each column; 1 / spread is the natural unit of its coefficient."""
        return self.rows.spread

    @cached_property
    def gradient_at_zero(self) -> Floats:
        """The gradient with respect to `coef` at coef = 0 and shift = 0."""
        # All scores are equal there, so that the mean of each class can replace its rows.
        at_zero = self.risk(np.zeros(1), np.zeros(1), np.ones(1), np.ones(1))
        return at_zero.by_pos * self.rows.pos_mean + at_zero.by_unl * self.rows.unl_mean

    @cached_property
    def robust_directions(self) -> list[Floats]:
        """Coefficients to start from that are robust to many outliers.

        The first direction points from the mean of the unlabelled rows to the median of the positives. If there are
        more positives than columns, the second is the direction in which the variance of the positives, relative to
        that of the unlabelled rows, is largest, with its sign such that most positives score high. Outliers that are
        distant and numerous enough to shift the median also increase that variance.
        """
        rows, p = self.rows, self.rows.n_features
        to_median = rows.pos_median()
        directions = [((to_median - rows.unl_mean) / self.column_spread**2)[:p]]
        if p <= min(self.n_positives, self.n_unlabelled, MAX_SPREAD_COLUMNS):
            directions.append(self._direction_of_spread())
        return [self._with_unit_scores(np.append(d, np.zeros(self.n_columns - p))) for d in directions]

    def _direction_of_spread(self) -> Floats:
        rows, p = self.rows, self.rows.n_features
        unit = self.column_spread[:p]
        some = np.arange(0, self.n_unlabelled, -(-self.n_unlabelled // MAX_SPREAD_ROWS))
        few = rows.subset(np.arange(self.n_positives), some)
        pos, unl = (X[:, :p] / unit for X in few.dense())
        within = _covariances(unl, few.unl_weight) / 2
        # Correlations are shrunk by one half (convention): the matrix is well conditioned even with few rows.
        within[np.diag_indices(p)] *= 2
        # The leading generalised eigenvector of the two covariances, by whitening with that of the unlabelled rows.
        whiten = np.linalg.inv(np.linalg.cholesky(within + 1e-6 * np.eye(p)))
        between = whiten @ _covariances(pos, rows.pos_weight) @ whiten.T
        direction = whiten.T @ np.linalg.eigh(between)[1][:, -1]
        scores = Matrix((pos @ direction)[:, None])
        mean = scores.adjoint(rows.pos_weight) / rows.pos_weight.sum()
        median_is_above_mean = scores.median(np.arange(self.n_positives), rows.pos_weight) >= mean
        return np.where(median_is_above_mean, direction, -direction) / unit

    def _with_unit_scores(self, direction: Floats) -> Floats:
        spread = self.rows.unl_spread(direction)
        # Columns in tiny units would need coefficients whose squares overflow.
        return direction * min(1 / spread, LARGEST_START / max(np.abs(direction).max(), 1e-300))

    @cached_property
    def curvature_scale(self) -> Floats:
        """An approximate bound of the second derivatives with respect to each coefficient.

        Kinks of the loss are smoothed over a width of 1.
        """
        return self._data_curvature_scale + self.ridge

    @property
    def _data_curvature_scale(self) -> Floats:
        return self.risk.smoothed(1.0).curvature_scale * self.column_spread**2

    @property
    def ridge_unit(self) -> float:
        """The factor of the ridge for which its curvature equals that of the risk on average; 1 without a ridge."""
        features = self.ridge > 0
        if not features.any():
            return 1.0
        unit = float(np.mean(self._data_curvature_scale[features] / self.ridge[features]))
        return max(unit, SMALLEST_RIDGE_UNIT)

    def column_curvature(self, coef: Floats, shift: Floats) -> Floats:
        """Approximate second derivatives with respect to each coefficient.

        They are the curvature of the risk times the variance of the column, plus the ridge.
        """
        rows, finite = self.rows, np.isfinite(shift)
        a, b = rows.scores(coef)
        a = a + np.where(finite, shift, 0.0)
        # The curvature of a risk that is not convex may be negative. Then it gives no scale, and only the ridge counts.
        curvature = max(self.risk.total_curvature(a, b, rows.shares(finite), rows.unl_share), 1e-12)
        return curvature * self.column_spread**2 + self.ridge

    def outlyingness(self, coef: Floats) -> Outlyingness:
        """The best shift of each positive for fixed coefficients, and its gain. The problems are one-dimensional."""
        rows = self.rows
        a, b = rows.scores(coef)
        share = rows.shares(np.ones(self.n_positives, dtype=bool))
        term = self.risk.pos_term(b, rows.unl_share)
        if self.trim:
            cost = term(0, a)
            # The decrease of the weighted mean of the costs if one positive is removed.
            gain = share * (cost - share @ cost) / np.maximum(1 - share, 1e-300)
            return Outlyingness(gain - gain.min(), np.full(len(a), np.inf))
        bound = None if self.risk.loss.convex else self.risk.max_pos_slope
        return Outlyingness(*best_shifts(term, a, share, self.shift_l2, slope_bound=bound))


class BlindAUCObjective(Objective):
    """Mean over pairs of loss(x_i @ coef + shift_i - u_j @ coef), plus ridge penalties."""

    def __init__(
        self,
        X: Any,
        is_positive: Bools,
        *,
        loss: str | Loss = "logistic",
        sample_weight: Floats | None = None,
        **ridges: Any,
    ) -> None:
        rows = MemoryRows.of(X, is_positive, sample_weight)
        super().__init__(BlindAUCRisk(get_loss(loss)), rows, **ridges)


class PUErrorObjective(Objective):
    """A PU classification risk of x @ coef + intercept, plus ridge penalties; `risks.py` has the three forms."""

    def __init__(
        self,
        X: Any,
        is_positive: Bools,
        *,
        prior: float,
        risk: str = "paper",
        loss: str | Loss = "logistic",
        sample_weight: Floats | None = None,
        **ridges: Any,
    ) -> None:
        if risk not in PU_ERROR_RISKS:
            choices = ", ".join(map(repr, PU_ERROR_RISKS))
            raise ValueError(f"Unknown risk {risk!r}: choose one of {choices}.")
        rows = MemoryRows.of(X, is_positive, sample_weight)
        super().__init__(PU_ERROR_RISKS[risk](get_loss(loss), prior), rows, **ridges)


def _covariances(X: Floats, weight: Floats) -> Floats:
    return np.cov(X, rowvar=False, ddof=0, aweights=weight).reshape(X.shape[1], X.shape[1])
