"""The frame of a chart: its scales, gridlines and axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from blindauc.report.elements import Child, Markup, tag

LEFT, RIGHT, TOP, BOTTOM = 46.0, 16.0, 30.0, 44.0
"""Margins for the axes, in SVG units; a chart is 340 to 460 of them wide."""


class Tick(NamedTuple):
    """A position on an axis and its text."""

    value: float
    text: str


@dataclass(frozen=True)
class Frame:
    """The size of a chart and the ranges of its two axes."""

    width: float
    height: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def x(self, value: float) -> float:
        """The horizontal SVG coordinate of a value."""
        low, high = self.x_range
        return round(LEFT + (value - low) / (high - low) * (self.width - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        """The vertical SVG coordinate of a value."""
        low, high = self.y_range
        return round(self.height - BOTTOM - (value - low) / (high - low) * (self.height - TOP - BOTTOM), 1)

    def points(self, x: Iterable[float], y: Iterable[float]) -> str:
        """Points in the format of the `points` attribute of a polyline."""
        return " ".join(f"{self.x(a):g},{self.y(b):g}" for a, b in zip(x, y, strict=True))

    def line(self, x: Sequence[float], y: Sequence[float], class_: str) -> Markup:
        """A line through points."""
        return tag("polyline", points=self.points(x, y), class_=class_)

    def band(self, x: Sequence[float], low: Sequence[float], high: Sequence[float]) -> Markup:
        """The area between two lines."""
        return tag("polygon", points=self.points([*x, *reversed(x)], [*low, *reversed(high)]), class_="band")

    def spot(self, x: float, y: float, tip: str) -> Markup:
        """A point with a tooltip, which the script shows when the point is nearest to the pointer."""
        return tag("circle", cx=self.x(x), cy=self.y(y), r=2, class_="spot", data_tip=tip)

    def axes(self, x_ticks: Sequence[Tick], y_ticks: Sequence[Tick], x_title: str, y_title: str) -> Markup:
        """Gridlines, tick texts and axis titles."""
        bottom, right = self.height - BOTTOM, self.width - RIGHT
        return tag(
            "g",
            [tag("line", x1=LEFT, x2=right, y1=self.y(v), y2=self.y(v), class_="grid") for v, _ in y_ticks],
            [tag("line", x1=self.x(v), x2=self.x(v), y1=TOP, y2=bottom, class_="grid") for v, _ in x_ticks],
            [tag("text", text, x=LEFT - 6, y=self.y(v) + 4, class_="tick end") for v, text in y_ticks],
            [tag("text", text, x=self.x(v), y=bottom + 16, class_="tick middle") for v, text in x_ticks],
            tag("text", x_title, x=(LEFT + right) / 2, y=self.height - 8, class_="axis middle"),
            # Horizontal, above its axis: easier to read than rotated text.
            tag("text", y_title, x=2, y=13, class_="axis"),
        )


def picture(width: float, height: float, title: str, *children: Child) -> Markup:
    """An SVG image with an accessible name, and a marker that follows the pointer."""
    mark = tag("circle", r=5, class_="mark", visibility="hidden")
    return tag("svg", *children, mark, viewBox=f"0 0 {width:g} {height:g}", role="img", aria_label=title)
