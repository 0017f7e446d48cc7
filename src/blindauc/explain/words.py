"""One-sentence descriptions of effect curves.

The sentence names the simplest of the shapes of `shapes.py` that fits the curve where most of the data are. An
additional piece of a shape must explain a further 2.5 % of the curve's variance, and more than the variance of the
curve's error. This follows Mallows (Some comments on C_p, Technometrics 1973), but counts the errors of a whole curve
as one, because errors of neighbouring values are correlated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from blindauc._typing import Floats
from blindauc.explain.effects import Effect
from blindauc.explain.numbers import date_of, roundest
from blindauc.explain.shapes import Shape, distance_from_line, simplest_shape

UNEXPLAINED = 0.1
"""The share of a curve's variance that a shape may leave unexplained (convention)."""

WORTH_A_PIECE = 0.025
"""The share of a curve's variance that an additional piece of a shape must explain (convention)."""

LEVEL = 0.1
"""A piece of a curve is level if it changes by less than this share of the change of the other piece (convention)."""

TAIL = 0.05
"""The share of the rows that is ignored at either end of a curve, where few rows determine it (convention)."""

FLAT = 0.01
"""A curve without its ends is flat if its variance is below this share of the whole curve's variance (convention)."""

NEGLIGIBLE = 1e-9
"""Smaller contributions count as rounding errors: scores have a standard deviation of about one."""

HUGE = 1e300
"""The difference of two numbers beyond this may overflow a double."""

MONOTONE = 0.9
"""A curve without a simple shape is called rising or falling if its net change is at least this share of its total
variation (convention)."""


def shape_in_words(effect: Effect, name: str, unit: str = "") -> str:
    """Describe an effect curve in one sentence.

    Parameters
    ----------
    effect : Effect
    name : str
        The name of the column.
    unit : {"", "days", "yes"}, default=""
        "" for numbers, "days" for dates in days since 1970-01-01, "yes" for an indicator (1 is yes, 0 is no).

    Returns
    -------
    str

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.explain import Effect, shape_in_words
    >>> values = np.arange(35.0, 42.0)
    >>> hinge = np.maximum(values - 38, 0) - 6 / 7
    >>> fever = Effect(values, hinge, hinge, hinge, np.full(7, 1 / 7), hinge.std())
    >>> shape_in_words(fever, "temperature")
    'The score rises with temperature above 38.'
    """
    if not _has_effect(effect):
        return f"The score does not depend on {name}."
    curve = _Curve.between(effect, 0, len(effect.values)) if effect.levels else _Curve.of(effect)
    if curve.variance <= curve.noise:
        return f"How the score depends on {name} is not clear: the effect is smaller than its uncertainty."
    if effect.levels:
        return _of_levels(effect, name)
    writer = _SentenceWriter(effect.values, name, unit)
    if len(effect.values) == 2:
        return writer.two_values(curve.heights)
    penalty, tolerance = (max(each * curve.variance, curve.noise) for each in (WORTH_A_PIECE, UNEXPLAINED))
    shape = simplest_shape(curve.values, curve.heights, curve.share, penalty, tolerance)
    return writer.no_shape(curve) if shape is None else writer.shape(shape, curve)


def bends(effect: Effect) -> float:
    """The share of the contribution's variance that a straight line in the value leaves unexplained.

    Values of the grid are weighted by their shares. It is 0 for a straight line, for two values and without an effect,
    and 1 for a category, whose levels lie on no line.

    Parameters
    ----------
    effect : Effect

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.explain import Effect, bends
    >>> values, share = np.array([-1.0, 0.0, 1.0]), np.full(3, 1 / 3)
    >>> valley = np.array([1.0, -2.0, 1.0])
    >>> bends(Effect(values, valley, valley, valley, share, valley.std()))
    1.0
    """
    if not _has_effect(effect):
        return 0.0
    if effect.levels:
        return 1.0
    curve = _Curve.between(effect, 0, len(effect.values))
    unexplained = distance_from_line(curve.values, curve.heights, curve.share)
    # Without reference rows near its values, an effect has no variance.
    return min(unexplained / curve.variance, 1.0) if curve.variance else 0.0


def _has_effect(effect: Effect) -> bool:
    return len(effect.values) > 1 and bool(np.abs(effect.contribution).max() >= NEGLIGIBLE)


def _from_0_to_1(values: Floats) -> Floats:
    # Very large values are divided by 4, because their range could overflow.
    values = values / 4 if np.abs(values).max() > HUGE else values
    return (values - values[0]) / (values[-1] - values[0])


