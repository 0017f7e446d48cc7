"""The preprocessor of a streamed table: equal to that of `make_preprocessor`, but built from counts."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.compose import ColumnTransformer

from blindauc.preprocessing.dates import ISO
from blindauc.preprocessing.kinds import USED_KINDS, Kind
from blindauc.preprocessing.preprocessor import MIN_FREQUENCY, make_preprocessor

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class StreamedColumn:
    """The facts about a column that a preprocessor needs.

    Attributes
    ----------
    kind, reason : as in `ColumnKind`
    n_missing : rows without a readable value
    centre : the imputed value: the median, or the more frequent of yes (1) and no (0); None if unknown
    date_format : the format of a column of dates
    counts : the rows of each category of a categorical column
    """

    kind: Kind
    reason: str
    n_missing: int = 0
    centre: float | None = None
    date_format: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)

    def rare(self, n_rows: int) -> list[str | None]:
        """The rare categories of a table with `n_rows` rows; None stands for missing values."""
        return [text for text, n in self._all_counts if n < n_rows * MIN_FREQUENCY]

    def common(self, n_rows: int) -> list[str | None]:
        """The categories that are not rare."""
        return [text for text, n in self._all_counts if not n < n_rows * MIN_FREQUENCY]

    @property
    def _all_counts(self) -> list[tuple[str | None, int]]:
        return [*self.counts.items(), *([(None, self.n_missing)] if self.n_missing else [])]


def streamed_preprocessor(columns: Mapping[str, StreamedColumn], n_rows: int) -> ColumnTransformer:
    """The fitted preprocessor of a table, from the facts about its columns.

    It is fitted to a small table with the same kinds, missing values and categories; its medians are then replaced.

    Parameters
    ----------
    columns : dict
        All columns of the table in their order, including unused ones.
    n_rows : int
        The number of rows of the table.

    Returns
    -------
    sklearn.compose.ColumnTransformer
        As from `make_preprocessor`, fitted.

    Examples
    --------
    >>> import pandas as pd
    >>> from blindauc.preprocessing.streamed import StreamedColumn, streamed_preprocessor
    >>> age = StreamedColumn("numeric", "numbers", n_missing=1, centre=49.5)
    >>> race = StreamedColumn("categorical", "2 different values", counts={"A": 2, "B": 1})
    >>> preprocessor = streamed_preprocessor({"age": age, "race": race}, n_rows=3)
    >>> preprocessor.transform(pd.DataFrame({"race": ["B", "A"], "age": [41, None]}))
    array([[41. ,  0. ,  0. ,  1. ],
           [49.5,  1. ,  1. ,  0. ]])
    """
    if not any(column.kind in USED_KINDS for column in columns.values()):
        reasons = "; ".join(column.reason for column in columns.values())
        raise ValueError(f"No column of the table can be used ({reasons}): declare their kinds, or drop fewer columns.")
    frame, min_count = _small_frame(columns, n_rows)
    kinds = {name: column.kind for name, column in columns.items()}
    preprocessor = make_preprocessor(frame, kinds=kinds, min_frequency=min_count).fit(frame)
    for kind, steps, names in preprocessor.transformers_:
        if kind == "categorical":
            steps[-1].set_params(min_frequency=MIN_FREQUENCY)
            preprocessor.set_params(categorical__onehotencoder__min_frequency=MIN_FREQUENCY)
        elif steps != "drop":
            known = [columns[name].centre for name in names]
            pairs = zip(known, steps[-1].statistics_, strict=True)
            steps[-1].statistics_ = np.array([fitted if centre is None else centre for centre, fitted in pairs])
    return preprocessor


def _small_frame(columns: Mapping[str, StreamedColumn], n_rows: int) -> tuple[pd.DataFrame, int]:
    """A table with the missing values and categories of a large one, and the least count of its common categories."""
    import pandas as pd

    n_each = {
        name: (len(column.common(n_rows)), len(column.rare(n_rows)))
        for name, column in columns.items()
        if column.kind == "categorical"
    }
    n_small, min_count = _small_size(list(n_each.values()))
    cells = {name: _small_column(column, n_rows, n_small, min_count) for name, column in columns.items()}
    return pd.DataFrame({name: pd.Series(each, dtype=object) for name, each in cells.items()}), min_count


def _small_size(n_each: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The number of rows of the small table, and the least count of its common categories; rare ones have fewer."""
    for min_count in count(2):
        n_small = max([2, *(n_common * min_count + n_rare for n_common, n_rare in n_each)])
        # In a column without common categories, which could fill up the rows, rare ones must fill all rows.
        if all(n_small <= n_rare * (min_count - 1) for n_common, n_rare in n_each if not n_common):
            break
    return n_small, min_count


def _small_column(column: StreamedColumn, n_rows: int, n_small: int, min_count: int) -> list[Any]:
    if column.kind == "categorical":
        common, rare = column.common(n_rows), column.rare(n_rows)
        cells = rare + common * min_count
        return (cells + (common or rare) * n_small)[:n_small]
    if column.kind == "date" and column.date_format is not None:
        value: Any = _last_day(column.date_format)
    else:
        value = 0.0 if column.centre is None else column.centre
    return [None if column.n_missing else value] + [value] * (n_small - 1)


def _last_day(date_format: str) -> str:
    """31 December 2020 in this format: a day that no earlier format in `DATE_FORMATS` reads."""
    last = datetime.datetime(2020, 12, 31)
    return last.date().isoformat() if date_format == ISO else last.strftime(date_format)
