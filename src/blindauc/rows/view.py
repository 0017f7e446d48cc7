"""Rows in parts with the contract of `Rows`: positives are in memory, unlabelled rows stay in their parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.rows.contract import Grouped
from blindauc.rows.deferred import Deferred
from blindauc.rows.matrix import ROUNDING, Columns, Matrix, deviations
from blindauc.rows.memory import MemoryRows
from blindauc.rows.parts import DerivedParts, PartedRows
from blindauc.rows.quantiles import columns_quantiles
from blindauc.rows.sampling import sampled
from blindauc.rows.scaling import check_scaling, robust_scales, variance_scales
from blindauc.rows.statistics import PartedStatistics
from blindauc.rows.tasks import Gram, LargestSize, SumsByGroup, WeightsUpTo


@dataclass(frozen=True)
class PartedView:
    """Rows in parts, with a selection of their positives and of their columns.

    Parameters
    ----------
    stats : PartedStatistics
    kept : indices of the selected positives among all positives
    support : indices of the selected columns, where the column of ones comes last; None for all
    has_ones : whether there is a column of ones
    negative_factors : factor of the weights of unlabelled rows that are not known to be negative, and of each known
        negative; None to keep the weights
    """

    stats: PartedStatistics
    kept: Ints
    support: Ints | None = None
    has_ones: bool = False
    negative_factors: tuple[float, Floats] | None = None

    is_in_memory = False

    @classmethod
    def of(cls, rows: PartedRows) -> PartedView:
        """All rows with all columns, except positives of weight zero."""
        pos, weight = rows.take(rows.positives)
        return cls(PartedStatistics(rows, pos, weight), np.flatnonzero(weight > 0))

    @property
    def rows(self) -> PartedView:
        return self

    @property
    def n_features(self) -> int:
        return self.stats.rows.n_features

    @property
    def _n_all(self) -> int:
        return self.n_features + self.has_ones

    @property
    def n_columns(self) -> int:
        return self._n_all if self.support is None else len(self.support)

    @property
    def n_positives(self) -> int:
        return len(self.kept)

    @property
    def n_unlabelled(self) -> int:
        return self.stats.rows.n_rows - len(self.stats.rows.positives)

    @property
    def pos_weight(self) -> Floats:
        return self.stats.pos_weight[self.kept]

    @property
    def is_unconfirmed(self) -> Bools:
        """Mask of the positives that have not been checked."""
        return ~np.isin(self.stats.rows.positives[self.kept], self.stats.rows.metadata.confirmed)

    @property
    def labelled_weight(self) -> float:
        """The weight of the rows labelled in the input, including labels found wrong, without excluded positives."""
        rows = self.stats.rows
        if rows.metadata.labelled is None:
            return float(self.pos_weight.sum())
        is_labelled, were_labelled = (
            np.isin(numbers, rows.metadata.labelled) for numbers in (rows.positives[self.kept], rows.metadata.negatives)
        )
        return float(self.pos_weight[is_labelled].sum() + self.stats.negatives[1][were_labelled].sum())

    @property
    def known_negative_share(self) -> float:
        """The share of known negatives in the weight of all rows that are not positive."""
        return float(self._factors[1] @ self.stats.negatives[1]) / self._unl_weight

    def weighing(self, known_negative_share: float | None) -> PartedView:
        """The rows with weights such that known negatives have this share of the weight of all non-positive rows.

        None gives labels that were found wrong a weight of zero, as `Data.weighing` does.
        """
        total, negative, checks = self.stats.unl_weight, self.stats.negative_weight, self.stats.rows.metadata
        if checks.labelled is None or not 0 < negative < total:
            return self
        if known_negative_share is None:
            was_labelled = np.isin(checks.negatives, checks.labelled)
            return replace(self, negative_factors=(1.0, np.where(was_labelled, 0.0, 1.0)))
        of_negatives = np.full(len(checks.negatives), known_negative_share * total / negative)
        return replace(self, negative_factors=((1 - known_negative_share) * total / (total - negative), of_negatives))

    @property
    def _factors(self) -> tuple[float, Floats]:
        """`negative_factors`, or ones."""
        return self.negative_factors or (1.0, np.ones(len(self.stats.rows.metadata.negatives)))

    @property
    def _unl_weight(self) -> float:
        """The weight of all unlabelled rows, including known negatives."""
        others, of_negatives = self._factors
        return others * self.stats.unl_weight + float((of_negatives - others) @ self.stats.negatives[1])

    @property
    def unl_share(self) -> Deferred:
        total = self._unl_weight
        if self.negative_factors is None:
            return self.stats.rows.unlabelled_weights(1 / total)
        others, of_negatives = self._factors
        return self.stats.rows.unlabelled_weights(others / total, of_negatives / total)

    def _reweighed(self, of_all: Floats, of_negatives: Callable[[Matrix, Floats], Floats]) -> Floats:
        """A sum over the unlabelled rows with the weights of `weighing`, from the sum with the given weights.

        Sums are linear in the weights: only the known negatives, which are in memory, must be summed again.
        """
        if self.negative_factors is None:
            return of_all
        others, factors = self._factors
        matrix, weight = self.stats.negatives
        return others * of_all + of_negatives(matrix, (factors - others) * weight)

    @property
    def pos_mean(self) -> Floats:
        return self._gathered(np.append(self.pos_matrix.adjoint(self.pos_weight / self.pos_weight.sum()), 1.0))

    @property
    def unl_mean(self) -> Floats:
        return self._gathered(np.append(self._unl_mean, 1.0))

    @cached_property
    def _unl_mean(self) -> Floats:
        return self.stats.origin + self._unl_moments[0] / self._unl_weight

    @cached_property
    def _unl_moments(self) -> Floats:
        """The weighted sums of each column and of its square about the origin, over the unlabelled rows."""
        origin = self.stats.origin
        return self._reweighed(self.stats.unl_moments, lambda matrix, each: np.stack(matrix.moments(each, origin)))

    def shares(self, kept: Bools) -> Floats:
        weight = np.where(kept, self.pos_weight, 0.0)
        return weight / weight.sum()

    @cached_property
    def pos_matrix(self) -> Matrix:
        pos = self.stats.pos
        return pos if len(self.kept) == pos.n_rows else pos.rows(self.kept)

    def _spread_out(self, coef: Floats) -> tuple[Floats, float]:
        """The coefficients of all columns, zero for those not selected, and the constant."""
        every = coef
        if self.support is not None:
            every = np.zeros(self._n_all)
            every[self.support] = coef
        return every[: self.n_features], float(every[-1]) if self.has_ones else 0.0

    def _gathered(self, by_column: Floats) -> Floats:
        """The entries of the selected columns, from a vector over all columns and the column of ones."""
        every = by_column[: self._n_all]
        return every if self.support is None else every[self.support]

    def scores(self, coef: Floats) -> tuple[Floats, Deferred]:
        weights, constant = self._spread_out(coef)
        return self.pos_matrix.scores(weights) + constant, self.stats.rows.at(weights, constant)

    def adjoint(self, by_pos: Floats, by_unl: Deferred) -> Floats:
        of_pos = np.append(self.pos_matrix.adjoint(by_pos), by_pos.sum())
        return self._gathered(of_pos + self.stats.rows.adjoint(by_unl))

    @cached_property
    def spread(self) -> Floats:
        stats, weight = self.stats, self.pos_weight
        first, second = self._unl_moments + np.stack(self.pos_matrix.moments(weight, stats.origin))
        total = self._unl_weight + weight.sum()
        return self._gathered(np.append(deviations(first / total, second / total, stats.origin), 1.0))

    def scales(self, scaling: str) -> Floats:
        check_scaling(scaling)
        if scaling == "none":
            return np.ones(self.n_features)
        spread = replace(self, support=None, has_ones=False).spread
        if scaling == "robust":
            return robust_scales(self._quantiles(0.25), self._quantiles(0.75), spread)
        return spread if scaling == "standard" else variance_scales(spread)

    def _quantiles(self, share: float) -> Floats:
        stats, weight = self.stats, self.pos_weight

        def weights_up_to(edges: Floats) -> Floats:
            of_unl = stats.rows.total(WeightsUpTo(edges))
            of_unl = self._reweighed(of_unl, lambda matrix, each: matrix.weights_up_to(edges, each))
            return of_unl + self.pos_matrix.weights_up_to(edges, weight)

        total = self._unl_weight + float(weight.sum())
        return columns_quantiles(weights_up_to, total, *stats.extremes, share)

    def unl_spread(self, coef: Floats) -> float:
        weights, constant = self._spread_out(coef)
        # About the mean: the difference of mean square and squared mean would lose digits.
        mean = float(self._unl_mean @ weights) + constant
        apart = self.stats.rows.at(weights, constant) - mean
        variance = (self.unl_share * apart) @ apart
        is_constant = variance <= (ROUNDING * (np.abs(self._unl_mean) @ np.abs(weights))) ** 2
        return 1.0 if is_constant else float(np.sqrt(variance))

    def columns(self, index: Ints) -> PartedView:
        every = np.arange(self._n_all) if self.support is None else self.support
        return replace(self, support=None if len(index) == self._n_all else every[index])

    def with_ones(self) -> PartedView:
        return replace(self, has_ones=True)

    def without(self, left_out: Bools) -> PartedView:
        """The rows without these positives."""
        return replace(self, kept=self.kept[~left_out])

    def mapped(self, derive: Callable[[Any], Any], n_derived: int) -> PartedView:
        """The same rows with derived columns in place of theirs."""
        return replace(PartedView.of(DerivedParts(self.stats.rows, derive, n_derived)), kept=self.kept)

    def subset(self, pos: Ints, unl: Ints) -> MemoryRows:
        numbers = self.numbers_of_unlabelled(unl)
        few, weight = self.stats.rows.take(numbers)
        if self.negative_factors is not None:
            others, of_negatives = self._factors
            _, here, there = np.intersect1d(numbers, self.stats.rows.metadata.negatives, return_indices=True)
            factor = np.full(len(numbers), others)
            factor[here] = of_negatives[there]
            weight = weight * factor
        matrix = Matrix.stacked([self.stats.pos.rows(self.kept[pos]), few])
        matrix = Matrix(matrix.X, intercept=self.has_ones)
        places = np.arange(len(pos) + len(unl))
        rows = MemoryRows(matrix, places[: len(pos)], places[len(pos) :], self.pos_weight[pos], weight)
        return rows if self.support is None else rows.columns(self.support)

    @cached_property
    def sample(self) -> Any:
        places = sampled(self.n_positives, self.n_unlabelled, self.n_columns)
        if places is None:
            return None
        numbers = np.concatenate([self.stats.rows.positives[self.kept], self.numbers_of_unlabelled(places)])
        fewer = self.stats.rows.fewer(np.sort(numbers))
        if fewer is None:
            return self.subset(np.arange(self.n_positives), places)
        # The positives are the same, and on the host already.
        stats = PartedStatistics(fewer, self.pos_matrix, self.pos_weight)
        return PartedView(stats, np.arange(self.n_positives), self.support, self.has_ones)

    def gram(self, by_pos: Floats, by_unl: Deferred, *, centred: bool) -> Floats:
        columns = self._columns(centred)
        result: Floats = self.pos_matrix.gram(by_pos, columns) + self.stats.rows.total(Gram(by_unl.node, columns))
        return result

    def sums_by_group(self, pos: Grouped, unl: Grouped, n_groups: int) -> tuple[Floats, Floats]:
        columns = replace(self._columns(True), intercept=True)
        of_unl = self.stats.rows.total(SumsByGroup(unl.group.node, unl.weight.node, n_groups, columns))
        return self.pos_matrix.sums_by_group(*pos, n_groups, columns), of_unl

    def pos_rows(self, index: Ints, *, centred: bool) -> Floats:
        rows: Floats = self._columns(centred).of(self.pos_matrix.X[index])
        return rows

    def _columns(self, centred: bool) -> Columns:
        origin = self.stats.origin if centred else np.zeros(self.n_features)
        if self.support is None:
            return Columns(origin, intercept=self.has_ones)
        own = self.support[self.support < self.n_features]
        return Columns(origin, own, intercept=len(own) < len(self.support))

    def numbers_of_unlabelled(self, places: Ints) -> Ints:
        """Row numbers of unlabelled rows, from their indices among the unlabelled rows."""
        return _numbers_without(self.stats.rows.positives, places)

    @property
    def n_unchecked(self) -> int:
        """The number of unlabelled rows that have not been checked."""
        return self.n_unlabelled - len(self.stats.rows.metadata.negatives)

    def numbers_of_unchecked(self, places: Ints) -> Ints:
        """Row numbers of unchecked unlabelled rows, from their indices among these."""
        positives, negatives = self.stats.rows.positives, self.stats.rows.metadata.negatives
        others = np.union1d(positives, negatives) if len(negatives) else positives
        return _numbers_without(others, places)

    def pos_median(self) -> Floats:
        index = np.arange(self.n_positives)
        return self._gathered(np.append(self.pos_matrix.median(index, self.pos_weight), 1.0))

    def are_within(self, coef: Floats, a: Floats, b: Deferred, largest: float) -> bool:
        if not np.abs(a).max() <= largest:
            return False
        weights, constant = self._spread_out(coef)
        # The bound from the extremes of the columns usually suffices, and takes no pass over the rows.
        bound = np.abs(weights) @ np.maximum(*np.abs(self.stats.extremes)) + abs(constant)
        return bool(bound <= largest) or bool(self.stats.rows.total(LargestSize(b.node), max) <= largest)


def _numbers_without(others: Ints, places: Ints) -> Ints:
    """Row numbers, from indices among the rows that are left without `others`."""
    # Before the k-th of the others, others[k] - k rows are left.
    return places + np.searchsorted(others - np.arange(len(others)), places, side="right")
