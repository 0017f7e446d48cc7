"""Tables that are read in parts, because they are large or because an option asks for it."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from blindauc.analysis import Analysis

SHARE_OF_MEMORY = {".parquet": 1 / 16, ".csv": 1 / 8, ".tsv": 1 / 8, ".txt": 1 / 8}
"""Size of a file, as a share of the machine's memory, up to which it is read at once (convention): in memory a table
takes several times its size in a text file, and more than that of a compressed one."""

DEFAULT_MEMORY = 8 * 10**9
"""Bytes of memory to assume if the system does not report them (convention)."""


def is_read_in_parts(data: Path, memory: str | None, cluster: str | None) -> bool:
    """Whether a table is to be read in parts."""
    if memory is not None or cluster is not None or data.is_dir():
        return True
    share = SHARE_OF_MEMORY.get(data.suffix.lower())
    return share is not None and data.exists() and data.stat().st_size > share * _memory_of_machine()


def _memory_of_machine() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows
        return DEFAULT_MEMORY


def first_file(data: Path) -> Path:
    """The file, or the first one in a folder."""
    from blindauc.rows.disk.files import find_parts

    return find_parts(data)[0].path if data.is_dir() else data


def columns_in(data: Path) -> list[str]:
    """The column names of a table in one or several files."""
    from blindauc.rows.disk.files import families_of, find_parts

    return list(families_of(find_parts(data)))


def n_rows_at_least(file: Path) -> int:
    """A lower bound of the number of rows: exact for Parquet, half of an estimate for text, 0 for other files."""
    from blindauc.rows.disk.files import find_parts

    if not file.is_file() or file.suffix.lower() not in SHARE_OF_MEMORY:
        return 0
    part = find_parts(file)[0]
    return part.n_rows if part.has_types else part.n_rows // 2


def was_read_in_parts(run: dict[str, Any], data: Path) -> bool:
    """Whether the table of a run was read in parts."""
    return is_read_in_parts(data, *(run.get("arguments", {}).get(name) for name in ("memory", "cluster")))


def names_in(data: Path, id: str | None) -> list[str]:
    """The names of the rows of a table that is read in parts; without a column of names, their numbers from 1."""
    from blindauc.rows.disk.parquet import ParquetRows

    parts = ParquetRows(data).frames([id or columns_in(data)[0]])
    return [str(name) for part in parts for name in (part.index + 1 if id is None else part[id]).tolist()]


def read_files(data: Path) -> pd.DataFrame:
    """A table in one or several files, at once."""
    import pandas as pd

    from blindauc.rows.disk.parquet import ParquetRows

    return pd.concat(ParquetRows(data).frames(), ignore_index=True)


def analysed_in_parts(data: Path, label: str, options: dict[str, Any], **how: Any) -> Analysis:
    """The result of `blindauc.analysis.analyse` for a table that is read in parts."""
    from blindauc.analysis.inputs import Wishes
    from blindauc.analysis.large import analyse_files
    from blindauc.analysis.options import Options

    kinds: Any = {kind: options.pop(kind) for kind in ("categorical", "numeric", "date")}
    roles = ("positive", "id", "drop", "groups", "rows_by", "time", "allow_leaks", "checked")
    wishes = Wishes(label, kinds=kinds, **{name: options.pop(name) for name in roles})
    with _without_logs_of_dask() if how.get("cluster") else nullcontext():
        return analyse_files(data, wishes, Options(**options), **how)


@contextmanager
def _without_logs_of_dask() -> Iterator[None]:
    """Silence the loggers of Dask: their many lines about a lost connection would bury our one-line error."""
    import_module("blindauc.rows.dask")  # Dask sets the levels of its loggers when it is imported
    loggers = [
        logger
        for name, logger in logging.root.manager.loggerDict.items()
        if name.split(".")[0] in ("distributed", "tornado") and isinstance(logger, logging.Logger)
    ]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
