"""Cells of new rows that the model cannot read: no number, no date, neither yes nor no, or an unknown category."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from blindauc._typing import Floats, Ints
from blindauc.analysis.pipeline import Steps
from blindauc.preprocessing.dates import format_in_words
from blindauc.preprocessing.naming import few
from blindauc.preprocessing.values import booleans_of, days_of, distinct_texts, numbers_of, unread_cells


def check_cells(steps: Steps, frame: pd.DataFrame, places: Ints) -> None:
    """Raise if a cell is filled in but unreadable: the preprocessor would silently impute it.

    Parameters
    ----------
    steps : Steps
    frame : pandas.DataFrame
        Some rows of a table.
    places : ndarray
        Their row numbers in that table, counted from 0.
    """
    faults = []
    for name, expected in _expectations(steps).items():
        if name not in steps.needed:
            continue
        unread = unread_cells(frame[name], expected.read(frame[name]))
        if len(unread):
            first = unread[0]
            cell = str(frame[name].iloc[first])[:60]
            faults.append(f"{cell!r} in data row {places[first] + 1} of {name!r} is not {expected.what}")
    if faults:
        raise ValueError(f"Cells cannot be read: {few(faults)}. Correct them, or leave them blank.")


Unseen = Counter[tuple[str, str]]
"""Number of rows by (column, category), for categories that are not in the training table."""


def unseen_categories(steps: Steps, frame: pd.DataFrame) -> Unseen:
    """Count the categories of new rows that are not in the training table, in the columns that the score uses."""
    found: Unseen = Counter()
    for name, categories in steps.categories.items():
        if name in steps.needed:
            codes, texts = distinct_texts(frame[name])
            times = np.bincount(codes[codes >= 0], minlength=len(texts)).tolist()
            unseen = {text: n for text, n in zip(texts, times, strict=True) if text and text not in categories}
            found.update({(name, text): n for text, n in unseen.items()})
    return found


def describe_unseen(unseen: Unseen) -> str:
    """A sentence about categories that are not in the training table, the most frequent first.

    Examples
    --------
    >>> from collections import Counter
    >>> from blindauc.analysis.cells import describe_unseen
    >>> describe_unseen(Counter({("ward", "Z9"): 12}))
    "1 category is not in the training table and is treated as rare: 'ward' 'Z9' (12 rows)."
    """
    number = "1 category is" if len(unseen) == 1 else f"{len(unseen):,} categories are"
    verb = "is" if len(unseen) == 1 else "are"
    named = few(f"{column!r} {text[:60]!r} ({n:,} row{'s' * (n > 1)})" for (column, text), n in unseen.most_common())
    return f"{number} not in the training table and {verb} treated as rare: {named}."


@dataclass(frozen=True)
class _Expected:
    what: str
    read: Callable[[pd.Series], Floats]


def _expectations(steps: Steps) -> dict[str, _Expected]:
    """What each column that does not accept arbitrary text expects in its cells."""
    kinds = {"numeric": _Expected("a number", numbers_of), "boolean": _Expected("yes or no", booleans_of)}
    expected = {name: kinds[kind] for name, kind in steps.kinds.items() if kind in kinds}
    return expected | {name: _date(date_format) for name, date_format in steps.date_formats.items()}


def _date(date_format: str) -> _Expected:
    return _Expected(f"a date ({format_in_words(date_format)})", lambda column: days_of(column, date_format))
