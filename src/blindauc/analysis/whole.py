"""Facts about a table larger than memory, of which only a sample of rows is at hand."""

from __future__ import annotations

from dataclasses import dataclass

from blindauc._typing import Bools, Floats, Ints


@dataclass(frozen=True)
class Whole:
    """The full table that a sample of rows comes from.

    Attributes
    ----------
    numbers : those that the rows have in it, counted from 0, ascending
    is_drawn : which of them were drawn from the unlabelled rows, and show how these usually are
    rank : the place of each among all rows
    unlabelled_scores : of all unlabelled rows
    n_rows : how many rows the table has
    n_groups : how many groups they belong to, if that is said
    """

    numbers: Ints
    is_drawn: Bools
    rank: Ints
    unlabelled_scores: Floats
    n_rows: int
    n_groups: int | None = None
