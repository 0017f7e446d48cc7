"""The rows of a design, told apart into positives and unlabelled ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.design import Design


@dataclass(frozen=True)
class Rows:
    """A design, which of its rows are positive and which unlabelled, and their weights, in the order of the design."""

    design: Design
    pos: Ints
    unl: Ints
    pos_weight: Floats
    unl_weight: Floats

    @cached_property
    def unl_share(self) -> Floats:
        return self.unl_weight / self.unl_weight.sum()

    @cached_property
    def weight(self) -> Floats:
        weight = np.empty(len(self.pos) + len(self.unl))
        weight[self.pos], weight[self.unl] = self.pos_weight, self.unl_weight
        return weight

    def shares(self, kept: Bools) -> Floats:
        """The positives' weights as shares of those that are kept."""
        weight = np.where(kept, self.pos_weight, 0.0)
        return weight / weight.sum()

    def adjoint(self, by_pos: Floats, by_unl: Floats) -> Floats:
        residual = np.empty(self.design.n_rows)
        residual[self.pos], residual[self.unl] = by_pos, by_unl
        return self.design.adjoint(residual)

    def columns(self, index: Ints) -> Rows:
        return Rows(self.design.columns(index), self.pos, self.unl, self.pos_weight, self.unl_weight)

    def subset(self, pos: Ints, unl: Ints) -> Rows:
        """The rows of these positives and these unlabelled rows (positions among their own kind)."""
        index = np.concatenate([self.pos[pos], self.unl[unl]])
        places = np.arange(len(index))
        return Rows(
            self.design.rows(index),
            places[: len(pos)],
            places[len(pos) :],
            self.pos_weight[pos],
            self.unl_weight[unl],
        )
