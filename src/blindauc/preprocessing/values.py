"""Read cells as numbers, dates, booleans or categories, whatever their type.

The same column can be text in one file and integers, floats or dates in the next. Every reader therefore goes by the
content of a cell, not by its type. A cell that cannot be read counts as missing; no reader raises. Saved models refer
to the `read_...` functions by name, so that their names and module must stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from blindauc._typing import Floats, Ints
from blindauc.labels import SAYS_NO, SAYS_YES
from blindauc.preprocessing.dates import ISO, SECONDS_A_DAY, days_in, days_of_moments, likeliest_format

if TYPE_CHECKING:
    import pandas as pd

SPREADSHEET_ERRORS = frozenset({"#n/a", "#div/0!", "#null!", "#num!", "#name?", "#ref!", "#value!"})
"""Error values of spreadsheets."""

MISSING_WORDS = frozenset({"", "?", "-", ".", "na", "n/a", "nan", "nat", "null", "none"}) | SPREADSHEET_ERRORS
"""Words for missing numbers, dates and booleans (convention). A category may be named None, so that there only
blanks are missing."""

YES_OR_NO = dict.fromkeys(SAYS_YES, 1.0) | dict.fromkeys(SAYS_NO, 0.0)

LARGEST = 1e100
"""Larger numbers are taken for infinity (convention): nothing measured is larger, and squares must not overflow."""

PLAIN_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]*))?")


def read_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Every column as numbers, durations in days; NaN for anything else and beyond 1e100."""
    return _column_by_column(frame, numbers_of)


def read_booleans(frame: pd.DataFrame) -> pd.DataFrame:
    """Every column as 1 for yes, 0 for no, NaN for anything else."""
    return _column_by_column(frame, booleans_of)


def read_dates(frame: pd.DataFrame, formats: Mapping[str, str]) -> pd.DataFrame:
    """Every column as days since 1 January 1970; NaN for anything else."""
    return _column_by_column(frame, lambda column: days_of(column, formats[column.name]))


def read_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """Every column as text; NaN for missing or blank cells."""
    return _column_by_column(frame, texts_of)


def as_pandas(frame: Any) -> Any:
    """A DataFrame of pandas unchanged, one of polars converted; a TypeError for anything else."""
    if hasattr(frame, "columns") and hasattr(frame, "iloc"):
        return frame
    if hasattr(frame, "columns") and hasattr(frame, "to_pandas"):
        return frame.to_pandas()
    raise TypeError(
        f"The table must be a DataFrame of pandas or polars, not {type(frame).__module__}.{type(frame).__name__}: "
        "convert it first, for example with pandas.DataFrame."
    )


def numbers_of(column: pd.Series) -> Floats:
    """A column as numbers."""
    numbers = numbers_of_any_size(column)
    return np.where(np.abs(numbers) <= LARGEST, numbers, np.nan)


def numbers_of_any_size(column: pd.Series) -> Floats:
    """A column as numbers, possibly infinite."""
    if column.dtype.kind == "m":
        column = column.dt.total_seconds() / SECONDS_A_DAY
    if column.dtype.kind in "biuf":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    codes, texts = distinct_texts(column)
    return _in_every_row(codes, numbers_in(texts))


def booleans_of(column: pd.Series) -> Floats:
    """A column as 1 and 0."""
    codes, texts = distinct_texts(column)
    return _in_every_row(codes, np.array([YES_OR_NO.get(text.casefold(), np.nan) for text in texts]))


def days_of(column: pd.Series, date_format: str) -> Floats:
    """A column as days; ISO 8601, which is unambiguous, is read beside the given format."""
    if column.dtype.kind == "M":
        return days_of_moments(column)
    codes, texts = distinct_texts(column)
    days = days_in(texts, date_format)
    return _in_every_row(codes, np.where(np.isnan(days), days_in(texts, ISO), days))


def days_by_guess(column: pd.Series) -> Floats:
    """A column as days, in the format that reads most of it."""
    return days_of(column, likeliest_format(without_missing_words(distinct_texts(column)[1])))


def unread_cells(column: pd.Series, numbers: Floats) -> Ints:
    """The positions of filled cells that could not be read."""
    places = np.flatnonzero(np.isnan(numbers))
    codes, texts = distinct_texts(column.iloc[places])
    says_something = np.array([text.casefold() not in MISSING_WORDS for text in texts] + [False])
    return places[says_something[codes]]


def texts_of(column: pd.Series) -> NDArray[np.object_]:
    """A column as text."""
    codes, texts = distinct_texts(column)
    return _in_every_row(codes, np.array([text or np.nan for text in texts], dtype=object))


def distinct_texts(column: pd.Series) -> tuple[Ints, list[str]]:
    """Codes and distinct texts of a column, as in `pandas.factorize`: -1 for missing, texts stripped.

    Equal numbers have equal texts, however they are stored: 7, 7.0, "7.0" and "07" are all "7".
    """
    try:
        codes, cells = column.factorize()
    except TypeError:
        # Lists and other unhashable cells must become text first.
        codes, cells = column.map(str, na_action="ignore").factorize()
    return codes, [plainly(str(cell).strip()) for cell in cells.tolist()]


def without_missing_words(texts: Sequence[str]) -> list[str]:
    """The texts without words for missing values, such as "NA"."""
    return [text for text in texts if text.casefold() not in MISSING_WORDS]


def numbers_in(texts: Sequence[str]) -> Floats:
    """The number of each text; NaN if it is none."""
    import pandas as pd

    return pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce").to_numpy(dtype=np.float64)


def are_numbers(texts: Sequence[str]) -> bool:
    """Whether every text is a number."""
    return not np.isnan(numbers_in(texts)).any()


def _column_by_column(frame: pd.DataFrame, read: Callable[[pd.Series], Any]) -> pd.DataFrame:
    import pandas as pd

    frame = as_pandas(frame)
    cells = np.column_stack([read(column) for _, column in frame.items()])
    # Keep the dtype: pandas would convert objects to its own string type.
    return pd.DataFrame(cells, index=frame.index, columns=frame.columns, dtype=cells.dtype)


def _in_every_row(codes: Ints, values: Any) -> Any:
    return np.append(values, np.nan)[codes]


def plainly(text: str) -> str:
    """A number without redundant zeros; any other text unchanged."""
    match = PLAIN_NUMBER.fullmatch(text)
    if match is None:
        return text
    sign, whole, fraction = match.groups(default="")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}"
