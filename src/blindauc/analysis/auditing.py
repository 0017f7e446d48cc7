"""The labelled rows of a table, the most doubtful first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from blindauc._typing import Bools, Floats, Ints
from blindauc.analysis.held_out import held_out_ranks, is_of_sample
from blindauc.analysis.labels import Positive, find_labels
from blindauc.analysis.pipeline import Steps, steps_of
from blindauc.analysis.reasons import reasons
from blindauc.analysis.rows import named_rows
from blindauc.analysis.scoring import numbers_of_table
from blindauc.analysis.training_summary import is_fitted_to
from blindauc.estimate import Estimate
from blindauc.prior import expected_fdr
from blindauc.trust.ranks import has_evidence

WRONG_SO_FAR = ("wrong_so_far", "wrong_so_far_low", "wrong_so_far_high")
"""The columns with the expected number of wrong labels from the top down to each row, and its interval."""


def audit(
    model: Any,
    frame: pd.DataFrame,
    label: str,
    *,
    positive: Positive = None,
    id: str | None = None,
    training: bool = False,
) -> pd.DataFrame:
    """List the labelled rows of a table by the probability that their label is wrong.

    Parameters
    ----------
    model : Pipeline
        From `analyse` or `blindauc.load`.
    frame : pandas.DataFrame
        A table with labels; only its labelled rows are read.
    label, positive
        As in `analyse`.
    id : str, optional
        A column that names the rows.
    training : bool, default=False
        Whether the model was fitted to this table. If so, out-of-fold results are used.

    Returns
    -------
    pandas.DataFrame
        The labelled rows, the most doubtful first. The columns are `id` (with `id=`), `row` (1 for the first row below
        the header), `suspicion` (the probability that the label is wrong), `false_alarms` (the expected false
        discovery rate of this label and all above it), `wrong_so_far` (the expected number of wrong labels among
        them, with its 95 % interval from `wrong_so_far_low` to `wrong_so_far_high`; missing if the fit had too few
        labels to estimate it) and `reason`, a text. In the training table, rows that the fit excluded for their
        leverage come first, and their reason says so.
    """
    steps = steps_of(model)
    if label in steps.kinds:
        raise ValueError(
            f"The model uses {label!r} as a feature, so that it cannot hold the labels: choose another column with "
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
    """The labelled training rows, the most doubtful first; `X` has the same rows, encoded.

    If `frame` is a sample of a larger table, `numbers` has the row numbers in that table.
    """
    ranking = steps.ranking
    is_checked = np.isin(ranking.labelled_rows_, ranking.checked_rows)
    n_open = int((~is_checked).sum())
    wrong = ranking.expected_wrong(range(1, n_open + 1)) if n_open else []
    rank = held_out_ranks(steps, np.flatnonzero(is_positive))
    doubts = _Doubts(ranking.suspicion_, rank, ranking.leverage_, wrong, is_checked)
    return _in_order(steps, frame, is_positive, X, id, doubts, numbers)


class _Doubts(NamedTuple):
    """The evidence against each label.

    Attributes
    ----------
    suspicion : the posterior probability that the label is wrong
    rank : the out-of-fold rank or the score; low is doubtful
    leverage : the number of columns with an unusual value
    wrong : the expected number of wrong labels among the k most doubtful unchecked ones, for k = 1, 2, ...
    is_checked : whether the label was checked by a person; checked labels come last
    """

    suspicion: Floats
    rank: Floats
    leverage: Ints
    wrong: list[Estimate]
    is_checked: Bools

    @property
    def wrong_so_far(self) -> list[tuple[float, float, float]]:
        """Expected number of wrong labels among the first k, with its interval, for every k.

        Checked labels follow the unchecked ones and add the errors that were actually found.
        """
        expected = [(float(each), each.low, each.high) for each in self.wrong]
        n_found_wrong = np.cumsum(np.sort(self.suspicion[self.is_checked])[::-1])
        last = np.array(expected[-1] if expected else (0.0, 0.0, 0.0))
        return expected + [tuple((last + more).tolist()) for more in n_found_wrong]


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
    # Ties in suspicion: rows with leverage come first, since they have no rank, then the lowest rank.
    order = np.lexsort((doubts.rank, -doubts.leverage, -suspicion, checked))
    rows = rows.iloc[order].reset_index(drop=True)
    is_known = has_evidence(steps.ranking.calibration_)
    so_far = pd.DataFrame(doubts.wrong_so_far if is_known else np.nan, rows.index, WRONG_SO_FAR)
    return pd.concat([rows.drop(columns="reason"), so_far, rows["reason"]], axis=1)


def check_fitted_to(steps: Steps, is_positive: Bools) -> None:
    """Raise unless the model was fitted to a table with as many rows and the same rows labelled."""
    if not is_fitted_to(steps, is_positive):
        n_rows, n_labelled = len(steps.ranking.held_out_rank_), len(steps.ranking.labelled_rows_)
        # A model of a table that was read in parts does not know how many rows it had.
        had = f"{n_labelled} labelled rows" if is_of_sample(steps) else f"{n_rows} rows, {n_labelled} of them labelled"
        raise ValueError(
            f"This is not the table that the model was fitted to: that had {had}, and this has {len(is_positive)} rows "
            f"and {int(is_positive.sum())} labelled ones, or other ones: audit it as a new table."
        )
