"""Charts of effect curves, above the distribution of the column in the unlabelled rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from blindauc.report.charts import round_steps
from blindauc.report.elements import Markup, tag
from blindauc.report.findings import EffectCurve
from blindauc.report.frame import LEFT, RIGHT, Frame, Tick, picture
from blindauc.report.scales import fitting, ticks, value_formatter
from blindauc.report.words import percent, short, sign, signed

FEW_VALUES = 10
"""Up to this many values are drawn as evenly spaced points; more as a curve, unless they are counts (convention)."""

BINS = 30
"""Bars of the distribution beneath a curve; narrower ones would be hard to see on a phone."""

RARE, WIDE = 0.05, 0.7
"""An outermost value is listed but not drawn if it has fewer than 5 % of the rows and would take more than 70 % of the
width (convention)."""

BAND_ROOM = 0.5
"""Bands are cut off where they exceed the curves by more than this share of the range of the curves (convention)."""

STRIP = 0.24
"""The height of the distribution, as a share of the range of the curve above it (convention)."""

WIDTH, HEIGHT = 340.0, 256.0
NO_TITLE = 18.0
"""Height of the x axis title, which is left out: the name of the column is above the chart."""


def drawn(effect: EffectCurve) -> EffectCurve:
    """The curve without outermost values that are far away and rare.

    Examples
    --------
    >>> from blindauc.report import EffectCurve
    >>> from blindauc.report.effect_charts import drawn
    >>> values, none = [i / 2 for i in range(19)] + [900.0], [0.0] * 20
    >>> drawn(EffectCurve("a", "a", values, none, none, none, [0.05] * 19 + [0.01], "", "")).values[-1]
    9.0
    """
    first, last, values = 0, len(effect.values) - 1, effect.values
    while last - first > 1 and not is_discrete(values):
        far = WIDE * (values[last] - values[first])
        if effect.share[last] < RARE and values[last] - values[last - 1] > far:
            last -= 1
        elif effect.share[first] < RARE and values[first + 1] - values[first] > far:
            first += 1
        else:
            break
    kept = slice(first, last + 1)
    return replace(
        effect,
        values=values[kept],
        contribution=effect.contribution[kept],
        low=effect.low[kept],
        high=effect.high[kept],
        share=effect.share[kept],
    )


def common_range(effects: Sequence[EffectCurve]) -> tuple[float, float]:
    """The common y range of all charts: it holds all curves, and their bands unless these are very wide.

    Examples
    --------
    >>> from blindauc.report import EffectCurve
    >>> from blindauc.report.effect_charts import common_range
    >>> common_range([EffectCurve("a", "a", [0, 1], [-1, 1], [-9, 0.5], [-0.5, 1.5], [0.5, 0.5], "yes", "")])
    (-2.0, 1.5)
    """
    shown = [drawn(effect) for effect in effects]
    reached = [0.0, *(value for effect in shown for value in effect.contribution)]
    low, high = min(reached), max(reached)
    room = BAND_ROOM * (high - low) or 1.0
    lowest, highest = min(min(effect.low) for effect in shown), max(max(effect.high) for effect in shown)
    low, high = min(low, max(lowest, low - room)), max(high, min(highest, high + room))
    return (low, high) if low < high else (-1.0, 1.0)


def effect_chart(effect: EffectCurve, y_range: tuple[float, float], marked: float | None = None) -> Markup:
    """A curve with its band, or points with whiskers for few values, above the distribution of the rows.

    Parameters
    ----------
    effect : EffectCurve
    y_range : tuple of float
        The range of all charts, from `common_range`.
    marked : float, optional
        The value of one row, to be marked; a value beyond the chart is marked at its end.
    """
    shown = drawn(effect)
    return _points(shown, y_range, marked) if is_discrete(effect.values) else _curve(shown, y_range, marked)


def is_discrete(values: Sequence[float]) -> bool:
    """Whether the values are discrete: few of them, or consecutive whole numbers.

    Examples
    --------
    >>> from blindauc.report.effect_charts import is_discrete
    >>> is_discrete([0, 1]), is_discrete(range(15)), is_discrete([i / 2 for i in range(20)])
    (True, True, False)
    """
    return len(values) <= FEW_VALUES or all(right - left == 1 for left, right in pairwise(values))


def _curve(effect: EffectCurve, y_range: tuple[float, float], marked: float | None) -> Markup:
    x_range = effect.values[0], effect.values[-1]
    frame = _frame(x_range, y_range)
    edges = np.linspace(*x_range, BINS + 1).tolist()
    return _chart(
        frame,
        effect,
        ticks(effect.unit, *x_range, WIDTH - LEFT - RIGHT),
        _rows(frame, list(pairwise(edges)), densities(effect)),
        [
            frame.band(effect.values, _cut(effect.low, y_range), _cut(effect.high, y_range)),
            _zero(frame),
            frame.line(effect.values, effect.contribution, class_="curve"),
            [] if marked is None else _here(frame, min(max(marked, x_range[0]), x_range[1]), effect.values, effect),
        ],
        [
            frame.spot(value, y, tip)
            for value, y, tip in zip(effect.values, effect.contribution, _tips(effect), strict=True)
        ],
    )


def _points(effect: EffectCurve, y_range: tuple[float, float], marked: float | None) -> Markup:
    places = [float(place) for place in range(len(effect.values))]
    frame = _frame((-0.6, len(places) - 0.4), y_range)
    format_value = value_formatter(effect.unit, effect.values)
    names = [Tick(place, format_value(value)) for place, value in zip(places, effect.values, strict=True)]
    return _chart(
        frame,
        effect,
        fitting(names, WIDTH - LEFT - RIGHT),
        _rows(frame, [(place - 0.35, place + 0.35) for place in places], effect.share),
        [
            _zero(frame),
            frame.line(places, effect.contribution, class_="chance"),
            [
                _whisker(frame, place, low, high)
                for place, low, high in zip(places, _cut(effect.low, y_range), _cut(effect.high, y_range), strict=True)
            ],
            [
                tag("circle", cx=frame.x(place), cy=frame.y(y), r=4, class_="point")
                for place, y in zip(places, effect.contribution, strict=True)
            ],
            [] if marked is None else _here(frame, float(np.interp(marked, effect.values, places)), places, effect),
        ],
        [frame.spot(place, y, tip) for place, y, tip in zip(places, effect.contribution, _tips(effect), strict=True)],
    )


def _here(frame: Frame, at: float, places: Sequence[float], effect: EffectCurve) -> list[Markup]:
    """The marker of one row: a line and a point on the curve."""
    x, y = frame.x(at), frame.y(float(np.interp(at, places, effect.contribution)))
    bottom, top = (frame.y(end) for end in frame.y_range)
    return [tag("line", x1=x, x2=x, y1=top, y2=bottom, class_="here"), tag("circle", cx=x, cy=y, r=6, class_="here")]


def _cut(limits: Sequence[float], y_range: tuple[float, float]) -> list[float]:
    """The limits of a band, clipped to the chart."""
    low, high = y_range
    return [min(max(limit, low), high) for limit in limits]


def _frame(x_range: tuple[float, float], y_range: tuple[float, float]) -> Frame:
    """A frame with room for the distribution below the common range."""
    low, high = y_range
    return Frame(WIDTH, HEIGHT, x_range, (low - STRIP * (high - low), high))


def _chart(
    frame: Frame,
    effect: EffectCurve,
    x_ticks: Sequence[Tick],
    bars: Markup,
    curve: Sequence[Markup | list[Markup]],
    spots: Sequence[Markup],
) -> Markup:
    bottom, top = frame.y_range
    low = bottom + STRIP / (1 + STRIP) * (top - bottom)
    y_ticks = [Tick(at, f"{sign(at)}{short(abs(at))}" if at else "0") for at in round_steps(low, top)]
    return picture(
        WIDTH,
        HEIGHT - NO_TITLE,
        f"What {effect.column} adds to the score",
        frame.axes(x_ticks, y_ticks, "", "adds to the score"),
        bars,
        curve,
        spots,
    )


def _zero(frame: Frame) -> Markup:
    """The line at zero, the mean over the unlabelled rows."""
    return tag("line", x1=LEFT, x2=frame.width - RIGHT, y1=frame.y(0), y2=frame.y(0), class_="zero")


def _rows(frame: Frame, between: Sequence[tuple[float, float]], shares: Sequence[float]) -> Markup:
    """The distribution as bars at the bottom of the chart."""
    bottom, tallest = frame.y_range[0], max(shares) or 1.0
    unit = 0.9 * STRIP / (1 + STRIP) * (frame.y_range[1] - bottom) / tallest
    x = [side for left, right in between for side in (left, left, right, right)]
    y = [height for share in shares for height in (bottom, bottom + unit * share, bottom + unit * share, bottom)]
    return tag("polygon", points=frame.points(x, y), class_="rows")


def _whisker(frame: Frame, x: float, low: float, high: float) -> Markup:
    at = frame.x(x)
    return tag("line", x1=at, x2=at, y1=frame.y(low), y2=frame.y(high), class_="reach")


def _tips(effect: EffectCurve) -> Iterator[str]:
    for value, adds, low, high, share in curve_rows(effect):
        yield f"{value}: adds {adds}\n95 % interval {low} to {high}\n{share} of the unlabelled rows"


def curve_rows(effect: EffectCurve) -> list[tuple[str, str, str, str, str]]:
    """The rows of a curve's table as text: value, contribution, its limits, and the share of rows nearest to it.

    Examples
    --------
    >>> from blindauc.report import EffectCurve
    >>> from blindauc.report.effect_charts import curve_rows
    >>> curve_rows(EffectCurve("a", "a", [0, 1], [-0.2, 0.6], [-0.3, 0.5], [-0.1, 0.7], [0.75, 0.25], "yes", ""))[1][:4]
    ('yes', '+0.60', '+0.50', '+0.70')
    """
    format_value = value_formatter(effect.unit, effect.values)
    rows = zip(effect.values, effect.contribution, effect.low, effect.high, effect.share, strict=True)
    return [
        (format_value(value), signed(y), signed(low), signed(high), percent(part)) for value, y, low, high, part in rows
    ]


def densities(effect: EffectCurve) -> list[float]:
    """The share of the rows in each of `BINS` bins of equal width, from the first value to the last.

    The rows of a value are spread evenly between the midpoints to its neighbours, and not beyond the outermost values.
    The shares themselves would look flat: values are quantiles, which are dense where rows are many.

    Examples
    --------
    >>> from blindauc.report import EffectCurve
    >>> from blindauc.report.effect_charts import densities
    >>> few = [0.0] * 3
    >>> bars = densities(EffectCurve("a", "a", [0.0, 1.0, 3.0], few, few, few, [0.25, 0.5, 0.25], "", ""))
    >>> [round(sum(bars[i : i + 5]), 6) for i in range(0, 30, 5)]  # 0 to 0.5, 0.5 to 1 and so on
    [0.25, 0.166667, 0.166667, 0.166667, 0.125, 0.125]
    """
    values = effect.values
    edges = [values[0], *((left + right) / 2 for left, right in pairwise(values)), values[-1]]
    below = np.interp(np.linspace(values[0], values[-1], BINS + 1), edges, np.cumsum([0.0, *effect.share]))
    return np.diff(below).tolist()
