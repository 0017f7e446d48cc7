"""Statistics of rows in parts, each computed once."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from blindauc._typing import Floats
from blindauc.rows.matrix import Matrix
from blindauc.rows.parts import PartedRows
from blindauc.rows.tasks import Extremes, Moments


class PartedStatistics:
    """The positives of rows in parts, in memory, and statistics of the unlabelled rows, each computed at first use.

    Views of the rows with different columns and positives (`view.py`) share it.

    Parameters
    ----------
    rows : PartedRows
    pos, pos_weight : the positives, in memory, and their weights
    """

    def __init__(self, rows: PartedRows, pos: Matrix, pos_weight: Floats) -> None:
        self.rows, self.pos, self.pos_weight = rows, pos, pos_weight

    @cached_property
    def negatives(self) -> tuple[Matrix, Floats]:
        """The known negatives and their weights, in memory; they are among the unlabelled rows."""
        numbers = self.rows.metadata.negatives
        return self.rows.take(numbers) if len(numbers) else (self.pos.rows(numbers), np.zeros(0))

    @property
    def negative_weight(self) -> float:
        """The total weight of the known negatives."""
        return float(self.negatives[1].sum())

    @cached_property
    def unl_weight(self) -> float:
        """The total weight of the unlabelled rows."""
        return self.rows.unlabelled_weights().sum()

    @cached_property
    def extremes(self) -> tuple[Floats, Floats]:
        """The minimum and the maximum of each column."""
        minus_low, high = self.rows.total(Extremes(), np.maximum)
        return -minus_low, high

    @cached_property
    def origin(self) -> Floats:
        """The origin of moments: the first row, or zero if the rows are sparse."""
        return self.rows.take(np.zeros(1, dtype=np.intp))[0].origin

    @cached_property
    def unl_moments(self) -> Floats:
        """The weighted sums of each column and of its square about the origin, over the unlabelled rows."""
        result: Floats = self.rows.total(Moments(self.origin))
        return result
