"""Scores, probabilities and ranks of the rows of a table, also of one larger than memory."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from blindauc import progress
from blindauc._typing import Floats, Ints
from blindauc.analysis.cells import Unseen, check_cells, describe_unseen, unseen_categories
from blindauc.analysis.columns import close_names
from blindauc.analysis.pipeline import Steps, steps_of
from blindauc.analysis.rows import named_rows
from blindauc.datasets.tables import read_table_in_parts
from blindauc.preprocessing.naming import few
from blindauc.prior import ScoreModel, is_told
from blindauc.trust.judgement import is_judged

ROWS_OF_A_PART = 20_000
"""Encoded, a part may be ten times as wide as it was."""


def score_table(model: Any, frame: pd.DataFrame) -> pd.DataFrame:
    """Score every row of a table.

    Parameters
    ----------
    model : Pipeline
        From `analyse`, or loaded.
    frame : pandas.DataFrame
        The columns of the training table that have a weight, in any order; others are ignored.

    Returns
    -------
    pandas.DataFrame
        `score`, which is above zero where a row is more likely positive than not, `probability`, and the ends of its
        95 % interval, `probability_low` and `probability_high`. Where the prior is neither given nor told by the data,
        there are only the ends, and `probability` is missing. These are the probabilities of rows drawn like all rows
        of the fit, whether they were labelled or not.

    Raises
    ------
    ValueError
        Where columns are missing, it names them, and what they may be called in the table; where cells cannot be
        read, it says which.

    Warns
    -----
    UserWarning
        Where categories come that were not there in fitting: which, and in how many rows.
    """
    steps = steps_of(model)
    check_complete(steps, frame)
    unseen = unseen_categories(steps, frame)
    if unseen:
        warnings.warn(describe_unseen(unseen), UserWarning, stacklevel=2)
    return scores_of(steps, numbers_of_table(steps, frame, np.arange(len(frame))), frame.index)


def scores_of(steps: Steps, X: Floats, index: Any) -> pd.DataFrame:
    """The scores and probabilities of encoded rows."""
    scores = steps.ranking.decision_function(X)
    return _with_probability(steps, scores, steps.ranking.calibration_, 0.0, index)


def training_scores_of(steps: Steps, X: Floats, index: Any) -> pd.DataFrame:
    """The same of the rows that the model was fitted to, with the probabilities of rows that are not labelled.

    They score lower than new rows would, for the fit took them for negatives.
    """
    scores = steps.ranking.decision_function(X)
    return _with_probability(steps, scores, steps.ranking.unlabelled_calibration_, steps.ranking.lift_, index)


PROBABILITY = ("probability", "probability_low", "probability_high")
"""The columns that say how likely a row is positive."""


def _with_probability(steps: Steps, scores: Floats, model: ScoreModel, lift: float, index: Any) -> pd.DataFrame:
    ranking = steps.ranking
    places = scores - ranking.intercept_ + lift
    probability, (low, high) = model.probability(places), model.probability_interval(places)
    # One number that may be far off is worse than none: it would be added up.
    is_known = is_judged(ranking.calibration_) and is_told(ranking.prior_)
    cells = dict(zip(PROBABILITY, (probability if is_known else np.nan, low, high), strict=True))
    return pd.DataFrame({"score": scores, **cells}, index=index)


def numbers_of_table(steps: Steps, frame: pd.DataFrame, places: Ints) -> Floats:
    """Rows as the model sees them, which are at these places of a table."""
    check_complete(steps, frame)
    check_cells(steps, frame, places)
    absent = [name for name in steps.kinds if name not in frame.columns]
    # Of no weight, so that whatever stands there is as good.
    return steps.preprocessor.transform(frame.assign(**dict.fromkeys(absent)) if absent else frame)


def unused_columns(model: Any, frame: pd.DataFrame) -> list[str]:
    """The columns of a table that the model has no use for."""
    needed = steps_of(model).needed
    return [name for name in frame.columns if name not in needed]


def scored_parts(
    model: Any,
    path: str | os.PathLike[str],
    *,
    id: str | None = None,
    sheet: str | int | None = None,
    header_row: int | None = None,
    unseen: Unseen | None = None,
) -> Iterator[pd.DataFrame]:
    """Score a file of any length: its rows in their order, part by part, ranked among all.

    Only the results are kept in memory, some 70 bytes a row and the names of the rows.

    Parameters
    ----------
    model : Pipeline
    path, sheet, header_row
        As in `read_table`.
    id : str, optional
        A column that names the rows, to be given again.
    unseen : Counter, optional
        Counts in how many rows a (column, category) came that was not there in fitting.

    Yields
    ------
    pandas.DataFrame
        `id` if asked for, `row` from 1, the first row below the header, `score`, `probability`, `probability_low` and
        `probability_high` as `score_table` gives them, and `rank`, of which 1 is the highest score.
    """
    steps = steps_of(model)
    rows = read_table_in_parts(path, ROWS_OF_A_PART, sheet=sheet, header_row=header_row)
    parts = _all_scored(steps, rows, id, Counter() if unseen is None else unseen)
    ranks = ranks_of(np.concatenate([part["score"].to_numpy() for part in parts]))
    names = [*(["id"] if id is not None else []), "row", "score", *PROBABILITY, "rank"]
    for part in parts:
        rows = part.index.to_numpy()
        yield part.assign(row=rows + 1, rank=ranks[rows])[names]


def ranks_of(scores: Floats, among: Floats | None = None) -> Ints:
    """The place of each score among all, or among others, 1 for the highest; equal scores share the better place."""
    among = scores if among is None else among
    return 1 + len(among) - np.searchsorted(np.sort(among), scores, side="right")


def _all_scored(steps: Steps, rows: Iterator[pd.DataFrame], id: str | None, unseen: Unseen) -> list[pd.DataFrame]:
    """Part after part; how many there will be is known only at the end."""
    parts: list[pd.DataFrame] = []
    with progress.steps({"scoring": 9.0, "writing": 1.0}) as at:
        for part in rows:
            parts.append(_scored(steps, part, id, unseen))
            at("scoring", words=f"{part.index[-1] + 1:,} rows scored" if len(part) else None)
        at("writing")
    return parts


def _scored(steps: Steps, part: pd.DataFrame, id: str | None, unseen: Unseen) -> pd.DataFrame:
    """Without the row numbers, which would take as much memory as the scores."""
    X = numbers_of_table(steps, part, part.index.to_numpy())
    unseen.update(unseen_categories(steps, part))
    return pd.concat([named_rows(part, id).drop(columns="row"), scores_of(steps, X, part.index)], axis=1)


def check_complete(steps: Steps, frame: pd.DataFrame) -> None:
    """Raise where columns are missing that have a weight."""
    needed = steps.needed
    absent = [name for name in needed if name not in frame.columns]
    if not absent:
        return
    # What the model uses under its own name is not a misspelling of something else.
    unused = [name for name in frame.columns if name not in steps.kinds]
    perhaps = {name: close_names(name, unused)[:1] for name in absent}
    named = few(f"{name!r} (perhaps {close[0]!r})" if close else repr(name) for name, close in perhaps.items())
    raise ValueError(
        f"The table lacks {len(absent)} of the {len(needed)} columns that the model needs, {named}: add or rename them."
    )
