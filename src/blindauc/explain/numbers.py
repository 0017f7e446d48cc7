"""Numbers and dates as people say them."""

from __future__ import annotations

import math

import numpy as np

DOUBLE_DIGITS = 15
"""Decimal digits that every double keeps."""

MOST_DAYS = 3_000_000
"""Dates of more days before or after 1970, in the year 10183 say, are no dates."""


def roundest(near: float, low: float, high: float) -> str:
    """The number from low to high with the fewest digits, and 5 as the last of them if it can be, nearest to another.

    Examples
    --------
    >>> from blindauc.explain.numbers import roundest
    >>> roundest(37.93, 37.8, 38.1), roundest(1013.21, 1013.1, 1013.3), roundest(0.0312, 0.029, 0.033)
    ('38', '1013.2', '0.03')
    >>> roundest(12345.6, 12000, 13000), roundest(1.51e9, 1.4e9, 1.6e9), roundest(0.1, -0.5, 0.5)
    ('12000', '1.5e+09', '0')
    """
    size = max(abs(low), abs(high))
    if not 1e-290 < size < 1e290:
        return f"{near:.3g}"
    largest = math.floor(math.log10(size)) + 1
    for exponent in range(largest, largest - DOUBLE_DIGITS - 1, -1):
        for digit in (5, 1):
            inside = [number for number in _multiples(near, digit, exponent) if low <= number <= high]
            if inside:
                return _written(min(inside, key=lambda number: abs(number - near)), exponent)
    return repr(float(near))


def _multiples(near: float, digit: int, exponent: int) -> list[float]:
    """The multiples of digit * 10^exponent next to a number."""
    count = near / 10.0**exponent / digit
    # Whole numbers, so that 3 * 0.1 is 0.3.
    power = 10 ** abs(exponent)
    return [
        float(whole * digit * power) if exponent >= 0 else whole * digit / power
        for whole in (math.floor(count), math.ceil(count))
    ]


def _written(number: float, exponent: int) -> str:
    """A multiple of a power of ten with no digits behind it."""
    if number == 0:
        return "0"
    if 1e-4 <= abs(number) < 1e7:
        return f"{number:.{max(-exponent, 0)}f}"
    return f"{number:.{max(math.floor(math.log10(abs(number))) - exponent + 1, 1)}g}"


def date_of(days: float) -> str | None:
    """The date so many days after 1970-01-01, or before it; None where no calendar goes so far.

    Examples
    --------
    >>> from blindauc.explain.numbers import date_of
    >>> date_of(18322.5)
    '2020-03-01'
    """
    return str(np.datetime64(math.floor(days), "D")) if abs(days) < MOST_DAYS else None
