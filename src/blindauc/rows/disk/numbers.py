"""Facts that decide the kind of a column of numbers, collected batch by batch in a fixed amount of memory."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from blindauc._typing import Floats, Ints
from blindauc.preprocessing.facts import NumberFacts
from blindauc.preprocessing.faults import RowName
from blindauc.preprocessing.values import LARGEST

Hashes = NDArray[np.uint64]


def hashes_of(bits: Hashes) -> Hashes:
    """64-bit hashes (SplitMix64: Steele, Lea and Flood, OOPSLA 2014)."""
    mixed = bits + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def hashes_of_numbers(numbers: Floats) -> Hashes:
    """Hashes of numbers, equal for equal numbers: adding 0.0 turns -0.0, which has other bits, into 0.0."""
    return hashes_of((numbers + 0.0).view(np.uint64))


class Distinct:
    """The number of distinct values: exact up to a limit, then estimated from the k smallest hashes.

    The values with the smallest hashes are a random sample of the distinct values. The relative standard error of the
    estimate is 1 / sqrt(k) (Bar-Yossef et al., 2002). It does not depend on the order of the rows, nor on batches.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.values: Floats = np.empty(0)
        self._hashes: Hashes = np.empty(0, dtype=np.uint64)
        self._is_sample = False

    def add(self, hashes: Hashes, values: Floats) -> None:
        if self._is_sample:
            small = hashes < self._hashes[-1]
            hashes, values = hashes[small], values[small]
        together, first = np.unique(np.concatenate([self._hashes, hashes]), return_index=True)
        self._is_sample |= len(together) > self.most
        self._hashes = together[: self.most]
        self.values = np.concatenate([self.values, values])[first[: self.most]]

    @property
    def count(self) -> int:
        if not self._is_sample:
            return len(self._hashes)
        # Of n uniform numbers in [0, 1], the k-th smallest is about k / n.
        return round((self.most - 1) / (float(self._hashes[-1]) / 2.0**64))


class NumberColumn:
    """A column of numbers, read in batches.

    Parameters
    ----------
    n_distinct : int
        Up to so many distinct numbers are counted exactly; the number of more is estimated.
    """

    def __init__(self, n_distinct: int) -> None:
        self.n_rows = self.n_present = self.n_infinite = 0
        self._first_infinite: int | None = None
        self._low, self._high, self._is_whole = math.inf, -math.inf, True
        self._distinct = Distinct(n_distinct)

    def see(self, numbers: Floats, first_row: int) -> None:
        """Add a batch whose first row has this number."""
        self.n_rows += len(numbers)
        present = numbers[np.abs(numbers) <= LARGEST]
        if len(present) < len(numbers):
            self._see_infinite(np.flatnonzero(np.abs(numbers) > LARGEST) + first_row)
        self.n_present += len(present)
        self._see_values(present)

    def see_counted(self, numbers: Floats, counts: Ints, rows: Ints, n_missing: int) -> None:
        """Add distinct numbers with their counts and first rows, and a number of missing ones."""
        self.n_rows += int(counts.sum()) + n_missing
        is_infinite = np.abs(numbers) > LARGEST
        self._see_infinite(np.sort(rows[is_infinite]))
        self.n_infinite += int((counts[is_infinite] - 1).sum())
        is_present = np.abs(numbers) <= LARGEST
        self.n_present += int(counts[is_present].sum())
        self._see_values(numbers[is_present])

    @property
    def largest(self) -> float:
        """The largest absolute value."""
        return max(-self._low, self._high)

    def facts(self, name_of_row: Callable[[int], RowName]) -> NumberFacts:
        different = np.sort(self._distinct.values)
        return NumberFacts(
            self.n_rows,
            self.n_present,
            self._distinct.count,
            self._low,
            float(different[len(different) // 2]) if len(different) else math.nan,
            self._high,
            self._is_whole,
            self.n_infinite,
            0 if self._first_infinite is None else name_of_row(self._first_infinite),
        )

    def _see_infinite(self, rows: Ints) -> None:
        self.n_infinite += len(rows)
        if self._first_infinite is None and len(rows):
            self._first_infinite = int(rows[0])

    def _see_values(self, present: Floats) -> None:
        if not len(present):
            return
        self._low, self._high = min(self._low, float(present.min())), max(self._high, float(present.max()))
        # Only whole numbers need a count of distinct values, and counting the others would be most of the work.
        self._is_whole = self._is_whole and _are_whole(present[:100]) and _are_whole(present)
        if self._is_whole:
            present = pd.unique(present)
            self._distinct.add(hashes_of_numbers(present), present)


def _are_whole(numbers: Floats) -> bool:
    return bool((np.floor(numbers) == numbers).all())
