"""Validated rows in memory, as estimators, searches and scorers use them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.checked import FOUND_NEGATIVE, FOUND_POSITIVE, UNCHECKED
from blindauc.rows.digests import row_digests
from blindauc.rows.memory import MemoryRows
from blindauc.rows.scaling import column_scales
from blindauc.rows.storage import by_rows, filled

RARE = 0.01
"""Categories of a smaller share of the rows get no column of their own (convention, as in `make_preprocessor`)."""

MAX_COUNTED = 10_000
"""Rows are repeated by their weights if this gives at most this many rows, however few they were (convention)."""


class Data(NamedTuple):
    """Validated rows of positive weight.

    Attributes
    ----------
    X : ndarray or sparse matrix of shape (n, p)
    is_positive : mask of shape (n,)
        A checked row counts as the check found it, whatever its label.
    weight : ndarray of shape (n,)
    row : ndarray of shape (n,), the numbers of the rows in the user's X
    labelled : ndarray, the numbers in the user's X of all rows labelled in the input
    group : ndarray of shape (n,), or None
        Rows of one group are always in the same fold.
    time : ndarray of shape (n,), or None
        With times, a fit uses only rows that are earlier than those it is assessed on.
    verdict : ndarray of shape (n,), or None if no row was checked
        The results of manual checks, as in `checked.py`.
    is_category : mask of shape (p,), or None if there are none
        Columns that hold category codes, which only trees can use.
    """

    X: Any
    is_positive: Bools
    weight: Floats
    row: Ints
    labelled: Ints
    group: Ints | None = None
    time: Floats | None = None
    verdict: Ints | None = None
    is_category: Bools | None = None

    @property
    def rows(self) -> MemoryRows:
        """The rows with the contract of `Rows`, for objectives."""
        return MemoryRows.of(self.X, self.is_positive, self.weight)

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    def digests(self, seed: int = 0) -> Ints:
        """A hash of the values of each row, which does not depend on how X is stored."""
        return row_digests(self.X, seed)

    def scales(self, scaling: str) -> Floats:
        """The scale of each column, as in `column_scales`."""
        return column_scales(self.X, self.weight, scaling)

    def scored_by(self, model: Any) -> Floats:
        """The score of each row; of shape (n, n_models) for several models."""
        return model.scores(self.X)

    @property
    def is_confirmed(self) -> Bools:
        """Mask of the rows that were checked and found positive."""
        return np.zeros_like(self.is_positive) if self.verdict is None else self.verdict == FOUND_POSITIVE

    @property
    def is_known_negative(self) -> Bools:
        return np.zeros_like(self.is_positive) if self.verdict is None else self.verdict == FOUND_NEGATIVE

    @property
    def is_unlabelled(self) -> Bools:
        """Mask of the rows that are neither positive nor known to be negative."""
        return ~self.is_positive if self.verdict is None else ~self.is_positive & ~self.is_known_negative

    @property
    def is_labelled(self) -> Bools:
        """Mask of the rows labelled in the input, right or wrong."""
        return self.is_positive if self.verdict is None else np.isin(self.row, self.labelled)

    @property
    def is_unconfirmed(self) -> Bools:
        """Mask of shape (n_pos,) of the positives that have not been checked."""
        return ~self.is_confirmed[self.is_positive]

    @property
    def n_unconfirmed(self) -> int:
        """The number of positives that have not been checked."""
        return int(self.is_unconfirmed.sum())

    def unconfirmed(self) -> Data:
        """The rows as if no positive had been confirmed."""
        return (
            self
            if self.verdict is None
            else self._replace(verdict=np.where(self.is_confirmed, UNCHECKED, self.verdict))
        )

    def weighing(self, known_negative_share: float | None) -> Data:
        """The rows with weights such that known negatives have this share of the weight of all non-positive rows.

        With None, weights are as given: an unlabelled row that was found negative still counts as unlabelled. A label
        that was found wrong gets a weight of zero, since it never was one of the unlabelled rows.
        """
        negative, unlabelled = self.is_known_negative, self.is_unlabelled
        if not (negative.any() and unlabelled.any()):
            return self
        if known_negative_share is None:
            found_wrong = negative & self.is_labelled
            return self._replace(weight=np.where(found_wrong, 0.0, self.weight)) if found_wrong.any() else self
        total = self.weight[~self.is_positive].sum()
        factor = np.ones_like(self.weight)
        factor[negative] = known_negative_share * total / self.weight[negative].sum()
        factor[unlabelled] = (1 - known_negative_share) * total / self.weight[unlabelled].sum()
        return self._replace(weight=self.weight * factor)

    @property
    def known_negative_share(self) -> float:
        """The share of the known negatives in the total weight of the rows that are not positive."""
        negative = self.is_known_negative
        return float(self.weight[negative].sum() / self.weight[~self.is_positive].sum()) if negative.any() else 0.0

    def without(self, left_out: Bools) -> Data:
        """The rows without these positives; `left_out` is a mask of shape (n_pos,)."""
        kept = np.ones(len(self.row), dtype=bool)
        kept[np.flatnonzero(self.is_positive)[left_out]] = False
        return self.subset(kept)

    def subset(self, kept: Bools) -> Data:
        """The rows of a mask. X is copied unless all rows are kept."""
        if kept.all():
            return self
        return self._taken(np.flatnonzero(kept))

    def as_numbers(self) -> Data:
        """The rows with numbers only: frequent categories are one-hot encoded, and missing values imputed."""
        if self.is_category is None:
            return self.filled()
        indicators = [_indicators(self.X[:, column]) for column in np.flatnonzero(self.is_category)]
        numbers = self.without_categories().filled().X
        return self._replace(X=np.column_stack([numbers, *indicators]), is_category=None)

    def without_categories(self) -> Data:
        """The rows with their numeric columns only."""
        if self.is_category is None:
            return self
        return self._replace(X=self.X[:, ~self.is_category], is_category=None)

    def filled(self) -> Data:
        """The rows with missing values replaced by the medians of their columns."""
        return self._replace(X=filled(self.X))

    def counted(self) -> Data:
        """Each row repeated as often as its weight says, if weights are whole numbers and not many more rows result."""
        n_rows = float(self.weight.sum())
        is_whole = np.all(self.weight == np.round(self.weight))
        if not is_whole or np.all(self.weight == 1) or n_rows > max(2 * len(self.weight), MAX_COUNTED):
            return self
        index = np.repeat(np.arange(len(self.weight)), self.weight.astype(int))
        return self._taken(index)._replace(weight=np.ones(len(index)))

    def _taken(self, index: Ints) -> Data:
        return Data(
            by_rows(self.X)[index],
            self.is_positive[index],
            self.weight[index],
            self.row[index],
            self.labelled,
            None if self.group is None else self.group[index],
            None if self.time is None else self.time[index],
            None if self.verdict is None else self.verdict[index],
            self.is_category,
        )

    @property
    def counts(self) -> Floats:
        """The weights as numbers of rows, of positives and of the other rows, see `as_counts`."""
        counts = np.empty(len(self.weight))
        for some in (self.is_positive, ~self.is_positive):
            counts[some] = as_counts(self.weight[some])
        return counts

    @property
    def labelled_share(self) -> float:
        return float(self.weight[self.is_labelled].sum() / self.weight.sum())


def as_counts(weight: Floats) -> Floats:
    """Weights as numbers of rows: whole numbers are kept, others are scaled to a mean of 1."""
    return weight if np.all(weight == np.round(weight)) else weight / weight.mean()


def _indicators(numbers: Floats) -> Floats:
    """An indicator column for each frequent category, at least for the most frequent one.

    Rows with rare or missing categories are 0 in all of them.
    """
    levels, count = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    common = levels[count >= min(RARE * len(numbers), count.max(initial=0))]
    # A column that is missing in all rows becomes a column of zeros.
    return (numbers[:, None] == common).astype(np.float64) if len(common) else np.zeros((len(numbers), 1))
