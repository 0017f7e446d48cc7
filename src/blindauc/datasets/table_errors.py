"""What is told of a file that cannot be read as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from blindauc import extras

imported = partial(extras.imported, otherwise="Reading tables needs {}: pip install 'blindauc[cli]'.")


class TableError(ValueError):
    """A file cannot be read as a table; one line says what was expected, what came and what to do."""


class NoRowsError(TableError):
    """A file has columns and nothing in them."""


def check_names(path: Path, names: Sequence[str]) -> None:
    """Raise unless there are columns, and their names differ."""
    if not names:
        raise TableError(f"{path} has no columns: export it again.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(f"{path} has several columns of the same name, {shown(', '.join(twice))}: rename them.")


def no_rows(path: Path) -> NoRowsError:
    """What to raise where there are columns and nothing in them."""
    return NoRowsError(f"{path} has names of columns but no rows: export it again, with its rows.")


def no_header(path: Path, header_row: int, n_rows: int) -> TableError:
    """What to raise where the row that should hold the names of the columns is not there."""
    return TableError(
        f"{path} has {n_rows} rows, and its row {header_row} (header_row) should hold the names of the columns: name "
        "another row."
    )


def shown(text: str) -> str:
    """A piece of a file, short and harmless to a terminal."""
    return repr(text if len(text) <= 60 else f"{text[:60]}...")
