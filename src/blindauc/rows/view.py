"""Rows in parts as objectives see them: positives on the host, and unlabelled rows where they are."""

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
from blindauc.rows.parted import Parted
from blindauc.rows.parts import DerivedParts, PartedRows
from blindauc.rows.quantiles import columns_quantiles
from blindauc.rows.sampling import sampled
from blindauc.rows.scaling import check_scaling, robust_scales
from blindauc.rows.tasks import Gram, LargestSize, SumsByGroup, WeightsUpTo


@dataclass(frozen=True)
class PartedView:
    """Rows in parts, some of their positives and some of their columns.

    Parameters
    ----------
    parted : Parted
    kept : positions of the positives among all positives
    support : columns among all columns and, behind them, the column of ones; None for all
    has_ones : whether there is a column of ones
    negative_factors : what the weights of other unlabelled rows, and of each known negative, are multiplied by; None
        for their own weights
    """

    parted: Parted
    kept: Ints
    support: Ints | None = None
    has_ones: bool = False
    negative_factors: tuple[float, Floats] | None = None

    is_in_memory = False

    @classmethod
    def of(cls, rows: PartedRows) -> PartedView:
        """All rows with all columns, but for positives without weight."""
        parted = Parted(rows)
        return cls(parted, np.flatnonzero(parted.pos_weight > 0))

    @property
    def rows(self) -> PartedView:
        return self

    @property
    def n_features(self) -> int:
        return self.parted.rows.n_features

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
        return self.parted.rows.n_rows - len(self.parted.rows.positives)

    @property
    def pos_weight(self) -> Floats:
        return self.parted.pos_weight[self.kept]

    @property
    def is_doubtable(self) -> Bools:
        """Which of the positives nobody has checked."""
        return ~np.isin(self.parted.rows.positives[self.kept], self.parted.rows.said.confirmed)

    @property
    def labelled_weight(self) -> float:
        """The weight of the rows that came with a label, whatever was found, but for positives that are left out."""
        rows = self.parted.rows
        if rows.said.labelled is None:
            return float(self.pos_weight.sum())
        is_labelled, were_labelled = (
            np.isin(numbers, rows.said.labelled) for numbers in (rows.positives[self.kept], rows.said.negatives)
        )
        return float(self.pos_weight[is_labelled].sum() + self.parted.negatives[1][were_labelled].sum())

    @property
    def known_negative_share(self) -> float:
        """The share of known negatives in the weight of all rows that are not positive."""
        return float(self._factors[1] @ self.parted.negatives[1]) / self._unl_weight

    def weighing(self, known_negative_share: float | None) -> PartedView:
        """The rows with weights by which known negatives have this share of all rows that are not positive.

        None leaves out the labels that were found wrong, as `Data.weighing` does.
        """
        total, negative, said = self.parted.unl_weight, self.parted.negative_weight, self.parted.rows.said
        if said.labelled is None or not 0 < negative < total:
            return self
        if known_negative_share is None:
            was_labelled = np.isin(said.negatives, said.labelled)
            return replace(self, negative_factors=(1.0, np.where(was_labelled, 0.0, 1.0)))
        of_negatives = np.full(len(said.negatives), known_negative_share * total / negative)
        return replace(self, negative_factors=((1 - known_negative_share) * total / (total - negative), of_negatives))

    @property
    def _factors(self) -> tuple[float, Floats]:
        """The factors for the weights of other unlabelled rows and of each known negative."""
        return self.negative_factors or (1.0, np.ones(len(self.parted.rows.said.negatives)))

    @property
    def _unl_weight(self) -> float:
        """The weight of all unlabelled rows, known negatives among them."""
        others, of_negatives = self._factors
        return others * self.parted.unl_weight + float((of_negatives - others) @ self.parted.negatives[1])

    @property
    def unl_share(self) -> Deferred:
        total = self._unl_weight
        if self.negative_factors is None:
            return self.parted.rows.unlabelled_weights(1 / total)
        others, of_negatives = self._factors
        return self.parted.rows.unlabelled_weights(others / total, of_negatives / total)

    def _reweighed(self, of_all: Floats, of_negatives: Callable[[Matrix, Floats], Floats]) -> Floats:
        """A sum over all unlabelled rows by their weights as one by those of `weighing`; sums are linear in them."""
        if self.negative_factors is None:
            return of_all
        others, factors = self._factors
        matrix, weight = self.parted.negatives
        return others * of_all + of_negatives(matrix, (factors - others) * weight)

    @cached_property
    def _unl_mean(self) -> Floats:
        total = self.parted.unl_weight
        of_all = self._reweighed(self.parted.unl_mean, lambda matrix, weight: matrix.adjoint(weight / total))
        return of_all * (total / self._unl_weight)

    def shares(self, kept: Bools) -> Floats:
        weight = np.where(kept, self.pos_weight, 0.0)
        return weight / weight.sum()

    @cached_property
    def pos_matrix(self) -> Matrix:
        pos = self.parted.pos
        return pos if len(self.kept) == pos.n_rows else pos.rows(self.kept)

    def _spread_out(self, coef: Floats) -> tuple[Floats, float]:
        """The weights of all columns, and the constant."""
        every = coef
        if self.support is not None:
            every = np.zeros(self._n_all)
            every[self.support] = coef
        return every[: self.n_features], float(every[-1]) if self.has_ones else 0.0

    def _gathered(self, by_column: Floats) -> Floats:
        """Of a number for each column, and for a column of ones behind them, those that are looked at."""
        every = by_column[: self._n_all]
        return every if self.support is None else every[self.support]

    def scores(self, coef: Floats) -> tuple[Floats, Deferred]:
        weights, constant = self._spread_out(coef)
        return self.pos_matrix.scores(weights) + constant, self.parted.rows.at(weights, constant)

    def adjoint(self, by_pos: Floats, by_unl: Deferred) -> Floats:
        of_pos = np.append(self.pos_matrix.adjoint(by_pos), by_pos.sum())
        return self._gathered(of_pos + self.parted.rows.adjoint(by_unl))

    @cached_property
    def spread(self) -> Floats:
        parted, weight = self.parted, self.pos_weight
        of_unl = self._reweighed(parted.unl_moments, lambda matrix, each: np.stack(matrix.moments(each, parted.origin)))
        first, second = of_unl + np.stack(self.pos_matrix.moments(weight, parted.origin))
        total = self._unl_weight + weight.sum()
        return self._gathered(np.append(deviations(first / total, second / total, parted.origin), 1.0))

    def scales(self, scaling: str) -> Floats:
        check_scaling(scaling)
        if scaling == "none":
            return np.ones(self.n_features)
        spread = replace(self, support=None, has_ones=False).spread
        return spread if scaling == "standard" else robust_scales(self._quantiles(0.25), self._quantiles(0.75), spread)

    def _quantiles(self, share: float) -> Floats:
        parted, weight = self.parted, self.pos_weight

        def weights_up_to(edges: Floats) -> Floats:
            return parted.rows.total(WeightsUpTo(edges)) + self.pos_matrix.weights_up_to(edges, weight)

        total = parted.unl_weight + float(weight.sum())
        return columns_quantiles(weights_up_to, total, *parted.extremes, share)

    def unl_spread(self, coef: Floats) -> float:
        weights, constant = self._spread_out(coef)
        mean = float(self._unl_mean @ weights) + constant
        apart = self.parted.rows.at(weights, constant) - mean
        variance = (self.unl_share * apart) @ apart
        is_constant = variance <= (ROUNDING * (np.abs(self._unl_mean) @ np.abs(weights))) ** 2
        return 1.0 if is_constant else float(np.sqrt(variance))

    def columns(self, index: Ints) -> PartedView:
        every = np.arange(self._n_all) if self.support is None else self.support
        return replace(self, support=None if len(index) == self._n_all else every[index])

    def with_ones(self) -> PartedView:
        return replace(self, has_ones=True)

    def without(self, left_out: Bools) -> PartedView:
        """The rows without some of the positives."""
        return replace(self, kept=self.kept[~left_out])

    def mapped(self, derive: Callable[[Any], Any], n_derived: int) -> PartedView:
        """The same rows with columns that are derived from theirs."""
        return replace(PartedView.of(DerivedParts(self.parted.rows, derive, n_derived)), kept=self.kept)

    def subset(self, pos: Ints, unl: Ints) -> MemoryRows:
        numbers = self.numbers_of_unlabelled(unl)
        few, weight = self.parted.rows.take(numbers)
        if self.negative_factors is not None:
            others, of_negatives = self._factors
            _, here, known = np.intersect1d(numbers, self.parted.rows.said.negatives, return_indices=True)
            factor = np.full(len(numbers), others)
            factor[here] = of_negatives[known]
            weight = weight * factor
        matrix = Matrix.stacked([self.parted.pos.rows(self.kept[pos]), few])
        matrix = Matrix(matrix.X, intercept=self.has_ones)
        places = np.arange(len(pos) + len(unl))
        rows = MemoryRows(matrix, places[: len(pos)], places[len(pos) :], self.pos_weight[pos], weight)
        return rows if self.support is None else rows.columns(self.support)

    @cached_property
    def sample(self) -> Any:
        places = sampled(self.n_positives, self.n_unlabelled, self.n_columns)
        if places is None:
            return None
        numbers = np.concatenate([self.parted.rows.positives[self.kept], self.numbers_of_unlabelled(places)])
        fewer = self.parted.rows.fewer(np.sort(numbers))
        if fewer is None:
            return self.subset(np.arange(self.n_positives), places)
        return replace(PartedView.of(fewer), support=self.support, has_ones=self.has_ones)

    def gram(self, by_pos: Floats, by_unl: Deferred, *, centred: bool) -> Floats:
        columns = self._columns(centred)
        result: Floats = self.pos_matrix.gram(by_pos, columns) + self.parted.rows.total(Gram(by_unl.node, columns))
        return result

    def sums_by_group(self, pos: Grouped, unl: Grouped, n_groups: int) -> tuple[Floats, Floats]:
        columns = replace(self._columns(True), intercept=True)
        of_unl = self.parted.rows.total(SumsByGroup(unl.group.node, unl.weight.node, n_groups, columns))
        return self.pos_matrix.sums_by_group(*pos, n_groups, columns), of_unl

    def pos_rows(self, index: Ints, *, centred: bool) -> Floats:
        rows: Floats = self._columns(centred).of(self.pos_matrix.X[index])
        return rows

    def _columns(self, centred: bool) -> Columns:
        origin = self.parted.origin if centred else np.zeros(self.n_features)
        if self.support is None:
            return Columns(origin, intercept=self.has_ones)
        own = self.support[self.support < self.n_features]
        return Columns(origin, own, intercept=len(own) < len(self.support))

    def numbers_of_unlabelled(self, places: Ints) -> Ints:
        """The numbers, among all rows, of the unlabelled rows at these places among them."""
        return _numbers_without(self.parted.rows.positives, places)

    @property
    def n_unchecked(self) -> int:
        """How many unlabelled rows nobody has checked."""
        return self.n_unlabelled - len(self.parted.rows.said.negatives)

    def numbers_of_unchecked(self, places: Ints) -> Ints:
        """The same of the unlabelled rows that nobody has checked."""
        rows = self.parted.rows
        return _numbers_without(np.union1d(rows.positives, rows.said.negatives), places)

    def pos_median(self) -> Floats:
        everyone = np.arange(self.n_positives)
        return self._gathered(np.append(self.pos_matrix.median(everyone, self.pos_weight), 1.0))

    def are_within(self, coef: Floats, a: Floats, b: Deferred, largest: float) -> bool:
        if not np.abs(a).max() <= largest:
            return False
        weights, constant = self._spread_out(coef)
        # Mostly the bound is enough, and costs no visit.
        bound = np.abs(weights) @ np.maximum(*np.abs(self.parted.extremes)) + abs(constant)
        return bool(bound <= largest) or bool(self.parted.rows.total(LargestSize(b.node), max) <= largest)


def _numbers_without(others: Ints, places: Ints) -> Ints:
    """The numbers, among all rows, of the rows at these places among all but some others."""
    return places + np.searchsorted(others - np.arange(len(others)), places, side="right")
