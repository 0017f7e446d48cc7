"""Validated rows, as estimators and searches hand them on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.checked import FOUND_NEGATIVE, FOUND_POSITIVE
from blindauc.rows.memory import MemoryRows
from blindauc.rows.storage import by_rows, filled

RARE = 0.01
"""Categories of a smaller share of the rows get no column of their own (convention, as in `make_preprocessor`)."""

MAX_COUNTED = 10_000
"""So many rows are written out whatever their number was."""


class Data(NamedTuple):
    """Validated rows of positive weight, their numbers in the user's X, and those of all labelled positives.

    Rows of the same `group` are never split, and with `time` a fit sees only rows that are earlier than those that it
    is judged by; both are None where nothing is said.

    `verdict` says what people found who checked rows, as in `checked.py`; None where nobody did. A row that was found
    negative is not positive, and one that was found positive is, whatever its label.

    `is_category` says which columns hold numbers of categories, which only trees can use; None where none does.
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
        """The rows as objectives see them."""
        return MemoryRows.of(self.X, self.is_positive, self.weight)

    @property
    def is_confirmed(self) -> Bools:
        """Positives that were checked."""
        return np.zeros_like(self.is_positive) if self.verdict is None else self.verdict == FOUND_POSITIVE

    @property
    def is_known_negative(self) -> Bools:
        return np.zeros_like(self.is_positive) if self.verdict is None else self.verdict == FOUND_NEGATIVE

    @property
    def is_unlabelled(self) -> Bools:
        """Rows of which nothing is known."""
        return ~self.is_positive if self.verdict is None else ~self.is_positive & ~self.is_known_negative

    @property
    def is_labelled(self) -> Bools:
        """Rows that came with a label, whatever was found."""
        return self.is_positive if self.verdict is None else np.isin(self.row, self.labelled)

    @property
    def is_doubtable(self) -> Bools:
        """Which of the positives nobody has checked."""
        return ~self.is_confirmed[self.is_positive]

    @property
    def n_doubtable(self) -> int:
        """How many these are."""
        return int(self.is_doubtable.sum())

    def weighing(self, known_negative_share: float | None) -> Data:
        """The rows with weights by which known negatives have this share of all rows that are not positive.

        By None rows weigh as they came: an unlabelled row that was found negative still is one of the unlabelled rows,
        and a label that was found wrong never was.
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
        """The share of known negatives in the weight of all rows that are not positive."""
        negative = self.is_known_negative
        return float(self.weight[negative].sum() / self.weight[~self.is_positive].sum()) if negative.any() else 0.0

    def without(self, left_out: Bools) -> Data:
        """The rows without some of the labelled positives."""
        kept = np.ones(len(self.row), dtype=bool)
        kept[np.flatnonzero(self.is_positive)[left_out]] = False
        return self.subset(kept)

    def subset(self, kept: Bools) -> Data:
        """Some of the rows; X is copied unless they are all."""
        if kept.all():
            return self
        return self._taken(np.flatnonzero(kept))

    def as_numbers(self) -> Data:
        """The rows for what takes only numbers: a column of 0 and 1 for each common category, missing values filled."""
        if self.is_category is None:
            return self.filled()
        indicators = [_indicators(self.X[:, column]) for column in np.flatnonzero(self.is_category)]
        numbers = self.without_categories().filled().X
        return self._replace(X=np.column_stack([numbers, *indicators]), is_category=None)

    def without_categories(self) -> Data:
        """The rows with their columns of numbers alone."""
        if self.is_category is None:
            return self
        return self._replace(X=self.X[:, ~self.is_category], is_category=None)

    def filled(self) -> Data:
        """The rows with the medians of their columns where values are missing, for what cannot do without."""
        return self._replace(X=filled(self.X))

    def counted(self) -> Data:
        """Rows of whole-number weight as so many rows, where that does not make them many more."""
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
        """Weights as numbers of rows: as they are where they are whole, else one on average for either kind of rows."""
        if np.all(self.weight == np.round(self.weight)):
            return self.weight
        pos = self.is_positive
        return self.weight / np.where(pos, self.weight[pos].mean(), self.weight[~pos].mean())

    @property
    def labelled_share(self) -> float:
        return float(self.weight[self.is_labelled].sum() / self.weight.sum())


def _indicators(numbers: Floats) -> Floats:
    """A column of 0 and 1 for each common category, or for the commonest; rare and missing ones are 0 in all."""
    levels, count = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    common = levels[count >= min(RARE * len(numbers), count.max(initial=0))]
    # A column that is missing in all rows is one that says nothing.
    return (numbers[:, None] == common).astype(np.float64) if len(common) else np.zeros((len(numbers), 1))
