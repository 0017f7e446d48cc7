r"""The design effect: the factor by which correlation within groups inflates the variance of a mean.

The mean of n values in groups of sizes m_g has the variance of a mean of n / deff independent values, with

    deff = 1 + (\sum_g m_g^2 / n - 1) rho

and the intraclass correlation rho (Kish, Survey Sampling, 1965), estimated by the analysis of variance (Donner, A
review of inference procedures for the intraclass correlation coefficient, Int. Stat. Rev. 1986).
"""

from __future__ import annotations

import numpy as np

from blindauc._typing import Floats, Ints


def design_effect(values: Floats, group: Ints) -> float:
    """The design effect of groups on the variance of the mean; 1 if rows of a group are not correlated.

    Parameters
    ----------
    values : ndarray of shape (n,)
    group : ndarray of shape (n,), integers

    Returns
    -------
    float, at least 1

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.evidence.clusters import design_effect
    >>> copies, alone = np.repeat([1.0, 5.0, 3.0], 2), np.arange(6)
    >>> design_effect(copies, np.array([0, 0, 1, 1, 2, 2])), design_effect(copies, alone)
    (2.0, 1.0)
    """
    _, place, size = np.unique(group, return_inverse=True, return_counts=True)
    n, n_groups = len(values), len(size)
    if n_groups in (n, 1):
        return 1.0
    mean = np.bincount(place, values) / size
    between = size @ (mean - values.mean()) ** 2 / (n_groups - 1)
    within = ((values - mean[place]) ** 2).sum() / (n - n_groups)
    effective_size = (n - (size @ size) / n) / (n_groups - 1)
    total = between + (effective_size - 1) * within
    correlation = np.clip((between - within) / total, 0.0, 1.0) if total > 0 else 0.0
    return float(1 + ((size @ size) / n - 1) * correlation)
