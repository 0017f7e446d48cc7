"""Columns that cannot be used as they are: what is wrong, where, and how to correct it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from blindauc.preprocessing.naming import few

MOST_CATEGORIES = 1000
"""Largest number of categories (convention). Categories in less than 1 % of the rows are merged, so that of more than a
thousand hardly any would keep a column of its own. Such a column is a name, such as a postcode or a physician, and
should be grouped first."""


LEAVE_OUT = "frame.drop(columns=...)"

RowName = int | str
"""A row as messages name it: its number from 1, with its file if there are several."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with a column, as parts of a sentence.

    Attributes
    ----------
    what : follows "a column"
    remedy : what to do about it, besides leaving the column out
    where : follows the name of the column
    """

    what: str
    remedy: str
    where: str = ""


NO_VALUE = Fault("without a value in any row", "fill in values")


def infinite_numbers(n_rows: int, first_row: RowName) -> Fault:
    """The fault of infinite numbers, or of numbers so large that they must stand for infinity."""
    rows = "" if n_rows == 1 else f"{n_rows:,} rows, the first of them "
    return Fault("with infinite numbers", "leave these cells blank", f" in {rows}data row {first_row}")


def many_categories(n_categories: int) -> Fault:
    """The fault of too many categories."""
    return Fault(f"of more than {MOST_CATEGORIES:,} categories", "group them first", f" with {n_categories:,}")


def unreadable_numbers(text: str, row: RowName) -> Fault:
    """The fault of numbers, a few of which cannot be read."""
    return Fault("of numbers that cannot all be read", "correct these cells or leave them blank", _cell(text, row))


def unreadable_dates(text: str, row: RowName) -> Fault:
    """The fault of dates, at least one of which is in another format or does not exist."""
    return Fault("of dates that cannot all be read", "write every date as year-month-day", _cell(text, row))


def ambiguous_dates(text: str, row: RowName) -> Fault:
    """The fault of dates whose day and month could be swapped."""
    remedy = "write every date as year-month-day, or, if the day comes first, declare the column as dates (date)"
    return Fault("of dates whose day and month cannot be told apart", remedy, _cell(text, row))


def check_faults(faults: Mapping[str, Fault], leave_out: str = LEAVE_OUT) -> None:
    """Raise if columns have faults; one message names them all and says how to leave them out.

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
