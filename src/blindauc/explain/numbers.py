"""Rounded numbers and dates for sentences."""

from __future__ import annotations

import math

import numpy as np

DOUBLE_DIGITS = 15
"""Decimal digits that survive the conversion to a double and back (DBL_DIG)."""

MOST_DAYS = 3_000_000
"""Larger numbers of days since 1970-01-01 (from the year 10183 on) are not written as dates (convention)."""


def roundest(near: float, low: float, high: float) -> str:
    """The number in [low, high] with the fewest digits, as text.

    Of several such numbers, one whose last digit is 5 or 0 is preferred, and then the one nearest to `near`.

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
    # Whole numbers are divided, because 3 / 10 == 0.3, but 3 * 0.1 != 0.3.
    power = 10 ** abs(exponent)
    return [
        float(whole * digit * power) if exponent >= 0 else whole * digit / power
        for whole in (math.floor(count), math.ceil(count))
    ]


def _written(number: float, exponent: int) -> str:
    """A multiple of 10^exponent as text, with no more digits than it needs."""
    if number == 0:
        return "0"
    if 1e-4 <= abs(number) < 1e7:
        return f"{number:.{max(-exponent, 0)}f}"
    return f"{number:.{max(math.floor(math.log10(abs(number))) - exponent + 1, 1)}g}"


def date_of(days: float) -> str | None:
    """The ISO date of a number of days since 1970-01-01; None if it is out of range.

    Examples
    --------
    >>> from blindauc.explain.numbers import date_of
    >>> date_of(18322.5)
    '2020-03-01'
    """
    return str(np.datetime64(math.floor(days), "D")) if abs(days) < MOST_DAYS else None
