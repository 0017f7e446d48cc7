"""A cache of the rows as numbers, in memory-mapped files. It is made once, and used as long as the table is the same.

A cache is a folder of plain arrays and `cache.json`. The arrays are `matrix.float32` in C order, `labels.uint16` with
the index of each row's label among the distinct ones, and those of `beside.py`. `cache.json` has the version of the
format, a fingerprint of the table's files and of the parameters, and what the first pass found about the columns. A
cache is written under another name, and renamed when it is complete and on disk. One that does not match its table is
rebuilt.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer

from blindauc._typing import Bools, Floats
from blindauc.preprocessing.kinds import ColumnKind
from blindauc.preprocessing.streamed import StreamedColumn, streamed_preprocessor
from blindauc.rows.disk.beside import BESIDE, CHECKED, GROUPS, TIMES, WEIGHTS
from blindauc.rows.disk.labels import ReadLabels
from blindauc.rows.disk.writing import LABELS, MATRIX, flush_to_disk

FORMAT = 2
"""The version of the format. Increase it whenever the same table would give other files."""

MANIFEST = "cache.json"
FILES = (MANIFEST, MATRIX, LABELS, *BESIDE)


@dataclass(frozen=True)
class CachedRows:
    """A table as numbers.

    Attributes
    ----------
    X : the matrix, memory-mapped and read-only
    is_positive : mask of the rows that are labelled positive
    weight : the weight of each row; None if all are equal
    groups, times, verdict : the group and the time of each row, and the result of its check; None without such a column
    classes : the two classes, the positive one last
    feature_names : the names of the columns of X
    preprocessor : fitted, like that of `make_preprocessor`; it gives the same numbers for other tables, in float64
    columns : what the first pass found about each column of the table
    label_values, label_codes : the distinct labels, None for missing ones, and the index of each row's label
    paths, part_rows : the files, and the number of rows of each
    """

    X: NDArray[np.float32]
    is_positive: Bools
    weight: Floats | None
    groups: NDArray[np.uint64] | None
    times: Floats | None
    verdict: NDArray[np.int8] | None
    classes: Any
    feature_names: list[str]
    preprocessor: ColumnTransformer
    columns: dict[str, StreamedColumn]
    label_values: list[Any]
    label_codes: NDArray[np.uint16]
    paths: tuple[Path, ...]
    part_rows: tuple[int, ...]

    def place(self, row: int) -> tuple[Path, int]:
        """The file of a row of X, and the number of the row in that file, from 1.

        Raises
        ------
        IndexError
            If there is no such row.
        """
        if not 0 <= row < len(self.X):
            raise IndexError(f"There is no row {row}: rows are numbered from 0 to {len(self.X) - 1}.")
        part = int(np.searchsorted(self._ends, row, side="right"))
        return self.paths[part], row - int(self._ends[part]) + self.part_rows[part] + 1

    @property
    def kinds(self) -> dict[str, ColumnKind]:
        """The kind of each column of the table."""
        return {name: ColumnKind(column.kind, column.reason) for name, column in self.columns.items()}

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        return np.cumsum(self.part_rows)


@dataclass(frozen=True)
class Manifest:
    """The content of `cache.json`.

    Attributes
    ----------
    fingerprint : of the table's files and of the parameters
    columns : what the first pass found about each column
    label_values : the distinct labels
    part_rows : the number of rows of each file
    beside : those files of `beside.py` that exist
    """

    fingerprint: str
    columns: dict[str, StreamedColumn]
    label_values: list[Any]
    part_rows: tuple[int, ...]
    beside: tuple[str, ...]

    def write(self, folder: Path) -> None:
        """Write the manifest, and wait until it is on disk."""
        content = {"format": FORMAT, **asdict(self)}
        with (folder / MANIFEST).open("w") as file:
            json.dump(content, file, default=_plain)
            flush_to_disk(file)

    @classmethod
    def read(cls, folder: Path) -> Manifest | None:
        """The manifest of a folder; None if there is none, it has another version, or is damaged."""
        try:
            content = json.loads((folder / MANIFEST).read_bytes())
            if content.pop("format") != FORMAT:
                return None
            columns = {name: StreamedColumn(**each) for name, each in content.pop("columns").items()}
            part_rows, beside = (tuple(content.pop(name)) for name in ("part_rows", "beside"))
            return cls(columns=columns, part_rows=part_rows, beside=beside, **content)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None


def fingerprint_of(files: Sequence[Sequence[Any]], params: Mapping[str, Any]) -> str:
    """A hash that changes with the files of a table, the parameters, and the version of the format."""
    content = json.dumps([FORMAT, files, params], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def open_cache(folder: Path, fingerprint: str, paths: Sequence[Path], read: ReadLabels) -> CachedRows | None:
    """The rows of a cache; None if there is none, it does not match the table, or is not complete."""
    manifest = Manifest.read(folder)
    if manifest is None or manifest.fingerprint != fingerprint:
        return None
    n_rows = sum(manifest.part_rows)
    preprocessor = streamed_preprocessor(manifest.columns, n_rows)
    names = preprocessor.get_feature_names_out().tolist()
    sizes = {MATRIX: 4 * n_rows * len(names), LABELS: 2 * n_rows}
    sizes |= {name: np.dtype(BESIDE[name]).itemsize * n_rows for name in manifest.beside if name in BESIDE}
    if any(_size(folder / name) != size for name, size in sizes.items()):
        return None
    codes = np.memmap(folder / LABELS, dtype=np.uint16, mode="r")
    is_positive, classes = read(manifest.label_values)
    beside = {name: np.memmap(folder / name, dtype=BESIDE[name], mode="r") for name in sizes if name in BESIDE}
    return CachedRows(
        X=np.memmap(folder / MATRIX, dtype=np.float32, mode="r", shape=(n_rows, len(names))),
        is_positive=is_positive[codes],
        weight=beside.get(WEIGHTS),
        groups=beside.get(GROUPS),
        times=beside.get(TIMES),
        verdict=beside.get(CHECKED),
        classes=classes,
        feature_names=names,
        preprocessor=preprocessor,
        columns=manifest.columns,
        label_values=manifest.label_values,
        label_codes=codes,
        paths=tuple(paths),
        part_rows=manifest.part_rows,
    )


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else -1


def _plain(label: Any) -> Any:
    """The text of a label that JSON cannot represent, such as a date or bytes."""
    return str(label)
