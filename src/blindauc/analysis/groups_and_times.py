"""Groups of rows (such as the visits of a patient) and times of rows, read from columns of the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from blindauc._typing import Bools, Floats, Ints
from blindauc.analysis.scoring import PROBABILITY
from blindauc.preprocessing.faults import Fault
from blindauc.preprocessing.kinds import kind_or_fault
from blindauc.preprocessing.values import days_by_guess, numbers_of, texts_of, unread_cells


def read_row_groups(frame: pd.DataFrame, rows_by: str, is_positive: Bools) -> NDArray[np.object_]:
    """The group of each row, as text; a ValueError if cells are blank or all rows of a class are in one group."""
    groups = texts_of(frame[rows_by])
    _refuse_blank(rows_by, pd.isna(groups), "name the group of each row", "rows_by=")
    for kind, name in ((is_positive, "labelled"), (~is_positive, "other")):
        whose = set(groups[kind].tolist())
        if len(whose) == 1:
            raise ValueError(
                f"All {kind.sum():,} {name} rows have {whose.pop()!r} in {rows_by!r}, so that no fold can hold them "
                "out: choose another column with rows_by=, or omit it."
            )
    return groups


def read_row_times(frame: pd.DataFrame, time: str, kind: str | None) -> Floats:
    """The time of each row, as numbers that grow with time; a ValueError if a cell cannot be read.

    `kind` is "date" or "numeric" if the user set it; None means that it is guessed.
    """
    column = frame[time]
    kind = kind or _guessed(column, time)
    numbers = days_by_guess(column) if kind == "date" else numbers_of(column)
    unread = unread_cells(column, numbers)
    if len(unread):
        cell = str(column.iloc[unread[0]])[:60]
        raise ValueError(
            f"The column {time!r} should hold the time of each row, but {cell!r} in data row {unread[0] + 1} cannot be "
            "read: write dates as year-month-day, or numbers."
        )
    _refuse_blank(time, np.isnan(numbers), "hold the time of each row", "time=")
    return numbers


def _guessed(column: pd.Series, time: str) -> str:
    guess = kind_or_fault(repr(time), column)
    if isinstance(guess, Fault):
        raise ValueError(
            f"The column {time!r} should hold the time of each row, but is one {guess.what}{guess.where}: "
            f"{guess.remedy}."
        )
    # Years and visit numbers may be guessed as identifiers; here the user said that they are times.
    return guess.kind


def _refuse_blank(name: str, is_blank: Any, what: str, parameter: str) -> None:
    if is_blank.any():
        raise ValueError(
            f"The column {name!r} should {what}, but is blank in {is_blank.sum():,} rows, the first of them data row "
            f"{is_blank.argmax() + 1}: fill it in, or omit {parameter}."
        )


def ranked_groups(ranking: pd.DataFrame) -> pd.DataFrame:
    """Rank groups by their highest-scoring row.

    Parameters
    ----------
    ranking : pandas.DataFrame
        The ranked rows, the best first, with the columns `group`, `row`, `score`, `probability`, `probability_low`,
        `probability_high` and `labelled`.

    Returns
    -------
    pandas.DataFrame
        One row per group: `group`, `rank`, the `row`, `score` and `probability` of its best row, with
        `probability_low` and `probability_high`, and the counts `n_rows` and `n_labelled`.

    Examples
    --------
    >>> import pandas as pd
    >>> from blindauc.analysis.groups_and_times import ranked_groups
    >>> ranking = pd.DataFrame({"row": [2, 1, 3], "score": [3.0, 1.0, 0.5], "probability": [0.9, 0.5, 0.4]})
    >>> ranking = ranking.assign(probability_low=0.3, probability_high=0.95)
    >>> groups = ranked_groups(ranking.assign(group=["B", "A", "B"], labelled=[False, True, False]))
    >>> groups.drop(columns=["probability_low", "probability_high"])
      group  rank  row  score  probability  n_rows  n_labelled
    0     B     1    2    3.0          0.9       2           0
    1     A     2    1    1.0          0.5       1           1
    """
    by_group = ranking.groupby("group", sort=False)
    best = by_group[["row", "score", *PROBABILITY]].first()
    ranks: Ints = best["score"].rank(method="min", ascending=False).to_numpy(dtype=np.intp)
    best.insert(0, "rank", ranks)
    return best.assign(n_rows=by_group.size(), n_labelled=by_group["labelled"].sum()).reset_index()
