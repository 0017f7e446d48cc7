"""Columns that cannot be used as they are: what is wrong with them, where, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from blindauc.preprocessing.naming import few

MOST_CATEGORIES = 1000
"""Those in less than a hundredth of the rows are taken together, so that of more than a thousand hardly any would stand
for itself: such a column is a name, such as a postcode or a physician, and says little before it is grouped."""


LEAVE_OUT = "frame.drop(columns=...)"

RowName = int | str
"""A row as it is told: its number from 1, with its file where there are several."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with a column.

    Attributes
    ----------
    what : after "a column"
    remedy : what to do about it, besides leaving the column out
    where : after the name of the column
    """

    what: str
    remedy: str
    where: str = ""


NO_VALUE = Fault("without a value in any row", "fill in values")


def infinite_numbers(n_rows: int, first_row: RowName) -> Fault:
    """Numbers that are infinite, or so large that they must stand for infinity."""
    rows = "" if n_rows == 1 else f"{n_rows:,} rows, the first of them "
    return Fault("with infinite numbers", "leave these cells blank", f" in {rows}data row {first_row}")


def many_categories(n_categories: int) -> Fault:
    """More different values than can be told apart."""
    return Fault(f"of more than {MOST_CATEGORIES:,} categories", "group them first", f" with {n_categories:,}")


def unreadable_numbers(text: str, row: RowName) -> Fault:
    """Numbers of which a few are none."""
    return Fault("of numbers that cannot all be read", "mend these cells or leave them blank", _cell(text, row))


def unreadable_dates(text: str, row: RowName) -> Fault:
    """Dates of which at least one is in another format, or is not in the calendar."""
    return Fault("of dates that cannot all be read", "write every date as year-month-day", _cell(text, row))


def ambiguous_dates(text: str, row: RowName) -> Fault:
    """Dates that are others if day and month change places."""
    remedy = "write every date as year-month-day, or where the day comes first, say that these are dates (date)"
    return Fault("of dates whose day and month cannot be told apart", remedy, _cell(text, row))


def check_faults(faults: Mapping[str, Fault], leave_out: str = LEAVE_OUT) -> None:
    """Raise where columns have faults, in one line that names them all and says how to leave them out.

    Examples
    --------
    >>> from blindauc.preprocessing.faults import NO_VALUE, check_faults
    >>> check_faults({"weight": NO_VALUE, "payer": NO_VALUE})
    Traceback (most recent call last):
    ValueError: The table has 2 columns without a value in any row, 'weight', 'payer': fill in values, or leave such \
columns out with frame.drop(columns=...).
    """
    if faults:
        alike = dict.fromkeys((fault.what, fault.remedy) for fault in faults.values())
        raise ValueError(" ".join(_sentence(what, remedy, faults, leave_out) for what, remedy in alike))


def _sentence(what: str, remedy: str, faults: Mapping[str, Fault], leave_out: str) -> str:
    columns = [f"{name!r}{fault.where}" for name, fault in faults.items() if fault.what == what]
    number = "a column" if len(columns) == 1 else f"{len(columns)} columns"
    return f"The table has {number} {what}, {few(columns)}: {remedy}, or leave such columns out with {leave_out}."


def _cell(text: str, row: RowName) -> str:
    return f" with {text[:60]!r} in data row {row}"
