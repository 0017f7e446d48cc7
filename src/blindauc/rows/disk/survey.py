"""The first pass over a table: the kinds of its columns, and all that a preprocessor needs except the medians."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Literal

import numpy as np

from blindauc._typing import Floats
from blindauc.datasets.table_errors import imported
from blindauc.preprocessing.dates import ISO
from blindauc.preprocessing.faults import NO_VALUE, Fault, RowName, check_faults
from blindauc.preprocessing.kinds import ColumnKind, Kind, kind_of_numbers
from blindauc.preprocessing.streamed import StreamedColumn
from blindauc.preprocessing.values import LARGEST
from blindauc.rows.disk.beside import (
    CHECKED,
    GROUPS,
    TIMES,
    WEIGHTS,
    Reader,
    checked_in,
    groups_in,
    times_in,
    weights_in,
)
from blindauc.rows.disk.cells import days_in_column, distinct_cells, is_text, numbers_in_column
from blindauc.rows.disk.files import Part
from blindauc.rows.disk.labels import LabelColumn
from blindauc.rows.disk.medians import MedianSearch, RowSample
from blindauc.rows.disk.numbers import NumberColumn
from blindauc.rows.disk.size import Budget
from blindauc.rows.disk.texts import TextColumn

Report = Callable[[int], None]
"""Callback: the number of rows read since the last call."""

GivenKind = Literal["categorical", "numeric", "date"]

LEAVE_OUT = "drop=[...]"

LARGEST_FLOAT32 = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Roles:
    """The roles of the columns of a table.

    Attributes
    ----------
    features : the features, in the order of the table, with their families (`type_family`)
    label, weight, groups, time, checked : the names of these columns; that of the labels is empty if there are none
    kinds : the kinds of some features, and of the times, as given by the user
    time_family : the family of the times
    """

    features: Mapping[str, str]
    label: str
    weight: str | None
    groups: str | None
    time: str | None
    checked: str | None
    kinds: Mapping[str, GivenKind]
    time_family: str | None = None

    @property
    def beside(self) -> dict[str, str]:
        """The columns of `beside.py`, by the names of the files that they are written to."""
        named = {WEIGHTS: self.weight, GROUPS: self.groups, TIMES: self.time, CHECKED: self.checked}
        return {file: name for file, name in named.items() if name is not None}

    @property
    def read(self) -> list[str]:
        """The names of all columns that are read."""
        return list(dict.fromkeys([*self.features, *filter(None, [self.label]), *self.beside.values()]))


@dataclass(frozen=True)
class Survey:
    """The results of the first pass.

    Attributes
    ----------
    part_rows : the number of rows of each file
    columns : what the preprocessor needs of each column; a median that is not known yet is None
    searches : the searches for these medians
    labels : the distinct labels
    readers : the readers of the columns of `Roles.beside`
    """

    part_rows: tuple[int, ...]
    columns: dict[str, StreamedColumn]
    searches: dict[str, MedianSearch]
    labels: LabelColumn
    readers: dict[str, Reader]

    @property
    def n_rows(self) -> int:
        return sum(self.part_rows)


def batches_of(parts: Sequence[Part], columns: Sequence[str], n_batch: int) -> Iterator[tuple[int, Any]]:
    """The rows of all files in their order, each batch with the number of its file."""
    for number, part in enumerate(parts):
        for batch in part.batches(columns, n_batch):
            yield number, batch


def survey_of(parts: Sequence[Part], roles: Roles, budget: Budget, report: Report) -> Survey:
    """Read all rows once, and collect the facts about all columns."""
    has_types = parts[0].has_types
    seen = {name: _seen_as(family, budget, has_types) for name, family in roles.features.items()}
    sample = RowSample(budget.n_sampled, {name: _sampled_as(family) for name, family in roles.features.items()})
    labels = LabelColumn(roles.label, has_types)
    moments = None if roles.time is None else _seen_as(str(roles.time_family), budget, has_types)
    checks = {file: reader for file, reader in READERS.items() if file in roles.beside}
    part_rows, row = [0] * len(parts), 0
    for number, batch in batches_of(parts, roles.read, budget.n_batch):
        for name, column in seen.items():
            column.see(batch.column(name), row)
        sample.see(batch, row)
        labels.codes(batch.column(roles.label))
        for file, reader in checks.items():
            reader(batch.column(roles.beside[file]), roles.beside[file], parts[number].path, part_rows[number])
        if moments is not None:
            moments.see(batch.column(roles.time), row)
        part_rows[number] += len(batch)
        row += len(batch)
        report(len(batch))
    if not row:
        raise ValueError(f"{parts[0].path} has no rows, and no other file has any: pass files with rows.")
    unnamed = frozenset().union(*(part.unnamed for part in parts))
    columns = _kinds(seen, roles.kinds, _naming(parts, part_rows), unnamed)
    columns, searches = _with_medians(columns, sample, roles, budget)
    if moments is not None:
        checks[TIMES] = times_in(_date_format(moments, roles, _naming(parts, part_rows)))
    return Survey(tuple(part_rows), columns, searches, labels, checks)


READERS: dict[str, Reader] = {WEIGHTS: weights_in, GROUPS: groups_in, CHECKED: checked_in}
"""Readers that check their columns in the first pass. Whether times are numbers or dates is known only after it."""


def _date_format(seen: _Numbers | TextColumn, roles: Roles, name_of_row: Callable[[int], str]) -> str | None:
    """The format of the times if they are dates; None if they are numbers."""
    name, given = repr(roles.time), roles.kinds.get(roles.time or "")
    kind = seen.kind(name, name_of_row) if given is None else seen.kind_as_asked(name, given, name_of_row)
    if isinstance(kind, Fault):
        raise ValueError(f"The column {name} must have the time of each row, but is one {kind.what}: {kind.remedy}.")
    return seen.date_format if isinstance(seen, TextColumn) and kind.kind == "date" else None


class _Numbers:
    """A column whose type is numeric."""

    def __init__(self, budget: Budget) -> None:
        self._column = NumberColumn(budget.n_distinct)

    def see(self, array: Any, first_row: int) -> None:
        self._column.see(numbers_in_column(array), first_row)

    def kind(self, name: str, name_of_row: Callable[[int], RowName]) -> ColumnKind | Fault:
        return kind_of_numbers(name, self._column.facts(name_of_row))

    def kind_as_asked(self, name: str, kind: Kind, name_of_row: Callable[[int], RowName]) -> ColumnKind | Fault:
        found = self.kind(name, name_of_row)
        return found if isinstance(found, Fault) else ColumnKind(kind, f"{name} is {kind}, as asked")

    def numbers(self) -> NumberColumn:
        return self._column


def _seen_as(family: str, budget: Budget, has_types: bool) -> _Numbers | TextColumn:
    return _Numbers(budget) if family in ("numbers", "durations") else TextColumn(budget.n_distinct, has_types)


def _sampled_as(family: str) -> Callable[[Any], Any]:
    array = imported("pyarrow").array
    if family in ("numbers", "durations"):
        return lambda cells: array(numbers_in_column(cells))
    if family == "dates":
        return lambda cells: array(days_in_column(cells, ISO))
    return _as_texts


def _as_texts(cells: Any) -> Any:
    pa = imported("pyarrow")
    if is_text(cells.type):
        return cells.cast(pa.string())
    codes, texts = distinct_cells(cells)
    return pa.array(texts, pa.string()).take(pa.array(codes, mask=codes < 0))


def _naming(parts: Sequence[Part], part_rows: Sequence[int]) -> Callable[[int], str]:
    starts = np.array([0, *accumulate(part_rows)])

    def name_of_row(row: int) -> str:
        number = int(np.searchsorted(starts, row, side="right")) - 1
        return f"{row - starts[number] + 1} of {parts[number].path}"

    return name_of_row


def _kinds(
    seen: Mapping[str, _Numbers | TextColumn],
    given: Mapping[str, GivenKind],
    name_of_row: Callable[[int], str],
    unnamed: frozenset[str],
) -> dict[str, StreamedColumn]:
    """The kinds of all columns; a ValueError if some cannot be used."""
    found = {
        name: column.kind_as_asked(repr(name), given[name], name_of_row)
        if name in given
        else column.kind(repr(name), name_of_row)
        for name, column in seen.items()
    }
    # Spreadsheets add columns with neither a name nor a value.
    found = {name: kind for name, kind in found.items() if not (name in unnamed and kind is NO_VALUE)}
    faults = {name: kind for name, kind in found.items() if isinstance(kind, Fault)}
    columns = {name: _column(seen[name], kind) for name, kind in found.items() if isinstance(kind, ColumnKind)}
    too_large = Fault("with numbers beyond 3.4e38, which float32 cannot hold", "scale them")
    for name, column in columns.items():
        if column.kind == "numeric" and seen[name].numbers().largest > LARGEST_FLOAT32:
            faults[name] = too_large
    check_faults(faults, LEAVE_OUT)
    return columns


def _column(seen: _Numbers | TextColumn, kind: ColumnKind) -> StreamedColumn:
    if not kind.is_used:
        return StreamedColumn(kind.kind, kind.reason)
    if kind.kind == "numeric":
        numbers = seen.numbers()
        return StreamedColumn(kind.kind, kind.reason, numbers.n_rows - numbers.n_present)
    assert isinstance(seen, TextColumn)
    if kind.kind == "categorical":
        return StreamedColumn(kind.kind, kind.reason, seen.n_rows - seen.n_present, counts=seen.categories)
    n_missing = seen.n_rows - seen.n_read(kind.kind)
    if kind.kind == "boolean":
        return StreamedColumn(kind.kind, kind.reason, n_missing, seen.more_frequent())
    return StreamedColumn(kind.kind, kind.reason, n_missing, date_format=seen.date_format)


def _with_medians(
    columns: Mapping[str, StreamedColumn], sample: RowSample, roles: Roles, budget: Budget
) -> tuple[dict[str, StreamedColumn], dict[str, MedianSearch]]:
    """The columns with their medians if the sample has all rows, and otherwise the searches for them."""
    complete, searches = dict(columns), {}
    for name, column in columns.items():
        if column.kind not in ("numeric", "date"):
            continue
        numbers = present_numbers(sampled_numbers(sample.cells(name), column, roles.features[name]))
        if sample.is_all:
            complete[name] = replace(column, centre=float(np.median(numbers)))
        else:
            searches[name] = MedianSearch.around(numbers, budget.n_near_median)
    return complete, searches


def sampled_numbers(cells: Any, column: StreamedColumn, family: str) -> Floats:
    """The sampled cells of a column as numbers, or days."""
    if column.date_format is None or family == "dates":
        return numbers_in_column(cells)
    return days_in_column(cells, column.date_format)


def present_numbers(numbers: Floats) -> Floats:
    """The numbers that are neither missing nor infinite."""
    return numbers[np.abs(numbers) <= LARGEST]
