"""Functions shared by confidence intervals and bands."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from blindauc._typing import Floats
from blindauc.estimate import Estimate


def standard_error_of(number: float) -> float:
    """The standard error of an Estimate; 0 for a plain number."""
    return number.standard_error if isinstance(number, Estimate) else 0.0


def drawn(share: float, rng: np.random.RandomState) -> float:
    """A draw from the normal distribution of an Estimate, clipped to [0, 1]; a plain number as it is."""
    error = standard_error_of(share)
    return min(max(rng.normal(float(share), error), 0.0), 1.0) if error else float(share)


def chance_of_all_alike(n: int, confidence: float) -> float:
    """The lower Clopper-Pearson limit of a success probability after n successes in n trials."""
    return ((1 - confidence) / 2) ** (1 / n)


def check_n_resamples(n_resamples: int) -> None:
    """Raise an error unless there is at least one resample."""
    if not n_resamples >= 1:
        raise ValueError(f"n_resamples must be at least 1, not {n_resamples!r}.")


def normal_quantile(confidence: float) -> float:
    """The two-sided quantile of the standard normal distribution."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def variance_of_mean(values: Floats, weight: Floats) -> float:
    """The variance of a weighted mean of independent values; s^2 / n if the weights are equal."""
    shares = weight / weight.sum()
    deviations = values - shares @ values
    return float(shares**2 @ deviations**2 / (1 - shares @ shares))
