"""Write tables in the format of the file name extension."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from blindauc.analysis.spreadsheets import Parts, write_csv
from blindauc.analysis.workbook import write_workbook
from blindauc.datasets.tables import Notation
from blindauc.files import errors_told_of, whole

ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".xlsx", ".parquet")
"""Extensions of files that can be written."""


def write_table(parts: Parts, path: str | Path, notation: Notation | None = None) -> int:
    """Write a table, or its parts one below the other; the file is written completely or not at all.

    Parameters
    ----------
    parts : pandas.DataFrame or iterable of them, at least one
    path : path
        The extension sets the format: .csv, .tsv, .csv.gz, .tsv.gz, .xlsx or .parquet.
    notation : Notation, optional
        As in `write_csv`.

    Returns
    -------
    int
        The number of rows.

    Raises
    ------
    ValueError
        For any other extension.

    See Also
    --------
    write_csv, write_workbook : how formula injection is prevented.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from blindauc.analysis import write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     n_rows = write_table(pd.DataFrame({"row": [1, 2]}), Path(folder) / "scores.parquet")
    ...     print(pd.read_parquet(Path(folder) / "scores.parquet")["row"].tolist())
    [1, 2]
    """
    path = Path(path)
    return _writer(path, notation)(parts)


def check_ending(path: Path) -> None:
    """Raise unless a file with this extension can be written."""
    if not path.name.lower().endswith(ENDINGS):
        raise ValueError(f"{path} should end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}: choose another name.")


def _writer(path: Path, notation: Notation | None) -> Callable[[Parts], int]:
    check_ending(path)
    ending = path.suffix.lower()
    if ending == ".xlsx":
        return lambda parts: write_workbook({"Table": parts}, path)
    if ending == ".parquet":
        return lambda parts: _write_parquet(parts, path)
    return lambda parts: write_csv(parts, path, notation)


def _write_parquet(parts: Parts, path: Path) -> int:
    writer, n_rows = None, 0
    with whole(path) as unfinished:
        try:
            for part in [parts] if isinstance(parts, pd.DataFrame) else parts:
                table = pa.Table.from_pandas(part, preserve_index=False)
                with errors_told_of(path):
                    writer = writer or pq.ParquetWriter(unfinished, table.schema)
                    writer.write_table(table.cast(writer.schema))
                n_rows += len(part)
        finally:
            with errors_told_of(path):
                if writer is not None:
                    writer.close()
    return n_rows
