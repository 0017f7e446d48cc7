"""Which rows a fit looks at first: all positives, and so many unlabelled rows that an evaluation costs little.

A fit to a sample of n unlabelled rows is off by about sqrt(p / n), and so is its Hessian. Each Newton step with that
Hessian makes an error smaller by this factor, so that few evaluations on all rows are left to do (Erdogdu and
Montanari, Convergence rates of sub-sampled Newton methods, NIPS 2015).
"""

from __future__ import annotations

import numpy as np

from blindauc._typing import Ints

FEW = 2**17
"""Up to this many unlabelled rows there is no sample: an evaluation takes milliseconds."""

SHRINK = 16
"""A sample has one in so many unlabelled rows, so that all samples together cost less than a tenth of the rows."""

LEAST, MOST = 2**15, 2**20
"""But at least, and at most, so many: more rows than a million make few steps fewer."""

MOST_ENTRIES = 2**25
"""Unlabelled rows times columns of a sample, at most: 128 MB of float32."""

WORTHWHILE = 3
"""A sample is of use where all rows are so many times as many."""

SEED = 0
"""The sample depends on the number of rows alone: it is the same for every engine."""


def sampled(n_pos: int, n_unl: int, n_columns: int) -> Ints | None:
    """The places of the sampled rows among the unlabelled ones, ascending; None where there is no need of a sample.

    One row is drawn from each of equally long stretches: rows in any order are represented, and those that repeat
    with a period are, too.

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
