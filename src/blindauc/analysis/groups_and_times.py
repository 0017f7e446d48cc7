"""Whom the rows of a table belong to, and when they were, by columns that say so."""

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
    """Whom each row belongs to, as text; a ValueError where that is not said, or no group can be held out."""
    groups = texts_of(frame[rows_by])
    _refuse_blank(rows_by, pd.isna(groups), "say whom each row belongs to", "rows_by=")
    for kind, name in ((is_positive, "labelled"), (~is_positive, "other")):
        whose = set(groups[kind].tolist())
        if len(whose) == 1:
            raise ValueError(
                f"All {kind.sum():,} {name} rows have {whose.pop()!r} in {rows_by!r}, so that they cannot be judged by "
                "a fit to others: name another column with rows_by=, or do without."
            )
    return groups


def read_row_times(frame: pd.DataFrame, time: str, kind: str | None) -> Floats:
    """When each row was, as numbers that grow with time; a ValueError where a cell cannot be read.

    The kind is given where a user says what the column is, and guessed otherwise.
    """
    column = frame[time]
    kind = kind or _guessed(column, time)
    numbers = days_by_guess(column) if kind == "date" else numbers_of(column)
    unread = unread_cells(column, numbers)
    if len(unread):
        cell = str(column.iloc[unread[0]])[:60]
        raise ValueError(
            f"The column {time!r} should say when each row was, and {cell!r} in data row {unread[0] + 1} cannot be "
            "read: write dates as year-month-day, or numbers."
        )
    _refuse_blank(time, np.isnan(numbers), "say when each row was", "time=")
    return numbers


def _guessed(column: pd.Series, time: str) -> str:
    guess = kind_or_fault(repr(time), column)
    if isinstance(guess, Fault):
        raise ValueError(
            f"The column {time!r} should say when each row was, and is one {guess.what}{guess.where}: {guess.remedy}."
        )
    # Numbers of years or of visits may look like names of rows, and are times because someone said so.
    return guess.kind


def _refuse_blank(name: str, is_blank: Any, what: str, parameter: str) -> None:
    if is_blank.any():
        raise ValueError(
            f"The column {name!r} should {what}, and is blank in {is_blank.sum():,} rows, the first of them data row "
            f"{is_blank.argmax() + 1}: fill it in, or do without {parameter}."
        )


def ranked_groups(ranking: pd.DataFrame) -> pd.DataFrame:
    """Every group with its best row, the group most likely to have a positive one first.

    Parameters
    ----------
    ranking : pandas.DataFrame
        Rows ranked, with `group`, `row`, `score`, `probability` and its ends, and `labelled`, the best first.

    Returns
    -------
    pandas.DataFrame
        `group`, `rank`, `row`, `score` and `probability` of its best row with `probability_low` and
        `probability_high`, and how many rows it has, `n_rows`, of which `n_labelled` are labelled.

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
