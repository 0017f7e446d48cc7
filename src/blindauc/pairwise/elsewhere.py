"""Sums over pairs whose unlabelled scores are not in memory.

For an analytic loss, the workers return a summary of their scores, a few hundred numbers. A piecewise polynomial loss
needs all scores. In this case the scores of the positives are sent to the workers, which return the sums at each of
them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from blindauc._typing import Floats
from blindauc.losses import Loss
from blindauc.rows.deferred import Deferred, Node

Summarize = Callable[[Loss, Any, Any], Any]


@dataclass(frozen=True)
class SummaryOfPart:
    """The summary of the scores of a part."""

    summarize: Summarize
    loss: Loss
    scores: Node
    weights: Node

    def __call__(self, part: Any) -> Any:
        return self.summarize(self.loss, self.scores(part), self.weights(part))


@dataclass(frozen=True)
class SumsOverPart:
    """Sums over the scores of a part, at the given targets, one row per order."""

    of_part: SummaryOfPart
    loss: Loss
    orders: tuple[int, ...]
    sign: int
    targets: Floats

    def __call__(self, part: Any) -> Floats:
        summary = self.of_part(part)
        return np.stack([summary.sums(self.loss, order, self.sign, self.targets) for order in self.orders])


@dataclass(frozen=True)
class SumsAt:
    """Sums over the scores of a summary, at each target."""

    summary: Any
    loss: Loss
    order: int
    sign: int

    def __call__(self, targets: Any) -> Any:
        return self.summary.sums(self.loss, self.order, self.sign, targets)


@dataclass(frozen=True)
class RemoteScores:
    """A summary of weighted scores that stay on their workers."""

    scores: Deferred
    of_part: SummaryOfPart

    def sums(self, loss: Loss, order: int, sign: int, targets: Floats) -> Floats:
        """sum_j weight_j * k(sign * (target_i - source_j)), k the derivative of that order."""
        sums: Floats = self.scores.rows.total(SumsOverPart(self.of_part, loss, (order,), sign, targets))
        return sums[0]
