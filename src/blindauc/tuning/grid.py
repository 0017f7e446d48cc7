"""What is tried: candidates, and the paths that visit them cheaply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Any

import numpy as np

L2_DECADES = tuple(range(4, -10, -1))
"""Ridges to try, as powers of ten in units of the data's own curvature."""

OUTLIER_SHARES = (0.0, 0.05, 0.1, 0.2, 0.3)
"""Shares of the positives to take for outliers."""

N_FEATURE_COUNTS = 8


@dataclass(frozen=True)
class Candidate:
    """The choices that tuning makes, by the names of the estimators' parameters."""

    scaling: str
    loss: Any
    l2: float
    n_outliers: float
    n_features_to_select: Any
    drawn: bool = False
    """Whether it is the average of fits to draws of the unlabelled rows, which no estimator's parameters make."""

    @property
    def kind(self) -> tuple[str, Any]:
        """What is chosen before the rest: only candidates of a kind can be compared in ridge."""
        return self.scaling, self.loss

    @property
    def params(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "drawn"}


@dataclass(frozen=True)
class Grid:
    """All candidates of one scaling and loss: ridges and feature counts fall along a path, outliers grow."""

    scaling: str
    loss: Any
    l2: Sequence[float]
    n_outliers: Sequence[float]
    n_features_to_select: Sequence[Any]
    drawn_up_to: float = 0.0
    """The strongest ridge with which fits of the most features are averages over draws."""

    @classmethod
    def of(cls, candidate: Candidate) -> Grid:
        """The grid of one candidate."""
        c = candidate
        return cls(c.scaling, c.loss, [c.l2], [c.n_outliers], [c.n_features_to_select])

    def __iter__(self) -> Iterator[Candidate]:
        for l2, n_outliers, n_features in product(self.l2, self.n_outliers, self.n_features_to_select):
            drawn = l2 <= self.drawn_up_to and n_features == self.n_features_to_select[0]
            yield Candidate(self.scaling, self.loss, l2, n_outliers, n_features, drawn)

    @property
    def to_draw(self) -> Grid:
        """The fits whose averages over draws are candidates."""
        ridges = [l2 for l2 in self.l2 if l2 <= self.drawn_up_to]
        return Grid(self.scaling, self.loss, ridges, self.n_outliers, self.n_features_to_select[:1])


def feature_counts(n_units: int, n_pos: int) -> list[int]:
    """Counts from all units down to a twentieth of them, or a quarter of the number of positives if that is fewer.

    Examples
    --------
    >>> from blindauc.tuning.grid import feature_counts
    >>> feature_counts(200, 100)
    [200, 130, 85, 55, 36, 24, 15, 10]
    >>> feature_counts(4, 100)
    [4, 3, 2, 1]
    """
    fewest = max(1.0, min(n_units / 20, n_pos / 4))
    counts = np.round(np.geomspace(n_units, fewest, N_FEATURE_COUNTS)).astype(int)
    return sorted(set(counts.tolist()), reverse=True)
