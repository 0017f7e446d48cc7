"""Expected numbers of positives, or of wrong labels, among selected rows, with prediction intervals.

Under a mixture m the number N among given rows is a sum of independent Bernoulli variables, with mean E_m and variance
V_m. The interval combines the uncertainty of the mixture with the randomness of N, by the profile predictive likelihood
(Bjornstad, Statistical Science 1990): it contains all N with

    min_m  root_m^2 + (N - E_m)^2 / V_m  <=  limit^2,

rounded outwards to whole rows, where root_m^2 is the deviance of m from the best mixture.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from blindauc._typing import Floats, Ints
from blindauc.estimate import Estimate
from blindauc.prior.plausible import Plausible

ROUNDING = 1e-9
"""Tolerance for rounding errors in sums of shares."""


def among_first(counts: Ints, k: Any) -> Ints:
    """Return how many of the first k rows are in each step, if rows are sorted by step.

    Parameters
    ----------
    counts : ndarray of shape (n_steps,)
    k : sequence of int, of length n_k

    Returns
    -------
    ndarray of shape (n_k, n_steps)

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.prior.expected import among_first
    >>> among_first(np.array([2, 0, 3]), np.array([1, 4])).tolist()
    [[1, 0, 0], [2, 0, 2]]
    """
    before = np.cumsum(counts) - counts
    return np.clip(np.asarray(k)[:, None] - before, 0, counts)


def expected_numbers(counts: Ints, share: Floats, shares: Floats, mixtures: Plausible) -> list[Estimate]:
    """Return the expected number of rows of one kind (positives, or wrong labels) in each selection of rows.

    Parameters
    ----------
    counts : ndarray of shape (n_selections, n_steps)
        The number of selected rows in each step.
    share : ndarray of shape (n_steps,)
        The share of the kind in each step, averaged over all mixtures.
    shares : ndarray of shape (n_mixtures, n_steps)
        The same share under each mixture.
    mixtures : Plausible

    Returns
    -------
    list of Estimate
    """
    value, n_rows = counts @ share, counts.sum(axis=1)
    centre, variance = counts @ shares.T, counts @ (shares * (1 - shares)).T
    half_width = np.sqrt(np.maximum(mixtures.limit**2 - mixtures.root**2, 0.0) * variance)
    low = np.clip(np.floor((centre - half_width).min(axis=1) + ROUNDING), 0.0, np.floor(value + ROUNDING))
    high = np.clip(np.ceil((centre + half_width).max(axis=1) - ROUNDING), np.ceil(value - ROUNDING), n_rows)
    estimates = zip(np.clip(value, low, high).tolist(), low.tolist(), high.tolist(), strict=True)
    return [Estimate(*each, mixtures.confidence) for each in estimates]
