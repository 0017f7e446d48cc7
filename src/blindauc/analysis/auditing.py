"""The labelled rows of a table, the most doubtful first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from blindauc._typing import Bools, Floats, Ints
from blindauc.analysis.labels import find_labels
from blindauc.analysis.pipeline import Steps, steps_of
from blindauc.analysis.reasons import reasons
from blindauc.analysis.rows import named_rows
from blindauc.analysis.scoring import numbers_of_table
from blindauc.prior import expected_fdr


def audit(
    model: Any,
    frame: pd.DataFrame,
    label: str,
    *,
    positive: str | None = None,
    id: str | None = None,
    training: bool = False,
) -> pd.DataFrame:
    """Which labels to check again, and why.

    Parameters
    ----------
    model : Pipeline
        From `analyse`, or loaded.
    frame : pandas.DataFrame
        A table with labels; only the rows that are labelled positive matter.
    label, positive
        As in `analyse`.
    id : str, optional
        A column that names the rows.
    training : bool, default=False
        Whether this is the very table that the model was fitted to. Then each row is judged by models that have not
        seen it.

    Returns
    -------
    pandas.DataFrame
        The labelled rows, the most doubtful first: `id` if asked for, `row` from 1, `suspicion`, the probability that
        the label is wrong, `false_alarms`, the expected share of right labels among this and all more doubtful ones,
        and `reason` in words. In the training table, a row that was set apart for its leverage comes first and says so.
    """
    steps = steps_of(model)
    if label in steps.kinds:
        raise ValueError(
            f"The column {label!r} is one that the model ranks by, and cannot hold the labels: name another with "
            "--label."
        )
    is_positive = find_labels(frame, label, positive).is_positive
    X = numbers_of_table(steps, frame[is_positive], np.flatnonzero(is_positive))
    if training:
        _check_same_rows(steps, is_positive)
        return doubtful(steps, frame, is_positive, X, id)
    scores = steps.ranking.decision_function(X) - steps.ranking.intercept_
    suspicion, nowhere = steps.ranking.calibration_.suspicion(scores), np.zeros(len(X), dtype=np.intp)
    return _in_order(steps, frame, is_positive, X, id, _Doubts(suspicion, scores, nowhere))


def doubtful(steps: Steps, frame: pd.DataFrame, is_positive: Bools, X: Floats, id: str | None) -> pd.DataFrame:
    """The labelled rows that the model was fitted to, the most doubtful first; X holds them encoded."""
    ranking = steps.ranking
    doubts = _Doubts(ranking.suspicion_, ranking.held_out_rank_[is_positive], ranking.leverage_)
    return _in_order(steps, frame, is_positive, X, id, doubts)


class _Doubts(NamedTuple):
    """What speaks against each labelled row: a suspicion, a low rank, unusual values in so many columns."""

    suspicion: Floats
    rank: Floats
    leverage: Ints


def _in_order(
    steps: Steps, frame: pd.DataFrame, is_positive: Bools, X: Floats, id: str | None, doubts: _Doubts
) -> pd.DataFrame:
    rows = named_rows(frame, id)[is_positive].assign(
        suspicion=doubts.suspicion,
        false_alarms=expected_fdr(doubts.suspicion),
        reason=reasons(steps, frame[is_positive], X, doubts.leverage),
    )
    # Of those equally doubtful, first those with leverage, which have no rank, then the one that ranks lowest.
    order = np.lexsort((doubts.rank, -doubts.leverage, -doubts.suspicion))
    return rows.iloc[order].reset_index(drop=True)


def _check_same_rows(steps: Steps, is_positive: Bools) -> None:
    fitted = len(steps.ranking.held_out_rank_), steps.ranking.labelled_rows_.tolist()
    if fitted != (len(is_positive), np.flatnonzero(is_positive).tolist()):
        raise ValueError(
            f"This is not the table that the model was fitted to: that had {fitted[0]} rows, {len(fitted[1])} of them "
            f"labelled, and this has {len(is_positive)} and {int(is_positive.sum())}, or other ones: audit it as a new "
            "table."
        )
