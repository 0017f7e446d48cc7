"""Expected counts among the first k rows of a list, as numbers and as text."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

from blindauc.report.findings import Expected, Findings

ROWS_FIRST, LABELS_FIRST = 50, 20
"""The number of rows, and of labels, that the page refers to if the user gave no capacity (convention)."""


def among_first(curve: Sequence[Expected], k: int) -> Expected:
    """The expected count among the first k rows, by linear interpolation.

    Parameters
    ----------
    curve : sequence of Expected
        At least one, in increasing order of k.
    k : int
        Values beyond the end of the curve are clipped to it.

    Examples
    --------
    >>> from blindauc.report import Expected
    >>> from blindauc.report.counting import among_first
    >>> among_first([Expected(1, 0.9, 0.5, 1.0), Expected(11, 5.9, 4.5, 8.0)], 3)
    Expected(k=3, value=1.9, low=1.3, high=2.4)
    """
    k = min(k, curve[-1].k)
    right = bisect_left(curve, k, key=lambda each: each.k)
    if curve[right].k == k:
        return curve[right]
    before, after = curve[right - 1] if right else Expected(0, 0.0, 0.0, 0.0), curve[right]
    part = (k - before.k) / (after.k - before.k)
    ends = ((before.value, after.value), (before.low, after.low), (before.high, after.high))
    return Expected(k, *(round(start + part * (end - start), 9) for start, end in ends))


def positives_first(findings: Findings) -> Expected | None:
    """The expected positives among the rows that can be checked; None if they could not be estimated."""
    curve = findings.found if findings.is_auc_known else []
    return among_first(curve, findings.capacity or ROWS_FIRST) if curve else None


def wrong_first(findings: Findings) -> Expected | None:
    """The expected wrong labels among the most suspicious ones; None if they could not be estimated."""
    curve = findings.wrong if findings.is_auc_known else []
    # Checked labels are at the end of the list. Their status is known, so they are not counted as labels to check.
    n_open = len(findings.doubts) - (0 if findings.checks is None else findings.checks.n_labels)
    return among_first(curve, min(LABELS_FIRST, n_open) if n_open > 0 else LABELS_FIRST) if curve else None


def whole_range(low: float, high: float) -> str:
    """An interval rounded outwards to whole numbers, as text.

    Examples
    --------
    >>> from blindauc.report.counting import whole_range
    >>> whole_range(5.8, 14.2), whole_range(0.0, 1234.0)
    ('5 to 15', '0 to 1,234')
    """
    return f"{math.floor(low + 1e-9):,} to {math.ceil(high - 1e-9):,}"


def how_many(expected: Expected, *, is_known: bool) -> str:
    """An expected count with its interval as text, or the interval alone where the count is not known.

    Examples
    --------
    >>> from blindauc.report import Expected
    >>> from blindauc.report.counting import how_many
    >>> how_many(Expected(20, 10.7, 6.1, 14.9), is_known=True)
    'about 11 (95 % interval 6 to 15)'
    >>> how_many(Expected(200, 152.0, 3.2, 180.0), is_known=False)
    'from 3 to 180'
    """
    between = whole_range(expected.low, expected.high)
    return f"about {round(expected.value):,} (95 % interval {between})" if is_known else f"from {between}"
