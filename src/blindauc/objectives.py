"""Objectives: a risk of linear scores, with ridges, over data that is bound once.

    F(coef, shift) = risk(X_pos @ coef + shift, X_unl @ coef) + l2/2 |coef|^2 + shift_l2/2 |shift|^2

`shift` has one entry per positive. A nonzero entry marks an outlier; an infinite one takes the positive out of
the risk altogether, whose mean is then over the others ("trimming"). An intercept, where the risk has a use for
it, is a last entry of `coef` without a ridge.

Shapes: coef (n_columns,), shift (n_positives,), positives and unlabelled rows in the order of X.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.design import Design
from blindauc.losses import Loss, get_loss
from blindauc.pairwise import LARGEST_SCORE
from blindauc.risks import PU_ERROR_RISKS, BlindAUCRisk, Risk, ScoreHessian
from blindauc.shifts import best_shifts

MAX_EXACT_PAIRS = 2**20
"""Up to this many pairs the Hessian is exact; beyond, it is that of a sample of the rows."""

SAMPLE_PAIRS = 2**19
"""Pairs of such a sample."""

MAX_DENSE_HESSIAN = 1000
"""Up to this many variables a Hessian is formed."""


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
    X : ndarray, CSR or CSC matrix of shape (n, n_features), not copied
    is_positive : mask of shape (n,)
    l2, shift_l2 : ridges on coef and shift
    trim : whether outliers are taken out instead of shifted
    sample_weight : array of shape (n,), optional
    """

    def __init__(
        self,
        risk: Risk,
        X: Any,
        is_positive: Bools,
        *,
        l2: float,
        shift_l2: float = 1e-3,
        trim: bool = False,
        sample_weight: Floats | None = None,
    ) -> None:
        weight = np.ones(len(is_positive)) if sample_weight is None else sample_weight
        pos, unl = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
        design = Design(X, intercept=risk.has_intercept)
        self._bind(risk, _Rows(design, pos, unl, weight[pos], weight[unl]))
        self.ridge = np.full(self.n_columns, float(l2))
        if risk.has_intercept:
            self.ridge[-1] = 0.0
        self.shift_l2 = float(shift_l2)
        self.trim = trim

    def _bind(self, risk: Risk, rows: _Rows) -> None:
        self.risk, self._rows = risk, rows

    def _with(self, risk: Risk, rows: _Rows) -> Objective:
        other = object.__new__(Objective)
        other._bind(risk, rows)
        other.ridge, other.shift_l2, other.trim = self.ridge, self.shift_l2, self.trim
        return other

    @property
    def n_columns(self) -> int:
        return self._rows.design.n_columns

    @property
    def n_positives(self) -> int:
        return len(self._rows.pos)

    @property
    def n_unlabelled(self) -> int:
        return len(self._rows.unl)

    @property
    def is_smooth(self) -> bool:
        return self.risk.is_smooth

    def smoothed(self, width: float) -> Objective:
        """The objective with the kinks of its risk rounded off over `width`."""
        return self._with(self.risk.smoothed(width), self._rows)

    def on_unlabelled(self, index: Ints) -> Objective:
        """The objective over all positives and some of the unlabelled rows."""
        return self._with(self.risk, self._rows.with_unlabelled(index))

    def restricted(self, support: Bools, outliers: Bools) -> RestrictedObjective:
        """The objective where only these weights, and these positives' shifts, may be nonzero."""
        return RestrictedObjective(self, np.flatnonzero(support), np.flatnonzero(outliers))

    def gradient(self, coef: Floats, shift: Floats) -> Gradient:
        """Value and gradient; the gradient by the shift of a trimmed positive is zero."""
        rows, finite = self._rows, np.isfinite(shift)
        shift = np.where(finite, shift, 0.0)
        scores = rows.design.scores(coef)
        risk = self.risk(scores[rows.pos] + shift, scores[rows.unl], rows.shares(finite), rows.unl_share)
        ridges = self.ridge @ coef**2 + self.shift_l2 * (shift @ shift)
        return Gradient(
            risk.value + float(ridges) / 2,
            rows.adjoint(risk.by_pos, risk.by_unl) + self.ridge * coef,
            risk.by_pos + self.shift_l2 * shift,
        )

    def value(self, coef: Floats, shift: Floats) -> float:
        return self.gradient(coef, shift).value

    @cached_property
    def column_spread(self) -> Floats:
        """The standard deviation of each column: the unit in which its weight is small or large."""
        return self._rows.design.spread(self._rows.weight / self._rows.weight.sum())

    @cached_property
    def curvature_scale(self) -> Floats:
        """How much the objective can bend, about, along each weight, kinks taken as rounded off over 1."""
        bend = self.risk.smoothed(1.0).curvature_scale
        return bend * self.column_spread**2 + self.ridge

    def column_curvature(self, coef: Floats, shift: Floats) -> Floats:
        """About the second derivative by each weight: the scores' curvature times the column's variance."""
        rows, finite = self._rows, np.isfinite(shift)
        scores = rows.design.scores(coef)
        a, b = scores[rows.pos] + np.where(finite, shift, 0.0), scores[rows.unl]
        bend = self.risk.hessian_product(a, b, rows.shares(finite), rows.unl_share)
        by_pos, _ = bend(np.ones_like(a), np.zeros_like(b))
        _, by_unl = bend(np.zeros_like(a), np.ones_like(b))
        # A concave risk bends the wrong way to set a scale: then the ridge, or a little, does.
        curvature = max(float(by_pos.sum() + by_unl.sum()), 1e-12)
        return curvature * self.column_spread**2 + self.ridge

    def outlyingness(self, coef: Floats) -> Outlyingness:
        """Each positive's best shift, and what it gains, for fixed scores: a problem of one variable each."""
        rows = self._rows
        scores = rows.design.scores(coef)
        a, share = scores[rows.pos], rows.shares(np.ones(self.n_positives, dtype=bool))
        term = self.risk.pos_term(scores[rows.unl], rows.unl_share)
        if self.trim:
            cost = term(0, a)
            gain = share * (cost - share @ cost) / (1 - share)
            return Outlyingness(gain - gain.min(), np.full(len(a), np.inf))
        bound = None if self.risk.loss.convex else self.risk.max_pos_slope
        return Outlyingness(*best_shifts(term, a, share, self.shift_l2, slope_bound=bound))


