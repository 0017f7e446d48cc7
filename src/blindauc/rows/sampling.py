"""The sample that a fit starts with: all positives, and so few unlabelled rows that evaluations are cheap.

A fit to a sample of n unlabelled rows has an error of about sqrt(p / n), and so has its Hessian. Each Newton step on
all rows with that Hessian reduces the error by this factor, so that few evaluations on all rows are needed (Erdogdu and
Montanari, Convergence rates of sub-sampled Newton methods, NIPS 2015).
"""

from __future__ import annotations

import numpy as np

from blindauc._typing import Ints

FEW = 2**17
"""With at most this many unlabelled rows there is no sample, as an evaluation takes milliseconds (convention)."""

SHRINK = 16
"""A sample has one in so many unlabelled rows (convention). Samples of the sample, and so on, add less than a
tenth to its size."""

LEAST, MOST = 2**15, 2**20
"""Limits of the unlabelled rows of a sample (convention): more than a million hardly save steps."""

MOST_ENTRIES = 2**25
"""The most entries, unlabelled rows times columns, of a sample: 128 MB of float32 (convention)."""

WORTHWHILE = 4
"""A sample is used if there are at least so many times more rows (convention)."""

SEED = 0
"""The sample depends only on the number of rows, so that it is the same for every engine."""


def sampled(n_pos: int, n_unl: int, n_columns: int) -> Ints | None:
    """The indices of the sampled rows among the unlabelled ones, ascending; None if a sample is not worthwhile.

    One random row is drawn from each of equally long stretches. This represents sorted rows evenly, and also rows that
    repeat with a period.

    Examples
    --------
    >>> from blindauc.rows.sampling import sampled
    >>> sampled(100, 1000, 10) is None
    True
    >>> len(sampled(100, 2**20, 10))
    65536
    """
    if n_unl <= FEW:
        return None
    wanted = min(max(n_unl // SHRINK, LEAST), MOST, max(MOST_ENTRIES // n_columns, 1))
    if WORTHWHILE * (n_pos + wanted) > n_pos + n_unl:
        return None
    edges = np.arange(wanted + 1) * n_unl // wanted
    return edges[:-1] + np.floor(np.random.default_rng(SEED).random(wanted) * np.diff(edges)).astype(np.intp)
