"""The paper's own recipe: few features, no outliers, then more of either while training rows are ranked better."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from blindauc._typing import Floats
from blindauc.tuning.criterion import HeldOut
from blindauc.tuning.evaluation import Problem, held_out_ranks, model
from blindauc.tuning.grid import Candidate
from blindauc.tuning.search import Space, Stage

WORTH_WHILE = 1e-3
"""What a step must add to the training AUC. More features always add a little."""


def greedy_search(problem: Problem, space: Space, start: Candidate) -> Stage:
    """Grow features and outliers from the start, each time what helps the training performance more.

    The performance is the blind AUC on the training rows of the positives that are not taken for outliers. No folds:
    this is the recipe of the paper, not the one to trust.
    """
    walk = _Walk(problem, space)
    visited = [replace(start, n_features_to_select=walk.features[0], n_outliers=walk.outliers[0])]
    ranks = [walk.ranks(visited[0])]
    while True:
        tries = [(candidate, walk.ranks(candidate)) for candidate in walk.neighbours(visited[-1])]
        gains = [walk.score(*each) - walk.score(visited[-1], ranks[-1]) for each in tries]
        if not gains or max(gains) <= WORTH_WHILE:
            break
        candidate, rank = tries[int(np.argmax(gains))]
        visited.append(candidate)
        ranks.append(rank)
    return Stage("greedy", visited, np.array(ranks), 0, 0.0, walk.weight)


class _Walk:
    """Candidates a step apart, and how they rank the rows that they were fitted to."""

    def __init__(self, problem: Problem, space: Space) -> None:
        self.problem = problem
        self.features = sorted(space.n_features_to_select, key=np.sum)
        self.outliers = sorted(space.n_outliers)
        self.weight = problem.data.weight[problem.data.is_positive]

    def neighbours(self, candidate: Candidate) -> Iterator[Candidate]:
        yield from (
            replace(candidate, n_features_to_select=n) for n in _next(self.features, candidate.n_features_to_select)
        )
        yield from (replace(candidate, n_outliers=n) for n in _next(self.outliers, candidate.n_outliers))

    def ranks(self, candidate: Candidate) -> Floats:
        data = self.problem.data
        return held_out_ranks(data, [model(self.problem, data, candidate)])[0]

    def score(self, candidate: Candidate, ranks: Floats) -> float:
        return float(HeldOut(ranks[None], self.weight, candidate.n_outliers).scores()[0])


def _next(values: list[Any], value: Any) -> list[Any]:
    place = values.index(value)
    return values[place + 1 : place + 2]
