"""Whether new rows are like those that a model was fitted to, and what AUC can still be expected of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from blindauc._typing import Bools, Floats
from blindauc.analysis.as_findings import interval
from blindauc.analysis.columns import check_column
from blindauc.analysis.drift import (
    MODERATE_PSI,
    Change,
    change_of_categories,
    change_of_numbers,
    p_of_less,
    p_of_more,
    p_of_unseen,
)
from blindauc.analysis.labels import find_labels
from blindauc.analysis.pipeline import Steps, steps_of
from blindauc.analysis.reasons import rounded
from blindauc.analysis.scoring import numbers_of_table
from blindauc.analysis.training_summary import (
    CategoryCounts,
    NumberCounts,
    TrainingSummary,
    count_categories,
    count_numbers,
    is_own_table,
    training_summary_of,
    values_of,
)
from blindauc.estimate import MIN_JUDGED, Estimate
from blindauc.metrics import pu_auc_score
from blindauc.ranks import Ranked, share_below
from blindauc.report.findings import Interval
from blindauc.report.monitor_findings import ColumnDrift, Monitoring, NewLabels, ScoreDrift
from blindauc.trust.judgement import is_judged, judge_ranks

FALSE_ALARMS = 0.01
"""The chance that anything at all is called a drift where nothing changed (Bonferroni's correction)."""

GREW = 0.05
"""A share of missing values that grew by less does not matter (convention)."""


def monitor(
    model: Any, frame: pd.DataFrame, label: str | None = None, *, positive: str | None = None, name: str = "table"
) -> Monitoring:
    """Tell whether the rows of a new table are like those that a model was fitted to.

    Columns and scores are compared with what the model remembers of its table, by the population stability index and a
    chi-squared test. A drift is what is more than chance (in all tests together, one false alarm in a hundred tables)
    and also large enough to matter: an index of at least 0.1, or 5 % more rows without a value. New categories count
    where they are more than the rare ones of the fit let expect. Columns of dates are shown but never counted, since
    time goes on.

    Parameters
    ----------
    model : Pipeline
        From `analyse`, or loaded.
    frame : pandas.DataFrame
        New rows, drawn as all rows of the fit were, labelled or not.
    label, positive : str, optional
        The column of the labels, if some rows have one, as in `analyse`. How well they rank is then measured.
    name : str
        What the table is called.

    Returns
    -------
    Monitoring
        `has_drifted`, `expectation`, which says in words what AUC can be expected, and all numbers.

    Raises
    ------
    ValueError
        Where the model does not remember its table, or columns that it needs are missing or cannot be read.

    Examples
    --------
    >>> from blindauc.analysis import analyse, monitor
    >>> from blindauc.datasets import make_patients
    >>> model = analyse(make_patients(300, random_state=0).table, "infection", id="patient", shape="linear").model
    >>> later = make_patients(300, random_state=1).table
    >>> monitor(model, later).has_drifted
    False
    >>> found = monitor(model, later.assign(temperature=later["temperature"] + 1.0))
    >>> [column.column for column in found.drifted]
    ['temperature']
    """
    steps, training = steps_of(model), training_summary_of(model)
    score = steps.ranking.decision_function(numbers_of_table(steps, frame, np.arange(len(frame))))
    changes = [_compared(steps, training, name, frame) for name in steps.kinds]
    alpha = FALSE_ALARMS / (len(changes) * 3 + 2)  # values, gaps and categories of each; scores; the AUC
    columns = sorted(
        (_column_drift(each, alpha) for each in changes), key=lambda each: (not each.has_drifted, -each.psi)
    )
    return Monitoring(
        data=name,
        n_rows=len(frame),
        n_rows_before=training.n_rows,
        scores=_score_drift(training.score, score, alpha),
        columns=columns,
        fitted_auc=interval(steps.ranking.auc_) if is_judged(steps.ranking.calibration_) else None,
        labels=None if label is None else _new_labels(model, frame, label, positive, score, alpha),
    )


@dataclass(frozen=True)
class _Compared:
    """A column before and after."""

    name: str
    is_date: bool
    before: NumberCounts | CategoryCounts
    after: NumberCounts | CategoryCounts
    n_before: int
    n_after: int
    change: Change

    @property
    def unseen(self) -> dict[str, int]:
        if isinstance(self.before, NumberCounts) or isinstance(self.after, NumberCounts):
            return {}
        new = {text: count for text, count in self.after.counts.items() if text not in self.before.counts}
        return dict(sorted(new.items(), key=lambda item: -item[1]))


def _compared(steps: Steps, training: TrainingSummary, name: str, frame: pd.DataFrame) -> _Compared:
    before, is_date = training.columns[name], steps.kinds[name] == "date"
    # A column without a weight may be absent: then it is missing in every row.
    column = frame[name] if name in frame.columns else pd.Series(np.nan, index=frame.index, dtype=object)
    values = values_of(steps, name, column)
    after: NumberCounts | CategoryCounts
    if isinstance(before, NumberCounts):
        after = count_numbers(values, before.edges)
        change = change_of_numbers(before.counts, after.counts)
    else:
        after = count_categories(values)
        change = change_of_categories(before.counts, after.counts)
    return _Compared(name, is_date, before, after, training.n_rows, len(frame), change)


def _column_drift(compared: _Compared, alpha: float) -> ColumnDrift:
    before, after, change = compared.before, compared.after, compared.change
    missing_before, missing_after = before.n_missing / compared.n_before, after.n_missing / max(compared.n_after, 1)
    p_of_gaps = p_of_more(before.n_missing, compared.n_before, after.n_missing, compared.n_after)
    unseen = compared.unseen
    p_unseen = 1.0
    if isinstance(before, CategoryCounts):
        p_unseen = p_of_unseen(before.counts, sum(unseen.values()), compared.n_after - after.n_missing)
    return ColumnDrift(
        column=compared.name,
        psi=change.psi,
        p_value=change.p_value,
        before=_usual_value(before, compared.is_date),
        after=_usual_value(after, compared.is_date),
        missing_before=missing_before,
        missing_after=missing_after,
        unseen=unseen,
        is_shifted=not compared.is_date and change.psi >= MODERATE_PSI and change.p_value < alpha,
        has_gaps=missing_after - missing_before >= GREW and p_of_gaps < alpha,
        has_unseen=p_unseen < alpha,
    )


def _usual_value(column: NumberCounts | CategoryCounts, is_date: bool) -> str:
    """What most rows have, in words."""
    if isinstance(column, NumberCounts):
        if column.median is None:
            return "nothing"
        return str(np.datetime64(int(column.median), "D")) if is_date else rounded(column.median)
    if not column.counts:
        return "nothing"
    most = max(column.counts, key=lambda text: column.counts[text])
    return f"{most} {column.counts[most] / sum(column.counts.values()):.0%}"


def _score_drift(before: NumberCounts, score: Floats, alpha: float) -> ScoreDrift:
    after = count_numbers(score, before.edges)
    change = change_of_numbers(before.counts, after.counts)
    was, now = (np.array(each.counts) / max(sum(each.counts), 1) for each in (before, after))
    is_shifted = change.psi >= MODERATE_PSI and change.p_value < alpha
    return ScoreDrift(change.psi, change.p_value, was.tolist(), now.tolist(), is_shifted)


def _new_labels(
    model: Any, frame: pd.DataFrame, label: str, positive: str | None, score: Floats, alpha: float
) -> NewLabels:
    """How well labelled rows rank now, and by how much less than in the fit."""
    steps = steps_of(model)
    if label in steps.kinds:
        raise ValueError(f"The column {label!r} is one that the model ranks by: name another for the labels.")
    check_column(frame, label, "the labels")
    is_labelled = find_labels(frame, label, positive).is_positive
    if is_own_table(model, frame, is_labelled):
        raise ValueError(
            "This is the very table that the model was fitted to, so that its labels do not tell how well new rows "
            "rank: take new rows, or do without label=."
        )
    n_labelled, n_unlabelled = int(is_labelled.sum()), int((~is_labelled).sum())
    if min(n_labelled, n_unlabelled) < 2:
        raise ValueError(
            f"To measure how well labelled rows rank, two of them and two others are needed, and {n_labelled} and "
            f"{n_unlabelled} came: label more rows, or do without label."
        )
    before, after = _blind_auc_of_fit(steps), pu_auc_score(is_labelled, score, prior=0.0)
    p_value = p_of_less(float(before), before.standard_error, float(after), after.standard_error)
    auc = _auc(is_labelled, score) if n_labelled >= MIN_JUDGED else None
    return NewLabels(n_labelled, n_unlabelled, interval(before), interval(after), p_value, p_value < alpha, auc)


def _blind_auc_of_fit(steps: Steps) -> Estimate:
    ranking = steps.ranking
    is_labelled = np.zeros(len(ranking.held_out_rank_), dtype=bool)
    is_labelled[ranking.labelled_rows_] = True
    known = ~np.isnan(ranking.held_out_rank_)
    if min(is_labelled[known].sum(), (~is_labelled[known]).sum()) < 2:
        return Estimate(0.5, 0.0, 1.0)
    # With a prior of zero this is the blind AUC itself.
    return pu_auc_score(is_labelled[known], ranking.held_out_rank_[known], prior=0.0)


def _auc(is_labelled: Bools, score: Floats) -> Interval:
    """On true labels, by the same reasoning as in a fit: the prior may have changed, and is estimated anew."""
    ones = np.ones(len(score))
    rank = share_below(score, score[~is_labelled], ones[~is_labelled])
    ranked = Ranked(rank[is_labelled], rank[~is_labelled], ones[is_labelled], ones[~is_labelled])
    return interval(judge_ranks(ranked).auc)
