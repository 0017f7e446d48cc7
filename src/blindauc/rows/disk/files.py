"""The files of a table, read batch by batch: Parquet, or delimited text (CSV, TSV)."""

from __future__ import annotations

import hashlib
import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from blindauc.datasets.delimited import opened_text
from blindauc.datasets.encodings import COMPRESSIONS, PIECE, opened
from blindauc.datasets.layouts import SEPARATORS
from blindauc.datasets.table_errors import NoRowsError, TableError, check_names, imported, no_rows
from blindauc.datasets.tables import damage_told, known_ending
from blindauc.preprocessing.naming import listed
from blindauc.rows.disk.cells import type_family

Place = str | os.PathLike[str]

BUFFER = 1 << 20
"""Bytes of each column of a Parquet file that are read at once (convention). Without a buffer, Arrow reads a whole row
group."""

ENDS = 1 << 16
"""Bytes at the start and at the end of a text file that go into its fingerprint (convention)."""

NOTES = ".txt"
"""The ending of files that may be tables, or text about them such as README.txt."""


class Part(ABC):
    """A file of a table.

    Attributes
    ----------
    path : the path of the file
    families : the family of each column (`type_family`), by name; empty if there is not even a header
    n_rows : the number of rows; an estimate for text
    """

    path: Path
    families: dict[str, str]
    n_rows: int
    has_types = True
    unnamed: frozenset[str] = frozenset()

    @abstractmethod
    def batches(self, columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        """The rows of some columns, in batches of about `n_rows`."""

    @abstractmethod
    def digest(self) -> str:
        """A hash of the part of the file that goes into its fingerprint."""

    def fingerprint(self) -> list[Any]:
        """Path, size, modification time and digest: together they change whenever the file does."""
        stat = self.path.stat()
        return [str(self.path), stat.st_size, stat.st_mtime_ns, self.digest()]


class ParquetPart(Part):
    """A Parquet file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with damage_told(path), self._opened() as file:
            schema = file.schema_arrow
            check_names(path, schema.names)
            self.families = {column.name: type_family(column.type) for column in schema}
            self.n_rows = file.metadata.num_rows

    def batches(self, columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        with damage_told(self.path), self._opened() as file:
            for batch in file.iter_batches(n_rows, columns=list(columns), use_threads=False):
                yield batch.select(list(columns))

    def digest(self) -> str:
        with self.path.open("rb") as stream:
            # A Parquet file ends with its metadata, the length of these in 4 bytes, and 4 magic bytes.
            stream.seek(-8, os.SEEK_END)
            n_footer = int.from_bytes(stream.read(4), "little")
            stream.seek(-8 - n_footer, os.SEEK_END)
            return hashlib.sha256(stream.read(n_footer)).hexdigest()

    def _opened(self) -> Any:
        return imported("pyarrow.parquet").ParquetFile(self.path, buffer_size=BUFFER, pre_buffer=False)


class TextPart(Part):
    """A file of delimited text, perhaps compressed. All of its columns are text."""

    has_types = False

    def __init__(self, path: Path, ending: str) -> None:
        self.path, self._ending = path, ending
        with damage_told(path):
            self.families, self.n_rows = self._header()

    def batches(self, columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        if not self.families:
            return
        with damage_told(self.path), opened_text(self.path, self._ending) as (_, texts):
            waiting: list[Any] = []
            for batch in texts():
                waiting.append(batch.select(list(columns)))
                if sum(map(len, waiting)) >= n_rows:
                    yield _joined(waiting)
                    waiting = []
            if waiting:
                yield _joined(waiting)

    def digest(self) -> str:
        with self.path.open("rb") as stream:
            ends = stream.read(ENDS)
            stream.seek(max(-ENDS, -self.path.stat().st_size), os.SEEK_END)
            return hashlib.sha256(ends + stream.read()).hexdigest()

    def _header(self) -> tuple[dict[str, str], int]:
        """The columns, read from the first rows only, and an estimate of the number of rows."""
        with opened(self.path) as stream:
            head = stream.read(PIECE)
        if len(head) == PIECE:
            head = head[: head.rfind(b"\n") // 2 * 2]  # an even length, as characters may take two bytes
        with tempfile.TemporaryDirectory() as folder:
            first_rows = Path(folder) / "head.csv"
            first_rows.write_bytes(head)
            try:
                with opened_text(first_rows, self._ending) as (layout, _):
                    self.unnamed = frozenset(layout.names[place] for place in layout.unnamed)
                    return dict.fromkeys(layout.names, "text"), self._guess(head)
            except NoRowsError:
                return {}, 0
            except TableError as error:
                raise TableError(str(error).replace(str(first_rows), str(self.path))) from error

    def _guess(self, head: bytes) -> int:
        size = self.path.stat().st_size
        if self.path.suffix.lower() in COMPRESSIONS:
            size *= 4  # a typical compression ratio of tables of numbers (convention)
        return max(1, round(head.count(b"\n") * size / len(head)))


def find_parts(path: Place | Sequence[Place]) -> list[Part]:
    """The files of a table, those of a folder sorted by name; a ValueError if they do not belong together."""
    paths = _paths(path)
    is_folder = isinstance(path, str | os.PathLike) and Path(path).is_dir()
    parts = _without_notes(paths) if is_folder else [_part(each) for each in paths]
    _check_one_format(parts)
    _check_alike(parts)
    return parts


def _without_notes(paths: Sequence[Path]) -> list[Part]:
    """The tables of a folder. A .txt file without a column of the other files is text about them, and left out."""
    parts = {path: _part(path) for path in paths if path.suffix.lower() != NOTES}
    names = set(families_of(list(parts.values())))
    for path in paths:
        if path not in parts and (not names or _has_a_column(path, names)):
            parts[path] = _part(path)
    return [parts[path] for path in paths if path in parts]


def _has_a_column(path: Path, names: set[str]) -> bool:
    try:
        return not names.isdisjoint(_part(path).families)
    except TableError:  # prose is seldom a table
        return False


def _check_one_format(parts: Sequence[Part]) -> None:
    """Raise if there are both Parquet and text files; the message names the files of the rarer format."""
    texts, typed = ([part.path for part in parts if part.has_types == kind] for kind in (False, True))
    if not texts or not typed:
        return
    fewer, of_fewer, others = (texts, "text", "Parquet") if len(texts) <= len(typed) else (typed, "Parquet", "text")
    is_one = len(fewer) == 1
    raise ValueError(
        f"Files of one format are expected, but beside {others} files there {'is' if is_one else 'are'} the {of_fewer} "
        f"file{'s' * (not is_one)} {listed(map(str, fewer))}: remove {'it' if is_one else 'them'}, or move "
        f"{'it' if is_one else 'them'} to another folder."
    )


def files_with_rows(path: Place) -> list[Path]:
    """The file itself, or the files of a folder that have rows, in the order of their names."""
    if not Path(path).is_dir():
        return [Path(path)]
    files = [part.path for part in find_parts(path) if part.n_rows]
    if not files:
        raise no_rows(Path(path))
    return files


def families_of(parts: Sequence[Part]) -> dict[str, str]:
    """The family of each column over all files, in the order of the first file that has columns."""
    families: dict[str, str] = {}
    for part in parts:
        for name, family in part.families.items():
            if families.get(name, "nothing") == "nothing":
                families[name] = family
    return families


def _paths(path: Place | Sequence[Place]) -> list[Path]:
    if not isinstance(path, str | os.PathLike):
        paths = [Path(each).absolute() for each in path]
    elif Path(path).is_dir():
        shown = sorted(each for each in Path(path).absolute().iterdir() if each.is_file() and each.name[0] not in "._")
        paths = [each for each in shown if _is_table(each)]
    else:
        paths = [Path(path).absolute()]
    if not paths:
        raise ValueError(f"There are no Parquet or CSV files in {path}: name another folder, or the files.")
    return paths


def _is_table(path: Path) -> bool:
    endings = [each.lower() for each in path.suffixes[-2:]]
    inner = endings[:-1] if endings and endings[-1] in COMPRESSIONS else endings
    return bool(inner) and inner[-1] in (".parquet", *SEPARATORS)


def _part(path: Path) -> Part:
    ending = known_ending(path)
    if ending == ".parquet":
        return ParquetPart(path)
    if ending in SEPARATORS:
        return TextPart(path, ending)
    raise TableError(f"{path} is neither a Parquet nor a text file: rows are read from .parquet, .csv, .tsv and .txt.")


def _check_alike(parts: Sequence[Part]) -> None:
    """Raise if a file has other columns than the first, or a column of another type."""
    filled = [part for part in parts if part.families]
    if not filled:
        raise ValueError(f"{parts[0].path} has no rows, and no other file has any: pass files with rows.")
    first = filled[0]
    families = families_of(parts)
    for part in filled[1:]:
        for one, other in ((part, first), (first, part)):
            more = [name for name in one.families if name not in other.families]
            if more:
                raise ValueError(
                    f"{part.path} has other columns than {first.path}: only {one.path.name} has "
                    f"{listed(more)}. Write all files with the same columns."
                )
        for name, family in part.families.items():
            if family not in ("nothing", families[name]):
                raise ValueError(
                    f"{part.path} holds {family} in the column {name!r}, but the files before it hold "
                    f"{families[name]}: write all files with the same types."
                )


def _joined(batches: Sequence[Any]) -> Any:
    table = imported("pyarrow").Table.from_batches(batches).combine_chunks()
    return table.to_batches()[0] if len(table) else batches[0]