class BlindAUCObjective(Objective):
    """mean over pairs of loss(x_i @ coef + shift_i - u_j @ coef), with ridges."""

    def __init__(self, X: Any, is_positive: Bools, *, loss: str | Loss = "logistic", **ridges: Any) -> None:
        super().__init__(BlindAUCRisk(get_loss(loss)), X, is_positive, **ridges)


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
        **ridges: Any,
    ) -> None:
        if risk not in PU_ERROR_RISKS:
            known = ", ".join(map(repr, PU_ERROR_RISKS))
            raise ValueError(f"Unknown risk {risk!r}: choose one of {known}.")
        super().__init__(PU_ERROR_RISKS[risk](get_loss(loss), prior), X, is_positive, **ridges)


@dataclass(frozen=True)
class _Rows:
    """A design, which of its rows are positive and which unlabelled, and their weights."""

    design: Design
    pos: Ints
    unl: Ints
    pos_weight: Floats
    unl_weight: Floats

    @cached_property
    def unl_share(self) -> Floats:
        return self.unl_weight / self.unl_weight.sum()

    @cached_property
    def weight(self) -> Floats:
        weight = np.empty(len(self.pos) + len(self.unl))
        weight[self.pos], weight[self.unl] = self.pos_weight, self.unl_weight
        return weight

    def shares(self, kept: Bools) -> Floats:
        """The positives' weights as shares of those that are kept."""
        weight = np.where(kept, self.pos_weight, 0.0)
        return weight / weight.sum()

    def adjoint(self, by_pos: Floats, by_unl: Floats) -> Floats:
        residual = np.empty(self.design.n_rows)
        residual[self.pos], residual[self.unl] = by_pos, by_unl
        return self.design.adjoint(residual)

    def columns(self, index: Ints) -> _Rows:
        return _Rows(self.design.columns(index), self.pos, self.unl, self.pos_weight, self.unl_weight)

    def subset(self, pos: Ints, unl: Ints) -> _Rows:
        """The rows of these positives and these unlabelled rows (positions among their own kind)."""
        index = np.concatenate([self.pos[pos], self.unl[unl]])
        places = np.arange(len(index))
        return _Rows(
            self.design.rows(index),
            places[: len(pos)],
            places[len(pos) :],
            self.pos_weight[pos],
            self.unl_weight[unl],
        )

    def with_unlabelled(self, index: Ints) -> _Rows:
        return self.subset(np.arange(len(self.pos)), index)


