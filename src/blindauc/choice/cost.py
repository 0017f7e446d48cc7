"""Estimate of how long a race will take, before it starts."""

from __future__ import annotations

import time
from collections.abc import Sequence

from blindauc.choice.progress import fold_share
from blindauc.data import Data
from blindauc.evidence.folds import Split
from blindauc.scorers.contract import Scorer
from blindauc.scorers.spec import Spec

SHARED = 0.11
"""Time of a fit on a path, relative to a single fit. On a path, each fit is warm-started from its neighbour.

Measured with `blindauc fit` on five tables of 600 to 1 million rows, two of them also with linear scores, on a busy
machine: the estimates of the whole search are 0.5 to 2.3 times the time taken. In one repetition of one of them, when
the load rose while the candidate was timed, the estimate was 4.2 times the time taken.
"""


def expected_seconds(scorer: Scorer, data: Data, specs: Sequence[Spec], splits: Sequence[Split]) -> float:
    """The expected time of a race in one process, extrapolated from one timed candidate of each family."""
    fitted = data.subset(splits[0].fitted)
    families = dict.fromkeys(spec.family for spec in specs)
    seconds = sum(_seconds_of(scorer, fitted, [spec for spec in specs if spec.family == name]) for name in families)
    shares = [fold_share(number) for number in range(len(splits))]
    return seconds * sum(shares) / shares[0]


def _seconds_of(scorer: Scorer, fitted: Data, specs: Sequence[Spec]) -> float:
    """The time for all candidates of a family. Tree models that differ only in their rounds share one fit."""
    # The candidate that takes longest: most rounds, most outliers, weakest ridge.
    largest = max(specs, key=lambda spec: (spec.n_rounds or 0, spec.n_outliers, -spec.l2))
    start = time.perf_counter()
    scorer.path(fitted, [largest])
    single = time.perf_counter() - start
    if largest.shape == "trees":
        return single * len({(spec.kind, spec.l2, spec.n_outliers, spec.known_negative_share) for spec in specs})
    return SHARED * single * len(specs)
