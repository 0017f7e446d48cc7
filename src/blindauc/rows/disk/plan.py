"""For each column of a table, its place in the matrix, and how its cells become numbers.

The matrix is what the preprocessor of the table would give. Only missing values whose median is not known yet are
written as NaN, and filled later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer

from blindauc._typing import Floats
from blindauc.preprocessing.streamed import StreamedColumn
from blindauc.preprocessing.values import LARGEST, YES_OR_NO
from blindauc.rows.disk.cells import days_in_column, distinct_cells, numbers_in_column

Block = NDArray[np.float32]


@dataclass(frozen=True)
class NumberPlan:
    """A column that becomes numbers.

    Attributes
    ----------
    place : the index of its column in the matrix
    gap_place : the index of the column that indicates missing values, or None
    centre : the number that replaces missing values, or None if it is not known yet
    read : callable, from Arrow cells to numbers
    """

    place: int
    gap_place: int | None
    centre: float | None
    read: Callable[[Any], Floats]

    def write(self, block: Block, array: Any) -> Floats:
        """Write the cells to the block, and return the numbers that are not missing."""
        numbers = self.read(array)
        is_present = np.abs(numbers) <= LARGEST
        if is_present.all():
            block[:, self.place] = numbers
            return numbers
        block[:, self.place] = np.where(is_present, numbers, np.nan if self.centre is None else self.centre)
        if self.gap_place is not None:
            block[:, self.gap_place] = ~is_present
        return numbers[is_present]


@dataclass(frozen=True)
class CategoryPlan:
    """A column that is one-hot encoded. `places` has the column of each category, and of None for missing values."""

    places: Mapping[str | None, int]

    def write(self, block: Block, array: Any) -> None:
        """Write the cells to the block."""
        codes, texts = distinct_cells(array)
        # All categories are known from the first pass. Only None may have no column, and no row has it then.
        places = np.array([self.places.get(text or None, -1) for text in [*texts, None]], dtype=np.intp)
        block[np.arange(len(block)), places[codes]] = 1


Plan = dict[str, NumberPlan | CategoryPlan]


def plan_of(columns: Mapping[str, StreamedColumn], preprocessor: ColumnTransformer) -> Plan:
    """The plan of each column that is used, in the order of the preprocessor's output."""
    plan: Plan = {}
    start = 0
    for kind, steps, names in preprocessor.transformers_:
        if kind == "categorical":
            start = _plan_categories(plan, steps[-1], names, start)
        elif steps != "drop":
            gaps = {names[place]: start + len(names) + k for k, place in enumerate(steps[-1].indicator_.features_)}
            for place, name in enumerate(names, start=start):
                plan[name] = NumberPlan(place, gaps.get(name), columns[name].centre, _reader(columns[name]))
            start += len(names) + len(gaps)
    return plan


def _plan_categories(plan: Plan, encoder: Any, names: list[str], start: int) -> int:
    for name, all_, rare in zip(names, encoder.categories_, encoder.infrequent_categories_, strict=True):
        texts = [_text(each) for each in all_]
        rare_ones = set() if rare is None else {_text(each) for each in rare}
        common = [text for text in texts if text not in rare_ones]
        places = {text: start + place for place, text in enumerate(common)}
        start += len(common)
        plan[name] = CategoryPlan(places | dict.fromkeys(rare_ones, start))
        start += bool(rare_ones)
    return start


def _text(category: Any) -> str | None:
    return category if isinstance(category, str) else None


def _reader(column: StreamedColumn) -> Callable[[Any], Floats]:
    if column.kind == "boolean":
        return _booleans_in
    if column.date_format is not None:
        date_format = column.date_format
        return lambda array: days_in_column(array, date_format)
    return numbers_in_column


def _booleans_in(array: Any) -> Floats:
    codes, texts = distinct_cells(array)
    return np.array([YES_OR_NO.get(text.casefold(), np.nan) for text in texts] + [np.nan])[codes]
