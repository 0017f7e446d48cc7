"""Numbers as people read them."""

from __future__ import annotations

import math
import re
from typing import Any

from blindauc.estimate import Estimate
from blindauc.report.elements import Markup, tag
from blindauc.report.findings import Feature, Interval

NOTHING = "\u2013"
MINUS = "\u2212"
PERCENT = "\u00a0%"
"""With a space before it that does not break."""

TURNS = 0.5
"""A column of which a straight line misses a larger share of what it does has no direction (convention)."""

BOTH_WAYS = "up or down"
"""What is written in the place of a direction: by its value, the column does both."""


def number(value: float, digits: int = 3) -> str:
    """A number with so many digits after the point, and a true minus.

    Examples
    --------
    >>> from blindauc.report.words import NOTHING, number
    >>> number(0.8714, 2), number(1234, 0), number(float("nan")) == NOTHING
    ('0.87', '1,234', True)
    """
    return f"{value:,.{digits}f}".replace("-", MINUS) if math.isfinite(value) else NOTHING


def sign(value: float) -> str:
    """Which way something speaks.

    Examples
    --------
    >>> from blindauc.report.words import sign
    >>> sign(0.3)
    '+'
    """
    return MINUS if value < 0 else "+"


def signed(value: float, digits: int = 2) -> str:
    """A number with its sign, and none before a zero.

    Examples
    --------
    >>> from blindauc.report.words import signed
    >>> signed(0.314), signed(-0.001)
    ('+0.31', '0.00')
    """
    rounded = round(value, digits)
    return f"{sign(rounded) if rounded else ''}{number(abs(rounded), digits)}"


def short(value: float) -> str:
    """A number that may be large, small or whole, in a few characters.

    Examples
    --------
    >>> from blindauc.report.words import short
    >>> short(20.0), short(0.001), short(2.5e7)
    ('20', '0.001', '2.5e7')
    """
    if not math.isfinite(value):
        return NOTHING
    text = f"{value:,.0f}" if value == round(value) and abs(value) < 1e6 else f"{value:.3g}"
    mantissa, _, exponent = text.partition("e")
    return (f"{mantissa}e{int(exponent)}" if exponent else text).replace("-", MINUS)


def percent(share: float) -> str:
    """A share in percent, with a digit after the point where it is small.

    Examples
    --------
    >>> from blindauc.report.words import percent
    >>> [percent(share).replace(chr(160), " ") for share in (0.183, 0.0312, 0.0)]
    ['18 %', '3.1 %', '0 %']
    """
    return bare_percent(share) + PERCENT


def bare_percent(share: float) -> str:
    """The number in front of the sign."""
    if not math.isfinite(share):
        return NOTHING
    per_hundred = 100 * share
    return number(per_hundred, 1 if 0 < round(abs(per_hundred), 1) < 9.95 else 0)


def percent_range(interval: Interval | Estimate) -> str:
    """From where to where, in percent."""
    return f"{bare_percent(interval.low)} to {percent(interval.high)}"


def number_range(interval: Interval | Estimate, digits: int = 2) -> str:
    """From where to where."""
    return f"{number(interval.low, digits)} to {number(interval.high, digits)}"


def count(n: int, one: str, many: str) -> str:
    """So many of something.

    Examples
    --------
    >>> from blindauc.report.words import count
    >>> count(1, "row", "rows"), count(1234, "row", "rows")
    ('1 row', '1,234 rows')
    """
    return f"{n:,} {one if n == 1 else many}"


def stepped(feature: Feature) -> str:
    """How much more of a column is meant: one standard deviation in its own units, or that it is so.

    Examples
    --------
    >>> from blindauc.report import Feature
    >>> from blindauc.report.words import stepped
    >>> stepped(Feature("age", "age", 0.4, 1.0, True, None, 12.34, "", 0.1))
    '+12.3'
    >>> stepped(Feature("sex=F", "sex", 0.4, 1.0, True, None, 1.0, "yes", 0.1))
    'yes'
    """
    return feature.unit if feature.unit == "yes" else f"+{short(_three_digits(feature.step))} {feature.unit}".rstrip()


def climbed(feature: Feature) -> str:
    """How far a row in the middle of the ranking goes up or down by a step.

    Examples
    --------
    >>> from blindauc.report import Feature
    >>> from blindauc.report.words import climbed
    >>> climbed(Feature("age", "age", -0.4, 1.0, True, None, 12.34, "", -0.18)).replace(chr(160), " ")
    'down 18 %'
    """
    if feature.climb == 0:
        return "no move"
    return f"{'up' if feature.climb > 0 else 'down'} {percent(abs(feature.climb))}"


def does_turn(feature: Feature) -> bool:
    """Whether a straight line misses most of what a column does, so that neither "up" nor "down" would be right."""
    return feature.bends > TURNS


def moved(feature: Feature) -> str:
    """What a column does to a row in the middle of the ranking.

    Examples
    --------
    >>> from blindauc.report import Feature
    >>> from blindauc.report.words import moved
    >>> moved(Feature("age", "age", -0.4, 1.0, True, None, 12.34, "", -0.18)).replace(chr(160), " ")
    '+12.3: down 18 %'
    >>> moved(Feature("age", "age", 0.4, 1.0, True, None, 12.34, "", 0.02, bends=0.9))
    'up or down'
    """
    return BOTH_WAYS if does_turn(feature) else f"{stepped(feature)}: {climbed(feature)}"


def _three_digits(value: float) -> float:
    """Rounded to three digits, or to a whole number where it has more before the point."""
    return float(f"{value:.3g}") if abs(value) < 1000 else float(round(value))


def plain(value: Any) -> str:
    """Whatever a parameter may be, on one line.

    Examples
    --------
    >>> from blindauc.report.words import plain
    >>> plain({"numpy": "2.3", "drop": []}), plain([0.1, None]), plain(True)
    ('numpy: 2.3, drop: none', '0.1, none', 'yes')
    """
    if isinstance(value, dict):
        return ", ".join(f"{key}: {plain(each)}" for key, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value)) or "none"
    if isinstance(value, float):
        return short(value)
    return {None: "none", True: "yes", False: "no"}[value] if value is None or isinstance(value, bool) else str(value)


def name(text: str) -> Markup:
    """A name from the data, kept apart from the sentence around it, whatever direction it is written in.

    Lines may break after the marks that names use for spaces.

    Examples
    --------
    >>> from blindauc.report.words import name
    >>> name("day_3")
    '<bdi class="name">day_<wbr>3</bdi>'
    """
    first, *rest = re.split(r"(?<=[_=/])(?=.)", text)
    return tag("bdi", first, [(tag("wbr"), part) for part in rest], class_="name")
