"""Axis ticks and value formats of a column: numbers, dates, or yes and no."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta

from blindauc.report.charts import round_steps
from blindauc.report.frame import Tick
from blindauc.report.words import MINUS, short

EPOCH = date(1970, 1, 1)
"""Day zero of date columns, as in NumPy and pandas."""

MONTH, YEAR = 30.44, 365.25
"""Mean lengths in days."""

MOST_DATES = 6
"""The most date ticks of an axis (convention)."""

MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000)
"""Distances between date ticks, in months: divisors and multiples of a year (convention)."""

LETTER = 7.0
"""Width of a character in chart units on a phone, where text is largest relative to the chart."""

LEAST_DIGITS = 3
"""Significant digits of a number (convention); values whose leading digits agree get more."""


def day(days: float) -> date:
    """The date of a number of days since 1970-01-01.

    Examples
    --------
    >>> from blindauc.report.scales import day
    >>> day(19000.4).isoformat()
    '2022-01-08'
    """
    return EPOCH + timedelta(days=math.floor(days))


def value_formatter(unit: str, values: Sequence[float]) -> Callable[[float], str]:
    """A function that formats the values of a column as text.

    Parameters
    ----------
    unit : str
        The unit of the column, as in `EffectCurve`.
    values : sequence of float
        Values of the column. Numbers get enough digits to distinguish these.

    Examples
    --------
    >>> from blindauc.report.scales import value_formatter
    >>> value_formatter("", [36.2, 40.1])(37.1842), value_formatter("", [2015, 2024])(2019)
    ('37.18', '2019')
    >>> value_formatter("", [0, 9e4])(12345.0)
    '12,300'
    >>> value_formatter("yes", [0, 1])(1.0), value_formatter("days", [0, 9])(365.0)
    ('yes', '1971-01-01')
    """
    if unit == "yes":
        return lambda value: {0.0: "no", 1.0: "yes"}.get(value, short(value))
    if unit == "days":
        return lambda value: day(value).isoformat()
    largest, span = max(map(abs, values)), max(values) - min(values)
    digits = LEAST_DIGITS
    if largest > span > 0:
        digits = min(LEAST_DIGITS - 1 + math.ceil(math.log10(largest / span)), 15)
    return lambda value: _number(value, max(digits, LEAST_DIGITS))


def _number(value: float, digits: int) -> str:
    rounded = float(f"{value:.{digits}g}")
    if rounded and not 1e-3 <= abs(rounded) < 10.0 ** max(6, digits):
        mantissa, _, exponent = f"{rounded:.14e}".partition("e")
        return f"{float(mantissa):.15g}e{int(exponent)}".replace("-", MINUS)
    # No comma in four digits: they may be a year.
    return f"{rounded:{',' if abs(rounded) >= 1e4 else ''}.15g}".replace("-", MINUS)


def ticks(unit: str, low: float, high: float, width: float) -> list[Tick]:
    """Ticks at round values within a range, as many as fit below an axis of this width.

    Examples
    --------
    >>> from blindauc.report.scales import ticks
    >>> [tick.text for tick in ticks("", 35.8, 40.3, 280)]
    ['36', '37', '38', '39', '40']
    >>> [tick.text for tick in ticks("days", 18993, 19600, 280)]
    ['Jan 2022', 'Jul 2022', 'Jan 2023', 'Jul 2023']
    """
    if unit == "days":
        return fitting(_dates(low, high), width)
    steps = round_steps(low, high)
    format_value = value_formatter(unit, steps or [low, high])
    return fitting([Tick(at, format_value(at)) for at in steps], width)


def fitting(every: Sequence[Tick], width: float) -> list[Tick]:
    """Every k-th tick, with the smallest k for which the texts do not overlap.

    Examples
    --------
    >>> from blindauc.report.frame import Tick
    >>> from blindauc.report.scales import fitting
    >>> [tick.text for tick in fitting([Tick(i, f"{i}000000000") for i in range(6)], 280)]
    ['0000000000', '2000000000', '4000000000']
    """
    longest = max((len(tick.text) for tick in every), default=0)
    room = max(1, int(width / (LETTER * (longest + 1))))
    return list(every[:: math.ceil(len(every) / room) or 1])


def _dates(low: float, high: float) -> list[Tick]:
    """Ticks at days, or at the first days of months or years."""
    span = high - low
    if span < 2 * MONTH:
        days = [at for at in round_steps(low, high) if at == round(at)]
        return [Tick(at, f"{day(at).day} {day(at):%b %Y}") for at in days]
    step = next((months for months in MONTHS if span / (months * MONTH) <= MOST_DATES), MONTHS[-1])
    pattern = "%Y" if step % 12 == 0 else "%b %Y"
    return [Tick(float((each - EPOCH).days), f"{each:{pattern}}") for each in _firsts(low, high, step)]


def _firsts(low: float, high: float, step: int) -> Iterator[date]:
    """The first day of every `step`-th month within a range."""
    start, end = day(math.ceil(low)), day(high)
    for month in range(12 * start.year // step * step, 12 * end.year + 12, step):
        if month >= 12 and start <= (first := date(month // 12, month % 12 + 1, 1)) <= end:
            yield first
