"""What of a table is learnt from: its labels, and the columns that are left when the others are set aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer

from blindauc._typing import Bools
from blindauc.analysis.columns import check_column
from blindauc.analysis.labels import LabelColumn, read_labels_of
from blindauc.analysis.rows import check_names_rows
from blindauc.preprocessing import ColumnKind, column_kinds
from blindauc.preprocessing.kinds import check_frame

MANY_CATEGORIES = 1000


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
    left_out : for each other column but the labels', the reason in words
    """

    frame: pd.DataFrame
    id: str | None
    label: str
    labels: LabelColumn
    columns: pd.DataFrame
    kinds: dict[str, ColumnKind]
    left_out: dict[str, str]

    @property
    def set_aside(self) -> dict[str, str]:
        """For each column that is not used the reason in words."""
        return self.left_out | {name: kind.reason for name, kind in self.kinds.items() if not kind.is_used}


def read_inputs(frame: pd.DataFrame, label: str, positive: str | None, id: str | None, drop: Sequence[str]) -> Inputs:
    """Take a table apart; a ValueError, in one line, where that makes no sense."""
    check_frame(frame)
    labels = read_labels_of(frame, label, positive)
    if id is not None:
        check_names_rows(frame, id)
    for name in drop:
        check_column(frame, name, "--drop")
    if label == id or label in drop:
        raise ValueError(f"The column {label!r} holds the labels, and cannot be named with --id or --drop as well.")
    left_out = dict.fromkeys(drop, "left out, as asked") | ({} if id is None else {id: "names the rows"})
    columns = frame.drop(columns=[label, *left_out])
    if columns.empty:
        raise ValueError("No column is left to learn from: drop fewer of them.")
    _check_none_is_the_label(columns, label, labels.is_positive)
    return Inputs(frame, id, label, labels, columns, column_kinds(columns), left_out)


def reduced(preprocessor: ColumnTransformer) -> dict[str, str]:
    """For each column of very many categories, most of which were taken together, a word about it."""
    if "categorical" not in preprocessor.named_transformers_:
        return {}
    names = next(names for kind, _, names in preprocessor.transformers if kind == "categorical")
    encoder = preprocessor.named_transformers_["categorical"][-1]
    return {
        name: f"{name!r} has {len(found)} different values, {len(rare)} of them too rare to tell anything alone: these "
        "were taken together"
        for name, found, rare in zip(names, encoder.categories_, encoder.infrequent_categories_, strict=True)
        if len(found) > MANY_CATEGORIES and rare is not None
    }


def _check_none_is_the_label(columns: pd.DataFrame, label: str, is_positive: Bools) -> None:
    """Raise where a column has one value where a row is labelled, and another where it is not."""
    for name, column in columns.items():
        try:
            codes, _ = column.factorize()
        except TypeError:  # lists and the like
            continue
        first, rest = np.unique(codes[is_positive]), np.unique(codes[~is_positive])
        if len(first) == len(rest) == 1 and first[0] != rest[0]:
            raise ValueError(
                f"The column {name!r} says the same as the labels in {label!r} in every row, so that nothing is left "
                f"to learn: leave it out with --drop {name!r}."
            )
