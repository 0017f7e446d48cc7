"""Exact medians of columns in a second pass, after a sample has located them roughly.

Two order statistics of a sample, 6 standard deviations below and above its median, enclose the median of all numbers
almost surely (Floyd and Rivest, 1975). One pass counts the numbers below and above these bounds and keeps those in
between. If these are too many, the bounds are moved closer. If the median is outside the bounds, another pass searches
there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from blindauc._typing import Floats
from blindauc.datasets.table_errors import imported
from blindauc.rows.disk.numbers import hashes_of


class RowSample:
    """A random sample of the rows: at least `n_sampled` if there are so many, and at most twice that.

    It has the rows whose numbers have the smallest hashes. So it depends neither on the size of batches nor on values.

    Parameters
    ----------
    n_sampled : int
    columns : for each column, a function from its cells to what is kept of them
    """

    def __init__(self, n_sampled: int, columns: Mapping[str, Callable[[Any], Any]]) -> None:
        self._most = 2 * n_sampled
        self._limit = 2.0**64
        self._taken = columns
        self._hashes: Floats = np.empty(0)
        self._cells: dict[str, list[Any]] = {name: [] for name in columns}

    def see(self, batch: Any, first_row: int) -> None:
        """Add a batch whose first row has this number."""
        hashes = hashes_of(np.arange(first_row, first_row + len(batch), dtype=np.uint64)).astype(np.float64)
        places = np.flatnonzero(hashes < self._limit)
        self._hashes = np.append(self._hashes, hashes[places])
        for name, taken in self._taken.items():
            self._cells[name].append(taken(batch.column(name).take(places)))
        if len(self._hashes) > self._most:
            self._halve()

    @property
    def is_all(self) -> bool:
        """Whether the sample has all rows."""
        return self._limit == 2.0**64

    def cells(self, name: str) -> Any:
        """The sampled cells of a column."""
        return imported("pyarrow").concat_arrays(self._cells[name])

    def _halve(self) -> None:
        self._limit /= 2
        places = np.flatnonzero(self._hashes < self._limit)
        self._hashes = self._hashes[places]
        for name in self._cells:
            self._cells[name] = [self.cells(name).take(places)]


class MedianSearch:
    """The median of a stream of numbers.

    Parameters
    ----------
    low, high : bounds between which the median is expected
    n_kept : the most numbers between the bounds to keep
    share : the expected share of the numbers between the bounds that are below the median
    certain : bounds between which the median must be
    """

    def __init__(
        self,
        low: float,
        high: float,
        n_kept: int,
        share: float = 0.5,
        certain: tuple[float, float] = (-math.inf, math.inf),
    ) -> None:
        self._low, self._high, self._n_kept, self._share, self._certain = low, high, n_kept, share, certain
        self._n_below = self._n_low = self._n_high = self._n_above = self._n_between = 0
        self._greatest_below, self._least_above = -math.inf, math.inf
        self._between: list[Floats] = []

    @classmethod
    def around(cls, sample: Floats, n_kept: int) -> MedianSearch:
        """The search with bounds from a sample of the numbers."""
        numbers, margin = np.sort(sample), 3 * math.sqrt(len(sample))
        first, last = math.floor(len(numbers) / 2 - margin), math.ceil(len(numbers) / 2 + margin)
        low = float(numbers[first]) if first >= 0 else -math.inf
        return cls(low, float(numbers[last]) if last < len(numbers) else math.inf, n_kept)

    def see(self, numbers: Floats) -> None:
        """Add numbers, none of them missing."""
        self._sort_out(numbers)
        if self._n_between > self._n_kept:
            self._move_closer()

    def result(self) -> float | None:
        """The median; None if it is outside the bounds."""
        between = np.sort(np.concatenate([np.empty(0), *self._between]))
        lower, upper = (self._at(rank, between) for rank in ((self._n - 1) // 2, self._n // 2))
        return None if lower is None or upper is None else (lower + upper) / 2

    def elsewhere(self) -> MedianSearch:
        """The search for the next pass, if the median is outside the bounds of this one."""
        below, above = self._certain
        target, n_upto = self._n / 2, self._n - self._n_above
        if target <= self._n_below:
            return self._between_certainly(below, self._low, target / self._n_below)
        return self._between_certainly(self._high, above, (target - n_upto) / self._n_above)

    def _between_certainly(self, low: float, high: float, share: float) -> MedianSearch:
        return MedianSearch(low, high, self._n_kept, share, (low, high))

    @property
    def _n(self) -> int:
        return self._n_below + self._n_low + self._n_between + self._n_high + self._n_above

    def _sort_out(self, numbers: Floats) -> None:
        """Count the numbers below, at, between and above the bounds, and keep those between."""
        is_below, is_above = numbers < self._low, numbers > self._high
        self._n_below += int(np.count_nonzero(is_below))
        self._n_above += int(np.count_nonzero(is_above))
        # np.max(where=...) would take most of the time of the second pass.
        self._greatest_below = float(np.where(is_below, numbers, -np.inf).max(initial=self._greatest_below))
        self._least_above = float(np.where(is_above, numbers, np.inf).min(initial=self._least_above))
        near = numbers[~(is_below | is_above)]
        inside = near[(near > self._low) & (near < self._high)]
        n_low = int(np.count_nonzero(near == self._low))
        self._n_low += n_low
        self._n_high += len(near) - len(inside) - n_low  # 0 if both bounds are equal
        self._between.append(inside)
        self._n_between += len(inside)

    def _move_closer(self) -> None:
        """Take new bounds from the numbers kept so far, and count those outside of them."""
        between = np.sort(np.concatenate(self._between))
        place, margin = int(self._share * len(between)), self._n_kept // 4
        if self._n_low:
            self._greatest_below = self._low
        if self._n_high:
            self._least_above = self._high
        self._n_below, self._n_low = self._n_below + self._n_low, 0
        self._n_above, self._n_high = self._n_above + self._n_high, 0
        self._low, self._high = between[[max(place - margin, 0), min(place + margin, len(between) - 1)]].tolist()
        self._share, self._between, self._n_between = 0.5, [], 0
        self._sort_out(between)

    def _at(self, rank: int, between: Floats) -> float | None:
        """The number of this rank, from 0, if it is between the bounds or next to them; else None."""
        if rank < self._n_below:
            return self._greatest_below if rank == self._n_below - 1 else None
        rank -= self._n_below
        if rank < self._n_low:
            return self._low
        rank -= self._n_low
        if rank < len(between):
            return float(between[rank])
        rank -= len(between)
        if rank < self._n_high:
            return self._high
        return self._least_above if rank == self._n_high else None
