"""The scores, out-of-fold scores and label suspicions that one model gives the rows of a table, for `compare`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from blindauc._typing import Bools, Floats, Ints
from blindauc.analysis.auditing import check_fitted_to
from blindauc.analysis.columns import check_column
from blindauc.analysis.held_out import held_out_ranks, is_of_sample, spread
from blindauc.analysis.labels import Positive, find_labels
from blindauc.analysis.pipeline import Steps, steps_of
from blindauc.analysis.rows import named_rows
from blindauc.analysis.scoring import numbers_of_table
from blindauc.analysis.training_summary import is_own_table
from blindauc.prior import flag

MAX_FDR = 0.2
"""False discovery rate up to which labels are flagged: the default of `doubtful_labels`."""


class RankedRun(NamedTuple):
    """A model and the ranking of its training rows, as an `Analysis` has them."""

    model: Any
    ranking: pd.DataFrame


@dataclass(frozen=True)
class ModelOnRows:
    """The results of one model on the rows of a table.

    Attributes
    ----------
    steps : the model
    number : ndarray of shape (n,), the numbers of the rows in the table, from 0, ascending
    name : ndarray of shape (n,), the names of the rows; "" for unknown names
    is_labelled : mask of shape (n,)
    score : ndarray of shape (n,), the scores by which rows rank; NaN for rows that the ranking does not list
    unseen : ndarray of shape (n,), scores or ranks by models not fitted to the row; NaN if there is none
    suspicion : ndarray of shape (n,), the probability that a label is wrong; NaN without a label
    is_doubtful : mask of shape (n,), the labels flagged for a re-check
    group : ndarray of shape (n,) or None, the group of each row
    """

    steps: Steps
    number: Ints
    name: Any
    is_labelled: Bools
    score: Floats
    unseen: Floats
    suspicion: Floats
    is_doubtful: Bools
    group: Any = None

    def taken(self, rows: Ints) -> ModelOnRows:
        """Some of the rows, by their indices."""
        arrays = {name: each[rows] for name, each in vars(self).items() if name != "steps" and each is not None}
        return replace(self, **arrays)


def in_common(before: ModelOnRows, after: ModelOnRows) -> tuple[ModelOnRows, ModelOnRows]:
    """Both restricted to common rows, as a model of a table that was read in parts has results for some rows only."""
    if not any(is_of_sample(side.steps) for side in (before, after)):
        return before, after
    both = np.intersect1d(before.number, after.number)
    before, after = (side.taken(np.searchsorted(side.number, both)) for side in (before, after))
    names = [np.where(one.name == "", other.name, one.name) for one, other in ((before, after), (after, before))]
    return replace(before, name=names[0]), replace(after, name=names[1])


def on_training_rows(run: RankedRun | Any) -> ModelOnRows:
    """The results of a run on its training rows."""
    if not (hasattr(run, "model") and hasattr(run, "ranking")):
        raise ValueError(
            f"Without a table, two results of `analyse` are compared, but this is a {type(run).__name__}: pass "
            "results of `analyse`, or a table."
        )
    steps, rows = steps_of(run.model), run.ranking.sort_values("row")
    if is_of_sample(steps):
        # The ranking lists the rows at the top, and a sample of all rows has out-of-fold ranks.
        number = np.union1d(rows["row"].to_numpy() - 1, steps.ranking.sampled_rows_)
        rows = rows.set_index(rows["row"] - 1).reindex(number)
        return _of_ranking(steps, rows, number)
    n_fitted = len(steps.ranking.held_out_rank_)
    if len(rows) != n_fitted:
        raise ValueError(
            f"The ranking has {len(rows):,} rows, but the model was fitted to {n_fitted:,}: pass a model and a ranking "
            "of the same analysis."
        )
    return _of_ranking(steps, rows, np.arange(n_fitted))


def _of_ranking(steps: Steps, rows: pd.DataFrame, number: Ints) -> ModelOnRows:
    """The results on training rows of these numbers; rows that the ranking does not list are missing."""
    names, group = (
        rows[name].astype(object).where(rows["rank"].notna(), "").astype(str).to_numpy(dtype=object)
        if name in rows
        else None
        for name in ("id" if "id" in rows else "row", "group")
    )
    # Ranks, not scores: scores may be rounded in a file, which makes ties.
    return _from_training(steps, number, names, -rows["rank"].to_numpy(dtype=np.float64), group)


def on_table(
    model: Any,
    frame: pd.DataFrame,
    label: str | None,
    *,
    positive: Positive,
    id: str | None,
    rows_by: str | None,
    training: bool | None,
) -> ModelOnRows:
    """The results of a model on a table; `training` says whether it was fitted to it, None if unknown."""
    model = getattr(model, "model", model)
    steps = steps_of(model)
    rows = named_rows(frame, id)
    names = rows["id" if id is not None else "row"].astype(str).to_numpy(dtype=object)
    group = None if rows_by is None else _groups(frame, rows_by)
    none_of_them = np.zeros(len(frame), dtype=bool)
    is_labelled = none_of_them if label is None else find_labels(frame, label, positive).is_positive
    score = steps.ranking.decision_function(numbers_of_table(steps, frame, np.arange(len(frame))))
    if training or (training is None and is_own_table(model, frame, is_labelled)):
        check_fitted_to(steps, is_labelled)
        return _from_training(steps, np.arange(len(frame)), names, score, group)
    suspicion = np.full(len(frame), np.nan)
    suspicion[is_labelled] = steps.ranking.calibration_.suspicion(score[is_labelled] - steps.ranking.intercept_)
    is_doubtful = none_of_them.copy()
    is_doubtful[is_labelled] = flag(suspicion[is_labelled], MAX_FDR)
    number = np.arange(len(frame))
    return ModelOnRows(steps, number, names, is_labelled, score, score, suspicion, is_doubtful, group)


def _groups(frame: pd.DataFrame, rows_by: str) -> Any:
    check_column(frame, rows_by, "the groups of rows")
    return frame[rows_by].astype(str).to_numpy(dtype=object)


def _from_training(steps: Steps, number: Ints, names: Any, score: Floats, group: Any) -> ModelOnRows:
    ranking = steps.ranking
    is_labelled = np.isin(number, ranking.labelled_rows_)
    # A check removes labels that it found wrong, and adds labels to rows that it found positive.
    for rows, is_one in (("known_negative_rows_", False), ("confirmed_rows_", True)):
        is_labelled[np.isin(number, getattr(ranking, rows, []))] = is_one
    is_doubtful = np.isin(number, ranking.doubtful_labels(MAX_FDR))
    suspicion = spread(ranking.suspicion_, ranking.labelled_rows_, number)
    unseen = held_out_ranks(steps, number)
    return ModelOnRows(steps, number, names, is_labelled, score, unseen, suspicion, is_doubtful, group)
