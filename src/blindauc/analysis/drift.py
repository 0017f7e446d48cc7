r"""Tests of whether a distribution changed from one sample to another, with the size of the change.

The size is the population stability index,

    PSI = \sum_k (q_k - p_k) \log(q_k / p_k)

of the shares p_k before and q_k after. By convention 0.1 is a moderate change and 0.25 a large one. The p-value comes
from a chi-squared test of the two rows of counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from blindauc._typing import Floats

MODERATE_PSI = 0.1
"""Population stability index of a moderate change (convention)."""

LEAST_EXPECTED = 5.0
"""Smallest expected count of a bin: with fewer, the chi-squared approximation is poor (Cochran's rule)."""


class Change(NamedTuple):
    """Population stability index of two rows of counts, and the p-value of a chi-squared test."""

    psi: float
    p_value: float


def change_of_numbers(before: Sequence[int], after: Sequence[int]) -> Change:
    """The change of counts in ordered bins; neighbouring bins are merged if their expected counts are too small.

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
    # Merge by shares before, not by the number of bins: a bin of a repeated value may be large.
    upto = np.cumsum(was) - was / 2
    place = np.minimum((upto / was.sum() * n_bins).astype(int), n_bins - 1)
    return _change(*(np.bincount(place, counts).astype(np.float64) for counts in (was, now)))


def change_of_categories(before: dict[str, int], after: dict[str, int]) -> Change:
    """The change of counts of the categories that existed before; rare ones are merged.

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
    # Half a row is added to every bin, so that an empty bin does not make the index infinite.
    p, q = ((each + 0.5) / (each + 0.5).sum() for each in counts)
    psi = float((q - p) @ np.log(q / p))
    return Change(psi, float(stats.chi2_contingency(counts, correction=False).pvalue))


def p_of_more(before: int, n_before: int, after: int, n_after: int) -> float:
    """One-sided p-value that a share grew (Fisher's exact test).

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
    """P-value of the number of rows with categories that never occurred before.

    If nothing changed, the probability that the next row has a new category is about the share of rows whose category
    occurred once (Good and Turing). One such row is added, so that the probability is never zero.

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
    """One-sided p-value that an estimate fell, from both standard errors (z-test)."""
    error = math.hypot(error_before, error_after)
    return float(stats.norm.cdf((after - before) / error)) if error else float(after >= before)
