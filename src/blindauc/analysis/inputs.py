"""What of a table is learnt from: its labels, and the columns that are left when the others are set aside."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from blindauc._typing import Bools, Floats, Ints
from blindauc.analysis.belonging import groups_in, times_in
from blindauc.analysis.checks import checked_in
from blindauc.analysis.columns import check_column
from blindauc.analysis.grouping import Groups, column_groups
from blindauc.analysis.labels import LabelColumn, read_labels_of
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
    """What a user says about the columns of a table; see `analyse`.

    Attributes
    ----------
    label, positive, id, drop, groups, rows_by, time, allow_leaks, checked : as in `analyse`
    kinds : the columns that are of each kind, because someone says so
    """

    label: str
    positive: str | None = None
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
        """The column that says what was found where rows were checked, if it is one."""
        return self.checked if isinstance(self.checked, str) else None

    @property
    def left_out(self) -> dict[str, str]:
        """For each column that says something else than what to learn from, the reason in words."""
        reasons = dict.fromkeys(self.drop, "left out, as asked")
        roles = {
            self.time: "says when each row was",
            self.rows_by: "says whom each row belongs to",
            self.checked_column: "says what was found where rows were checked",
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
    columns : the table without the columns of the labels, names, groups and times, and without those to leave out
    kinds : what these columns are
    group_of : the group of each of them that is in one
    left_out : for each other column but the labels', the reason in words
    rows_by, row_groups : the column that says whom rows belong to, if any, and what it says
    times : when each row was, if that is said
    notes : what the user should know about columns, in sentences
    whole : the table that these rows were taken from, where it is larger than memory
    verdict : what was found where rows were checked, as in `blindauc.checked`; None where none was
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
        """How many of them are not labelled, and were not checked."""
        n_checked = 0 if self.verdict is None else int((~self.labels.is_positive & (self.verdict != 0)).sum())
        return self.n_rows - int(self.labels.is_positive.sum()) - n_checked

    @property
    def n_groups(self) -> int | None:
        """How many groups rows belong to, if that is said."""
        if self.row_groups is None:
            return None
        return len(set(self.row_groups)) if self.whole is None else self.whole.n_groups

    @property
    def numbers(self) -> Ints:
        """Those of the rows, counted from 0."""
        return np.arange(len(self.frame)) if self.whole is None else self.whole.numbers

    @property
    def is_usual(self) -> Bools:
        """The rows that show how unlabelled rows are: all of them, or those that were drawn."""
        return ~self.labels.is_positive if self.whole is None else self.whole.is_drawn

    @property
    def set_aside(self) -> dict[str, str]:
        """For each column that is not used the reason in words."""
        return self.left_out | {name: kind.reason for name, kind in self.kinds.items() if not kind.is_used}


def read_inputs(frame: Any, wishes: Wishes) -> Inputs:
    """Take a table apart; a ValueError, in one line, where that makes no sense."""
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
        [*notes, *_notes_on_codes(columns, kinds, given)],
        verdict=checked_in(frame, wishes.checked),
    )


def _check_names(frame: pd.DataFrame, wishes: Wishes) -> None:
    """Raise where a parameter names a column that is not there, or that has another part to play."""
    for parameter, names in wishes.named.items():
        if wishes.label in names:
            raise ValueError(
                f"The column {wishes.label!r} holds the labels, and cannot be named with {parameter} as well: name "
                "another."
            )
        if parameter not in ("id=", "groups="):  # which are checked with all else that is asked of them
            for name in names:
                check_column(frame, name, parameter)
    several = [name for names in wishes.kinds.values() for name in names]
    twice = [name for name in dict.fromkeys(several) if several.count(name) > 1]
    if twice:
        raise ValueError(f"The column {twice[0]!r} can be of one kind only, and is named with two: decide for one.")


def _belonging(
    frame: pd.DataFrame, wishes: Wishes, is_positive: Bools, given: Mapping[str, GivenKind]
) -> tuple[NDArray[np.object_] | None, Floats | None]:
    rows_by, time = wishes.rows_by, wishes.time
    return (
        None if rows_by is None else groups_in(frame, rows_by, is_positive),
        None if time is None else times_in(frame, time, given.get(time)),
    )


def _kinds(columns: pd.DataFrame, given: Mapping[str, GivenKind]) -> dict[str, ColumnKind]:
    """What every column is: as someone says, or by a guess."""
    readers = {"numeric": ("numbers", numbers_of), "date": ("dates", days_by_guess)}
    for name, kind in given.items():
        if kind not in readers:
            continue
        what, read = readers[kind]
        unread = unread_cells(columns[name], read(columns[name]))
        if len(unread):
            cell = str(columns[name].iloc[unread[0]])[:60]
            raise ValueError(
                f"The column {name!r} cannot be read as {what}, {cell!r} in data row {unread[0] + 1} is none: mend "
                f"it, leave such cells blank, or do not name the column with {kind}=."
            )
    guessed = (
        column_kinds(columns[[name for name in columns if name not in given]]) if len(given) < columns.shape[1] else {}
    )
    said = {name: ColumnKind(kind, f"{name!r} is {kind}, as asked") for name, kind in given.items()}
    return {name: said.get(name) or guessed[name] for name in columns}


def check_leaks(leaks: Sequence[Leak], allowed: Sequence[str]) -> list[str]:
    """Raise where a column gives the label away that was not allowed to; sentences on those that were."""
    refused = [leak for leak in leaks if leak.column not in allowed]
    if refused:
        raise LeakError(refused)
    return [f"{leak.column!r} gives the label away, and is used as asked: it {leak.reason}." for leak in leaks]


def _notes_on_codes(
    columns: pd.DataFrame, kinds: Mapping[str, ColumnKind], given: Mapping[str, GivenKind]
) -> list[str]:
    found = {name: n_values for name, n_values in code_like(columns, kinds).items() if name not in given}
    if not found:
        return []
    named = few(f"{name!r} ({n_values} different ones)" for name, n_values in found.items())
    return [
        f"These whole numbers may be codes, and are used as numbers: {named}. If so, fit again with "
        "them as categories (categorical)."
    ]
