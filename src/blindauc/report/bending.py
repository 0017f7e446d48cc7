"""The shapes of a score, and the gain of nonlinear ones, as text shared by the pages and `summary()`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from blindauc.estimate import Estimate
from blindauc.report.comparing import verdict
from blindauc.report.findings import Interval
from blindauc.scorers.mixed import SELECTING

LINEAR = "linear"
SHAPES = {LINEAR: "linear scores", "curves": "curves", "kernel": "kernels", "trees": "trees"}
"""Names of the shapes in the report."""

SHOWN_SHARE = 0.005
"""Smaller weights in the average would be printed as 0 %."""

NOT_TRIED = "linear scores were not tried, so the gain over them is not known"
NOT_COMPARED = "the gain over a linear score could not be estimated"
NO_SELECTION = {
    "kernel": "A kernel uses all columns: it selects none.",
    "trees": "Trees use the columns they split on: they select none.",
}


@dataclass(frozen=True)
class _StraightLines:
    """The average of the linear candidates, as a method to compare with."""

    advantage: Interval | Estimate
    name: str = "a linear score"


def bending_sentence(shapes: Mapping[str, float], bending: Interval | Estimate | None) -> str | None:
    """A sentence on the weights of the shapes and the gain over linear scores; None if only those were tried.

    Parameters
    ----------
    shapes : mapping of str to float
        The weight in the average of each shape that was tried.
    bending : Interval, Estimate or None
        The gain in out-of-fold blind AUC over the linear candidates alone.

    Examples
    --------
    >>> from blindauc.report import Interval
    >>> from blindauc.report.bending import bending_sentence
    >>> bending_sentence({"linear": 0.2, "curves": 0.8}, Interval(0.021, 0.010, 0.033))[:65]
    'Curves carry 80 % of the ranking, linear scores 20 %; a linear sc'
    >>> bending_sentence({"linear": 1.0, "curves": 0.0}, None)
    'Linear scores carry the whole ranking; curves were tried and got no weight.'
    >>> bending_sentence({"linear": 1.0}, None)
    """
    if set(shapes) <= {LINEAR}:
        return None
    return f"{_carried(shapes)}; {_gain(shapes, bending)}."


def _carried(shapes: Mapping[str, float]) -> str:
    first, *others = carrying(shapes)
    if not others:
        return f"{_capital(_named(first))} carry the whole ranking"
    shares = [f"{_named(shape)} {_percent(shapes[shape])}" for shape in others]
    return f"{_capital(_named(first))} carry {_percent(shapes[first])} of the ranking, {_listed(shares)}"


def _gain(shapes: Mapping[str, float], bending: Interval | Estimate | None) -> str:
    if carrying(shapes) == [LINEAR]:
        return f"{_listed([_named(shape) for shape in shapes if shape != LINEAR])} were tried and got no weight"
    if bending is not None:
        return verdict(_StraightLines(bending))
    return NOT_COMPARED if LINEAR in shapes else NOT_TRIED


def carrying(shapes: Mapping[str, float]) -> list[str]:
    """The shapes whose weight rounds to at least 1 %, the largest first.

    Examples
    --------
    >>> from blindauc.report.bending import carrying
    >>> carrying({"linear": 0.3, "curves": 0.7, "kernel": 0.001})
    ['curves', 'linear']
    """
    return sorted(
        (shape for shape, weight in shapes.items() if weight >= SHOWN_SHARE), key=lambda shape: -shapes[shape]
    )


def does_select(shapes: Mapping[str, float]) -> bool:
    """Whether any part of the score selects columns. A score without recorded shapes is linear.

    Examples
    --------
    >>> from blindauc.report.bending import does_select
    >>> does_select({"linear": 0.0, "kernel": 1.0}), does_select({})
    (False, True)
    """
    return not shapes or any(shape in SELECTING for shape in carrying(shapes))


def selection_sentence(shapes: Mapping[str, float]) -> str | None:
    """A sentence on the shapes that do not select columns; None if all of them do.

    Examples
    --------
    >>> from blindauc.report.bending import selection_sentence
    >>> selection_sentence({"kernel": 1.0})
    'A kernel uses all columns: it selects none.'
    >>> selection_sentence({"curves": 0.7, "trees": 0.3})
    'Only linear scores and curves select columns; 30 % of the ranking may use any of them.'
    """
    free = [shape for shape in carrying(shapes) if shape not in SELECTING]
    if not free:
        return None
    if not does_select(shapes):
        return " ".join(NO_SELECTION[shape] for shape in free)
    share = _percent(sum(shapes[shape] for shape in free))
    return f"Only linear scores and curves select columns; {share} of the ranking may use any of them."


def is_mostly_linear(shapes: Mapping[str, float]) -> bool:
    """Whether linear scores have at least half of the weight. A score without recorded shapes is linear."""
    return not shapes or shapes.get(LINEAR, 0.0) >= 0.5


def _named(shape: str) -> str:
    return SHAPES.get(shape, shape)


def _percent(share: float) -> str:
    """Whole percent, with an ASCII space because terminals show it."""
    return f"{100 * share:.0f} %"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _listed(words: Sequence[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
