"""What a model remembers of the table that it was fitted to: how often each column had which values.

Kept as the attribute `training_` of the model, as JSON text, so that a model file holds all that is needed to tell
whether new rows are like those of the fit, and no row of them.
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
from blindauc.analysis.pipeline import Steps, steps_of
from blindauc.preprocessing.values import booleans_of, days_of, numbers_of, texts_of

N_BINS = 10
"""Numbers are counted between deciles, by convention for the population stability index."""

YES_AND_NO = {1.0: "yes", 0.0: "no"}


@dataclass(frozen=True)
class NumberCounts:
    """How numbers, or days, are spread.

    Attributes
    ----------
    edges : the deciles, without repeats
    counts : how many numbers are up to the first edge, up to the second, ..., and above the last
    median : NaN is None
    n_missing : rows without a number
    """

    edges: list[float]
    counts: list[int]
    median: float | None
    n_missing: int


@dataclass(frozen=True)
class CategoryCounts:
    """How often each category came, and how many rows have none."""

    counts: dict[str, int]
    n_missing: int


@dataclass(frozen=True)
class TrainingSummary:
    """What a model remembers.

    Attributes
    ----------
    n_rows : rows of the table
    columns : of the table, by name
    score : of all rows, as if the model had not seen them
    """

    n_rows: int
    columns: dict[str, NumberCounts | CategoryCounts]
    score: NumberCounts

    def to_json(self) -> str:
        return json.dumps(asdict(self), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> TrainingSummary:
        parts = json.loads(text)
        columns = {
            name: NumberCounts(**each) if "edges" in each else CategoryCounts(**each)
            for name, each in parts["columns"].items()
        }
        return cls(parts["n_rows"], columns, NumberCounts(**parts["score"]))


def summarise_training(steps: Steps, frame: pd.DataFrame, score: Floats) -> TrainingSummary:
    """What to remember of the table that a model was fitted to, whose rows it gives these scores."""
    columns = {name: _counted(steps, name, frame[name]) for name in steps.kinds}
    return TrainingSummary(len(frame), columns, count_numbers(_as_if_unseen(steps, score)))


def _counted(steps: Steps, name: str, column: pd.Series) -> NumberCounts | CategoryCounts:
    values = values_of(steps, name, column)
    return count_numbers(values) if values.dtype.kind == "f" else count_categories(values)


def training_summary_of(model: Pipeline) -> TrainingSummary:
    """What a model remembers of its table; a ValueError where it remembers nothing."""
    text = getattr(model, "training_", None)
    if text is None:
        raise ValueError(
            "This model does not remember the table that it was fitted to, as those of blindauc.analysis.analyse do: "
            "fit it again."
        )
    return TrainingSummary.from_json(text)


def is_own_table(model: Pipeline, frame: pd.DataFrame, is_labelled: Bools) -> bool:
    """Whether a table is the one that a model was fitted to, as far as the model remembers it.

    It is where the same rows are labelled, and every column that is there holds the same values as often.
    """
    steps = steps_of(model)
    if not is_fitted_to(steps, is_labelled):
        return False
    fitted_columns = training_summary_of(model).columns.items()
    return all(_counted(steps, name, frame[name]) == told for name, told in fitted_columns if name in frame.columns)


def is_fitted_to(steps: Steps, is_positive: Bools) -> bool:
    """Whether as many rows, and these of them labelled, are what the model was fitted to."""
    has_as_many = len(steps.ranking.held_out_rank_) == len(is_positive)
    return has_as_many and np.array_equal(steps.ranking.labelled_rows_, np.flatnonzero(is_positive))


def values_of(steps: Steps, name: str, column: pd.Series) -> Any:
    """A column as the model reads it: numbers, or texts; NaN or None where nothing is."""
    kind = steps.kinds[name]
    if kind == "numeric":
        return numbers_of(column)
    if kind == "date":
        return days_of(column, steps.date_formats[name])
    if kind == "boolean":
        return np.array([YES_AND_NO.get(said) for said in booleans_of(column)], dtype=object)
    return texts_of(column)


def count_numbers(values: Floats, edges: Sequence[float] | None = None) -> NumberCounts:
    """Count numbers between edges, which are their own deciles by default.

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
        # Numbers of the column themselves: what lies between two could not be told apart from either.
        edges = np.unique(np.quantile(present, shares, method="inverted_cdf")).tolist() if len(present) else []
    place = np.searchsorted(np.asarray(edges, dtype=np.float64), present, side="left")
    counts = np.bincount(place, minlength=len(edges) + 1).tolist()
    return NumberCounts(list(edges), counts, float(np.median(present)) if len(present) else None, n_missing)


def count_categories(values: Any) -> CategoryCounts:
    """Count categories."""
    present = [text for text in values if isinstance(text, str)]
    return CategoryCounts(dict(Counter(present)), len(values) - len(present))


def _as_if_unseen(steps: Steps, score: Floats) -> Floats:
    """The scores that the rows would have if the model had not been fitted to them.

    A fit pushes unlabelled rows down, and labelled ones up; these go to where they rank out of fold.
    """
    ranking, unseen = steps.ranking, score + steps.ranking.lift_
    is_labelled = np.zeros(len(score), dtype=bool)
    is_labelled[ranking.labelled_rows_] = True
    unseen[is_labelled] = score[is_labelled]
    known = is_labelled & ~np.isnan(ranking.held_out_rank_)
    unseen[known] = np.quantile(unseen[~is_labelled], ranking.held_out_rank_[known])
    return unseen
