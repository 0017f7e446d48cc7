r"""Whether counts changed from one sample to another: by how much, and whether that may be chance.

By how much says the population stability index,

    PSI = \sum_k (q_k - p_k) \log(q_k / p_k)

of the shares p_k before and q_k after. By convention 0.1 is a moderate change and 0.25 a large one. Whether it may be
chance says a chi-squared test of the two rows of counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from blindauc._typing import Floats

MODERATE_PSI = 0.1
"""By convention."""

LEAST_EXPECTED = 5.0
"""Rows to expect in a bin: with fewer, the distribution of the test is not that of its limit (Cochran's rule)."""


class Change(NamedTuple):
    """By how much counts changed, and how likely chance changes them as much."""

    psi: float
    p_value: float


def change_of_numbers(before: Sequence[int], after: Sequence[int]) -> Change:
    """The change of counts in bins that have an order; neighbours are joined where bins would be too small.

    Examples
    --------
    >>> from blindauc.analysis.drift import change_of_numbers
    >>> change = change_of_numbers([100, 100, 100, 100], [10, 20, 30, 40])
    >>> round(change.psi, 3), round(change.p_value, 4)
    (0.218, 0.001)
    """
    was, now = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    if not was.sum() or not now.sum():
        return Change(0.0, 1.0)
    n_bins = max(2, min(len(was), int(now.sum() // LEAST_EXPECTED)))
    # By their shares before, not by their number: bins of repeated values may be large.
    upto = np.cumsum(was) - was / 2
    place = np.minimum((upto / was.sum() * n_bins).astype(int), n_bins - 1)
    return _change(*(np.bincount(place, counts).astype(np.float64) for counts in (was, now)))


def change_of_categories(before: dict[str, int], after: dict[str, int]) -> Change:
    """The change of counts of categories that were there before; rare ones are joined.

    Examples
    --------
    >>> from blindauc.analysis.drift import change_of_categories
    >>> change_of_categories({"a": 50, "b": 50}, {"a": 10, "b": 10, "new": 99}).psi
    0.0
    """
    names = list(before)
    was = np.array([before[name] for name in names], dtype=np.float64)
    now = np.array([after.get(name, 0) for name in names], dtype=np.float64)
    if not was.sum() or not now.sum():
        return Change(0.0, 1.0)
    is_rare = was / was.sum() * now.sum() < LEAST_EXPECTED
    was, now = (np.append(counts[~is_rare], counts[is_rare].sum()) for counts in (was, now))
    return _change(was, now)


def _change(was: Floats, now: Floats) -> Change:
    counts = np.array([was, now])
    counts = counts[:, counts.sum(axis=0) > 0]
    if counts.shape[1] < 2:
        return Change(0.0, 1.0)
    # Half a row in every bin: an empty one says little about a share of none.
    p, q = ((each + 0.5) / (each + 0.5).sum() for each in counts)
    psi = float((q - p) @ np.log(q / p))
    return Change(psi, float(stats.chi2_contingency(counts, correction=False).pvalue))


def p_of_more(before: int, n_before: int, after: int, n_after: int) -> float:
    """How likely a share seems to have grown so much by chance (Fisher's exact test).

    Examples
    --------
    >>> from blindauc.analysis.drift import p_of_more
    >>> round(p_of_more(5, 100, 12, 100), 3)
    0.063
    """
    if not n_before or not n_after:
        return 1.0
    table = [[after, n_after - after], [before, n_before - before]]
    return float(stats.fisher_exact(table, alternative="greater").pvalue)


def p_of_unseen(counts: dict[str, int], n_unseen: int, n_after: int) -> float:
    """How likely so many rows are of categories that never came before, if nothing changed.

    The chance that the next row is of a new category is the share of rows whose category came once (Good and Turing),
    here with one such row more, so that it is never zero.

    Examples
    --------
    >>> from blindauc.analysis.drift import p_of_unseen
    >>> round(p_of_unseen({"a": 998, "b": 1}, n_unseen=1, n_after=100), 2), p_of_unseen({"a": 999}, 10, 100) < 1e-9
    (0.18, True)
    """
    if not n_unseen:
        return 1.0
    n_once = sum(count == 1 for count in counts.values())
    rate = min((n_once + 1) / (sum(counts.values()) + 1), 1.0)
    return float(stats.binomtest(n_unseen, n_after, rate, alternative="greater").pvalue)


def p_of_less(before: float, error_before: float, after: float, error_after: float) -> float:
    """How likely an estimate seems to have fallen so far by chance, from the standard errors of both."""
    error = math.hypot(error_before, error_after)
    return float(stats.norm.cdf((after - before) / error)) if error else float(after >= before)
