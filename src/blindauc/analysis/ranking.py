"""All rows of a table, the most likely positive first, and why those at the top are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from blindauc._typing import Floats, Ints
from blindauc.analysis.columns import check_column
from blindauc.analysis.inputs import Inputs
from blindauc.analysis.pipeline import Steps
from blindauc.analysis.reasons import reasons_to_check
from blindauc.analysis.rows import named_rows
from blindauc.analysis.scoring import PROBABILITY, ranks_of, training_scores_of
from blindauc.estimators.inputs import read_counts
from blindauc.preprocessing import feature_groups, group_names
from blindauc.report.findings import Case, Interval

MOST_EXPLAINED = 1_000
"""Unlabelled rows that have a reason, from the top: nobody reads more, and each costs a few words of memory."""

MOST_CASES = 200
"""Unlabelled rows of which a report shows the cells."""

MOST_CELLS = 40
"""Columns of each of them where none was chosen: those of the largest weight."""

LONGEST_CELL = 200
"""Letters of a cell."""

OWN = ("id", "group", "row", "rank", "score", *PROBABILITY, "labelled", "reason")
"""The columns of a ranking that are not the user's."""


@dataclass(frozen=True)
class Wanted:
    """What a user wants of the list.

    Attributes
    ----------
    capacity : how many unlabelled rows can be checked, if that was said
    show : columns of the table to go with each row
    """

    capacity: int | None
    show: tuple[str, ...]

    def check(self, inputs: Inputs) -> None:
        """Raise unless there are so many unlabelled rows, and all these columns."""
        if self.capacity is not None:
            read_counts("capacity", self.capacity, inputs.n_unlabelled, "unlabelled rows")
        for name in self.show:
            check_column(inputs.frame, name, "show=")


def ranked_rows(inputs: Inputs, steps: Steps, X: Floats, show: Sequence[str] = ()) -> pd.DataFrame:
    """Every row with its rank, its probability and, near the top, a reason.

    Parameters
    ----------
    inputs : Inputs
    steps : Steps
    X : ndarray
        The rows, encoded.
    show : sequence of str
        Columns of the table to go with each row; one that has the name of a column of the ranking is called
        "NAME (table)".

    Returns
    -------
    pandas.DataFrame
        `id` where a column names the rows, `group` where one says whom they belong to, `row` from 1, the first row
        below the header, the columns to show, `rank`,
        `score`, `probability`, `probability_low`, `probability_high`, `labelled`, and `reason` for the first 1,000
        unlabelled rows; blank for all others.
    """
    frame, unlabelled = inputs.frame, ~inputs.labels.is_positive
    scores = training_scores_of(steps, X, frame.index)
    rank = ranks_of(scores["score"].to_numpy()) if inputs.whole is None else inputs.whole.rank
    explained = _first_of(rank, np.flatnonzero(unlabelled))
    reason = np.full(len(frame), "", dtype=object)
    reason[explained] = reasons_to_check(steps, frame, X, inputs.is_usual, explained)
    shown = frame[list(show)].set_axis([f"{name} (table)" if name in OWN else name for name in show], axis=1)
    names = named_rows(frame, inputs.id, inputs.numbers)
    if inputs.row_groups is not None:
        names.insert(names.columns.get_loc("row"), "group", inputs.row_groups)
    rows = pd.concat([names, shown], axis=1).assign(rank=rank)
    rows = pd.concat([rows, scores], axis=1).assign(labelled=~unlabelled, reason=reason)
    return rows.sort_values("rank", kind="stable", ignore_index=True)


def _first_of(rank: Ints, rows: Ints) -> Ints:
    """The first rows of some, the best first."""
    return rows[np.argsort(rank[rows], kind="stable")[:MOST_EXPLAINED]]


def cases_told(inputs: Inputs, steps: Steps, ranked: pd.DataFrame, show: Sequence[str] = ()) -> list[Case]:
    """The first unlabelled rows of a ranking with what their own columns hold.

    Parameters
    ----------
    inputs : Inputs
    steps : Steps
    ranked : pandas.DataFrame
        From `ranked_rows`.
    show : sequence of str
        Columns to tell; those of the largest weight where there are none.
    """
    is_checked = ranked["row"].isin(inputs.numbers[steps.ranking.checked_rows] + 1)
    first = ranked[~ranked["labelled"] & ~is_checked].head(MOST_CASES)
    places = np.searchsorted(inputs.numbers, first["row"].to_numpy() - 1)
    cells = _cells(inputs.frame.iloc[places], list(show) or _strongest(steps))
    names = first["id"] if "id" in first else first["row"]
    told = zip(first["row"], names, _probabilities(steps, first), first["reason"], cells, strict=True)
    return [
        Case(int(row), str(name), place, probability, reason, cell)
        for place, (row, name, probability, reason, cell) in enumerate(told, start=1)
    ]


def _probabilities(steps: Steps, rows: pd.DataFrame) -> list[Interval]:
    """The probability of each row, also where it is too uncertain for a ranking to state it."""
    ranking = steps.ranking
    value = ranking.unlabelled_calibration_.probability(rows["score"].to_numpy() - ranking.intercept_ + ranking.lift_)
    ends = rows["probability_low"].tolist(), rows["probability_high"].tolist()
    return [Interval(*each) for each in zip(value.tolist(), *ends, strict=True)]


def _strongest(steps: Steps) -> list[str]:
    """The columns of the table with the largest weights, the largest first."""
    names, source = group_names(steps.preprocessor), feature_groups(steps.preprocessor)
    weight = np.zeros(len(names))
    np.maximum.at(weight, source, [effect.size for effect in steps.ranking.effects_])
    return [str(names[place]) for place in np.argsort(-weight, kind="stable")[:MOST_CELLS]]


def _cells(rows: pd.DataFrame, names: Sequence[str]) -> list[dict[str, str]]:
    """What some columns of each row hold, as text; what is missing is blank."""
    texts = [[_text(cell) for cell in rows[name].tolist()] for name in names]
    return [dict(zip(names, cells, strict=True)) for cells in zip(*texts, strict=True)]


def _text(cell: Any) -> str:
    """A cell as a person wrote it: whole numbers have no point, though a column with gaps stores them so."""
    if not isinstance(cell, list | dict) and pd.isna(cell):
        return ""
    return str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell)[:LONGEST_CELL]
