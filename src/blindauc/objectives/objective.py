"""Objectives: a risk of linear scores, with ridges, over data that is bound once.

    F(coef, shift) = risk(X_pos @ coef + shift, X_unl @ coef) + l2/2 |coef|^2 + shift_l2/2 |shift|^2

`shift` has one entry per positive. A nonzero entry marks an outlier; an infinite one takes the positive out of
the risk altogether, whose mean is then over the others ("trimming"). An intercept, where the risk has a use for
it, is a last entry of `coef` without a ridge.

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
"""Up to so many columns their covariances are looked at, by so many unlabelled rows."""

LARGEST_START = 1e100
"""No weight to begin from is larger."""

SMALLEST_RIDGE_UNIT = 1e-250
"""Of columns that do not vary, or hardly: ridges nine decades below it have to be numbers, too."""


class Gradient(NamedTuple):
    """An objective's value and derivatives."""

    value: float
    coef: Floats
    shift: Floats


class Outlyingness(NamedTuple):
    """What the objective would fall by if each positive alone were an outlier, and with which shift.

    Where outliers are trimmed, the gains are larger than that by what the least of them is below zero, and those
    of the nonnegative risk leave its clip out of account.
    """

    gain: Floats
    shift: Floats


class Objective:
    """A risk of linear scores with its data.

    Parameters
    ----------
    risk : Risk
    rows : Rows
    l2 : ridge on coef: one number, or one for each feature
    shift_l2 : ridge on shift
    trim : whether outliers are taken out instead of shifted
    """

    def __init__(
        self, risk: Risk, rows: Rows, *, l2: float | Floats, shift_l2: float = 1e-3, trim: bool = False
    ) -> None:
        self.risk = risk
        self.rows = rows.with_ones() if risk.has_intercept else rows
        # An intercept is not drawn towards zero.
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
        """The objective with the kinks of its risk rounded off over `width`."""
        other = copy(self)
        other.risk = self.risk.smoothed(width)
        return other

    def with_ridge(self, factor: float) -> Objective:
        """The objective with its ridge on the weights multiplied by a factor."""
        other = copy(self)
        other.ridge = factor * self.ridge
        vars(other).pop("curvature_scale", None)
        # At zero a ridge has no slope: found once, the gradient is that of all ridges.
        vars(other)["gradient_at_zero"] = self.gradient_at_zero
        return other

    def on_unlabelled(self, index: Ints) -> Objective:
        """The objective over all positives and some of the unlabelled rows."""
        other = copy(self)
        other.rows = self.rows.subset(np.arange(self.n_positives), index)
        return other

    @property
    def sample(self) -> Objective | None:
        """The objective over all positives and a sample of the unlabelled rows; None where the rows are few."""
        rows = self.rows.sample
        if rows is None:
            return None
        other = copy(self)
        other.rows = rows
        for name in ("column_spread", "gradient_at_zero", "robust_directions", "curvature_scale"):
            vars(other).pop(name, None)
        return other

    def restricted(self, support: Bools, outliers: Bools) -> RestrictedObjective:
        """The objective where only these weights, and these positives' shifts, may be nonzero."""
        return RestrictedObjective(self, np.flatnonzero(support), np.flatnonzero(outliers))

    def gradient(self, coef: Floats, shift: Floats) -> Gradient:
        """Value and gradient; the gradient by the shift of a trimmed positive is zero."""
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

    def value(self, coef: Floats, shift: Floats) -> float:
        return self.gradient(coef, shift).value

    @cached_property
    def column_spread(self) -> Floats:
        """The standard deviation of each column: the unit in which its weight is small or large."""
        return self.rows.spread

    @cached_property
    def gradient_at_zero(self) -> Floats:
        """The gradient by the weights where all weights and shifts are zero."""
        return self.gradient(np.zeros(self.n_columns), np.zeros(self.n_positives)).coef

    @cached_property
    def robust_directions(self) -> list[Floats]:
        """Weights to begin from that many outliers cannot turn round.

        From the unlabelled rows' mean to the positives' median; and, where the positives are more than the columns, the
        direction in which they vary most in comparison, the many of them uppermost: outliers that are far and many
        enough to move a median cannot hide there.
        """
        rows, p = self.rows, self.rows.n_features
        to_median = rows.pos_median()
        from_mean = rows.adjoint(np.zeros(self.n_positives), rows.unl_share)
        directions = [((to_median - from_mean) / self.column_spread**2)[:p]]
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
        # Half way to uncorrelated columns: well conditioned however few the rows are.
        within[np.diag_indices(p)] *= 2
        whiten = np.linalg.inv(np.linalg.cholesky(within + 1e-6 * np.eye(p)))
        between = whiten @ _covariances(pos, rows.pos_weight) @ whiten.T
        direction = whiten.T @ np.linalg.eigh(between)[1][:, -1]
        scores = Matrix((pos @ direction)[:, None])
        everyone = np.arange(self.n_positives)
        lies_above = scores.median(everyone, rows.pos_weight) >= scores.adjoint(rows.pos_weight) / rows.pos_weight.sum()
        return np.where(lies_above, direction, -direction) / unit

    def _with_unit_scores(self, direction: Floats) -> Floats:
        spread = self.rows.unl_spread(direction)
        # Columns in tiny units would ask for weights whose squares overflow.
        return direction * min(1 / spread, LARGEST_START / max(np.abs(direction).max(), 1e-300))

    @cached_property
    def curvature_scale(self) -> Floats:
        """How much the objective can bend, about, along each weight, kinks taken as rounded off over 1."""
        return self._data_curvature_scale + self.ridge

    @property
    def _data_curvature_scale(self) -> Floats:
        return self.risk.smoothed(1.0).curvature_scale * self.column_spread**2

    @property
    def ridge_unit(self) -> float:
        """The factor at which the ridge bends the objective about as much as the data do; 1 where there is no ridge."""
        features = self.ridge > 0
        if not features.any():
            return 1.0
        unit = float(np.mean(self._data_curvature_scale[features] / self.ridge[features]))
        return max(unit, SMALLEST_RIDGE_UNIT)

    def column_curvature(self, coef: Floats, shift: Floats) -> Floats:
        """About the second derivative by each weight: the scores' curvature times the column's variance."""
        rows, finite = self.rows, np.isfinite(shift)
        a, b = rows.scores(coef)
        a = a + np.where(finite, shift, 0.0)
        # A concave risk bends the wrong way to set a scale: then the ridge, or a little, does.
        curvature = max(self.risk.bend(a, b, rows.shares(finite), rows.unl_share), 1e-12)
        return curvature * self.column_spread**2 + self.ridge

    def outlyingness(self, coef: Floats) -> Outlyingness:
        """Each positive's best shift, and what it gains, for fixed scores: a problem of one variable each."""
        rows = self.rows
        a, b = rows.scores(coef)
        share = rows.shares(np.ones(self.n_positives, dtype=bool))
        term = self.risk.pos_term(b, rows.unl_share)
        if self.trim:
            cost = term(0, a)
            gain = share * (cost - share @ cost) / np.maximum(1 - share, 1e-300)
            return Outlyingness(gain - gain.min(), np.full(len(a), np.inf))
        bound = None if self.risk.loss.convex else self.risk.max_pos_slope
        return Outlyingness(*best_shifts(term, a, share, self.shift_l2, slope_bound=bound))


class BlindAUCObjective(Objective):
    """mean over pairs of loss(x_i @ coef + shift_i - u_j @ coef), with ridges."""

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
    """A PU classification risk (`risks.py` has the three forms) of x @ coef + intercept, with ridges."""

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
            known = ", ".join(map(repr, PU_ERROR_RISKS))
            raise ValueError(f"Unknown risk {risk!r}: choose one of {known}.")
        rows = MemoryRows.of(X, is_positive, sample_weight)
        super().__init__(PU_ERROR_RISKS[risk](get_loss(loss), prior), rows, **ridges)


def _covariances(X: Floats, weight: Floats) -> Floats:
    return np.cov(X, rowvar=False, ddof=0, aweights=weight).reshape(X.shape[1], X.shape[1])
