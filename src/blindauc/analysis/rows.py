"""Row numbers and row names."""

from __future__ import annotations

import pandas as pd

from blindauc._typing import Ints
from blindauc.analysis.columns import check_column


def named_rows(frame: pd.DataFrame, id: str | None = None, numbers: Ints | None = None) -> pd.DataFrame:
    """A table with the row numbers in `row` and, if a column names the rows, their names in `id`.

    Row 1 is the first row below the header, here and in every table and file of results. If the table is a sample of
    a larger one, `numbers` has the row numbers in that table, counted from 0.

    Examples
    --------
    >>> import pandas as pd
    >>> from blindauc.analysis.rows import named_rows
    >>> named_rows(pd.DataFrame({"patient": ["P7", "P8"], "age": [41, 57]}), "patient")
       id  row
    0  P7    1
    1  P8    2
    """
    rows = pd.DataFrame({"row": range(1, len(frame) + 1) if numbers is None else numbers + 1}, index=frame.index)
    if id is not None:
        check_column(frame, id, "the names of the rows")
        rows.insert(0, "id", frame[id])
    return rows


def check_names_rows(frame: pd.DataFrame, id: str) -> None:
    """Raise unless the column has a unique value in every row."""
    check_column(frame, id, "the names of the rows")
    blank = frame[id].isna()
    if blank.any():
        place = int(blank.argmax()) + 1
        raise ValueError(
            f"The column {id!r} should name every row, but is blank in {blank.sum():,} of them, the first of which is "
            f"data row {place}: fill it in, or omit id=."
        )
    twice = frame[id].duplicated()
    if twice.any():
        name = frame[id].iloc[int(twice.argmax())]
        raise ValueError(
            f"The column {id!r} should have a different value in every row, but {str(name)!r} occurs more than once: "
            "choose another column, or omit id=; if it names groups of rows, such as patients, pass it as rows_by=."
        )
