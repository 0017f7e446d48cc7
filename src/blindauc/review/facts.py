"""The facts that a reviewer sees of a row: its cells compared with other rows, and its values on the effect curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from blindauc.report.findings import EffectCurve


@dataclass(frozen=True)
class Spread:
    """A number compared with those of other rows.

    Attributes
    ----------
    value : the number; days since 1970-01-01 for a date
    labelled, unlabelled : quantiles of the column in labelled and in unlabelled rows, increasing; empty if all values
        are missing
    below_labelled, below_unlabelled : the share of these rows with a smaller number, plus half of those with the same
    """

    value: float
    labelled: Sequence[float]
    unlabelled: Sequence[float]
    below_labelled: float
    below_unlabelled: float


@dataclass(frozen=True)
class Shares:
    """The shares of labelled and unlabelled rows with the same category; `is_missing` if the cell is missing."""

    labelled: float
    unlabelled: float
    is_missing: bool = False


@dataclass(frozen=True)
class Cell:
    """The cell of a column as text, and its comparison with other rows; None if it cannot be compared."""

    column: str
    text: str
    compared: Spread | Shares | None = None


@dataclass(frozen=True)
class Marked:
    """An effect curve, and the value of the row on its axis; None if the value is missing."""

    effect: EffectCurve
    value: float | None


@dataclass(frozen=True)
class Facts:
    """The facts of a row.

    Attributes
    ----------
    cells : cells of the columns that the score uses, the strongest first
    others : cells of the other columns
    curves : effect curves of the strongest columns, the strongest first
    """

    cells: Sequence[Cell] = ()
    others: Sequence[Cell] = ()
    curves: Sequence[Marked] = ()
