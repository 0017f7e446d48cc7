"""What intervals and bands share."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from blindauc._typing import Floats
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


def normal_quantile(confidence: float) -> float:
    """How many standard deviations an interval reaches to either side."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def variance_of_mean(values: Floats, weight: Floats) -> float:
    """That of a weighted mean of independent values; s^2 / n when the weights are equal."""
    shares = weight / weight.sum()
    deviations = values - shares @ values
    return float(shares**2 @ deviations**2 / (1 - shares @ shares))
