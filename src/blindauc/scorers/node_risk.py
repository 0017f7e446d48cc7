"""A risk of very many unlabelled scores, to single precision, by nodes of which they are a mixture.

Each unlabelled score is shared out to the two nodes next to it, such that the total weight and the mean stay as they
are. The risk is taken at the nodes, and its slope at a score is interpolated between them. Where the loss is smooth,
both err by at most NODE_STEP^2 / 8 times the third derivative of the loss, about 1e-8: less than the rounding to single
precision, in which LightGBM takes gradients. For a million scores this takes 27 ms where the exact sums took 69 ms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from blindauc._typing import Floats, Ints
from blindauc.losses import AnalyticLoss
from blindauc.risks import Risk, RiskValue

NODE_STEP = 2.0**-10
"""Between nodes, in units of the score. A power of two, so that no score is rounded."""

SCORES_PER_NODE = 8
"""With fewer scores than that, the sums over them cost no more than the nodes."""

BLOCK = 2**15
"""Scores handled at a time, so that the work stays in the cache."""


@dataclass(frozen=True)
class NodeRisk:
    """A risk that is taken at nodes where unlabelled scores are many and the loss is smooth.

    Parameters
    ----------
    risk : Risk
    """

    risk: Risk

    def __call__(self, a: Floats, b: Floats, p: Floats, q: Floats) -> RiskValue:
        """The risk and its gradients, as `Risk`."""
        first, n_nodes = np.floor(b.min() / NODE_STEP), (b.max() - b.min()) / NODE_STEP + 2
        if len(b) < SCORES_PER_NODE * n_nodes or not isinstance(self.risk.loss, AnalyticLoss):
            return self.risk(a, b, p, q)
        return self._at_nodes(a, b, p, q, _Nodes(first, int(n_nodes) + 1))

    def _at_nodes(self, a: Floats, b: Floats, p: Floats, q: Floats, nodes: _Nodes) -> RiskValue:
        weight = nodes.weights(b, q)
        used = np.flatnonzero(weight)
        at_nodes = self.risk(a, nodes.scores[used], p, weight[used])
        slope = np.zeros(len(weight))
        slope[used] = at_nodes.by_unl / weight[used]
        return RiskValue(at_nodes.value, at_nodes.by_pos, nodes.interpolated(slope, b, q))


@dataclass(frozen=True)
class _Nodes:
    """Nodes from `first` on, in units of `NODE_STEP`."""

    first: float
    number: int

    @property
    def scores(self) -> Floats:
        return NODE_STEP * (self.first + np.arange(self.number, dtype=np.float64))

    def _located(self, b: Floats) -> Iterator[tuple[slice, Ints, Floats]]:
        """Blocks of scores with the node below each, and how far it is on the way to the next."""
        for start in range(0, len(b), BLOCK):
            block = slice(start, start + BLOCK)
            place = b[block] * (1 / NODE_STEP)
            place -= self.first
            below = place.astype(np.intp)
            place -= below
            yield block, below, place

    def weights(self, b: Floats, q: Floats) -> Floats:
        """The weight that the scores give to each node."""
        at_lower, to_upper = np.zeros(self.number), np.zeros(self.number)
        for block, below, way in self._located(b):
            way *= q[block]
            at_lower += np.bincount(below, q[block], self.number)
            to_upper += np.bincount(below, way, self.number)
        at_lower -= to_upper
        at_lower[1:] += to_upper[:-1]
        return np.maximum(at_lower, 0.0)  # a difference of rounded sums may fall below zero

    def interpolated(self, slope: Floats, b: Floats, q: Floats) -> Floats:
        """The slopes at the scores, times their weights."""
        step, result = np.diff(slope, append=slope[-1]), np.empty(len(b))
        for block, below, way in self._located(b):
            way *= step.take(below)
            way += slope.take(below)
            np.multiply(way, q[block], out=result[block])
        return result