@dataclass(frozen=True)
class _Curve:
    """The part of an effect that is described: `start` is its first index on the grid."""

    start: int
    values: Floats
    heights: Floats
    share: Floats
    noise: float

    @classmethod
    def of(cls, effect: Effect) -> _Curve:
        """The part where most of the data are; the whole curve if that part has at most two values or is flat."""
        whole = cls.between(effect, 0, len(effect.values))
        reached = np.cumsum(effect.share)
        start = int(np.searchsorted(reached, TAIL, "right"))
        end = int(np.searchsorted(reached, 1 - TAIL)) + 1
        bulk = cls.between(effect, start, end) if end - start > 2 else whole
        return bulk if bulk.variance > FLAT * whole.variance else whole

    @classmethod
    def between(cls, effect: Effect, start: int, end: int) -> _Curve:
        places = slice(start, end)
        # Contributions are scaled, because squares of very large numbers would overflow.
        unit = max(np.abs(each).max() for each in (effect.contribution, effect.low, effect.high))
        share = effect.share[places] / effect.share[places].sum()
        deviation = (effect.high[places] / unit - effect.low[places] / unit) / (2 * ndtri(0.975))
        return cls(
            start,
            _from_0_to_1(effect.values[places]),
            effect.contribution[places] / unit,
            share,
            float(share @ deviation**2),
        )

    @property
    def variance(self) -> float:
        return float(self.share @ (self.heights - self.share @ self.heights) ** 2)


@dataclass(frozen=True)
class _SentenceWriter:
    """Writes sentences about one column."""

    values: Floats
    name: str
    unit: str

    def two_values(self, heights: Floats) -> str:
        compared = _compared(heights[1] - heights[0])
        if self.unit == "yes":
            return f"The score is {compared} where {self.name} is yes."
        return f"The score is {compared} where {self.name} is {self._value(1)} than where it is {self._value(0)}."

    def shape(self, shape: Shape, curve: _Curve) -> str:
        """A sentence about a shape of a curve."""
        first, last = (curve.start + place for place in shape.at)
        match shape.kind, shape.slopes:
            case "step", (height,):
                return f"The score is {_compared(height)} where {self.name} is {self._above} {self._gap(first)}."
            case "box", (height,):
                return self._extreme(height > 0, first, last)
            case "ramp", (slope,):
                return f"{self._moves(slope)} {self._between(first, last)}."
            case _, (before, after):
                lengths = curve.values[shape.at[0]], 1 - curve.values[shape.at[1]]
                return self._two_slopes((before, after), lengths, first, last)
            case _:
                return f"{self._moves(shape.slopes[0])}."

    def _two_slopes(self, slopes: tuple[float, float], lengths: tuple[float, float], first: int, last: int) -> str:
        """A sentence about a bend, or about a plateau between the grid indices `first` and `last`."""
        before, after = slopes
        change_before, change_after = (abs(slope) * length for slope, length in zip(slopes, lengths, strict=True))
        if change_after < LEVEL * change_before:
            return f"{self._moves(before)} up to {self._value(first)}."
        if change_before < LEVEL * change_after:
            return f"{self._moves(after)} {self._above} {self._value(last)}."
        if before * after < 0:
            return self._extreme(before > 0, first, last)
        if first < last:
            return f"{self._moves(before)}, except {self._between(first, last)}."
        steeper = self._below if abs(before) > abs(after) else self._above
        return f"{self._moves(before)}, most {steeper} {self._value(first)}."

    def no_shape(self, curve: _Curve) -> str:
        """A sentence about a curve that no simple shape explains."""
        changes = np.diff(curve.heights)
        if abs(changes.sum()) >= MONOTONE * np.abs(changes).sum():
            return f"{self._moves(changes.sum())}."
        highest, lowest = (curve.start + int(place(curve.heights)) for place in (np.argmax, np.argmin))
        return (
            f"The score goes up and down with {self.name}: it is highest near {self._value(highest)} "
            f"and lowest near {self._value(lowest)}."
        )

    def _moves(self, slope: float) -> str:
        return f"The score {'rises' if slope > 0 else 'falls'} with {self.name}"

    def _extreme(self, is_peak: bool, first: int, last: int) -> str:
        where = f"near {self._value(first)}" if first == last else self._between(first, last)
        return f"The score is {'highest' if is_peak else 'lowest'} where {self.name} is {where}."

    def _between(self, first: int, last: int) -> str:
        return f"between {self._value(first)} and {self._value(last)}"

    @property
    def _above(self) -> str:
        return "after" if self.unit == "days" else "above"

    @property
    def _below(self) -> str:
        return "before" if self.unit == "days" else "below"

    def _value(self, place: int) -> str:
        """A value of the grid, rounded by at most 40 % of the distance to its neighbours."""
        value = float(self.values[place])
        neighbours = self.values[max(place - 1, 0)], self.values[min(place + 1, len(self.values) - 1)]
        low, high = (0.6 * value + 0.4 * float(neighbour) for neighbour in neighbours)
        return self._rounded(value, low, high)

    def _gap(self, place: int) -> str:
        """A rounded number between a value of the grid (inclusive) and the next one (exclusive)."""
        low, high = self.values[place : place + 2].tolist()
        return self._rounded(low / 2 + high / 2, low, math.nextafter(high, low))

    def _rounded(self, near: float, low: float, high: float) -> str:
        date = date_of(near) if self.unit == "days" else None
        return date or roundest(near, low, high)


def _of_levels(effect: Effect, name: str) -> str:
    """A sentence about the levels of a category."""
    highest, lowest = (effect.levels[int(place(effect.contribution))] for place in (np.argmax, np.argmin))
    if len(effect.levels) == 2:
        return f"The score is higher where {name} is {highest} than where it is {lowest}."
    return f"The score is highest where {name} is {highest} and lowest where it is {lowest}."


def _compared(difference: float) -> str:
    return "higher" if difference > 0 else "lower"
