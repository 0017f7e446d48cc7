"""Comparisons with simpler methods as text, shared by the terminal, the report, notebooks and `summary()`."""

from __future__ import annotations

from typing import Protocol

from blindauc.estimate import Estimate
from blindauc.report.findings import Interval

SIMPLER_TELLS_NO_WRONG_LABELS = "A simpler ranking does not tell which labels are wrong."
"""Printed beside every comparison: a baseline that ranks as well still does not find wrong labels."""


MOST_DIGITS = 9
"""Decimals of a difference at most (convention)."""


class Compared(Protocol):
    """A simpler method and the advantage over it: `Baseline` of a report or `Comparison` of a fit."""

    @property
    def name(self) -> str: ...

    @property
    def advantage(self) -> Interval | Estimate: ...


def verdict(simpler: Compared) -> str:
    """The result of the comparison with a simpler method, as a sentence without its full stop.

    Parameters
    ----------
    simpler : Compared

    Examples
    --------
    >>> from blindauc.report import Baseline, Interval
    >>> from blindauc.report.comparing import verdict
    >>> verdict(Baseline("a t-test", 0.83, Interval(0.004, -0.01, 0.02), is_as_good=True))
    'against a t-test no difference could be shown (difference 0.004, 95 % interval -0.010 to 0.020)'
    >>> verdict(Baseline("a t-test", 0.8, Interval(0.041, 0.018, 0.066), is_as_good=False))
    'a t-test ranks worse by 0.041 (95 % interval 0.018 to 0.066)'
    """
    by = simpler.advantage
    value = by.value if isinstance(by, Interval) else float(by)
    if by.low <= 0 <= by.high:
        difference = with_interval(value, by.low, by.high, ", ")
        return f"against {simpler.name} no difference could be shown (difference {difference})"
    if value > 0:
        return f"{simpler.name} ranks worse by {with_interval(value, by.low, by.high, ' (')})"
    return f"{simpler.name} ranks better by {with_interval(-value, -by.high, -by.low, ' (')})"


def with_interval(value: float, low: float, high: float, between: str) -> str:
    """A difference and its interval as text, with an ASCII minus because terminals show it, and no negative zero.

    Examples
    --------
    >>> from blindauc.report.comparing import with_interval
    >>> with_interval(0.00213, 0.00014, 0.00412, " (") + ")"
    '0.0021 (95 % interval 0.0001 to 0.0041)'
    """
    digits = enough_digits(low, high)
    value, low, high = (round(number, digits) + 0.0 for number in (value, low, high))
    return f"{value:.{digits}f}{between}95 % interval {low:.{digits}f} to {high:.{digits}f}"


def enough_digits(low: float, high: float) -> int:
    """The decimals of an interval that show on which side of zero its ends are: three, or more for an end near zero.

    Examples
    --------
    >>> from blindauc.report.comparing import enough_digits
    >>> enough_digits(0.018, 0.066), enough_digits(-0.00004, 0.059), enough_digits(0.0, 0.059)
    (3, 5, 3)
    """
    ends = [end for end in (low, high) if end != 0]
    return next((digits for digits in range(3, MOST_DIGITS) if all(round(end, digits) for end in ends)), MOST_DIGITS)
