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
from blindauc.analysis.training_summary import is_fitted_to
from blindauc.estimate import Estimate
from blindauc.prior import expected_fdr
from blindauc.trust.judgement import is_judged

WRONG_SO_FAR = ("wrong_so_far", "wrong_so_far_low", "wrong_so_far_high")
"""The columns that say how many labels are wrong down to a row."""


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
        The labelled rows, the most doubtful first: `id` if asked for, `row` from 1, the first row below the header,
        `suspicion`, the probability that the label is wrong, `false_alarms`, the expected share of right labels among
        this and all more doubtful ones, `wrong_so_far`, the expected number of wrong labels among them, with its 95 %
        interval from `wrong_so_far_low` to `wrong_so_far_high`, missing where too few rows were labelled to say, and
        `reason` in words. In the training table, a row that was set apart for its leverage comes first and says so.
    """
    steps = steps_of(model)
    if label in steps.kinds:
        raise ValueError(
            f"The column {label!r} is one that the model ranks by, and cannot hold the labels: name another with "
            "label=."
        )
    is_positive = find_labels(frame, label, positive).is_positive
    X = numbers_of_table(steps, frame[is_positive], np.flatnonzero(is_positive))
    if training:
        check_fitted_to(steps, is_positive)
        return doubtful(steps, frame, is_positive, X, id)
    scores = steps.ranking.decision_function(X) - steps.ranking.intercept_
    model, nowhere = steps.ranking.calibration_, np.zeros(len(X), dtype=np.intp)
    wrong = model.expected_wrong(model.count(scores), range(1, len(X) + 1))
    doubts = _Doubts(model.suspicion(scores), scores, nowhere, wrong, np.zeros(len(X), dtype=bool))
    return _in_order(steps, frame, is_positive, X, id, doubts)


def doubtful(
    steps: Steps, frame: pd.DataFrame, is_positive: Bools, X: Floats, id: str | None, numbers: Ints | None = None
) -> pd.DataFrame:
    """The labelled rows that the model was fitted to, the most doubtful first; X holds them encoded.

    `numbers` are those of the rows of the frame in the table that they were taken from.
    """
    ranking = steps.ranking
    is_checked = np.isin(ranking.labelled_rows_, ranking.checked_rows)
    n_open = int((~is_checked).sum())
    wrong = ranking.expected_wrong(range(1, n_open + 1)) if n_open else []
    rank = ranking.held_out_rank_[is_positive]
    doubts = _Doubts(ranking.suspicion_, rank, ranking.leverage_, wrong, is_checked)
    return _in_order(steps, frame, is_positive, X, id, doubts, numbers)


class _Doubts(NamedTuple):
    """What speaks against each labelled row: a suspicion, a low rank, unusual values in so many columns.

    And how many of the first labels are wrong, in the order of doubt, and which were checked: these come last.
    """

    suspicion: Floats
    rank: Floats
    leverage: Ints
    wrong: list[Estimate]
    is_checked: Bools

    @property
    def wrong_so_far(self) -> list[tuple[float, float, float]]:
        """How many of the first labels are wrong, with its interval; what was found adds to what is expected."""
        expected = [(float(each), each.low, each.high) for each in self.wrong]
        known = np.cumsum(np.sort(self.suspicion[self.is_checked])[::-1])
        last = np.array(expected[-1] if expected else (0.0, 0.0, 0.0))
        return expected + [tuple((last + more).tolist()) for more in known]


def _in_order(
    steps: Steps,
    frame: pd.DataFrame,
    is_positive: Bools,
    X: Floats,
    id: str | None,
    doubts: _Doubts,
    numbers: Ints | None = None,
) -> pd.DataFrame:
    reason = np.array(reasons(steps, frame[is_positive], X, doubts.leverage), dtype=object)
    checked, suspicion = doubts.is_checked, doubts.suspicion
    reason[checked] = np.where(suspicion[checked] == 1, "checked, and found wrong", "checked, and found right")
    false_alarms = 1 - suspicion
    false_alarms[~checked] = expected_fdr(suspicion[~checked])
    rows = named_rows(frame, id, numbers)[is_positive].assign(
        suspicion=suspicion, false_alarms=false_alarms, reason=reason
    )
    # Of those equally doubtful, first those with leverage, which have no rank, then the one that ranks lowest.
    order = np.lexsort((doubts.rank, -doubts.leverage, -suspicion, checked))
    rows = rows.iloc[order].reset_index(drop=True)
    is_known = is_judged(steps.ranking.calibration_)
    so_far = pd.DataFrame(doubts.wrong_so_far if is_known else np.nan, rows.index, WRONG_SO_FAR)
    return pd.concat([rows.drop(columns="reason"), so_far, rows["reason"]], axis=1)


def check_fitted_to(steps: Steps, is_positive: Bools) -> None:
    """Raise unless as many rows, and these of them labelled, are what the model was fitted to."""
    if not is_fitted_to(steps, is_positive):
        n_rows, n_labelled = len(steps.ranking.held_out_rank_), len(steps.ranking.labelled_rows_)
        raise ValueError(
            f"This is not the table that the model was fitted to: that had {n_rows} rows, {n_labelled} of them "
            f"labelled, and this has {len(is_positive)} and {int(is_positive.sum())}, or other ones: audit it as a new "
            "table."
        )
