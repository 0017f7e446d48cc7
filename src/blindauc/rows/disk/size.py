"""How much memory the reading of a table may take, and what follows for the sizes of its pieces."""

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
"""Bytes, where nothing is said: a small part of any machine that would hold such data."""

LEAST = 100_000_000
"""Bytes that Python and its libraries take before the first row is read."""


def read_size(text: str | int) -> int:
    """Bytes, from what a person writes.

    Parameters
    ----------
    text : str or int
        A number of bytes, or a number with a unit: kB, MB, GB and TB are powers of 1000; KiB, MiB, GiB and TiB are
        powers of 1024. Capitals and spaces do not matter.

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
    """The bytes that may be used, enough to work with."""
    size = DEFAULT if memory is None else read_size(memory)
    if size < LEAST:
        raise ValueError(f"memory must be at least 100MB, which an empty program takes already, not {memory!r}.")
    return size


@dataclass(frozen=True)
class Budget:
    """Sizes of what is held at a time for a table of so many columns.

    They are planned to stay below half of the memory. Each has a least size, so that tables of thousands of columns
    take more.
    """

    memory: int
    n_columns: int

    @property
    def n_batch(self) -> int:
        """Rows to read at a time: a cell takes some 100 bytes on its way from text to a number."""
        return self._within(self.memory // 8 // 100, 512, 65_536)

    @property
    def n_distinct(self) -> int:
        """Different values to remember of a column: a text that is counted takes some 200 bytes."""
        return self._within(self.memory // 8 // 200, 4_000, 50_000)

    @property
    def n_sampled(self) -> int:
        """Cells of each column to sample; there are up to twice as many, of some 16 bytes."""
        return self._within(self.memory // 16 // 32, 4_000, 65_536)

    @property
    def n_near_median(self) -> int:
        """Numbers of each column to keep that may be its median, of 8 bytes and the same for sorting them."""
        return self._within(self.memory // 8 // 16, 4_000, 10_000_000)

    def _within(self, n_cells: int, least: int, most: int) -> int:
        return min(max(n_cells // max(self.n_columns, 1), least), most)
