"""The memory that reading a table may take, and the sizes of batches and samples that follow from it."""

from __future__ import annotations

import re
from dataclasses import dataclass

UNITS = {
    "": 1,
    "b": 1,
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgt", start=1)},
    **{f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", start=1)},
}

DEFAULT = 1_000_000_000
"""Default memory in bytes (convention)."""

LEAST = 100_000_000
"""Minimal memory in bytes (convention): Python and its libraries take about as much before the first row is read."""


def read_size(text: str | int) -> int:
    """A size in bytes, from a text with a unit.

    Parameters
    ----------
    text : str or int
        A number of bytes, or a number with a unit: kB, MB, GB and TB are powers of 1000; KiB, MiB, GiB and TiB are
        powers of 1024. Case and spaces do not matter.

    Returns
    -------
    int

    Examples
    --------
    >>> from blindauc.rows.disk.size import read_size
    >>> read_size("2GB"), read_size("1.5 GiB"), read_size(4096)
    (2000000000, 1610612736, 4096)
    >>> read_size("2 gigs")
    Traceback (most recent call last):
    ValueError: A size must be a number with a unit, such as 500MB or 2GB, not '2 gigs'.
    """
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)\s*", str(text).lower())
    if match is None or match[2] not in UNITS or isinstance(text, bool):
        raise ValueError(f"A size must be a number with a unit, such as 500MB or 2GB, not {text!r}.")
    return int(float(match[1]) * UNITS[match[2]])


def memory_of(memory: str | int | None) -> int:
    """The memory in bytes; a ValueError if it is too little."""
    size = DEFAULT if memory is None else read_size(memory)
    if size < LEAST:
        raise ValueError(f"memory must be at least 100MB, as Python alone takes about as much, not {memory!r}.")
    return size


@dataclass(frozen=True)
class Budget:
    """The sizes of batches and samples for a table with `n_columns` columns.

    Together they are planned to take less than half of the memory. Each has a minimum, so that tables with thousands of
    columns may take more. The limits and the bytes per item are conventions.
    """

    memory: int
    n_columns: int

    @property
    def n_batch(self) -> int:
        """Rows of a batch. A cell takes about 100 bytes while it is converted from text to a number."""
        return self._within(self.memory // 8 // 100, 512, 65_536)

    @property
    def n_distinct(self) -> int:
        """Distinct values of a column that are counted. A text and its count take about 200 bytes."""
        return self._within(self.memory // 8 // 200, 4_000, 50_000)

    @property
    def n_sampled(self) -> int:
        """Cells of each column to sample. The sample holds up to twice as many, with about 16 bytes each."""
        return self._within(self.memory // 16 // 32, 4_000, 65_536)

    @property
    def n_near_median(self) -> int:
        """Numbers near the median of each column to keep. Each takes 8 bytes, and as much again for sorting."""
        return self._within(self.memory // 8 // 16, 4_000, 10_000_000)

    def _within(self, n_cells: int, least: int, most: int) -> int:
        return min(max(n_cells // max(self.n_columns, 1), least), most)
