"""The cells of a table read as numbers, days, yes or no, or categories, whatever type they are stored in.

The same column can come as text from one file and as whole numbers, floats or dates from the next. Every reader
therefore goes by what a cell says, not by its type, and a cell that does not say what is expected counts as missing:
no reader fails on any cell. Saved models name the `read_...` functions, so their names and places must stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from blindauc._typing import Floats, Ints
from blindauc.preprocessing.dates import ISO, SECONDS_A_DAY, days_in, days_of_moments, likeliest_format

if TYPE_CHECKING:
    import pandas as pd

SPREADSHEET_ERRORS = frozenset({"#n/a", "#div/0!", "#null!", "#num!", "#name?", "#ref!", "#value!"})
"""What a spreadsheet shows where it could compute nothing."""

MISSING_WORDS = frozenset({"", "?", "-", ".", "na", "n/a", "nan", "nat", "null", "none"}) | SPREADSHEET_ERRORS
"""Where numbers, dates, yes or no are expected. A category may well be called None: there only blanks are missing."""

YES_OR_NO = dict.fromkeys(("yes", "y", "true", "t", "1"), 1.0) | dict.fromkeys(("no", "n", "false", "f", "0"), 0.0)

LARGEST = 1e100
"""Nothing measured is larger. What is stands for infinity, and its square would be infinite."""

PLAIN_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]*))?")


def read_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Every column as numbers, durations in days; NaN for what is no number, or beyond 1e100."""
    return _column_by_column(frame, numbers_of)


def read_booleans(frame: pd.DataFrame) -> pd.DataFrame:
    """Every column as 1 for yes, 0 for no, NaN for anything else."""
    return _column_by_column(frame, booleans_of)


def read_dates(frame: pd.DataFrame, formats: Mapping[str, str]) -> pd.DataFrame:
    """Every column as days since 1 January 1970; NaN for what is no date."""
    return _column_by_column(frame, lambda column: days_of(column, formats[column.name]))


def read_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """Every column as text; NaN for what is missing or blank."""
    return _column_by_column(frame, texts_of)


def as_pandas(frame: Any) -> Any:
    """A table of pandas as it is, one of polars as one of pandas; a TypeError for anything else."""
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
    """A column as numbers, among which may be infinity."""
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
    """A column as days; besides its own format ISO 8601 is read, which cannot be mistaken."""
    if column.dtype.kind == "M":
        return days_of_moments(column)
    codes, texts = distinct_texts(column)
    days = days_in(texts, date_format)
    return _in_every_row(codes, np.where(np.isnan(days), days_in(texts, ISO), days))


def days_by_guess(column: pd.Series) -> Floats:
    """A column as days, in the format that reads most of it."""
    return days_of(column, likeliest_format(without_missing_words(distinct_texts(column)[1])))


def unread_cells(column: pd.Series, numbers: Floats) -> Ints:
    """The places of the cells that say something, where nothing was read."""
    places = np.flatnonzero(np.isnan(numbers))
    codes, texts = distinct_texts(column.iloc[places])
    says_something = np.array([text.casefold() not in MISSING_WORDS for text in texts] + [False])
    return places[says_something[codes]]


def texts_of(column: pd.Series) -> NDArray[np.object_]:
    """A column as text."""
    codes, texts = distinct_texts(column)
    return _in_every_row(codes, np.array([text or np.nan for text in texts], dtype=object))


def distinct_texts(column: pd.Series) -> tuple[Ints, list[str]]:
    """The different cells as text, without the spaces around it, and for every row the place of its text.

    A missing cell has the place -1. Numbers are written alike however they were stored: 7, 7.0, "7.0" and "07" are
    all "7".
    """
    try:
        codes, cells = column.factorize()
    except TypeError:
        # Lists and the like cannot be compared before they are text.
        codes, cells = column.map(str, na_action="ignore").factorize()
    return codes, [plainly(str(cell).strip()) for cell in cells.tolist()]


def without_missing_words(texts: Sequence[str]) -> list[str]:
    """The texts that are not just another way to say that nothing is known."""
    return [text for text in texts if text.casefold() not in MISSING_WORDS]


def numbers_in(texts: Sequence[str]) -> Floats:
    """The number that each text says, NaN where it says none."""
    import pandas as pd

    return pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce").to_numpy(dtype=np.float64)


def are_numbers(texts: Sequence[str]) -> bool:
    """Whether every text says a number."""
    return not np.isnan(numbers_in(texts)).any()


def _column_by_column(frame: pd.DataFrame, read: Callable[[pd.Series], Any]) -> pd.DataFrame:
    import pandas as pd

    frame = as_pandas(frame)
    cells = np.column_stack([read(column) for _, column in frame.items()])
    # With its dtype, since pandas would make its own strings of the objects.
    return pd.DataFrame(cells, index=frame.index, columns=frame.columns, dtype=cells.dtype)


def _in_every_row(codes: Ints, values: Any) -> Any:
    return np.append(values, np.nan)[codes]


def plainly(text: str) -> str:
    """A number without the zeros that say nothing; any other text as it is."""
    match = PLAIN_NUMBER.fullmatch(text)
    if match is None:
        return text
    sign, whole, fraction = match.groups(default="")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}"
