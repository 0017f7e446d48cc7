"""Whether a few columns stand out, or all say a little.

Where all say a little, a ridge on all columns is best; a few that say much among many that say nothing want to be
selected. Ranks of a few held-out positives hardly tell which it is. The columns do, one by one: by the kurtosis of
their effects, compared to what it is with random labels.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.special import ndtri

from blindauc._typing import Bools, Floats
from blindauc.data import Data
from blindauc.design import Design
from blindauc.ranks import share_below
from blindauc.tuning.folds import in_random_order, limited, row_digests

N_RELABELLINGS = 300

DIGITS = 9
"""Logarithms that are equal to so many digits are equal."""


def evenness(data: Data) -> float:
    r"""By how many standard deviations the effects of columns are more even than with random labels.

    It is :math:`(1 - 1/q) \, z`, where :math:`z` is the normal quantile of the share of random orders of the labels
    that raise

    .. math:: k = \sum_j d_j^4 \Big/ \Big( \sum_j d_j^2 \Big)^2,

    :math:`d_j` is the difference between the means of positives and of unlabelled rows, in standard deviations of
    column :math:`j`, and :math:`q` is the number of independent columns. It is negative where a few columns stand out,
    and 0 where nothing can be told, as of one column. As many rows are looked at as a fit of the search sees.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.data import Data
    >>> from blindauc.tuning.evenness import evenness
    >>> rng = np.random.default_rng(0)
    >>> X, is_positive, rows = rng.normal(size=(100, 50)), np.arange(100) < 20, np.arange(100)
    >>> X[is_positive, :2] += 2
    >>> round(evenness(Data(X, is_positive, np.ones(100), rows, rows[:20])), 1)
    -2.9
    """
    digests = row_digests(data.X, 0)
    seen = limited(np.ones_like(data.is_positive), data.is_positive, digests)
    squares = _effects(data.subset(seen), digests[seen]) ** 2
    total = squares.sum(axis=0)
    known = total > 0
    if not known[0] or not known[1:].any():
        return 0.0
    concentration = np.round(np.log((squares[:, known] ** 2).sum(axis=0) / total[known] ** 2), DIGITS)
    by_chance = concentration[1:]
    lower = share_below(concentration[:1], by_chance, np.ones(len(by_chance)))[0]
    # An order of the labels more than there is, half of it to either side: no share is 0 or 1.
    z = ndtri((len(by_chance) * (1 - lower) + 0.5) / (len(by_chance) + 1))
    return float(max(0.0, 1 - 1 / _n_independent(total[known][1:])) * z)


def _n_independent(total: Floats) -> float:
    """How many independent normal effects have a sum of squares that varies so much: 2 / q of its mean squared."""
    return float(2 * total.mean() ** 2 / max(total.var(), np.finfo(np.float64).tiny))


def _effects(data: Data, digests: Floats) -> Floats:
    """The effect of each column, with the labels as they are and in random orders."""
    # A column far from zero would lose its digits.
    design = Design(data.X if sp.issparse(data.X) else data.X - data.X[0])
    labels, weight = _labels(data.is_positive, digests), data.weight[:, None]
    pos, unl = weight * labels, weight * ~labels
    contrast = pos / pos.sum(axis=0) - unl / unl.sum(axis=0)
    return design.adjoint(contrast) / design.spread(data.weight / data.weight.sum())[:, None]


def _labels(is_positive: Bools, digests: Floats) -> Bools:
    """The labels, and random ones; which rows these fall on depends on what is in them, not on where they stand."""
    rng, n = np.random.default_rng(0), len(is_positive)
    order = in_random_order(np.arange(n), digests)
    labels = np.zeros((n, 1 + N_RELABELLINGS), dtype=bool)
    labels[:, 0] = is_positive
    for column in labels.T[1:]:
        column[order[rng.permutation(n)[: is_positive.sum()]]] = True
    return labels
