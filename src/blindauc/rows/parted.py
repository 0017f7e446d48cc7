"""What is computed once for rows in parts."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from blindauc._typing import Floats
from blindauc.rows.matrix import Matrix
from blindauc.rows.parts import PartedRows
from blindauc.rows.tasks import Extremes, Moments


class Parted:
    """What is known once of rows in parts, whichever columns and positives are looked at.

    Parameters
    ----------
    rows : PartedRows
    """

    def __init__(self, rows: PartedRows) -> None:
        self.rows = rows
        self.pos, self.pos_weight = rows.take(rows.positives)

    @cached_property
    def negatives(self) -> tuple[Matrix, Floats]:
        """The known negatives, which are among the unlabelled rows, and their weights."""
        numbers = self.rows.said.negatives
        return self.rows.take(numbers) if len(numbers) else (self.pos.rows(numbers), np.zeros(0))

    @property
    def negative_weight(self) -> float:
        """The weight of all known negatives."""
        return float(self.negatives[1].sum())

    @cached_property
    def unl_weight(self) -> float:
        """The weight of all unlabelled rows."""
        return self.rows.unlabelled_weights().sum()

    @cached_property
    def unl_mean(self) -> Floats:
        """The mean of the unlabelled rows."""
        return self.rows.adjoint(self.rows.unlabelled_weights(1 / self.unl_weight))[:-1]

    @cached_property
    def extremes(self) -> tuple[Floats, Floats]:
        """The least and the largest value of each column."""
        minus_low, high = self.rows.total(Extremes(), np.maximum)
        return -minus_low, high

    @cached_property
    def origin(self) -> Floats:
        """Where moments are taken about."""
        return self.rows.take(np.zeros(1, dtype=np.intp))[0].origin

    @cached_property
    def unl_moments(self) -> Floats:
        """The weighted sums of each column and of its square about the origin, over the unlabelled rows."""
        result: Floats = self.rows.total(Moments(self.origin))
        return result
