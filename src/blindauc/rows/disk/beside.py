"""Columns of a table that are metadata of the rows, not features; each is one file of the cache.

They are weights, groups, times, and the results of manual checks. Groups are stored as hashes of their texts, so
that no dictionary of all patients has to be kept.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from blindauc._typing import Floats
from blindauc.checked import read_checked
from blindauc.datasets.table_errors import imported
from blindauc.rows.disk.cells import days_in_column, distinct_cells, numbers_in_column

WEIGHTS, GROUPS, TIMES, CHECKED = "weights.float64", "groups.uint64", "times.float64", "checked.int8"

BESIDE = {WEIGHTS: np.float64, GROUPS: np.uint64, TIMES: np.float64, CHECKED: np.int8}
"""The files, and the types of their numbers."""

Reader = Callable[[Any, str, Path, int], Any]
"""(cells, name of the column, file, number of rows before them in the file) -> a number for each row."""


def weights_in(array: Any, name: str, path: Path, n_before: int) -> Floats:
    """The weights of rows; a ValueError if one is not a finite number, or negative."""
    weights = numbers_in_column(array)
    is_bad = ~((weights >= 0) & (weights < np.inf))
    if is_bad.any():
        place = int(is_bad.argmax())
        raise ValueError(
            f"The weights in the column {name!r} must be finite and not negative, but data row "
            f"{n_before + place + 1} of {path} holds {_cell(array, place)!r}: correct it."
        )
    return weights


def groups_in(array: Any, name: str, path: Path, n_before: int) -> Any:
    """A 64-bit hash of the group of each row; a ValueError if one is missing."""
    codes, texts = distinct_cells(array)
    is_blank = np.array([not text for text in texts] + [True])[codes]
    if is_blank.any():
        raise ValueError(
            f"The column {name!r} must have the group of each row, but is blank in data row "
            f"{n_before + int(is_blank.argmax()) + 1} of {path}: fill it in, or leave out the groups."
        )
    return pd.util.hash_array(np.array(texts, dtype=object), categorize=False)[codes]


def times_in(date_format: str | None) -> Reader:
    """A reader of times: as days if they are dates of a format, or as numbers."""

    def read(array: Any, name: str, path: Path, n_before: int) -> Floats:
        times = numbers_in_column(array) if date_format is None else days_in_column(array, date_format)
        is_bad = ~np.isfinite(times)
        if is_bad.any():
            place = int(is_bad.argmax())
            raise ValueError(
                f"The column {name!r} must have the time of each row, but data row {n_before + place + 1} of {path} "
                f"holds {_cell(array, place)!r}: write dates as year-month-day, or numbers."
            )
        return times

    return read


def checked_in(array: Any, name: str, path: Path, n_before: int) -> Any:
    """The verdicts of rows that were checked, as in `blindauc.checked`."""
    plain = array.cast(array.type.value_type) if imported("pyarrow").types.is_dictionary(array.type) else array
    encoded = plain.dictionary_encode()
    cells = [*encoded.dictionary.to_pylist(), None]
    codes = encoded.indices.fill_null(len(cells) - 1).to_numpy()
    found = np.array([_found(cell) for cell in cells])
    if np.isnan(found[codes]).any():
        place = int(np.isnan(found[codes]).argmax())
        raise ValueError(
            f'The column {name!r} must hold the results of checks: 1 ("right", "positive"), 0 '
            f'("wrong", "negative") or nothing, but data row {n_before + place + 1} of {path} holds '
            f"{_cell(array, place)!r}."
        )
    return found[codes].astype(np.int8)


def _found(cell: Any) -> float:
    """The verdict of a cell, or NaN if it cannot be read."""
    try:
        verdict = read_checked([cell], 1)
    except ValueError:
        return np.nan
    return 0.0 if verdict is None else float(verdict[0])


def _cell(array: Any, place: int) -> str:
    return str(array[place].as_py())[:60]
