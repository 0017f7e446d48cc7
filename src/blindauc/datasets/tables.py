"""People's files as tables: CSV, TSV, Parquet, Arrow and Feather, whole or in parts. Needs pandas and pyarrow.

What is missing is not judged here beyond blank cells: words such as "NA" or "?" stay the words that they are, and
`blindauc.preprocessing` decides by the rest of the column.
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

from blindauc.datasets.delimited import (
    COMPRESSIONS,
    SEPARATORS,
    TableError,
    check_names,
    imported,
    no_rows,
    only_member,
    shown,
    text_batches,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TableError", "read_table", "read_table_in_parts"]

_DAMAGED = (ValueError, OSError, EOFError, RuntimeError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


def read_table(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a table from a file.

    - **.csv, .tsv, .tab, .txt**: UTF-8 or UTF-16 with names in the first line, also compressed (.gz, .bz2, .xz, .zst,
      or alone in a .zip). In .csv and .txt files the separator, a comma, semicolon or tab, is found out; with
      semicolons numbers may have decimal commas. A column is of numbers if all its cells are, otherwise it is text just
      as written; blank cells are missing. Numbers with zeros in front or more than 15 digits stay text, since they
      may be names.
    - **.parquet, .arrow, .feather**: with the types that they come with.

    Whole numbers and booleans have the nullable types of pandas.

    Parameters
    ----------
    path : path

    Returns
    -------
    pandas.DataFrame
        With at least one row and names that differ.

    Raises
    ------
    FileNotFoundError
    TableError
        Where the file is not what its ending says, is empty, damaged, or has rows of different lengths.

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
    return next(_parts(Path(path), _batches(Path(path)), sys.maxsize))


def read_table_in_parts(path: str | os.PathLike[str], n_rows: int = 100_000) -> Iterator[pd.DataFrame]:
    """Read a table that may be larger than memory, part by part.

    The parts are the slices of what `read_table` would give, with the same types. Whatever is wrong with a file of
    text is told before the first of them.

    Parameters
    ----------
    path : path
        As in `read_table`.
    n_rows : int, default=100_000
        Rows of a part; the last may have fewer.

    Yields
    ------
    pandas.DataFrame
    """
    if n_rows < 1:
        raise ValueError(f"n_rows must be at least 1, not {n_rows!r}.")
    return _parts(Path(path), _batches(Path(path)), n_rows)


def _batches(path: Path) -> Iterator[Any]:
    """The rows of a file as Arrow's record batches."""
    if path.is_dir():
        raise TableError(f"{path} is a folder: name the file in it.")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}: check its name and its folder.")
    if os.fsencode(path) != str(path).encode(errors="replace"):
        raise TableError(f"{path} has a name that is not in UTF-8, which Arrow cannot open: rename it.")
    with _damage_told(path):
        ending = _ending(path)
    if ending in SEPARATORS:
        return text_batches(path, ending)
    if ending == ".parquet":
        return _parquet_batches(path)
    if ending in (".arrow", ".feather"):
        return _arrow_batches(path)
    what = f"ends in {ending!r}" if ending else "has no ending"
    raise TableError(
        f"{path} {what}, and tables are read from .csv, .tsv, .txt, .parquet, .arrow and .feather files, "
        "the first three also compressed as in .csv.gz: save it as one of these, a spreadsheet as CSV."
    )


def _ending(path: Path) -> str:
    """What tells the format: the last part of the name, or for text the last before the compression."""
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
        # The format has two forms, for files and for streams, and either may be in a file.
        is_file = source.read(6) == b"ARROW1"
        source.seek(0)
        reader = ipc.open_file(source) if is_file else ipc.open_stream(source)
        check_names(path, reader.schema.names)
        yield from map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader


def _parts(path: Path, batches: Iterable[Any], n_rows: int) -> Iterator[pd.DataFrame]:
    n_given = 0
    with _damage_told(path):
        for table in _cut(batches, n_rows):
            frame = _frame(table)
            frame.index += n_given
            n_given += len(frame)
            yield frame
    if not n_given:
        raise no_rows(path)


def _cut(batches: Iterable[Any], n_rows: int) -> Iterator[Any]:
    """Tables of so many rows, and the rest."""
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


def _frame(table: Any) -> pd.DataFrame:
    pa, pd = imported("pyarrow"), imported("pandas")
    # Otherwise whole numbers would be floats in those parts where one is missing.
    nullable = {pa.bool_(): pd.BooleanDtype()}
    for bits in (8, 16, 32, 64):
        nullable[getattr(pa, f"int{bits}")()] = getattr(pd, f"Int{bits}Dtype")()
        nullable[getattr(pa, f"uint{bits}")()] = getattr(pd, f"UInt{bits}Dtype")()
    # With the metadata of pandas a column could become the index, out of sight.
    return table.to_pandas(types_mapper=nullable.get, ignore_metadata=True)


@contextmanager
def _damage_told(path: Path) -> Iterator[None]:
    try:
        yield
    except TableError:
        raise
    except _DAMAGED as error:
        if getattr(error, "errno", None):
            raise  # what the system says is clear, such as that access is denied
        reason = shown(str(error).partition("\n")[0])
        raise TableError(
            f"{path} is damaged, cut short or not what its ending says ({reason}): export it again, or mend the ending."
        ) from error
