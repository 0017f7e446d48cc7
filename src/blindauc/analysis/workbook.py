"""Excel workbooks: one table per sheet, with frozen headers, filters and number formats, and without formulas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter

from blindauc.analysis.spreadsheets import FORMULA_STARTS, Parts, sensible_number
from blindauc.analysis.summary_sheet import summary_table
from blindauc.files import errors_told_of, whole

if TYPE_CHECKING:
    from blindauc.analysis.analysis import Analysis

MOST_ROWS = (1 << 20) - 1
"""Maximum number of rows below the header of a sheet (Excel's limit of 1,048,576 rows, minus the header)."""

N_MEASURED, NARROWEST, WIDEST = 200, 8, 60
"""Rows that determine the width of a column, and the limits of that width in characters (convention)."""


def write_workbook(sheets: Mapping[str, Parts], path: str | Path) -> int:
    """Write tables as the sheets of an Excel workbook; the file is written completely or not at all.

    Text that looks like a formula stays text. Numbers are rounded as in `write_csv`.

    Parameters
    ----------
    sheets : mapping of str to pandas.DataFrame, or an iterable of the parts of one
    path : path

    Returns
    -------
    int
        The total number of rows of all sheets.

    Raises
    ------
    ValueError
        If a table has more rows than a sheet of Excel can hold.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from blindauc import read_table
    >>> from blindauc.analysis import write_workbook
    >>> table = pd.DataFrame({"id": ["P7", "=1+1"], "score": [-0.5, 2 / 3]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     n_rows = write_workbook({"Ranking": table}, Path(folder) / "results.xlsx")
    ...     print(read_table(Path(folder) / "results.xlsx"))
         id     score
    0    P7 -0.500000
    1  =1+1  0.666667
    """
    path, workbook = Path(path), Workbook(write_only=True)
    with whole(path) as unfinished, _closed(workbook):
        n_rows = sum(
            _add_sheet(workbook, title, [table] if isinstance(table, pd.DataFrame) else table, path)
            for title, table in sheets.items()
        )
        with errors_told_of(path):
            workbook.save(unfinished)
    return n_rows


def write_results(analysis: Analysis, path: str | Path) -> None:
    """Write an analysis as a workbook with the sheets Ranking, Groups (with `rows_by=`), Labels, Columns and Summary.

    If a ranking is too long for a sheet, only its first rows are written, and the summary says so.

    Parameters
    ----------
    analysis : Analysis
    path : path
    """
    tables = {
        "Ranking": analysis.ranking,
        "Groups": analysis.groups,
        "Labels": analysis.doubtful,
        "Columns": analysis.features,
        "Summary": summary_table(analysis.findings, MOST_ROWS),
    }
    write_workbook({title: table.head(MOST_ROWS) for title, table in tables.items() if table is not None}, path)


@contextmanager
def _closed(workbook: Any) -> Iterator[None]:
    """Close the sheets that openpyxl has begun to write, also after an error."""
    try:
        yield
    finally:
        for sheet in workbook.worksheets:
            if not sheet.closed:
                sheet.close()


def check_room(path: Path, n_rows: int) -> None:
    """Raise if a sheet cannot hold as many rows."""
    if n_rows > MOST_ROWS:
        raise ValueError(
            f"{path} cannot hold all rows: a sheet of Excel has room for {MOST_ROWS:,}. Write a .csv or .parquet file "
            "instead."
        )


def _add_sheet(workbook: Any, title: str, parts: Iterable[pd.DataFrame], path: Path) -> int:
    sheet, n_rows, n_columns = workbook.create_sheet(title), 0, 0
    for number, part in enumerate(parts):
        if number == 0:
            n_columns = len(part.columns)
            cells = _begin(sheet, part)
        n_rows += len(part)
        check_room(path, n_rows)
        for row in zip(*(column.tolist() for _, column in part.items()), strict=True):
            sheet.append([_filled(cell, value) for cell, value in zip(cells, row, strict=True)])
    sheet.auto_filter.ref = f"A1:{get_column_letter(n_columns)}{n_rows + 1}"
    return n_rows


def _begin(sheet: Any, part: pd.DataFrame) -> list[Any]:
    """Write the header; return one cell per column with its number format, to fill in row by row."""
    sheet.freeze_panes = "A2"
    for place, (name, column) in enumerate(part.items(), start=1):
        sheet.column_dimensions[get_column_letter(place)].width = _width(str(name), column)
    names = [WriteOnlyCell(sheet) for _ in part.columns]
    for cell in names:
        cell.font, cell.alignment = Font(bold=True), Alignment(vertical="top", wrap_text=True)
    sheet.append([_filled(cell, str(name)) for cell, name in zip(names, part.columns, strict=True)])
    # A cell is written when its row is appended, so that one cell per column can be reused.
    cells = [WriteOnlyCell(sheet) for _ in part.columns]
    for cell, (_, column) in zip(cells, part.items(), strict=True):
        cell.number_format = _number_format(column)
    return cells


def _width(name: str, column: pd.Series) -> int:
    shown = [f"{value:.3f}" if isinstance(value, float) else str(value) for value in column.head(N_MEASURED)]
    return min(max([NARROWEST, len(name) + 3, *(len(text) + 2 for text in shown)]), WIDEST)


def _number_format(column: pd.Series) -> str:
    """The number format of a column: three decimals if numbers have more, unless all would show as zero."""
    if column.dtype.kind == "M":
        return "yyyy-mm-dd hh:mm" if (column.dropna().dt.normalize() != column.dropna()).any() else "yyyy-mm-dd"
    if column.dtype.kind != "f":
        return "General"
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    numbers = numbers[np.isfinite(numbers)]
    has_more = np.any(numbers != np.round(numbers, 3)) and np.abs(numbers).max() >= 0.001
    return "0.000" if has_more else "General"


def _filled(cell: Any, value: Any) -> Any:
    """The cell filled with a value, never with a formula."""
    plain = _plain(value)
    is_text_for_sure = not isinstance(plain, str) or not plain.startswith((*FORMULA_STARTS, "#"))
    if is_text_for_sure and not cell.has_style:
        return plain  # openpyxl writes a bare value in half the time
    cell.value = plain
    if isinstance(plain, str):
        cell.data_type = "s"  # text, even if it begins with = or looks like an error such as #REF!
        # Without the quote prefix, editing the cell would turn it into a formula.
        cell.quotePrefix = plain.startswith(FORMULA_STARTS)
    return cell


def _plain(value: Any) -> Any:
    """A value of a type that Excel knows (text, number, boolean, date or time); None if missing."""
    if isinstance(value, str):
        return ILLEGAL_CHARACTERS_RE.sub("?", value)
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return sensible_number(value) if np.isfinite(value) else None if np.isnan(value) else str(value)
    if value is None or value is pd.NaT or value is pd.NA:
        return None
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)  # Excel has no time zones
    return value if isinstance(value, date) else ILLEGAL_CHARACTERS_RE.sub("?", str(value))
