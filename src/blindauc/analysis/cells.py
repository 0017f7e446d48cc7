"""Cells of new rows that do not say what the model expects there: a number, a date, yes or no."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from blindauc._typing import Floats, Ints
from blindauc.analysis.pipeline import Steps
from blindauc.preprocessing.dates import format_in_words
from blindauc.preprocessing.naming import few
from blindauc.preprocessing.values import booleans_of, days_of, numbers_of, unread_cells


def check_cells(steps: Steps, frame: pd.DataFrame, places: Ints) -> None:
    """Raise where a cell says something that cannot be read, and would be taken for missing.

    Parameters
    ----------
    steps : Steps
    frame : pandas.DataFrame
        Some rows of a table.
    places : ndarray
        Where they are in it.
    """
    faults = []
    for name, expected in _expectations(steps).items():
        unread = unread_cells(frame[name], expected.read(frame[name]))
        if len(unread):
            first = unread[0]
            cell = str(frame[name].iloc[first])[:60]
            faults.append(f"{cell!r} in data row {places[first] + 1} of {name!r} for {expected.what}")
    if faults:
        raise ValueError(f"Cells cannot be read, {few(faults)}: mend them, or leave them blank.")


@dataclass(frozen=True)
class _Expected:
    what: str
    read: Callable[[pd.Series], Floats]


def _expectations(steps: Steps) -> dict[str, _Expected]:
    """What a cell must say, by the columns that do not take any text."""
    kinds = {"numeric": _Expected("a number", numbers_of), "boolean": _Expected("yes or no", booleans_of)}
    expected = {name: kinds[kind] for name, kind in steps.kinds.items() if kind in kinds}
    return expected | {name: _date(date_format) for name, date_format in steps.date_formats.items()}


def _date(date_format: str) -> _Expected:
    return _Expected(f"a date ({format_in_words(date_format)})", lambda column: days_of(column, date_format))
