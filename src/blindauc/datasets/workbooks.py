"""A sheet of an Excel workbook as Arrow record batches. Needs openpyxl.

In a spreadsheet every cell has a type. A column takes that type if all its cells agree; otherwise it is text, as in a
CSV file, and `blindauc.preprocessing` goes by the content of the cells.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from blindauc.datasets.table_errors import TableError, check_names, imported, no_header, no_rows, shown

WORKBOOKS = (".xlsx", ".xlsm")

OLD_OR_LOCKED = b"\xd0\xcf\x11\xe0"
"""First bytes of an OLE2 file: a workbook of Excel before 2007, or one with a password."""

LARGEST_WHOLE = 2**53
"""Largest integer up to which all are exact in a 64-bit float, which is how Excel stores numbers."""

Row = tuple[Any, ...]


def sheet_batches(path: Path, sheet: str | int | None = None, header_row: int | None = None) -> Iterator[Any]:
    """The rows of a sheet in a single batch: a sheet has at most 1,048,576 rows."""
    header, *rows = _rows_from_the_header(path, sheet, header_row)
    if not rows:
        raise no_rows(path)
    columns = _columns(header, rows)
    _check_is_header(path, header, columns)
    names = [_name(header, place) for place in columns]
    check_names(path, names)
    pa = imported("pyarrow")
    yield pa.RecordBatch.from_arrays([_array(cells) for cells in columns.values()], names=names)


def _rows_from_the_header(path: Path, sheet: str | int | None, header_row: int | None) -> list[Row]:
    """The header of a sheet and all rows below it that are not blank."""
    with _opened(path) as workbook:
        rows = list(_rows(_sheet(path, workbook, sheet)))
    if header_row is not None:
        if header_row > len(rows) or not _says_something(rows[header_row - 1]):
            raise no_header(path, header_row, len(rows))
        rows = rows[header_row - 1 :]
    rows = [row for row in rows if _says_something(row)]
    if not rows:
        raise TableError(
            f"{path} has an empty sheet: a row with column names and at least one row below it were expected."
        )
    return rows


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    openpyxl = imported("openpyxl")
    # openpyxl warns of styles and extensions that it does not know; they do not matter here.
    with path.open("rb") as stream, warnings.catch_warnings(action="ignore"):
        if stream.read(len(OLD_OR_LOCKED)) == OLD_OR_LOCKED:
            raise TableError(
                f"{path} has a password or comes from Excel before 2007: save it as .xlsx without a password."
            )
        try:
            yield openpyxl.load_workbook(stream, read_only=True, data_only=True)
        except (TableError, MemoryError):
            raise
        except Exception as error:  # openpyxl can raise anything on a damaged archive or invalid XML
            reason = shown(str(error).partition("\n")[0])
            raise TableError(
                f"{path} is damaged, truncated or not a workbook ({reason}): save it again as .xlsx."
            ) from error


def _sheet(path: Path, workbook: Any, sheet: str | int | None) -> Any:
    sheets = {each.title: each for each in workbook.worksheets}
    if not sheets:
        raise TableError(f"{path} has no sheet with cells: save it again as .xlsx.")
    if sheet is None:
        return next(iter(sheets.values()))
    if sheet in sheets:
        return sheets[str(sheet)]
    if str(sheet).isdecimal() and 1 <= int(sheet) <= len(sheets):
        return list(sheets.values())[int(sheet) - 1]
    raise TableError(f"{path} has no sheet {str(sheet)!r}: its sheets are {', '.join(map(repr, sheets))}.")


def _rows(sheet: Any) -> Iterator[Row]:
    sheet.reset_dimensions()  # some programs write wrong dimensions
    for row in sheet.iter_rows(values_only=True):
        yield tuple(None if isinstance(cell, str) and not cell.strip() else cell for cell in row)


def _says_something(row: Row) -> bool:
    return any(cell is not None for cell in row)


def _columns(header: Row, rows: Sequence[Row]) -> dict[int, list[Any]]:
    """The cells of each column that has a name or a value, by its position."""
    width = max(map(len, (header, *rows)))
    columns = {place: [row[place] if place < len(row) else None for row in rows] for place in range(width)}
    return {place: cells for place, cells in columns.items() if _says_something((*header[place : place + 1], *cells))}


def _check_is_header(path: Path, header: Row, columns: dict[int, list[Any]]) -> None:
    """Raise if most columns have no name: then there is probably a title above the table."""
    n_names = sum(place < len(header) and header[place] is not None for place in columns)
    if n_names < len(columns) / 2:
        first = shown(_text(next(cell for cell in header if cell is not None)))
        names = "1 name," if n_names == 1 else f"{n_names} names, the first"
        raise TableError(
            f"{path} has {names} {first}, for {len(columns)} columns: say which row holds the names (header_row)."
        )


def _name(header: Row, place: int) -> str:
    cell = header[place] if place < len(header) else None
    return f"column {place + 1}" if cell is None else _text(cell).strip()


def _array(cells: Sequence[Any]) -> Any:
    """The cells of a column with their common type (numbers, times, durations, booleans); otherwise as text."""
    pa = imported("pyarrow")
    kinds = {_kind(cell) for cell in cells if cell is not None}
    if kinds == {"whole", "decimal"}:
        kinds = {"decimal"}
    types = {
        "whole": pa.int64(),
        "decimal": pa.float64(),
        "bool": pa.bool_(),
        "moment": pa.timestamp("us"),
        "duration": pa.duration("us"),
    }
    kind = kinds.pop() if len(kinds) == 1 else "text"
    if kind == "decimal":
        cells = [None if cell is None else float(cell) for cell in cells]
    if kind in types:
        return pa.array(cells, types[kind])
    return pa.array([None if cell is None else _text(cell) for cell in cells], pa.string())


def _kind(cell: Any) -> str:
    if isinstance(cell, bool):
        return "bool"
    if isinstance(cell, int):
        return "whole" if abs(cell) <= LARGEST_WHOLE else "decimal"
    if isinstance(cell, float):
        return "decimal"
    if isinstance(cell, date):
        return "moment"
    return "duration" if isinstance(cell, timedelta) else "text"


def _text(cell: Any) -> str:
    """A cell as it would be written in a CSV file."""
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ") if cell.time().isoformat() != "00:00:00" else cell.date().isoformat()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= LARGEST_WHOLE:
        return str(int(cell))
    return str(cell)
