"""The ranking of all rows, the most likely positive first, with reasons for those at the top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from blindauc._typing import Floats, Ints
from blindauc.analysis.columns import check_name
from blindauc.analysis.inputs import Inputs
from blindauc.analysis.pipeline import Steps
from blindauc.analysis.reasons import reasons_to_check
from blindauc.analysis.rows import named_rows
from blindauc.analysis.scoring import PROBABILITY, ranks_of, training_scores_of
from blindauc.checked import as_words
from blindauc.estimators.inputs import read_counts
from blindauc.preprocessing import feature_groups, group_names
from blindauc.report.findings import Case, Interval

MOST_EXPLAINED = 1_000
"""Unlabelled rows at the top that get a reason (convention: few people read more of them)."""

MOST_CASES = 200
"""Unlabelled rows whose cells the report shows (convention)."""

MOST_CELLS = 40
"""Columns that the report shows of each of them if the user chose none: those of the largest weight (convention)."""

LONGEST_CELL = 200
"""Characters of a cell that the report shows (convention)."""

OWN = ("id", "group", "row", "rank", "score", *PROBABILITY, "labelled", "checked", "reason")
"""The column names of a ranking that do not come from the table."""


@dataclass(frozen=True)
class Wanted:
    """The user's options about the ranking.

    Attributes
    ----------
    capacity : how many unlabelled rows can be checked, if given
    show : columns of the table to include
    """

    capacity: int | None
    show: tuple[str, ...]

    def check_capacity(self, n_unlabelled: int) -> None:
        """Raise unless the table has at least `capacity` unlabelled rows."""
        if self.capacity is not None:
            read_counts("capacity", self.capacity, n_unlabelled, "unlabelled rows")

    def check_columns(self, columns: Sequence[str]) -> None:
        """Raise unless the table has all columns to show."""
        for name in self.show:
            check_name(columns, name, "show=")


def ranked_rows(inputs: Inputs, steps: Steps, X: Floats, show: Sequence[str] = ()) -> pd.DataFrame:
    """Rank every row, with its probability and, near the top, a reason.

    Parameters
    ----------
    inputs : Inputs
    steps : Steps
    X : ndarray
        The rows, encoded.
    show : sequence of str
        Columns of the table to include; one whose name is also a column of the ranking becomes "NAME (table)".

    Returns
    -------
    pandas.DataFrame
        As `Analysis.ranking`. `reason` is blank except for the first 1,000 unlabelled rows.
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
    checked = {} if inputs.verdict is None else {"checked": as_words(inputs.verdict)}
    rows = pd.concat([rows, scores], axis=1).assign(labelled=~unlabelled, **checked, reason=reason)
    return rows.sort_values("rank", kind="stable", ignore_index=True)


def _first_of(rank: Ints, rows: Ints) -> Ints:
    """The given rows that get a reason, the best rank first."""
    return rows[np.argsort(rank[rows], kind="stable")[:MOST_EXPLAINED]]


def top_cases(inputs: Inputs, steps: Steps, ranked: pd.DataFrame, show: Sequence[str] = ()) -> list[Case]:
    """The first unlabelled, unchecked rows of a ranking, with their cells.

    Parameters
    ----------
    inputs : Inputs
    steps : Steps
    ranked : pandas.DataFrame
        From `ranked_rows`.
    show : sequence of str
        Columns whose cells to include; if empty, those of the largest weight.
    """
    is_checked = ranked["row"].isin(inputs.numbers[steps.ranking.checked_rows] + 1)
    first = ranked[~ranked["labelled"] & ~is_checked].head(MOST_CASES)
    places = np.searchsorted(inputs.numbers, first["row"].to_numpy() - 1)
    cells = _cells(inputs.frame.iloc[places], list(show) or _strongest(steps))
    names = first["id"] if "id" in first else first["row"]
    rows = zip(first["row"], names, _probabilities(steps, first), first["reason"], cells, strict=True)
    return [
        Case(int(row), str(name), place, probability, reason, cell)
        for place, (row, name, probability, reason, cell) in enumerate(rows, start=1)
    ]


def _probabilities(steps: Steps, rows: pd.DataFrame) -> list[Interval]:
    """The probability of each row, even if the ranking leaves it blank because the prior is not identified."""
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
    """The cells of some columns as text, one dict per row; missing cells are blank."""
    texts = [[_text(cell) for cell in rows[name].tolist()] for name in names]
    return [dict(zip(names, cells, strict=True)) for cells in zip(*texts, strict=True)]


def _text(cell: Any) -> str:
    """A cell as text; whole numbers without ".0", although pandas stores a column with gaps as floats."""
    if not isinstance(cell, list | dict) and pd.isna(cell):
        return ""
    return str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell)[:LONGEST_CELL]
