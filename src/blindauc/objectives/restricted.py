"""An objective of only the variables that may be nonzero, with its Hessian, for Newton's method."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from blindauc._typing import Floats, Ints
from blindauc.objectives.curvature import coef_hessian
from blindauc.pairwise import LARGEST_SCORE
from blindauc.risks import ScoreHessian, ScoreProduct

if TYPE_CHECKING:
    from blindauc.objectives.objective import Objective

MAX_EXACT_PAIRS = 2**17
"""With at most this many pairs the Hessian is exact; with more it is approximate (convention)."""

MIN_SAMPLE_PAIRS, MAX_SAMPLE_PAIRS = 2**16, 2**19
"""Limits of the number of pairs in the sample that fits start from (convention). Between these limits the number is
(2 n_variables)^2: each class can have twice as many rows as there are variables."""

MAX_EXACT_ENTRIES = 2**22
"""The most entries, rows times variables, of the dense matrix for an exact Hessian: 32 MB (convention)."""

MAX_PRODUCTS = 2**32
"""The most multiplications for an approximate Hessian, rows of a class times squared number of variables: they take a
fraction of a second (convention)."""

MAX_DENSE_HESSIAN = 1000
"""With more variables, only the diagonal of the Hessian is approximated (convention)."""


class RestrictedObjective:
    """An objective of the variables that may be nonzero: `z` holds the coefficients of the support, then the shifts."""

    def __init__(self, objective: Objective, support: Ints, outliers: Ints) -> None:
        self._objective, self._support = objective, support
        self._trimmed, self._shifted = outliers, outliers[:0]
        if not objective.trim:
            self._trimmed, self._shifted = self._shifted, self._trimmed
        kept = np.ones(objective.n_positives, dtype=bool)
        kept[self._trimmed] = False
        self._rows = objective.rows.columns(support)
        self._pos_share = self._rows.shares(kept)
        self._shifted_row = self._shifted
        shift_ridge = np.full(len(self._shifted), objective.shift_l2)
        self._ridge = np.append(objective.ridge[support], shift_ridge)
        self.scale = np.append(objective.column_spread[support], np.ones(len(self._shifted)))
        self.has_flat_stretches = objective.risk.loss.has_flat_stretches

    def pack(self, coef: Floats, shift: Floats) -> Floats:
        return np.append(coef[self._support], shift[self._shifted])

    def unpack(self, z: Floats) -> tuple[Floats, Floats]:
        """The full coef and shift, from the variables z."""
        coef = np.zeros(self._objective.n_columns)
        shift = np.zeros(self._objective.n_positives)
        n_weights = len(self._support)
        coef[self._support], shift[self._shifted] = z[:n_weights], z[n_weights:]
        shift[self._trimmed] = np.inf
        return coef, shift

    def _scores(self, z: Floats) -> tuple[Floats, Any]:
        n_weights = len(self._support)
        a, b = self._rows.scores(z[:n_weights])
        a[self._shifted_row] += z[n_weights:]
        return a, b

    def _at(self, z: Floats) -> tuple[Floats, Any, Floats, Any]:
        return *self._scores(z), self._pos_share, self._rows.unl_share

    def _chain_rule(self, by_pos: Floats, by_unl: Any) -> Floats:
        """Derivatives with respect to z, from derivatives with respect to the scores."""
        by_coef = self._rows.adjoint(by_pos, by_unl)
        return np.concatenate([by_coef, by_pos[self._shifted_row]]) if len(self._shifted) else by_coef

    def gradient(self, z: Floats) -> tuple[float, Floats]:
        """Value and gradient; infinity and zeros if any score is too large to compute with."""
        a, b = self._scores(z)
        if not self._rows.are_within(z[: len(self._support)], a, b, LARGEST_SCORE):
            return np.inf, np.zeros_like(z)
        risk = self._objective.risk(a, b, self._pos_share, self._rows.unl_share)
        value = risk.value + float(self._ridge @ z**2) / 2
        return value, self._chain_rule(risk.by_pos, risk.by_unl) + self._ridge * z

    @property
    def value_at_zero(self) -> float:
        return self._objective.risk.value_at_zero

    def hessian_product(self, z: Floats) -> HessianProduct:
        """The Hessian at z as a linear operator."""
        if self.hessian_is_exact and self.sample is not self:
            return self.sample.hessian_product(z)
        risk, at = self._objective.risk, self._at(z)
        score_hessian = risk.hessian(*at).product if self.hessian_is_exact else risk.hessian_product(*at)
        return HessianProduct(self, score_hessian)

    def product(self, score_hessian: ScoreProduct, direction: Floats) -> Floats:
        """The Hessian times a direction, given `score_hessian`, the Hessian of the risk with respect to the scores."""
        return self._chain_rule(*score_hessian(*self._scores(direction))) + self._ridge * direction

    def approximate_diagonal(self, score_hessian: ScoreProduct) -> Floats:
        """The diagonal of the Hessian as if all rows had the same curvature."""
        n_pos, n_unl = self._rows.n_positives, self._rows.n_unlabelled
        on_pos, _ = score_hessian(np.ones(n_pos), np.zeros(n_unl))
        _, on_unl = score_hessian(np.zeros(n_pos), np.ones(n_unl))
        by_columns = (on_pos.sum() + on_unl.sum()) * self.scale[: len(self._support)] ** 2
        return np.append(by_columns, on_pos[self._shifted_row]) + self._ridge

    @cached_property
    def is_whole(self) -> bool:
        """Whether there are few enough rows for a Hessian of all of them."""
        n_pos, n_unl = self._rows.n_positives, self._rows.n_unlabelled
        return n_pos * n_unl <= MAX_EXACT_PAIRS and n_pos + n_unl <= self._max_rows

    @property
    def _max_rows(self) -> int:
        return MAX_EXACT_ENTRIES // min(len(self.scale), MAX_DENSE_HESSIAN)

    @property
    def hessian_is_exact(self) -> bool:
        return self.is_whole and len(self.scale) <= MAX_DENSE_HESSIAN

    def hessian(self, z: Floats) -> Floats:
        """The Hessian at z: exact (`hessian_is_exact`), approximate, or, with many variables, only its diagonal."""
        if len(self.scale) > MAX_DENSE_HESSIAN:
            curvature = self._objective.column_curvature(*self.unpack(z))[self._support]
            return np.append(curvature, np.ones(len(self._shifted)))
        if not self.is_whole:
            result = self._hessian_sample.approximate_hessian(z)
        elif self.sample is not self:
            return self.sample.hessian(z)
        else:
            inner = self._objective.risk.hessian(*self._at(z))
            result = _sandwich(inner, *self._dense)
        result.flat[:: len(result) + 1] += self._ridge
        return result

    @cached_property
    def _dense(self) -> tuple[Floats, Floats]:
        """The positive and the unlabelled rows, each with one indicator column for each shift."""
        rows: Any = self._rows  # rows in memory: all of them if they are few, or a sample
        (X_pos, X_unl), n_shifts = rows.dense(), len(self._shifted)
        marks = np.zeros((len(X_pos), n_shifts))
        marks[self._shifted_row, np.arange(n_shifts)] = 1.0
        return np.hstack([X_pos, marks]), np.hstack([X_unl, np.zeros((len(X_unl), n_shifts))])

    @property
    def sample(self) -> RestrictedObjective:
        """The problem on evenly spaced rows, few enough for a Hessian; this object if rows are few and in memory."""
        return self._fewer or self

    # None stands for the object itself. An object that refers to itself, with its copy of the columns, is freed only by
    # the cyclic garbage collector, possibly many fits later.
    @cached_property
    def _fewer(self) -> RestrictedObjective | None:
        n_pos, n_unl = self._rows.n_positives, self._rows.n_unlabelled
        if self.is_whole:
            if self._rows.is_in_memory:
                return None
            pos, unl = np.arange(n_pos), np.arange(n_unl)
        else:
            pairs = int(np.clip((2 * len(self.scale)) ** 2, MIN_SAMPLE_PAIRS, MAX_SAMPLE_PAIRS))
            # As many rows of the smaller class as possible, up to the square root; the larger class provides the rest.
            few = min(n_pos, n_unl, int(pairs**0.5))
            many = min(pairs // few, self._max_rows)
            pos = _evenly_spaced(n_pos, few if n_pos < n_unl else many)
            unl = _evenly_spaced(n_unl, many if n_pos < n_unl else few)
        other = self._of_rows(pos, unl)
        other._fewer, other.is_whole = None, True
        return other

    @property
    def _hessian_sample(self) -> RestrictedObjective:
        """The problem on the rows that the approximate Hessian is computed from."""
        return self._fewer_for_hessian or self

    @cached_property
    def _fewer_for_hessian(self) -> RestrictedObjective | None:
        problem, fewer = self, self._objective.rows.sample
        if fewer is not None:
            problem = copy(self)
            problem._rows = fewer.columns(self._support)
        most = max(MAX_PRODUCTS // len(self.scale) ** 2, 1)
        n_pos, n_unl = problem._rows.n_positives, problem._rows.n_unlabelled
        if max(n_pos, n_unl) <= most:
            return None if problem is self else problem
        return problem._of_rows(_evenly_spaced(n_pos, min(most, n_pos)), _evenly_spaced(n_unl, min(most, n_unl)))

    def approximate_hessian(self, z: Floats) -> Floats:
        """The Hessian at z without the ridges, with an approximate curvature of pairs."""
        return coef_hessian(self._objective.risk.approximate_hessian(*self._at(z)), self._rows, self._shifted_row)

    def _of_rows(self, pos: Ints, unl: Ints) -> RestrictedObjective:
        """The problem on some of the rows.

        It keeps all shifted positives with their own weights. The weights of the other positives are scaled up to the
        total weight of all unshifted positives.
        """
        unshifted = np.setdiff1d(pos, self._shifted)
        pos = np.union1d(pos, self._shifted)
        share = self._pos_share[pos]
        rest = 1.0 - self._pos_share[self._shifted].sum()
        factor = rest / max(self._pos_share[unshifted].sum(), 1e-300)
        share[np.isin(pos, unshifted)] *= factor
        other = copy(self)
        other._rows = self._rows.subset(pos, unl)
        other._pos_share = share
        other._shifted_row = np.searchsorted(pos, self._shifted)
        return other


@dataclass(frozen=True)
class HessianProduct:
    """The Hessian at a point: its product with a direction, and an approximation of its diagonal."""

    problem: RestrictedObjective
    score_hessian: ScoreProduct

    def __call__(self, direction: Floats) -> Floats:
        return self.problem.product(self.score_hessian, direction)

    @property
    def approximate_diagonal(self) -> Floats:
        return self.problem.approximate_diagonal(self.score_hessian)


def _evenly_spaced(n: int, at_most: int) -> Ints:
    """Evenly spaced integers from 0 to n - 1, at most `at_most` of them."""
    return np.arange(0, n, -(-n // at_most))


def _sandwich(inner: ScoreHessian, X_pos: Floats, X_unl: Floats) -> Floats:
    """[X_pos; X_unl].T @ inner @ [X_pos; X_unl]."""
    on_pos, on_unl = inner.pos[:, None] * X_pos, inner.unl[:, None] * X_unl
    if inner.cross is not None:
        on_pos -= inner.cross @ X_unl
        on_unl -= inner.cross.T @ X_pos
    result = X_pos.T @ on_pos + X_unl.T @ on_unl
    if inner.rank_one is not None:
        by_pos, by_unl = inner.rank_one
        along = X_pos.T @ by_pos + X_unl.T @ by_unl
        result += inner.rank_one_factor * np.outer(along, along)
    return (result + result.T) / 2
