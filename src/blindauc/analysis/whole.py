"""Facts about a table larger than memory, of which only a sample of rows is at hand."""

from __future__ import annotations

from dataclasses import dataclass

from blindauc._typing import Bools, Floats, Ints


@dataclass(frozen=True)
class Whole:
    """The full table that a sample of rows comes from.

    Attributes
    ----------
    numbers : the numbers of the sampled rows in the table, from 0, ascending
    is_drawn : mask of the sampled rows that were drawn at random from the unlabelled ones, as a reference
    rank : the rank of each sampled row among all rows
    unlabelled_scores : the scores of all rows that are neither labelled nor checked
    n_rows : how many rows the table has
    n_groups : how many groups the rows belong to; None if no column names groups
    """

    numbers: Ints
    is_drawn: Bools
    rank: Ints
    unlabelled_scores: Floats
    n_rows: int
    n_groups: int | None = None
