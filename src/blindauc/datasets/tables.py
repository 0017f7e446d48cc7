"""Read tables from CSV, TSV, Excel, Parquet, Arrow and Feather files, whole or in parts. Needs pandas and pyarrow.

Only blank cells are missing here. Words such as "NA" or "?" stay text, and `blindauc.preprocessing` decides by the rest
of the column whether they mean missing.
"""

from __future__ import annotations

import lzma
import os
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from blindauc.datasets.delimited import text_batches, text_notation
from blindauc.datasets.encodings import COMPRESSIONS, only_member
from blindauc.datasets.layouts import SEPARATORS, Notation
from blindauc.datasets.table_errors import TableError, check_names, imported, no_rows, shown
from blindauc.datasets.workbooks import WORKBOOKS, sheet_batches

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Notation", "TableError", "notation_of", "read_table", "read_table_in_parts"]

Place = str | os.PathLike[str]

_DAMAGED = (ValueError, OSError, EOFError, RuntimeError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)

_OTHER_WORKBOOKS = (".xls", ".xlsb", ".ods", ".numbers")


def read_table(path: Place, *, sheet: str | int | None = None, header_row: int | None = None) -> pd.DataFrame:
    """Read a table from a file.

    - **.csv, .tsv, .tab, .txt**: UTF-8, UTF-16 or Windows-1252 with column names in the first line, also compressed
      (.gz, .bz2, .xz, .zst, or as the only file in a .zip). In .csv and .txt files the separator (comma, semicolon or
      tab) is detected; with semicolons or tabs, numbers may be written as 12.345,67. A column is numeric if all its
      cells are numbers, otherwise it is text exactly as written; blank cells are missing. Numbers with leading zeros or
      more than 15 digits stay text, since they may be identifiers.
    - **.xlsx, .xlsm**: one sheet of a workbook; formulas have the value that the spreadsheet last computed.
    - **.parquet, .arrow, .feather**: with the types in the file.

    Integers and booleans have the nullable types of pandas. In text files and sheets, blank rows are left out, and so
    are columns with neither a name nor a value.

    Parameters
    ----------
    path : path
    sheet : str or int, optional
        The sheet of a workbook, by name or by number from 1. By default the first.
    header_row : int, optional
        The row with the column names in a text file or sheet, counted from 1; rows above it are left out. By default
        the first row that is not blank.

    Returns
    -------
    pandas.DataFrame
        With at least one row and unique column names.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    TableError
        If the file is empty, damaged, not in the format of its extension, or has rows of different lengths.

    See Also
    --------
    read_table_in_parts : for files larger than memory.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from blindauc.datasets.tables import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "patients.csv"
    ...     written = path.write_text("id;age;weight;race\\n007;41;70,5;A\\n012;NA;;B\\n013;58;81,0;\\n")
    ...     print(read_table(path))
        id age  weight race
    0  007  41    70.5    A
    1  012  NA     NaN    B
    2  013  58    81.0  NaN
    """
    return next(_parts(Path(path), _batches(Path(path), sheet, header_row), sys.maxsize))


def read_table_in_parts(
    path: Place, n_rows: int = 100_000, *, sheet: str | int | None = None, header_row: int | None = None
) -> Iterator[pd.DataFrame]:
    """Read a table that may be larger than memory, part by part.

    The parts are slices of what `read_table` would return, with the same types. Errors in a text file are raised before
    the first part.

    Parameters
    ----------
    path, sheet, header_row
        As in `read_table`.
    n_rows : int, default=100_000
        Rows per part; the last part may have fewer.

    Yields
    ------
    pandas.DataFrame
    """
    if n_rows < 1:
        raise ValueError(f"n_rows must be at least 1, not {n_rows!r}.")
    return _parts(Path(path), _batches(Path(path), sheet, header_row), n_rows)


def notation_of(path: Place, *, header_row: int | None = None) -> Notation:
    """The separator and the decimal mark of a file; comma and point if it is not text.

    Parameters
    ----------
    path, header_row
        As in `read_table`.

    Returns
    -------
    Notation
        `separator` and `decimal`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from blindauc.datasets.tables import notation_of
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "patients.csv"
    ...     written = path.write_text("age;weight\\n41;70,5\\n")
    ...     notation_of(path)
    Notation(separator=';', decimal=',')
    """
    path = Path(path)
    ending = known_ending(path)
    with damage_told(path):
        return text_notation(path, ending, header_row) if ending in SEPARATORS else Notation()


def _batches(path: Path, sheet: str | int | None, header_row: int | None) -> Iterator[Any]:
    """The rows of a file as Arrow record batches."""
    ending = known_ending(path)
    _check_place(path, ending, sheet, header_row)
    if ending in SEPARATORS:
        return text_batches(path, ending, header_row)
    if ending in WORKBOOKS:
        return sheet_batches(path, sheet, header_row)
    return _parquet_batches(path) if ending == ".parquet" else _arrow_batches(path)


