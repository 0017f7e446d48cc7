"""What a reviewer is shown of a row: its cells beside what is usual, and where it lies on the curves of the score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from blindauc.report.findings import EffectCurve


@dataclass(frozen=True)
class Spread:
    """Where a number lies among those of other rows.

    Attributes
    ----------
    value : the number; days since 1970-01-01 for a date
    labelled, unlabelled : quantiles of the same column in both kinds of rows, increasing; empty where all are missing
    below_labelled, below_unlabelled : the share of these rows with a smaller number, and half of those with the same
    """

    value: float
    labelled: Sequence[float]
    unlabelled: Sequence[float]
    below_labelled: float
    below_unlabelled: float


@dataclass(frozen=True)
class Shares:
    """How many other rows say the same: the shares of both kinds of rows; `is_missing` where a cell says nothing."""

    labelled: float
    unlabelled: float
    is_missing: bool = False


@dataclass(frozen=True)
class Cell:
    """What a column of the table holds in a row, as text, and how that compares; None where it cannot be compared."""

    column: str
    text: str
    compared: Spread | Shares | None = None


@dataclass(frozen=True)
class Marked:
    """A curve of the score, and the value of the row on it; None where the row has none."""

    effect: EffectCurve
    value: float | None


@dataclass(frozen=True)
class Facts:
    """All that is shown of a row.

    Attributes
    ----------
    cells : of the columns that the score uses, the strongest first
    others : of all other columns
    curves : what the strongest columns add to the score, the strongest first
    """

    cells: Sequence[Cell] = ()
    others: Sequence[Cell] = ()
    curves: Sequence[Marked] = ()
