"""Errors of files that cannot be read as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from blindauc import extras

imported = partial(extras.imported, otherwise="Reading tables needs {}: pip install 'blindauc[cli]'.")


class TableError(ValueError):
    """A file cannot be read as a table; the message says what was expected, what was found and what to do."""


class NoRowsError(TableError):
    """A file has columns but no rows."""


def check_names(path: Path, names: Sequence[str]) -> None:
    """Raise unless there are columns, with unique names."""
    if not names:
        raise TableError(f"{path} has no columns: export it again.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(f"{path} has several columns of the same name, {shown(', '.join(twice))}: rename them.")


def no_rows(path: Path) -> NoRowsError:
    """The error of a file with columns but no rows."""
    return NoRowsError(f"{path} has column names but no rows: export it again, with its rows.")


def no_header(path: Path, header_row: int, n_rows: int) -> TableError:
    """The error of a header row that is blank or beyond the end of the file."""
    return TableError(
        f"{path} has {n_rows} rows, and none with column names at row {header_row} (header_row): choose another row."
    )


def shown(text: str) -> str:
    """A piece of a file for a message: short, and with control characters escaped."""
    return repr(text if len(text) <= 60 else f"{text[:60]}...")