class RestrictedObjective:
    """An objective in the variables that may be nonzero: `z` = weights of the support, then shifts."""

    def __init__(self, objective: Objective, support: Ints, outliers: Ints) -> None:
        self._objective, self._support = objective, support
        self._trimmed, self._shifted = outliers, outliers[:0]
        if not objective.trim:
            self._trimmed, self._shifted = self._shifted, self._trimmed
        kept = np.ones(objective.n_positives, dtype=bool)
        kept[self._trimmed] = False
        self._rows = objective._rows.columns(support)
        self._pos_share = self._rows.shares(kept)
        self._shifted_row = self._shifted
        shift_ridge = np.full(len(self._shifted), objective.shift_l2)
        self._ridge = np.append(objective.ridge[support], shift_ridge)
        self.scale = np.append(objective.column_spread[support], np.ones(len(self._shifted)))
        self.has_flat_stretches = objective.risk.loss.has_flat_stretches

    def pack(self, coef: Floats, shift: Floats) -> Floats:
        return np.append(coef[self._support], shift[self._shifted])

    def unpack(self, z: Floats) -> tuple[Floats, Floats]:
        """The full coef and shift of these variables."""
        coef = np.zeros(self._objective.n_columns)
        shift = np.zeros(self._objective.n_positives)
        coef[self._support], shift[self._shifted] = np.split(z, [len(self._support)])
        shift[self._trimmed] = np.inf
        return coef, shift

    def _scores(self, z: Floats) -> tuple[Floats, Floats]:
        weights, shifts = np.split(z, [len(self._support)])
        scores = self._rows.design.scores(weights)
        a = scores[self._rows.pos]
        a[self._shifted_row] += shifts
        return a, scores[self._rows.unl]

    def _pull_back(self, by_pos: Floats, by_unl: Floats) -> Floats:
        return np.append(self._rows.adjoint(by_pos, by_unl), by_pos[self._shifted_row])

    def gradient(self, z: Floats) -> tuple[float, Floats]:
        """Value and gradient; infinite and zero where the scores are out of all range."""
        a, b = self._scores(z)
        if not np.maximum(np.abs(a).max(), np.abs(b).max()) <= LARGEST_SCORE:
            return np.inf, np.zeros_like(z)
        risk = self._objective.risk(a, b, self._pos_share, self._rows.unl_share)
        value = risk.value + float(self._ridge @ z**2) / 2
        return value, self._pull_back(risk.by_pos, risk.by_unl) + self._ridge * z

    def hessian_product(self, z: Floats) -> Callable[[Floats], Floats]:
        """The Hessian at z as a function of a direction."""
        risk = self._objective.risk
        bend = risk.hessian_product(*self._scores(z), self._pos_share, self._rows.unl_share)

        def product(direction: Floats) -> Floats:
            return self._pull_back(*bend(*self._scores(direction))) + self._ridge * direction

        return product

    @property
    def hessian_is_exact(self) -> bool:
        return self.sample is self and len(self.scale) <= MAX_DENSE_HESSIAN

    def hessian(self, z: Floats) -> Floats:
        """The Hessian at z: exact (`hessian_is_exact`), or that of the sample, or about its diagonal."""
        if len(self.scale) > MAX_DENSE_HESSIAN:
            curvature = self._objective.column_curvature(*self.unpack(z))[self._support]
            return np.append(curvature, np.ones(len(self._shifted)))
        if self.sample is not self:
            return self.sample.hessian(z)
        risk = self._objective.risk
        inner = risk.hessian(*self._scores(z), self._pos_share, self._rows.unl_share)
        result = _sandwich(inner, *self._dense)
        result[np.diag_indices_from(result)] += self._ridge
        return result

    @cached_property
    def _dense(self) -> tuple[Floats, Floats]:
        """The positive and the unlabelled rows, with a column for each shift."""
        X, n_shifts = self._rows.design.dense(), len(self._shifted)
        X_pos, X_unl = X[self._rows.pos], X[self._rows.unl]
        marks = np.zeros((len(X_pos), n_shifts))
        marks[self._shifted_row, np.arange(n_shifts)] = 1.0
        return np.hstack([X_pos, marks]), np.hstack([X_unl, np.zeros((len(X_unl), n_shifts))])

    @cached_property
    def sample(self) -> RestrictedObjective:
        """The problem on evenly spaced rows, few enough for a Hessian; itself where all are few enough."""
        n_pos, n_unl = len(self._rows.pos), len(self._rows.unl)
        if n_pos * n_unl <= MAX_EXACT_PAIRS:
            return self
        few = min(n_pos, n_unl, int(SAMPLE_PAIRS**0.5))
        many = SAMPLE_PAIRS // few
        pos = np.arange(0, n_pos, -(-n_pos // (few if n_pos < n_unl else many)))
        unl = np.arange(0, n_unl, -(-n_unl // (many if n_pos < n_unl else few)))
        # The shifted positives are all in it, at their own weight; the others stand for those left out.
        unshifted = np.setdiff1d(pos, self._shifted)
        pos = np.union1d(pos, self._shifted)
        share = self._pos_share[pos]
        rest = 1.0 - self._pos_share[self._shifted].sum()
        stands_for = rest / max(self._pos_share[unshifted].sum(), 1e-300)
        share[np.isin(pos, unshifted)] *= stands_for
        other = copy(self)
        other._rows = self._rows.subset(pos, unl)
        other._pos_share = share
        other._shifted_row = np.searchsorted(pos, self._shifted)
        other.sample = other
        return other


def _sandwich(inner: ScoreHessian, X_pos: Floats, X_unl: Floats) -> Floats:
    """[X_pos; X_unl].T @ inner @ [X_pos; X_unl]."""
    on_pos, on_unl = inner.pos[:, None] * X_pos, inner.unl[:, None] * X_unl
    if inner.cross is not None:
        on_pos -= inner.cross @ X_unl
        on_unl -= inner.cross.T @ X_pos
    result = X_pos.T @ on_pos + X_unl.T @ on_unl
    if inner.rank_one is not None:
        along = X_pos.T @ inner.rank_one[: len(X_pos)] + X_unl.T @ inner.rank_one[len(X_pos) :]
        result += inner.rank_one_factor * np.outer(along, along)
    return (result + result.T) / 2
