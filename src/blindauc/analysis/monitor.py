"""Monitor drift: whether new rows are distributed like the training rows, and what AUC to expect on them."""

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
from blindauc.analysis.labels import Positive, find_labels
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
from blindauc.estimate import MIN_POSITIVES, Estimate
from blindauc.metrics import pu_auc_score
from blindauc.ranks import Ranked, share_below
from blindauc.report.findings import Interval
from blindauc.report.monitor_findings import ColumnDrift, Monitoring, NewLabels, ScoreDrift
from blindauc.trust.ranks import assess_ranks, has_evidence

FALSE_ALARMS = 0.01
"""Family-wise error rate: the probability of any drift alarm if nothing changed (convention; Bonferroni)."""

GREW = 0.05
"""Smallest growth of the share of missing values that counts as drift (convention)."""


def monitor(
    model: Any, frame: pd.DataFrame, label: str | None = None, *, positive: Positive = None, name: str = "table"
) -> Monitoring:
    """Test whether the rows of a new table are distributed like the training rows.

    Every column and the score are compared with the summary that the model keeps of its training table, by the
    population stability index (PSI) and a chi-squared test. A change is reported as drift if it is significant (one
    false alarm per hundred tables, over all tests together) and large: a PSI of at least 0.1, or at least 5 percentage
    points more missing values. New categories are drift if they occur more often than the rare categories of the
    training table suggest. Shifts of date columns are shown but are not drift, since time goes on.

    Parameters
    ----------
    model : Pipeline
        From `analyse` or `blindauc.load`.
    frame : pandas.DataFrame
        New rows, sampled as the training rows were, labelled or not.
    label, positive : str, optional
        The column of the labels, as in `analyse`, if some of the new rows are labelled. Their blind AUC is then
        compared with that of the fit.
    name : str
        The name of the table in the result.

    Returns
    -------
    Monitoring
        `has_drifted`, `expectation` (a sentence about the AUC to expect) and all numbers.

    Raises
    ------
    ValueError
        If the model has no summary of its training table, or columns that it needs are missing or cannot be read.

    Examples
    --------
    >>> from blindauc.analysis import analyse, monitor
    >>> from blindauc.datasets import make_patients
    >>> columns = ["patient", "temperature", "white_cells", "infection"]
    >>> table, later = (make_patients(300, random_state=seed).table[columns] for seed in (0, 1))
    >>> model = analyse(table, "infection", id="patient", shape="linear").model
    >>> monitor(model, later).has_drifted
    False
    >>> found = monitor(model, later.assign(temperature=later["temperature"] + 1.0))
    >>> [column.column for column in found.drifted]
    ['temperature']
    """
    steps, training = steps_of(model), training_summary_of(model)
    score = steps.ranking.decision_function(numbers_of_table(steps, frame, np.arange(len(frame))))
    changes = [_compared(steps, training, name, frame) for name in steps.kinds]
    # Three tests per column (values, missing values, new categories), one of the scores and one of the AUC.
    alpha = FALSE_ALARMS / (len(changes) * 3 + 2)
    columns = sorted(
        (_column_drift(each, alpha) for each in changes), key=lambda each: (not each.has_drifted, -each.psi)
    )
    return Monitoring(
        data=name,
        n_rows=len(frame),
        n_rows_before=training.n_rows,
        is_sample=training.is_sample,
        scores=_score_drift(training.score, score, alpha),
        columns=columns,
        fitted_auc=interval(steps.ranking.auc_) if has_evidence(steps.ranking.calibration_) else None,
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
    # A column that the score does not use may be absent: then all its values are missing.
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
    """The median of numbers or dates, or the most frequent category with its share, as text."""
    if isinstance(column, NumberCounts):
        if column.median is None:
            return "nothing"
        return str(np.datetime64(int(column.median), "D")) if is_date else rounded(column.median)
    if not column.counts:
        return "nothing"
    most = max(column.counts, key=lambda text: column.counts[text])
    return f"{most} {100 * column.counts[most] / sum(column.counts.values()):.0f} %"


def _score_drift(before: NumberCounts, score: Floats, alpha: float) -> ScoreDrift:
    after = count_numbers(score, before.edges)
    change = change_of_numbers(before.counts, after.counts)
    was, now = (np.array(each.counts) / max(sum(each.counts), 1) for each in (before, after))
    is_shifted = change.psi >= MODERATE_PSI and change.p_value < alpha
    return ScoreDrift(change.psi, change.p_value, was.tolist(), now.tolist(), is_shifted)


def _new_labels(
    model: Any, frame: pd.DataFrame, label: str, positive: Positive, score: Floats, alpha: float
) -> NewLabels:
    """The blind AUC of the new labels, and a test of whether it fell below that of the fit."""
    steps = steps_of(model)
    if label in steps.kinds:
        raise ValueError(f"The model uses {label!r} as a feature: choose another column for the labels.")
    check_column(frame, label, "the labels")
    is_labelled = find_labels(frame, label, positive).is_positive
    if is_own_table(model, frame, is_labelled):
        raise ValueError(
            "This is the very table that the model was fitted to, so its labels cannot show how well new rows rank: "
            "pass new rows, or omit label=."
        )
    n_labelled, n_unlabelled = int(is_labelled.sum()), int((~is_labelled).sum())
    if min(n_labelled, n_unlabelled) < 2:
        raise ValueError(
            f"To measure how well labelled rows rank, at least two labelled and two other rows are needed, but there "
            f"are {n_labelled} and {n_unlabelled}: label more rows, or omit label=."
        )
    before, after = _blind_auc_of_fit(steps), pu_auc_score(is_labelled, score, prior=0.0)
    p_value = p_of_less(float(before), before.standard_error, float(after), after.standard_error)
    auc = _auc(is_labelled, score) if n_labelled >= MIN_POSITIVES else None
    return NewLabels(n_labelled, n_unlabelled, interval(before), interval(after), p_value, p_value < alpha, auc)


def _blind_auc_of_fit(steps: Steps) -> Estimate:
    ranking = steps.ranking
    is_labelled = np.zeros(len(ranking.held_out_rank_), dtype=bool)
    is_labelled[ranking.labelled_rows_] = True
    is_ranked = ~np.isnan(ranking.held_out_rank_)
    if min(is_labelled[is_ranked].sum(), (~is_labelled[is_ranked]).sum()) < 2:
        return Estimate(0.5, 0.0, 1.0)
    # With a prior of zero this is the blind AUC itself.
    return pu_auc_score(is_labelled[is_ranked], ranking.held_out_rank_[is_ranked], prior=0.0)


def _auc(is_labelled: Bools, score: Floats) -> Interval:
    """The AUC on true labels, estimated as in a fit; the class prior may have changed and is estimated again."""
    ones = np.ones(len(score))
    rank = share_below(score, score[~is_labelled], ones[~is_labelled])
    ranked = Ranked(rank[is_labelled], rank[~is_labelled], ones[is_labelled], ones[~is_labelled])
    return interval(assess_ranks(ranked).auc)
