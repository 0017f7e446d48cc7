"""CSV files that a spreadsheet can open without running what is in them."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from blindauc.files import errors_told_of, whole

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What spreadsheets take for the start of a formula, or skip before one; the last four are wide = + - @."""


def write_csv(parts: pd.DataFrame | Iterable[pd.DataFrame], path: str | Path) -> int:
    """Write a table, or its parts one below the other, as UTF-8: the file is there whole or not at all.

    Text is in quotes. Text, and names of columns, that a spreadsheet would take for a formula have an apostrophe in
    front; numbers stay numbers.

    Parameters
    ----------
    parts : pandas.DataFrame or iterable of them, at least one
    path : path

    Returns
    -------
    int
        The number of rows.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from blindauc.analysis.spreadsheets import write_csv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     n_rows = write_csv(pd.DataFrame({"id": ["P7", "=1+1"], "score": [-0.5, 2.0]}), Path(folder) / "ranking.csv")
    ...     print((Path(folder) / "ranking.csv").read_text(encoding="utf-8").strip())
    "id","score"
    "P7",-0.5
    "'=1+1",2.0
    """
    path, n_rows = Path(path), 0
    with whole(path) as unfinished:
        for number, part in enumerate([parts] if isinstance(parts, pd.DataFrame) else parts):
            with errors_told_of(path):
                _append(harmless(part), unfinished, with_names=number == 0)
            n_rows += len(part)
    return n_rows


def harmless(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with an apostrophe before whatever a spreadsheet would take for a formula."""
    columns = [column if column.dtype.kind in "biufmM" else column.map(_harmless) for _, column in frame.items()]
    return pd.DataFrame(dict(enumerate(columns)), index=frame.index).set_axis(
        [_harmless(name) for name in frame.columns], axis=1
    )


def _append(part: pd.DataFrame, path: Path, *, with_names: bool) -> None:
    part.to_csv(
        path,
        mode="a",
        header=with_names,
        index=False,
        encoding="utf-8",
        lineterminator="\n",
        quoting=csv.QUOTE_NONNUMERIC,
    )


def _harmless(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) else cell
