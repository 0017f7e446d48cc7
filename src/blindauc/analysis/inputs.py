"""Split a table into labels, columns to learn from, and columns with other roles (names, groups, times)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from blindauc._typing import Bools, Floats, Ints
from blindauc.analysis.checks import checked_in
from blindauc.analysis.columns import check_column
from blindauc.analysis.grouping import Groups, column_groups
from blindauc.analysis.groups_and_times import read_row_groups, read_row_times
from blindauc.analysis.labels import LabelColumn, Positive, notes_on_labels, read_labels_of
from blindauc.analysis.leaks import Leak, LeakError, leaks_among
from blindauc.analysis.rows import check_names_rows
from blindauc.analysis.whole import Whole
from blindauc.preprocessing import ColumnKind, code_like, column_kinds
from blindauc.preprocessing.kinds import check_frame
from blindauc.preprocessing.naming import few
from blindauc.preprocessing.values import as_pandas, days_by_guess, numbers_of, unread_cells

GivenKind = Literal["categorical", "numeric", "date"]


@dataclass(frozen=True)
class Wishes:
    """The user's options about the columns of a table; see `analyse`.

    Attributes
    ----------
    label, positive, id, drop, groups, rows_by, time, allow_leaks, checked : as in `analyse`
    kinds : the columns whose kind the user sets, by kind
    """

    label: str
    positive: Positive = None
    id: str | None = None
    drop: Sequence[str] = ()
    groups: Groups | None = None
    rows_by: str | None = None
    time: str | None = None
    allow_leaks: Sequence[str] = ()
    kinds: Mapping[GivenKind, Sequence[str]] = field(default_factory=dict)
    checked: Any = None

    @property
    def checked_column(self) -> str | None:
        """The column with the results of a manual check, if they are in a column."""
        return self.checked if isinstance(self.checked, str) else None

    @property
    def left_out(self) -> dict[str, str]:
        """The columns that are not features because of their role, each with the reason in words."""
        reasons = dict.fromkeys(self.drop, "left out, as asked")
        roles = {
            self.time: "holds the time of each row",
            self.rows_by: "names the group of each row",
            self.checked_column: "holds the results of the check",
            self.id: "names the rows",
        }
        return reasons | {name: reason for name, reason in roles.items() if name is not None}

    @property
    def named(self) -> dict[str, Sequence[str]]:
        """The columns that each parameter names."""
        roles = {"id=": self.id, "rows_by=": self.rows_by, "time=": self.time, "checked=": self.checked_column}
        lists: dict[str, Sequence[str]] = {"drop=": self.drop, "allow_leaks=": self.allow_leaks}
        lists["groups="] = [] if isinstance(self.groups, str | None) else list(self.groups)
        lists |= {f"{kind}=": names for kind, names in self.kinds.items()}
        return {role: [name] for role, name in roles.items() if name is not None} | lists


@dataclass(frozen=True)
class Inputs:
    """A table to learn from.

    Attributes
    ----------
    frame : the whole table
    id : the column that names its rows, if any
    label : the column of the labels
    labels : which rows are labelled positive
    columns : the columns to learn from
    kinds : the kind of each of these columns
    group_of : the group of those that are selected together
    left_out : the reason in words for every other column except the label column
    rows_by, row_groups : the column with the group of each row, if any, and its values
    times : the time of each row, if given
    notes : sentences about columns that the user should know
    whole : facts about the full table, if these rows are a sample of one larger than memory
    verdict : the result of the check of each row, as in `blindauc.checked`; None if no row was checked
    """

    frame: pd.DataFrame
    id: str | None
    label: str
    labels: LabelColumn
    columns: pd.DataFrame
    kinds: dict[str, ColumnKind]
    group_of: dict[str, Hashable]
    left_out: dict[str, str]
    rows_by: str | None
    row_groups: NDArray[np.object_] | None
    times: Floats | None
    notes: list[str]
    whole: Whole | None = None
    verdict: Ints | None = None

    @property
    def n_rows(self) -> int:
        """How many rows the table has."""
        return len(self.frame) if self.whole is None else self.whole.n_rows

    @property
    def n_unlabelled(self) -> int:
        """How many rows are neither labelled nor checked."""
        n_checked = 0 if self.verdict is None else int((~self.labels.is_positive & (self.verdict != 0)).sum())
        return self.n_rows - int(self.labels.is_positive.sum()) - n_checked

    @property
    def n_groups(self) -> int | None:
        """How many groups the rows belong to; None if no column names groups."""
        if self.row_groups is None:
            return None
        return len(set(self.row_groups)) if self.whole is None else self.whole.n_groups

    @property
    def numbers(self) -> Ints:
        """The row numbers in the full table, counted from 0."""
        return np.arange(len(self.frame)) if self.whole is None else self.whole.numbers

    @property
    def is_usual(self) -> Bools:
        """The unlabelled reference rows: all unlabelled rows, or the random sample of a larger table."""
        return ~self.labels.is_positive if self.whole is None else self.whole.is_drawn

    @property
    def set_aside(self) -> dict[str, str]:
        """The reason in words for each column that is not used."""
        return self.left_out | {name: kind.reason for name, kind in self.kinds.items() if not kind.is_used}


def read_inputs(frame: Any, wishes: Wishes) -> Inputs:
    """Split a table by the roles of its columns; a one-line ValueError if the table or the options are unusable."""
    frame = as_pandas(frame)
    check_frame(frame)
    labels = read_labels_of(frame, wishes.label, wishes.positive)
    _check_names(frame, wishes)
    if wishes.id is not None:
        check_names_rows(frame, wishes.id)
    columns = frame.drop(columns=[wishes.label, *wishes.left_out])
    if columns.empty:
        raise ValueError("No column is left to learn from: drop fewer of them.")
    given = {name: kind for kind, names in wishes.kinds.items() for name in names}
    groups, times = _belonging(frame, wishes, labels.is_positive, given)
    kinds = _kinds(columns, {name: kind for name, kind in given.items() if name in columns})
    leaks = leaks_among(columns, kinds, frame[wishes.label], labels.is_positive)
    notes = check_leaks(leaks, wishes.allow_leaks)
    return Inputs(
        frame,
        wishes.id,
        wishes.label,
        labels,
        columns,
        kinds,
        column_groups(columns.columns, wishes.groups),
        wishes.left_out,
        wishes.rows_by,
        groups,
        times,
        [*notes_on_labels(labels, wishes.checked), *notes, *_notes_on_codes(columns, kinds, given)],
        verdict=checked_in(frame, wishes.checked),
    )


def _check_names(frame: pd.DataFrame, wishes: Wishes) -> None:
    """Raise if a parameter names a column that does not exist or that already has another role."""
    for parameter, names in wishes.named.items():
        if wishes.label in names:
            raise ValueError(
                f"The column {wishes.label!r} holds the labels and cannot be named with {parameter} as well: choose "
                "another."
            )
        if parameter not in ("id=", "groups="):  # these two have checks of their own
            for name in names:
                check_column(frame, name, parameter)
    several = [name for names in wishes.kinds.values() for name in names]
    twice = [name for name in dict.fromkeys(several) if several.count(name) > 1]
    if twice:
        raise ValueError(f"The column {twice[0]!r} can be of one kind only, but two were given: choose one.")


def _belonging(
    frame: pd.DataFrame, wishes: Wishes, is_positive: Bools, given: Mapping[str, GivenKind]
) -> tuple[NDArray[np.object_] | None, Floats | None]:
    rows_by, time = wishes.rows_by, wishes.time
    return (
        None if rows_by is None else read_row_groups(frame, rows_by, is_positive),
        None if time is None else read_row_times(frame, time, given.get(time)),
    )


def _kinds(columns: pd.DataFrame, given: Mapping[str, GivenKind]) -> dict[str, ColumnKind]:
    """The kind of every column: given by the user, or guessed."""
    readers = {"numeric": ("numbers", numbers_of), "date": ("dates", days_by_guess)}
    for name, kind in given.items():
        if kind not in readers:
            continue
        what, read = readers[kind]
        unread = unread_cells(columns[name], read(columns[name]))
        if len(unread):
            cell = str(columns[name].iloc[unread[0]])[:60]
            raise ValueError(
                f"The column {name!r} cannot be read as {what}: {cell!r} in data row {unread[0] + 1}. Correct such "
                f"cells, leave them blank, or do not name the column with {kind}=."
            )
    guessed = (
        column_kinds(columns[[name for name in columns if name not in given]]) if len(given) < columns.shape[1] else {}
    )
    chosen = {name: ColumnKind(kind, f"{name!r} is {kind}, as asked") for name, kind in given.items()}
    return {name: chosen.get(name) or guessed[name] for name in columns}


def check_leaks(leaks: Sequence[Leak], allowed: Sequence[str]) -> list[str]:
    """Raise if columns give the label away, unless they are allowed; return a sentence about each allowed one."""
    refused = [leak for leak in leaks if leak.column not in allowed]
    if refused:
        raise LeakError(refused)
    return [f"{leak.column!r} gives the label away but is used, as asked: it {leak.reason}." for leak in leaks]


def _notes_on_codes(
    columns: pd.DataFrame, kinds: Mapping[str, ColumnKind], given: Mapping[str, GivenKind]
) -> list[str]:
    found = {name: n_values for name, n_values in code_like(columns, kinds).items() if name not in given}
    if not found:
        return []
    named = few(f"{name!r} ({n_values} different values)" for name, n_values in found.items())
    return [
        f"These columns are used as numbers but may be codes: {named}. If they are codes, fit again with "
        "them as categories (categorical)."
    ]
