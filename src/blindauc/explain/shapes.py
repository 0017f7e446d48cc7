"""Fit of the simplest piecewise shape to an effect curve.

A shape is a constant plus one or two functions of the value t, each times a coefficient fitted by least squares, with
breakpoints a and b on the grid:

| pieces | shapes |
|---|---|
| 1 | line: t |
| 2 | step: 1 where t > a; bend: min(t - a, 0) and max(t - a, 0) |
| 3 | box: 1 where a <= t <= b; ramp: t clipped to [a, b]; plateau: min(t - a, 0) and max(t - b, 0) |
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from blindauc._typing import Floats

VANISHING = 1e-9
"""Functions with a smaller standard deviation are constant up to rounding errors, since values are scaled to [0, 1]."""


class Shape(NamedTuple):
    """A fitted shape.

    Attributes
    ----------
    kind : {"line", "step", "bend", "box", "ramp", "plateau"}
    at : (int, int)
        Grid indices of the two breakpoints: equal for a bend, neighbours for a step, the ends of the grid for a line.
    slopes : tuple of float
        The fitted coefficients of its functions.
    """

    kind: str
    at: tuple[int, int]
    slopes: tuple[float, ...]


def simplest_shape(values: Floats, curve: Floats, share: Floats, penalty: float, tolerance: float) -> Shape | None:
    """The shape that minimises the mean squared distance from a curve plus a penalty per piece.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Increasing, from 0 to 1.
    curve, share : ndarray of shape (n,)
        The curve, and the weight of each value; the weights sum to one.
    penalty : float
        The penalty of each piece, in units of the mean squared distance.
    tolerance : float
        The largest acceptable mean squared distance; None is returned if every shape exceeds it.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.explain.shapes import simplest_shape
    >>> values, share = np.linspace(0, 1, 5), np.full(5, 0.2)
    >>> shape = simplest_shape(values, np.maximum(values, 0.5), share, penalty=1e-6, tolerance=1e-6)
    >>> shape.kind, shape.at
    ('bend', (2, 2))
    """
    fits = [
        (distance + n_pieces * penalty, shape)
        for n_pieces, families in enumerate(BY_PIECES, start=1)
        for family in families
        for shape, distance in _best(family, values, curve, share)
        if distance <= tolerance
    ]
    # In the first and in the last interval a step equals a bend; `min` then takes the step, which comes first.
    return min(fits, key=lambda fit: fit[0])[1] if fits else None


class _Family(NamedTuple):
    """Shapes that differ only in their breakpoints."""

    kind: str
    breakpoints: Callable[[int], list[tuple[int, int]]]
    functions: Callable[[Any, Any, Any], list[Any]]


def _ends(n: int) -> list[tuple[int, int]]:
    return [(0, n - 1)]


def _gaps(n: int) -> list[tuple[int, int]]:
    return [(place, place + 1) for place in range(n - 1)]


def _inner(n: int) -> list[tuple[int, int]]:
    return [(place, place) for place in range(1, n - 1)]


def _inner_pairs(n: int) -> list[tuple[int, int]]:
    return list(combinations(range(1, n - 1), 2))


def _inner_pairs_or_points(n: int) -> list[tuple[int, int]]:
    return list(combinations_with_replacement(range(1, n - 1), 2))


BY_PIECES = (
    (_Family("line", _ends, lambda t, a, b: [np.clip(t, a, b)]),),
    (
        _Family("step", _gaps, lambda t, a, b: [t > a]),
        _Family("bend", _inner, lambda t, a, b: [np.minimum(t - a, 0), np.maximum(t - a, 0)]),
    ),
    (
        _Family("box", _inner_pairs_or_points, lambda t, a, b: [(t >= a) & (t <= b)]),
        _Family("ramp", _inner_pairs, lambda t, a, b: [np.clip(t, a, b)]),
        _Family("plateau", _inner_pairs, lambda t, a, b: [np.minimum(t - a, 0), np.maximum(t - b, 0)]),
    ),
)
"""Families of shapes with one, two and three pieces."""


def distance_from_line(values: Floats, curve: Floats, share: Floats) -> float:
    """The mean squared distance of a curve from the nearest straight line.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.explain.shapes import distance_from_line
    >>> distance_from_line(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 0.0]), np.array([0.25, 0.5, 0.25]))
    0.25
    """
    return float(_regressed([values[None]], curve, share)[1][0])


def _best(family: _Family, values: Floats, curve: Floats, share: Floats) -> list[tuple[Shape, float]]:
    """The shape of a family nearest to a curve, with its mean squared distance; empty if the grid is too short."""
    places = family.breakpoints(len(values))
    if not places:
        return []
    first, last = values[np.array(places)].T[:, :, None]
    functions = [np.asarray(each, dtype=np.float64) for each in family.functions(values, first, last)]
    slopes, distances = _regressed(functions, curve, share)
    best = int(np.argmin(distances))
    return [(Shape(family.kind, places[best], tuple(slope[best] for slope in slopes)), float(distances[best]))]


def _regressed(functions: list[Floats], curve: Floats, share: Floats) -> tuple[list[list[float]], Floats]:
    """Least-squares coefficients and residual mean squares, for each row of one or two arrays of functions."""
    target = curve - share @ curve
    first, *others = (each - (each @ share)[:, None] for each in functions)
    if not others:
        slope = _slopes(first, target, share)
        return [slope.tolist()], (target - slope[:, None] * first) ** 2 @ share
    # Each coefficient is the slope on the residual of its function after regression on the other (Frisch and Waugh
    # 1933).
    (second,) = others
    of_first = _slopes(first - _slopes(second, first, share)[:, None] * second, target, share)
    of_second = _slopes(second - _slopes(first, second, share)[:, None] * first, target, share)
    fitted = of_first[:, None] * first + of_second[:, None] * second
    return [of_first.tolist(), of_second.tolist()], (target - fitted) ** 2 @ share


def _slopes(functions: Floats, target: Floats, share: Floats) -> Floats:
    """The regression slopes of the target on each function, one function per row; zero for constant functions."""
    variance = functions**2 @ share
    return np.where(variance > VANISHING**2, functions * target @ share / np.maximum(variance, VANISHING**2), 0.0)
