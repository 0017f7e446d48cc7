"""CSV files that are safe to open in a spreadsheet (no formula injection), with a sensible number of digits."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO, TypeAlias

import numpy as np
import pandas as pd

from blindauc.datasets.tables import Notation
from blindauc.files import errors_told_of, whole

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Characters at which a spreadsheet starts a formula, or which it skips before one (OWASP, "CSV Injection"); the last
four are the full-width = + - @."""

N_DIGITS = 6
"""Significant digits of computed numbers (convention: more than the precision of any estimate)."""

MOST_DIGITS = 10
"""Numbers with more significant digits than this are taken for computed ones and rounded (convention)."""

Parts: TypeAlias = pd.DataFrame | Iterable[pd.DataFrame]


def write_csv(parts: Parts, path: str | Path, notation: Notation | None = None) -> int:
    """Write a table, or its parts one below the other, as CSV; the file is written completely or not at all.

    Text is quoted. Text and column names that a spreadsheet would take for a formula get an apostrophe in front.
    Numbers with more than ten significant digits are rounded to six. The file is UTF-8 with a byte order mark, without
    which Excel assumes another encoding.

    Parameters
    ----------
    parts : pandas.DataFrame or iterable of them, at least one
    path : path
        A .tsv file is separated by tabs, and a .gz file is compressed.
    notation : Notation, optional
        The separator and the decimal mark, for example those of the input table (`notation_of`). A .csv file is never
        separated by tabs, since Excel would not split it into columns.

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
    >>> table = pd.DataFrame({"id": ["P7", "=1+1"], "score": [-0.5, 2 / 3]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     n_rows = write_csv(table, Path(folder) / "ranking.csv")
    ...     print((Path(folder) / "ranking.csv").read_text(encoding="utf-8-sig").strip())
    "id","score"
    "P7",-0.5
    "'=1+1",0.666667
    """
    path, n_rows = Path(path), 0
    layout = _layout(path, notation or Notation())
    with whole(path) as unfinished, _opened(unfinished, path) as stream:
        for number, part in enumerate([parts] if isinstance(parts, pd.DataFrame) else parts):
            with errors_told_of(path):
                _append(harmless(sensible(part)), stream, layout, with_names=number == 0)
            n_rows += len(part)
    return n_rows


def harmless(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with an apostrophe before every text that a spreadsheet would take for a formula."""
    columns = [column if column.dtype.kind in "biufmM" else column.map(_harmless) for _, column in frame.items()]
    return pd.DataFrame(dict(enumerate(columns)), index=frame.index).set_axis(
        [_harmless(name) for name in frame.columns], axis=1
    )


def sensible(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with long numbers rounded to six significant digits; digits before the decimal point are kept.

    Examples
    --------
    >>> import pandas as pd
    >>> from blindauc.analysis.spreadsheets import sensible
    >>> sensible(pd.DataFrame({"score": [2 / 3, 70.125, 1234567.125, 2e8 / 3]}))["score"].tolist()
    [0.666667, 70.125, 1234567.125, 66666667.0]
    """
    is_float = [dtype.kind == "f" for dtype in frame.dtypes]
    if not any(is_float):
        return frame
    columns = [
        _with_sensible_digits(column) if rounded else column
        for rounded, (_, column) in zip(is_float, frame.items(), strict=True)
    ]
    return pd.concat(columns, axis=1)


def _with_sensible_digits(column: pd.Series) -> pd.Series:
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return pd.Series(list(map(sensible_number, numbers.tolist())), column.index, dtype=np.float64, name=column.name)


def sensible_number(number: float) -> float:
    """A number, rounded to six significant digits if it has more than ten."""
    if float(f"{number:.{MOST_DIGITS}g}") == number:
        return number
    return float(f"{number:.{N_DIGITS}g}") if abs(number) < 10**N_DIGITS else float(f"{number:.0f}")


def _layout(path: Path, notation: Notation) -> Notation:
    """The notation, adjusted to the file name extension."""
    if path.name.lower().endswith((".tsv", ".tsv.gz")):
        return notation._replace(separator="\t")
    if notation.separator == "\t":
        return notation._replace(separator=";" if notation.decimal == "," else ",")
    return notation


@contextmanager
def _opened(unfinished: Path, path: Path) -> Iterator[TextIO]:
    """A text file to write to. Closing is inside the error handling, since a full disk may show only then."""
    open_text = gzip.open if path.suffix.lower() == ".gz" else open
    with errors_told_of(path):
        stream = open_text(unfinished, "wt", encoding="utf-8-sig", newline="")
    try:
        yield stream
    finally:
        with errors_told_of(path):
            stream.close()


def _append(part: pd.DataFrame, stream: TextIO, notation: Notation, *, with_names: bool) -> None:
    part.to_csv(
        stream,
        header=with_names,
        index=False,
        sep=notation.separator,
        decimal=notation.decimal,
        lineterminator="\n",
        quoting=csv.QUOTE_NONNUMERIC,
    )


def _harmless(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) else cell
