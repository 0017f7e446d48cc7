"""Cost of our objective in a boosting round, relative to LightGBM's own work in the same rounds.

    python benchmarks/trees.py [n_rows, 1000000 by default]

The gradient and the bound of the Hessian are timed inside the boosting rounds; the rest of a round is LightGBM's work.
Rounds of LightGBM's binary objective on the same bins alternate with ours.
"""

from __future__ import annotations

import sys
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from blindauc.losses import LOSSES
from blindauc.risks import BlindAUCRisk
from blindauc.scorers.boosting import Boosting, RowRisk, lightgbm

N_ROWS, N_COLUMNS, LABELLED = 1_000_000, 50, 0.02
N_LEAVES, N_ROUNDS = 8, 12
WARM_UP = 2
"""Rounds that are not counted: they allocate memory, and sums are faster while all scores are equal."""


class Timed:
    """A function that records the time of its calls."""

    def __init__(self, function: Any) -> None:
        self._function, self.seconds = function, []

    def __call__(self, *args: Any) -> Any:
        start = perf_counter()
        result = self._function(*args)
        self.seconds.append(perf_counter() - start)
        return result


def main() -> None:
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else N_ROWS
    X, is_positive = rows(n_rows)
    print(f"{n_rows} x {N_COLUMNS}, {is_positive.sum()} labelled, trees of {N_LEAVES} leaves, milliseconds a round")
    print("  loss             objective   LightGBM's own   share   round of objective='binary'")
    for loss in ("logistic", "squared_hinge"):
        ours, theirs, binary = measured(X, is_positive, loss)
        print(f"  {loss:14s}{1e3 * ours:12.1f}{1e3 * theirs:17.1f}{ours / theirs:8.1%}{1e3 * binary:30.1f}")
    print("  bar of the logistic loss: below 20 %")


def rows(n_rows: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, N_COLUMNS), dtype=np.float32)
    signal = X[:, 0] * X[:, 1] + X[:, 2] + rng.logistic(size=n_rows)
    return X, signal > np.quantile(signal, 1 - LABELLED)


def measured(X: Any, is_positive: Any, loss: str) -> tuple[float, float, float]:
    """Median seconds of our objective, of the rest of the round, and of a round of LightGBM's binary objective."""
    lgb, boosting = lightgbm(), Boosting(X)
    objective = Timed(RowRisk(BlindAUCRisk(LOSSES[loss]), is_positive, np.ones(len(X))))
    params = {**boosting.params, "num_leaves": N_LEAVES, "num_threads": 0}
    own = lgb.Dataset(X, label=is_positive, params=params, free_raw_data=False)
    ours, binary = lgb.Booster(params, own), lgb.Booster({**params, "objective": "binary"}, own)
    our_round, their_round = Timed(lambda: ours.update(fobj=objective)), Timed(binary.update)
    for _ in range(WARM_UP + N_ROUNDS):
        our_round()
        their_round()
    rest = np.subtract(our_round.seconds, objective.seconds)
    return tuple(median(seconds[WARM_UP:]) for seconds in (objective.seconds, rest.tolist(), their_round.seconds))


if __name__ == "__main__":
    main()