def known_ending(path: Path) -> str:
    """The extension of a file, without that of a compression for text; a TableError if it cannot be read."""
    if path.is_dir():
        raise TableError(f"{path} is a folder: name the file in it.")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}: check its name and its folder.")
    if os.fsencode(path) != str(path).encode(errors="replace"):
        raise TableError(f"{path} has a name that is not valid UTF-8, which Arrow cannot open: rename it.")
    with damage_told(path):
        ending = _ending(path)
    if ending in (*SEPARATORS, *WORKBOOKS, ".parquet", ".arrow", ".feather"):
        return ending
    what = f"ends in {ending!r}" if ending else "has no file name extension"
    remedy = "as .xlsx or CSV" if ending in _OTHER_WORKBOOKS else "as one of these"
    raise TableError(
        f"{path} {what}, but tables are read from .csv, .tsv, .txt, .xlsx, .parquet, .arrow and .feather files, "
        f"the first three also compressed as in .csv.gz: save it {remedy}."
    )


def _check_place(path: Path, ending: str, sheet: str | int | None, header_row: int | None) -> None:
    """Raise if a sheet or a header row is given for a file that cannot have one."""
    if sheet is not None and ending not in WORKBOOKS:
        raise TableError(f"{path} is not a workbook and has no sheets: do not name one (sheet).")
    if header_row is not None and ending not in (*SEPARATORS, *WORKBOOKS):
        raise TableError(f"{path} stores its column names apart from the rows: do not name a header row (header_row).")
    if header_row is not None and header_row < 1:
        raise TableError(f"{path} has rows from 1 on, not {header_row} (header_row): choose another row.")


def _ending(path: Path) -> str:
    """The extension of a file; for compressed text, the one before that of the compression."""
    ending = path.suffix.lower()
    if ending not in COMPRESSIONS:
        return ending
    inner = PurePosixPath(only_member(path) if ending == ".zip" else path.stem).suffix.lower()
    return inner if inner in SEPARATORS else inner + ending


def _parquet_batches(path: Path) -> Iterator[Any]:
    with imported("pyarrow.parquet").ParquetFile(path) as file:
        check_names(path, file.schema_arrow.names)
        yield from file.iter_batches()


def _arrow_batches(path: Path) -> Iterator[Any]:
    pa, ipc = imported("pyarrow"), imported("pyarrow.ipc")
    with pa.OSFile(str(path)) as source:
        # Arrow's IPC format has a file and a stream variant, and either may be stored in a file.
        is_file = source.read(6) == b"ARROW1"
        source.seek(0)
        reader = ipc.open_file(source) if is_file else ipc.open_stream(source)
        check_names(path, reader.schema.names)
        yield from map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader


def _parts(path: Path, batches: Iterable[Any], n_rows: int) -> Iterator[pd.DataFrame]:
    n_given = 0
    with damage_told(path):
        for table in _cut(batches, n_rows):
            frame = frame_of(table)
            frame.index += n_given
            n_given += len(frame)
            yield frame
    if not n_given:
        raise no_rows(path)


def _cut(batches: Iterable[Any], n_rows: int) -> Iterator[Any]:
    """Cut batches into tables of `n_rows` rows; the last may have fewer."""
    pa = imported("pyarrow")
    waiting: list[Any] = []
    n_waiting = 0
    for batch in batches:
        waiting.append(batch)
        n_waiting += len(batch)
        while n_waiting >= n_rows:
            table = pa.Table.from_batches(waiting)
            yield table.slice(0, n_rows)
            waiting = table.slice(n_rows).to_batches()
            n_waiting -= n_rows
    if n_waiting:
        yield pa.Table.from_batches(waiting)


def frame_of(table: Any) -> pd.DataFrame:
    """An Arrow table as a DataFrame with nullable integers and booleans."""
    pa, pd = imported("pyarrow"), imported("pandas")
    # Otherwise integers would become floats in those parts that have missing values.
    nullable = {pa.bool_(): pd.BooleanDtype()}
    for bits in (8, 16, 32, 64):
        nullable[getattr(pa, f"int{bits}")()] = getattr(pd, f"Int{bits}Dtype")()
        nullable[getattr(pa, f"uint{bits}")()] = getattr(pd, f"UInt{bits}Dtype")()
    # With pandas' metadata, a column could become the index and disappear from the columns.
    return table.to_pandas(types_mapper=nullable.get, ignore_metadata=True)


@contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """Turn any error in reading a file into a one-line `TableError` that names the file."""
    try:
        yield
    except TableError:
        raise
    except _DAMAGED as error:
        if getattr(error, "errno", None):
            raise  # the message of the system is clear, such as "Permission denied"
        reason = shown(str(error).partition("\n")[0])
        raise TableError(
            f"{path} is damaged, truncated or not in the format of its file name extension ({reason}): export it "
            "again, or correct the extension."
        ) from error
