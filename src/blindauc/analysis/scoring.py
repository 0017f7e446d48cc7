"""Scores, probabilities and ranks of the rows of a table, which may be larger than memory."""

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
from blindauc.prior import ScoreModel, is_identified
from blindauc.rows.disk.files import files_with_rows
from blindauc.trust.ranks import has_evidence

ROWS_OF_A_PART = 20_000
"""Rows that are scored at a time (convention): small enough for memory, although encoding may widen them tenfold."""


def score_table(model: Any, frame: pd.DataFrame) -> pd.DataFrame:
    """Score every row of a table.

    Parameters
    ----------
    model : Pipeline
        From `analyse` or `blindauc.load`.
    frame : pandas.DataFrame
        The columns that the score uses, in any order; others are ignored.

    Returns
    -------
    pandas.DataFrame
        `score`, which is above zero for rows that are more likely positive than not, `probability`, and its 95 %
        interval from `probability_low` to `probability_high`. If the class prior is neither given nor identified by
        the data, `probability` is missing and only the interval is there. The probabilities are those of rows sampled
        as all training rows were, labelled or not.

    Raises
    ------
    ValueError
        If columns are missing (the message names them, with similar names in the table), or cells cannot be read.

    Warns
    -----
    UserWarning
        If there are categories that are not in the training table; it says which, and in how many rows.
    """
    steps = steps_of(model)
    check_complete(steps, frame)
    unseen = unseen_categories(steps, frame)
    if unseen:
        warnings.warn(describe_unseen(unseen), UserWarning, stacklevel=2)
    return scores_of(steps, numbers_of_table(steps, frame, np.arange(len(frame))), frame.index)


def scores_of(steps: Steps, X: Floats, index: Any) -> pd.DataFrame:
    """The scores and probabilities of encoded new rows."""
    scores = steps.ranking.decision_function(X)
    return _with_probability(steps, scores, steps.ranking.calibration_, 0.0, index)


def training_scores_of(steps: Steps, X: Floats, index: Any) -> pd.DataFrame:
    """The scores of encoded training rows, with the probabilities of unlabelled rows.

    The fit treats unlabelled training rows as negatives, so that they score lower than new rows; `lift_` corrects
    for that.
    """
    scores = steps.ranking.decision_function(X)
    return _with_probability(steps, scores, steps.ranking.unlabelled_calibration_, steps.ranking.lift_, index)


PROBABILITY = ("probability", "probability_low", "probability_high")
"""The columns with the probability of a row and its interval."""


def _with_probability(steps: Steps, scores: Floats, model: ScoreModel, lift: float, index: Any) -> pd.DataFrame:
    ranking = steps.ranking
    places = scores - ranking.intercept_ + lift
    probability, (low, high) = model.probability(places), model.probability_interval(places)
    # A single number that may be far off is worse than none: people would add it up.
    is_known = has_evidence(ranking.calibration_) and is_identified(ranking.prior_)
    cells = dict(zip(PROBABILITY, (probability if is_known else np.nan, low, high), strict=True))
    return pd.DataFrame({"score": scores, **cells}, index=index)


def numbers_of_table(steps: Steps, frame: pd.DataFrame, places: Ints) -> Floats:
    """The rows as an encoded matrix; `places` are their row numbers in the table, for messages."""
    check_complete(steps, frame)
    check_cells(steps, frame, places)
    absent = [name for name in steps.kinds if name not in frame.columns]
    # The score does not use them, so that any value will do.
    return steps.preprocessor.transform(frame.assign(**dict.fromkeys(absent)) if absent else frame)


def unused_columns(model: Any, frame: pd.DataFrame) -> list[str]:
    """The columns of a table that the model does not use."""
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
    """Score a table of any length part by part; ranks are among all its rows.

    Only the results are kept in memory: about 70 bytes per row, and the names of the rows.

    Parameters
    ----------
    model : Pipeline
        From `analyse` or `blindauc.load`.
    path, sheet, header_row
        As in `read_table`; or a folder of Parquet or CSV files, which are read in the order of their names.
    id : str, optional
        A column that names the rows, to include in the result.
    unseen : Counter, optional
        Is filled with the number of rows by (column, category), for categories that are not in the training table.

    Yields
    ------
    pandas.DataFrame
        `id` (with `id=`), `row` (1 for the first row below the header), `score`, `probability`, `probability_low` and
        `probability_high` as in `score_table`, and `rank` (1 for the highest score).
    """
    steps = steps_of(model)
    rows = _read_in_parts(path, sheet, header_row)
    parts = _all_scored(steps, rows, id, Counter() if unseen is None else unseen)
    ranks = ranks_of(np.concatenate([part["score"].to_numpy() for part in parts]))
    names = [*(["id"] if id is not None else []), "row", "score", *PROBABILITY, "rank"]
    for part in parts:
        rows = part.index.to_numpy()
        yield part.assign(row=rows + 1, rank=ranks[rows])[names]


def _read_in_parts(
    path: str | os.PathLike[str], sheet: str | int | None, header_row: int | None
) -> Iterator[pd.DataFrame]:
    """The rows of a file, or of all files of a folder, numbered throughout."""
    n_before = 0
    for file in files_with_rows(path):
        n_rows = 0
        for part in read_table_in_parts(file, ROWS_OF_A_PART, sheet=sheet, header_row=header_row):
            part.index += n_before
            n_rows += len(part)
            yield part
        n_before += n_rows


def ranks_of(scores: Floats, among: Floats | None = None) -> Ints:
    """The rank of each score among all, or among others: 1 for the highest, and ties share the better rank."""
    among = scores if among is None else among
    return 1 + len(among) - np.searchsorted(np.sort(among), scores, side="right")


def _all_scored(steps: Steps, rows: Iterator[pd.DataFrame], id: str | None, unseen: Unseen) -> list[pd.DataFrame]:
    """Score all parts; progress is shown in rows, since the number of parts is not known in advance."""
    parts: list[pd.DataFrame] = []
    with progress.steps({"scoring": 9.0, "writing": 1.0}) as at:
        for part in rows:
            parts.append(_scored(steps, part, id, unseen))
            at("scoring", words=f"{part.index[-1] + 1:,} rows scored" if len(part) else None)
        at("writing")
    return parts


def _scored(steps: Steps, part: pd.DataFrame, id: str | None, unseen: Unseen) -> pd.DataFrame:
    """The scores of a part, without row numbers, which would take as much memory as the scores."""
    X = numbers_of_table(steps, part, part.index.to_numpy())
    unseen.update(unseen_categories(steps, part))
    return pd.concat([named_rows(part, id).drop(columns="row"), scores_of(steps, X, part.index)], axis=1)


def check_complete(steps: Steps, frame: pd.DataFrame) -> None:
    """Raise if columns are missing that the score uses."""
    needed = steps.needed
    absent = [name for name in needed if name not in frame.columns]
    if not absent:
        return
    # A column of the training table is no misspelling of another one.
    unused = [name for name in frame.columns if name not in steps.kinds]
    perhaps = {name: close_names(name, unused)[:1] for name in absent}
    named = few(f"{name!r} (perhaps {close[0]!r})" if close else repr(name) for name, close in perhaps.items())
    them = "it" if len(absent) == 1 else "them"
    raise ValueError(
        f"The table lacks {len(absent)} of the {len(needed)} columns that the model needs, {named}: add or rename "
        f"{them}."
    )
