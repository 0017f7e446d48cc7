"""Numbers, shares and column effects as text."""

from __future__ import annotations

import math
import re
from typing import Any

from blindauc.estimate import Estimate
from blindauc.report.elements import Markup, tag
from blindauc.report.findings import Feature, Interval

NOTHING = "\u2013"
"""An en dash in the place of a number that is not known."""

MINUS = "\u2212"
"""The typographic minus sign."""

PERCENT = "\u00a0%"
"""With a no-break space before it."""

TURNS = 0.5
"""A column has no direction if a line leaves a larger share of its effect's variance unexplained (convention)."""

BOTH_WAYS = "up or down"
"""Printed in the place of a direction where the effect rises and falls."""


def number(value: float, digits: int = 3) -> str:
    """A number with `digits` decimals and a typographic minus.

    Examples
    --------
    >>> from blindauc.report.words import NOTHING, number
    >>> number(0.8714, 2), number(1234, 0), number(float("nan")) == NOTHING
    ('0.87', '1,234', True)
    """
    return f"{value:,.{digits}f}".replace("-", MINUS) if math.isfinite(value) else NOTHING


def sign(value: float) -> str:
    """The sign of a number as a character; zero counts as positive.

    Examples
    --------
    >>> from blindauc.report.words import sign
    >>> sign(0.3)
    '+'
    """
    return MINUS if value < 0 else "+"


def signed(value: float, digits: int = 2) -> str:
    """A number with an explicit sign; a rounded zero has none.

    Examples
    --------
    >>> from blindauc.report.words import signed
    >>> signed(0.314), signed(-0.001)
    ('+0.31', '0.00')
    """
    rounded = round(value, digits)
    return f"{sign(rounded) if rounded else ''}{number(abs(rounded), digits)}"


def short(value: float) -> str:
    """A number of any size in a few characters.

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
    """A share in percent, with one decimal if it is below 10 %.

    Examples
    --------
    >>> from blindauc.report.words import percent
    >>> [percent(share).replace(chr(160), " ") for share in (0.183, 0.0312, 0.0)]
    ['18 %', '3.1 %', '0 %']
    """
    return bare_percent(share) + PERCENT


def bare_percent(share: float) -> str:
    """A share in percent, without the percent sign."""
    if not math.isfinite(share):
        return NOTHING
    per_hundred = 100 * share
    return number(per_hundred, 1 if 0 < round(abs(per_hundred), 1) < 9.95 else 0)


def percent_range(interval: Interval | Estimate) -> str:
    """An interval of shares in percent."""
    return f"{bare_percent(interval.low)} to {percent(interval.high)}"


def number_range(interval: Interval | Estimate, digits: int = 2) -> str:
    """An interval as "low to high"."""
    return f"{number(interval.low, digits)} to {number(interval.high, digits)}"


def count(n: int, one: str, many: str) -> str:
    """A count with its noun, singular or plural.

    Examples
    --------
    >>> from blindauc.report.words import count
    >>> count(1, "row", "rows"), count(1234, "row", "rows")
    ('1 row', '1,234 rows')
    """
    return f"{n:,} {one if n == 1 else many}"


def were(n: int) -> str:
    """The verb after a count: "was" or "were"."""
    return "was" if n == 1 else "were"


def stepped(feature: Feature) -> str:
    """The step that a column's effect is stated for: one standard deviation in its own units, or a yes.

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
    """How far a row in the middle of the ranking moves if a column changes by its step.

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
    """Whether a line leaves most of a column's effect unexplained, so that neither "up" nor "down" describes it."""
    return feature.bends > TURNS


def moved(feature: Feature) -> str:
    """The effect of a column on a row in the middle of the ranking, as text.

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
    """Rounded to three significant digits; from 1000 on, to a whole number."""
    return float(f"{value:.3g}") if abs(value) < 1000 else float(round(value))


def plain(value: Any) -> str:
    """The value of a parameter as one line of text.

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
    """A name from the data as HTML, isolated from the text around it (`bdi`), as it may be written right to left.

    Lines may break after underscores, equal signs and slashes.

    Examples
    --------
    >>> from blindauc.report.words import name
    >>> name("day_3")
    '<bdi class="name">day_<wbr>3</bdi>'
    """
    first, *rest = re.split(r"(?<=[_=/])(?=.)", text)
    return tag("bdi", first, [(tag("wbr"), part) for part in rest], class_="name")
