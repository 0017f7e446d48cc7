"""Rows in memory: a matrix of positive and unlabelled rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.rows.contract import Grouped
from blindauc.rows.matrix import Columns, Matrix, spread_of
from blindauc.rows.sampling import sampled
from blindauc.rows.scaling import column_scales


@dataclass(frozen=True)
class MemoryRows:
    """A matrix with the indices of its positive and of its unlabelled rows, and the weights of each."""

    matrix: Matrix
    pos: Ints
    unl: Ints
    pos_weight: Floats
    unl_weight: Floats

    is_in_memory = True

    @classmethod
    def of(cls, X: Any, is_positive: Bools, weight: Floats | None = None) -> MemoryRows:
        """The rows of a matrix; without `weight`, all have weight 1."""
        weight = np.ones(len(is_positive)) if weight is None else weight
        pos, unl = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
        return cls(Matrix(X), pos, unl, weight[pos], weight[unl])

    @property
    def n_features(self) -> int:
        return self.matrix.n_features

    @property
    def n_columns(self) -> int:
        return self.matrix.n_columns

    @property
    def n_positives(self) -> int:
        return len(self.pos)

    @property
    def n_unlabelled(self) -> int:
        return len(self.unl)

    @cached_property
    def unl_share(self) -> Floats:
        return self.unl_weight / self.unl_weight.sum()

    @cached_property
    def _weight(self) -> Floats:
        return self._together(self.pos_weight, self.unl_weight)

    def shares(self, kept: Bools) -> Floats:
        weight = np.where(kept, self.pos_weight, 0.0)
        return weight / weight.sum()

    def scores(self, coef: Floats) -> tuple[Floats, Floats]:
        scores = self.matrix.scores(coef)
        return scores[self.pos], scores[self.unl]

    def adjoint(self, by_pos: Floats, by_unl: Floats) -> Floats:
        return self.matrix.adjoint(self._together(by_pos, by_unl))

    def _together(self, by_pos: Floats, by_unl: Floats) -> Floats:
        """The vector over all rows, in the order of the matrix, from its values for positive and unlabelled rows."""
        result = np.empty(self.matrix.n_rows)
        result[self.pos], result[self.unl] = by_pos, by_unl
        return result

    @property
    def pos_mean(self) -> Floats:
        return self.adjoint(self.pos_weight / self.pos_weight.sum(), np.zeros(self.n_unlabelled))

    @property
    def unl_mean(self) -> Floats:
        return self.adjoint(np.zeros(self.n_positives), self.unl_share)

    @cached_property
    def spread(self) -> Floats:
        return self.matrix.spread(self._weight / self._weight.sum())

    def scales(self, scaling: str) -> Floats:
        return column_scales(self.matrix.X, self._weight, scaling)

    def unl_spread(self, coef: Floats) -> float:
        return spread_of(self.scores(coef)[1], self.unl_weight)

    def columns(self, index: Ints) -> MemoryRows:
        return replace(self, matrix=self.matrix.columns(index))

    def with_ones(self) -> MemoryRows:
        return replace(self, matrix=Matrix(self.matrix.X, intercept=True))

    def subset(self, pos: Ints, unl: Ints) -> MemoryRows:
        index = np.concatenate([self.pos[pos], self.unl[unl]])
        places = np.arange(len(index))
        return MemoryRows(
            self.matrix.rows(index),
            places[: len(pos)],
            places[len(pos) :],
            self.pos_weight[pos],
            self.unl_weight[unl],
        )

    @cached_property
    def sample(self) -> MemoryRows | None:
        places = sampled(self.n_positives, self.n_unlabelled, self.n_columns)
        return None if places is None else self.subset(np.arange(self.n_positives), places)

    def gram(self, by_pos: Floats, by_unl: Floats, *, centred: bool) -> Floats:
        return self.matrix.gram(self._together(by_pos, by_unl), self._columns(centred))

    def sums_by_group(self, pos: Grouped, unl: Grouped, n_groups: int) -> tuple[Floats, Floats]:
        # The groups of unlabelled rows are numbered after those of positives, so that one pass sums both.
        group, weight = self._together(pos.group, unl.group + n_groups), self._together(pos.weight, unl.weight)
        columns = replace(self._columns(True), intercept=True)
        of_pos, of_unl = np.split(self.matrix.sums_by_group(group, weight, 2 * n_groups, columns), 2)
        return of_pos, of_unl

    def _columns(self, centred: bool) -> Columns:
        origin = self.matrix.origin
        return self.matrix.about(origin if centred else np.zeros_like(origin))

    def pos_rows(self, index: Ints, *, centred: bool) -> Floats:
        rows: Floats = self._columns(centred).of(self.matrix.rows(self.pos[index]).X)
        return rows

    def pos_median(self) -> Floats:
        return self.matrix.median(self.pos, self.pos_weight)

    def dense(self) -> tuple[Floats, Floats]:
        X = self.matrix.dense()
        return X[self.pos], X[self.unl]

    def are_within(self, coef: Floats, a: Floats, b: Floats, largest: float) -> bool:
        # This also rejects NaN: comparisons with it are false.
        return bool(np.maximum(np.abs(a).max(), np.abs(b).max()) <= largest)
