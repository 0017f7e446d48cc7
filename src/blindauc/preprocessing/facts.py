"""What decides the kind of a column: facts that can be had from a table in memory, or counted row by row."""

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
    """What decides the kind of a column of numbers, from a table in memory or counted row by row.

    Attributes
    ----------
    n_rows, n_present, n_distinct : rows, those with a finite number, and different ones among these
    low, middle, high : the smallest, the median and the largest of the different numbers
    is_whole : whether none has decimals
    n_infinite, first_infinite : numbers beyond 1e100, and the data row of the first
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
    """What decides the kind of a column of anything else.

    Attributes
    ----------
    n_rows, n_present : rows, and those that are not blank
    distinct : the different texts, none blank, by their first row
    row_of : the first data row of a text
    numbers : the facts of the column read as numbers, asked for only if all texts are
    is_category : whether someone said that these are categories
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
