"""What of a table is learnt from: its labels, and the columns that are left when the others are set aside."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from blindauc._typing import Bools, Ints
from blindauc.analysis.columns import check_column
from blindauc.analysis.grouping import Groups, column_groups
from blindauc.analysis.labels import LabelColumn, read_labels_of
from blindauc.analysis.rows import check_names_rows
from blindauc.preprocessing import ColumnKind, column_kinds
from blindauc.preprocessing.kinds import check_frame
from blindauc.preprocessing.naming import listed
from blindauc.preprocessing.values import distinct_texts


@dataclass(frozen=True)
class Inputs:
    """A table to learn from.

    Attributes
    ----------
    frame : the whole table
    id : the column that names its rows, if any
    label : the column of the labels
    labels : which rows are labelled positive
    columns : the table without the columns of the labels and the names, and without those to leave out
    kinds : what these columns are
    group_of : the group of each of them that is in one
    left_out : for each other column but the labels', the reason in words
    """

    frame: pd.DataFrame
    id: str | None
    label: str
    labels: LabelColumn
    columns: pd.DataFrame
    kinds: dict[str, ColumnKind]
    group_of: dict[str, Hashable]
    left_out: dict[str, str]

    @property
    def set_aside(self) -> dict[str, str]:
        """For each column that is not used the reason in words."""
        return self.left_out | {name: kind.reason for name, kind in self.kinds.items() if not kind.is_used}


def read_inputs(
    frame: pd.DataFrame, label: str, positive: str | None, id: str | None, drop: Sequence[str], groups: Groups | None
) -> Inputs:
    """Take a table apart; a ValueError, in one line, where that makes no sense."""
    check_frame(frame)
    labels = read_labels_of(frame, label, positive)
    _check_named_as_labels_only(label, id, drop, groups)
    if id is not None:
        check_names_rows(frame, id)
    for name in drop:
        check_column(frame, name, "--drop")
    left_out = dict.fromkeys(drop, "left out, as asked") | ({} if id is None else {id: "names the rows"})
    columns = frame.drop(columns=[label, *left_out])
    if columns.empty:
        raise ValueError("No column is left to learn from: drop fewer of them.")
    _check_none_is_the_label(columns, frame[label], labels.is_positive)
    group_of = column_groups(columns.columns, groups)
    return Inputs(frame, id, label, labels, columns, column_kinds(columns), group_of, left_out)


def _check_named_as_labels_only(label: str, id: str | None, drop: Sequence[str], groups: Groups | None) -> None:
    options = {"--id": [id], "--drop": drop, "--groups": [] if isinstance(groups, str | None) else groups}
    for option, names in options.items():
        if label in names:
            raise ValueError(
                f"The column {label!r} holds the labels, and cannot be named with {option} as well: name another."
            )


def _check_none_is_the_label(columns: pd.DataFrame, label: pd.Series, is_positive: Bools) -> None:
    """Raise where a column tells apart the same rows as the column of the labels does, or as being labelled does."""
    telling = [_pattern(label), _pattern(pd.Series(is_positive))]
    patterns = {name: _pattern(column) for name, column in columns.items()}
    copies = [name for name, pattern in patterns.items() if any(np.array_equal(pattern, each) for each in telling)]
    if copies:
        raise ValueError(
            f"What the labels in {label.name!r} say is said in every row by {listed(copies)} as well, so that nothing "
            "is left to learn: leave that out with --drop NAME."
        )


def _pattern(column: pd.Series) -> Ints:
    """Which rows hold the same: each value by its number in the order of appearance."""
    numbers, _ = pd.factorize(distinct_texts(column)[0])
    return numbers
