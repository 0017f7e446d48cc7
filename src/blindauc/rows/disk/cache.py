"""Rows as numbers in files that are mapped into memory: made once, and used as long as the table is the same.

A cache is a folder of plain arrays (`matrix.float32`, row after row; `labels.uint16`, the place of each row's label
among the different ones; those of `beside.py`) and `cache.json`: the version of the format, a fingerprint of the
table's files and of what was asked of its columns, and what was learnt about these. It is written under another name
and takes its place when it is whole and on the disk. One that does not fit its table is made again.
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
from blindauc.labels import read_labels
from blindauc.preprocessing.kinds import ColumnKind
from blindauc.preprocessing.streamed import StreamedColumn, streamed_preprocessor
from blindauc.rows.disk.beside import BESIDE, CHECKED, GROUPS, TIMES, WEIGHTS
from blindauc.rows.disk.writing import LABELS, MATRIX, flush_to_disk

FORMAT = 2
"""Grows whenever the same table would give other files."""

MANIFEST = "cache.json"
FILES = (MANIFEST, MATRIX, LABELS, *BESIDE)


@dataclass(frozen=True)
class CachedRows:
    """A table as numbers.

    Attributes
    ----------
    X : the matrix, mapped and read-only
    is_positive : which rows are labelled positive
    weight : of each row; None where all are alike
    groups, times, verdict : whom each row belongs to, when it was, and what was found where it was checked; None where
        no column says so
    classes : the two classes, the positive one last
    feature_names : of the columns of X
    preprocessor : fitted, as from `make_preprocessor`: gives the same numbers for other tables, in float64
    columns : what is known of each column of the table
    label_values, label_codes : the different labels, None for missing ones, and the place of each row's label there
    paths, part_rows : the files, and how many rows each has
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
        """The file of a row of X, and its number there, from 1.

        Raises
        ------
        IndexError
            Where there is no such row.
        """
        if not 0 <= row < len(self.X):
            raise IndexError(f"There are rows from 0 to {len(self.X) - 1}, and none that is {row}.")
        part = int(np.searchsorted(self._ends, row, side="right"))
        return self.paths[part], row - int(self._ends[part]) + self.part_rows[part] + 1

    @property
    def kinds(self) -> dict[str, ColumnKind]:
        """What each column of the table is."""
        return {name: ColumnKind(column.kind, column.reason) for name, column in self.columns.items()}

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        return np.cumsum(self.part_rows)


@dataclass(frozen=True)
class Manifest:
    """What is told about the files of a cache, as JSON.

    Attributes
    ----------
    fingerprint : of the table's files and of what was asked
    columns : what is known of each column
    label_values : the different labels
    part_rows : rows of each file
    beside : the files that there are of `beside.py`
    """

    fingerprint: str
    columns: dict[str, StreamedColumn]
    label_values: list[Any]
    part_rows: tuple[int, ...]
    beside: tuple[str, ...]

    def write(self, folder: Path) -> None:
        """Write it, and wait until it is on the disk."""
        content = {"format": FORMAT, **asdict(self)}
        with (folder / MANIFEST).open("w") as file:
            json.dump(content, file, default=_plain)
            flush_to_disk(file)

    @classmethod
    def read(cls, folder: Path) -> Manifest | None:
        """What is there; None where it is not of this version, or damaged."""
        try:
            content = json.loads((folder / MANIFEST).read_bytes())
            if content.pop("format") != FORMAT:
                return None
            columns = {name: StreamedColumn(**each) for name, each in content.pop("columns").items()}
            part_rows, beside = (tuple(content.pop(name)) for name in ("part_rows", "beside"))
            return cls(columns=columns, part_rows=part_rows, beside=beside, **content)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None


def fingerprint_of(files: Sequence[Sequence[Any]], asked: Mapping[str, Any]) -> str:
    """What changes when the files of a table do, or what is asked of their columns, or the format."""
    known = json.dumps([FORMAT, files, asked], sort_keys=True)
    return hashlib.sha256(known.encode()).hexdigest()


def open_cache(folder: Path, fingerprint: str, paths: Sequence[Path], pos_label: Any) -> CachedRows | None:
    """The rows of a cache; None where there is none, or it does not fit the table, or is not whole."""
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
    is_positive, classes = labels_of(manifest.label_values, pos_label)
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


def labels_of(values: Sequence[Any], pos_label: Any) -> tuple[Bools, Any]:
    """Which of the different labels is positive, and the classes."""
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    return read_labels(cells, pos_label)


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else -1


def _plain(label: Any) -> Any:
    """Labels that JSON does not know are told by their text: dates, or bytes."""
    return str(label)
