"""Facts about a table larger than memory, of which only a sample of rows is at hand."""

from __future__ import annotations

from dataclasses import dataclass

from blindauc._typing import Bools, Floats, Ints


@dataclass(frozen=True)
class Whole:
    """The full table that a sample of rows comes from.

    Attributes
    ----------
    numbers : the row numbers of the sample in the full table, counted from 0, ascending
    is_drawn : mask of the sampled rows that are a random sample of the unlabelled rows
    rank : the rank of each sampled row among all rows
    unlabelled_scores : the scores of all unlabelled rows of the full table
    n_rows : the number of rows of the full table
    """

    numbers: Ints
    is_drawn: Bools
    rank: Ints
    unlabelled_scores: Floats
    n_rows: int
