"""Scores, probabilities and ranks of the rows of a table, also of one larger than memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from blindauc._typing import Floats, Ints
from blindauc.analysis.cells import check_cells
from blindauc.analysis.columns import close_names
from blindauc.analysis.pipeline import Steps, steps_of
from blindauc.analysis.rows import named_rows
from blindauc.datasets.tables import read_table_in_parts
from blindauc.preprocessing.naming import few

ROWS_OF_A_PART = 20_000
"""Encoded, a part may be ten times as wide as it was."""


def score_table(model: Any, frame: pd.DataFrame) -> pd.DataFrame:
    """Score every row of a table.

    Parameters
    ----------
    model : Pipeline
        From `analyse`, or loaded.
    frame : pandas.DataFrame
        The columns of the training table, in any order; others are ignored.

    Returns
    -------
    pandas.DataFrame
        `score`, which is above zero where a row is more likely positive than not, and `probability`.

    Raises
    ------
    ValueError
        Where columns are missing, it names them, and what they may be called in the table; where cells cannot be
        read, it says which.
    """
    steps = steps_of(model)
    return scores_of(steps, numbers_of_table(steps, frame, np.arange(len(frame))), frame.index)


def scores_of(steps: Steps, X: Floats, index: Any) -> pd.DataFrame:
    """The scores and probabilities of encoded rows."""
    ranking = steps.ranking
    cells = {"score": ranking.decision_function(X), "probability": ranking.predict_proba(X)[:, 1]}
    return pd.DataFrame(cells, index=index)


def numbers_of_table(steps: Steps, frame: pd.DataFrame, places: Ints) -> Floats:
    """Rows as the model sees them, which are at these places of a table."""
    _check_complete(steps, frame)
    check_cells(steps, frame, places)
    return steps.preprocessor.transform(frame)


def unused_columns(model: Any, frame: pd.DataFrame) -> list[str]:
    """The columns of a table that the model has no use for."""
    needed = steps_of(model).kinds
    return [name for name in frame.columns if name not in needed]


def scored_parts(model: Any, path: str | os.PathLike[str], *, id: str | None = None) -> Iterator[pd.DataFrame]:
    """Score a file of any length: its rows in their order, part by part, ranked among all.

    Only the results are kept in memory, some 50 bytes a row and the names of the rows.

    Parameters
    ----------
    model : Pipeline
    path : path
        As in `read_table`.
    id : str, optional
        A column that names the rows, to be given again.

    Yields
    ------
    pandas.DataFrame
        `id` if asked for, `row`, `score`, `probability` and `rank`, of which 1 is the highest score.
    """
    steps = steps_of(model)
    parts = [_scored(steps, part, id) for part in read_table_in_parts(path, ROWS_OF_A_PART)]
    ranks = ranks_of(np.concatenate([part["score"].to_numpy() for part in parts]))
    names = [*(["id"] if id is not None else []), "row", "score", "probability", "rank"]
    for part in parts:
        rows = part.index.to_numpy()
        yield part.assign(row=rows + 1, rank=ranks[rows])[names]


def ranks_of(scores: Floats) -> Ints:
    """The place of each score, 1 for the highest; equal scores share the better place."""
    return 1 + len(scores) - np.searchsorted(np.sort(scores), scores, side="right")


def _scored(steps: Steps, part: pd.DataFrame, id: str | None) -> pd.DataFrame:
    """Without the row numbers, which would take as much memory as the scores."""
    X = numbers_of_table(steps, part, part.index.to_numpy())
    return pd.concat([named_rows(part, id).drop(columns="row"), scores_of(steps, X, part.index)], axis=1)


def _check_complete(steps: Steps, frame: pd.DataFrame) -> None:
    absent = [name for name in steps.kinds if name not in frame.columns]
    if not absent:
        return
    # What the model uses under its own name is not a misspelling of something else.
    unused = [name for name in frame.columns if name not in steps.kinds]
    perhaps = {name: close_names(name, unused)[:1] for name in absent}
    named = few(f"{name!r} (perhaps {close[0]!r})" if close else repr(name) for name, close in perhaps.items())
    raise ValueError(
        f"The table lacks {len(absent)} of the {len(steps.kinds)} columns that the model needs, {named}: add or rename "
        "them."
    )
