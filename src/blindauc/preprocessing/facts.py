"""Facts that decide the kind of a column, from a table in memory or collected while streaming its rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from blindauc._typing import Floats
from blindauc.preprocessing.faults import RowName
from blindauc.preprocessing.values import LARGEST


@dataclass(frozen=True)
class NumberFacts:
    """Facts that decide the kind of a column of numbers.

    Attributes
    ----------
    n_rows, n_present, n_distinct : the counts of rows, of finite numbers, and of distinct ones among these
    low, middle, high : the minimum, median and maximum of the distinct numbers
    is_whole : whether all are whole numbers
    n_infinite, first_infinite : the count of numbers beyond 1e100, and the data row of the first
    """

    n_rows: int
    n_present: int
    n_distinct: int
    low: float
    middle: float
    high: float
    is_whole: bool
    n_infinite: int = 0
    first_infinite: RowName = 0


@dataclass(frozen=True)
class TextFacts:
    """Facts that decide the kind of any other column.

    Attributes
    ----------
    n_rows, n_present : the counts of rows and of non-blank cells
    distinct : the distinct texts without blanks, in order of first occurrence
    row_of : gives the first data row of a text
    numbers : gives the facts of the column read as numbers; called only if all texts are numbers
    is_category : whether the column has pandas' categorical dtype
    """

    n_rows: int
    n_present: int
    distinct: Sequence[str]
    row_of: Callable[[str], RowName]
    numbers: Callable[[], NumberFacts]
    is_category: bool = False


def number_facts(numbers: Floats) -> NumberFacts:
    """The facts of a column that is in memory."""
    is_infinite = np.abs(numbers) > LARGEST
    present = numbers[~np.isnan(numbers) & ~is_infinite]
    distinct = np.unique(present)
    low, middle, high = distinct[[0, len(distinct) // 2, -1]].tolist() if len(distinct) else (math.nan,) * 3
    return NumberFacts(
        len(numbers),
        len(present),
        len(distinct),
        low,
        middle,
        high,
        not (distinct % 1).any(),
        int(is_infinite.sum()),
        int(is_infinite.argmax()) + 1,
    )
