"""What intervals and bands share."""

from __future__ import annotations

import numpy as np

from blindauc.estimate import Estimate


def standard_error_of(number: float) -> float:
    """Of a number that is known, none."""
    return number.standard_error if isinstance(number, Estimate) else 0.0


def drawn(share: float, rng: np.random.RandomState) -> float:
    """What the share might be: itself if it is known, and otherwise drawn as its interval says."""
    error = standard_error_of(share)
    return min(max(rng.normal(float(share), error), 0.0), 1.0) if error else float(share)


def chance_of_all_alike(n: int, confidence: float) -> float:
    """The smallest chance of success that n successes in a row leave possible (Clopper and Pearson)."""
    return ((1 - confidence) / 2) ** (1 / n)


def check_n_resamples(n_resamples: int) -> None:
    """There must be something to take quantiles of."""
    if not n_resamples >= 1:
        raise ValueError(f"n_resamples must be at least 1, not {n_resamples!r}.")
