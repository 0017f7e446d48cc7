"""Summary of the training table: the distribution of every column and of the score.

The model keeps it as JSON text in its attribute `training_`, so that a model file is enough to monitor drift and holds
no training row.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from blindauc._typing import Bools, Floats
from blindauc.analysis.held_out import is_of_sample
from blindauc.analysis.pipeline import Steps, steps_of
from blindauc.preprocessing.values import booleans_of, days_of, numbers_of, texts_of

N_BINS = 10
"""Bins of a number column, bounded by its deciles (convention of the population stability index)."""

YES_AND_NO = {1.0: "yes", 0.0: "no"}


@dataclass(frozen=True)
class NumberCounts:
    """Histogram of a column of numbers or days.

    Attributes
    ----------
    edges : the distinct deciles
    counts : the numbers of values up to the first edge, up to the second, ..., and above the last
    median : None if there is no value
    n_missing : rows without a value
    """

    edges: list[float]
    counts: list[int]
    median: float | None
    n_missing: int


@dataclass(frozen=True)
class CategoryCounts:
    """The number of rows of each category, and of rows without one."""

    counts: dict[str, int]
    n_missing: int


@dataclass(frozen=True)
class TrainingSummary:
    """Summary of a training table.

    Attributes
    ----------
    n_rows : rows of the table, or of a sample of it
    columns : the distribution of every column, by name
    score : the distribution of the scores, as if the model had not been fitted to the rows
    is_sample : whether this is a sample of a table that was read in parts
    """

    n_rows: int
    columns: dict[str, NumberCounts | CategoryCounts]
    score: NumberCounts
    is_sample: bool = False

    def to_json(self) -> str:
        return json.dumps(asdict(self), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> TrainingSummary:
        parts = json.loads(text)
        columns = {
            name: NumberCounts(**each) if "edges" in each else CategoryCounts(**each)
            for name, each in parts["columns"].items()
        }
        return cls(parts["n_rows"], columns, NumberCounts(**parts["score"]), parts.get("is_sample", False))


def summarise_training(steps: Steps, frame: pd.DataFrame, score: Floats) -> TrainingSummary:
    """Summarise the training table of a model, given its scores of the rows."""
    columns = {name: _counted(steps, name, frame[name]) for name in steps.kinds}
    return TrainingSummary(len(frame), columns, count_numbers(_as_if_unseen(steps, score)))


def _counted(steps: Steps, name: str, column: pd.Series) -> NumberCounts | CategoryCounts:
    values = values_of(steps, name, column)
    return count_numbers(values) if values.dtype.kind == "f" else count_categories(values)


def training_summary_of(model: Pipeline) -> TrainingSummary:
    """The training summary of a model; a ValueError if it has none."""
    text = getattr(model, "training_", None)
    if text is None:
        raise ValueError(
            "This model has no summary of its training table, which blindauc.analysis.analyse adds: fit it again with "
            "that."
        )
    return TrainingSummary.from_json(text)


def is_own_table(model: Pipeline, frame: pd.DataFrame, is_labelled: Bools) -> bool:
    """Whether a table is the training table of a model, judged by the training summary.

    It is if the same rows are labelled and every column present has the same distribution of values.
    """
    steps = steps_of(model)
    if not is_fitted_to(steps, is_labelled):
        return False
    fitted_columns = training_summary_of(model).columns.items()
    return all(_counted(steps, name, frame[name]) == before for name, before in fitted_columns if name in frame.columns)


def is_fitted_to(steps: Steps, is_positive: Bools) -> bool:
    """Whether the model was fitted to a table with as many rows and the same rows labelled."""
    if is_of_sample(steps):  # the model does not store the number of rows of such a table
        has_as_many = len(is_positive) > int(steps.ranking.sampled_rows_.max())
    else:
        has_as_many = len(steps.ranking.held_out_rank_) == len(is_positive)
    return has_as_many and np.array_equal(steps.ranking.labelled_rows_, np.flatnonzero(is_positive))


def values_of(steps: Steps, name: str, column: pd.Series) -> Any:
    """A column as the model reads it: numbers or text, with NaN or None for missing values."""
    kind = steps.kinds[name]
    if kind == "numeric":
        return numbers_of(column)
    if kind == "date":
        return days_of(column, steps.date_formats[name])
    if kind == "boolean":
        return np.array([YES_AND_NO.get(value) for value in booleans_of(column)], dtype=object)
    return texts_of(column)


def count_numbers(values: Floats, edges: Sequence[float] | None = None) -> NumberCounts:
    """Histogram of numbers between edges, by default their own deciles.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.analysis.training_summary import count_numbers
    >>> count_numbers(np.array([1.0, 2.0, 2.0, 9.0, np.nan]), edges=[1.0, 2.0])
    NumberCounts(edges=[1.0, 2.0], counts=[1, 2, 1], median=2.0, n_missing=1)
    """
    present = values[~np.isnan(values)]
    n_missing = len(values) - len(present)
    if edges is None:
        shares = np.arange(1, N_BINS) / N_BINS
        # Edges are values of the column: an interpolated edge would split a bin at a value that never occurs.
        edges = np.unique(np.quantile(present, shares, method="inverted_cdf")).tolist() if len(present) else []
    place = np.searchsorted(np.asarray(edges, dtype=np.float64), present, side="left")
    counts = np.bincount(place, minlength=len(edges) + 1).tolist()
    return NumberCounts(list(edges), counts, float(np.median(present)) if len(present) else None, n_missing)


def count_categories(values: Any) -> CategoryCounts:
    """Count the rows of each category."""
    present = [text for text in values if isinstance(text, str)]
    return CategoryCounts(dict(Counter(present)), len(values) - len(present))


def _as_if_unseen(steps: Steps, score: Floats) -> Floats:
    """The scores that the training rows would have as new rows.

    A fit lowers the scores of unlabelled rows and raises those of labelled ones. The former are corrected by `lift_`,
    the latter take the score at their out-of-fold rank.
    """
    ranking, unseen = steps.ranking, score + steps.ranking.lift_
    is_labelled = np.zeros(len(score), dtype=bool)
    is_labelled[ranking.labelled_rows_] = True
    unseen[is_labelled] = score[is_labelled]
    has_rank = is_labelled & ~np.isnan(ranking.held_out_rank_)
    unseen[has_rank] = np.quantile(unseen[~is_labelled], ranking.held_out_rank_[has_rank])
    return unseen
