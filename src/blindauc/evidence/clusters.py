r"""How much less rows say that belong together than as many rows that do not.

The mean of n values in groups of sizes m_g has the variance of n / deff independent ones, with the design effect

    deff = 1 + (\sum_g m_g^2 / n - 1) rho

and the correlation rho between two values of a group (Kish, Survey Sampling, 1965), here by the analysis of variance
(Donner, A review of inference procedures for the intraclass correlation coefficient, Int. Stat. Rev. 1986).
"""

from __future__ import annotations

import numpy as np

from blindauc._typing import Floats, Ints


def design_effect(values: Floats, group: Ints) -> float:
    """By how much rows of the same group widen intervals; one where they are no more alike than any others.

    Parameters
    ----------
    values : ndarray of shape (n,)
    group : ndarray of shape (n,), whole numbers

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
    usual_size = (n - (size @ size) / n) / (n_groups - 1)
    total = between + (usual_size - 1) * within
    correlation = np.clip((between - within) / total, 0.0, 1.0) if total > 0 else 0.0
    return float(1 + ((size @ size) / n - 1) * correlation)
