"""Compare two runs: blind AUC, ranks of rows, doubtful labels and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from blindauc._typing import Bools, Floats, Ints
from blindauc.analysis.as_findings import interval
from blindauc.analysis.held_out import is_of_sample
from blindauc.analysis.labels import Positive
from blindauc.analysis.model_on_rows import ModelOnRows, RankedRun, in_common, on_table, on_training_rows
from blindauc.analysis.pipeline import Steps
from blindauc.metrics import blind_auc_difference, pu_auc_score
from blindauc.report.compare_findings import AUCComparison, ColumnChange, LabelChange, Moved, Overlap, RunComparison

TOPS = (10, 20, 50, 100, 200, 500, 1000)
"""Values of k for which the overlap of the top-k lists is reported, up to half of the rows (convention)."""

MOST_MOVED = 20
"""Rows to report whose rank changed most (convention)."""


def compare(
    first: RankedRun | Any,
    second: RankedRun | Any,
    frame: pd.DataFrame | None = None,
    label: str | None = None,
    *,
    positive: Positive = None,
    id: str | None = None,
    rows_by: str | None = None,
    training: tuple[bool | None, bool | None] = (None, None),
    names: tuple[str, str] = ("first", "second"),
) -> RunComparison:
    """Compare two analyses on the rows that both were fitted to, or two models on a table.

    Without a table, both must come from `analyse` on the same rows in the same order; labels and columns may differ.
    The comparison then uses out-of-fold ranks. For a table that was read in parts, it covers the rows that both
    rankings list, and the AUC those that both fits drew. With a table, both models score it; use rows that neither was
    fitted to.

    Parameters
    ----------
    first, second : Analysis, or Pipeline where a table is given
    frame : pandas.DataFrame, optional
        A table with the columns that both models need.
    label, positive : str, optional
        The column of the labels, as in `analyse`; without it, only ranks and columns are compared.
    id : str, optional
        A column that names the rows.
    rows_by : str, optional
        A column that names the group of each row, as in `analyse`; the interval then resamples whole groups.
    training : pair of bool or None, default=(None, None)
        Whether each model was fitted to this very table, so that its out-of-fold ranks are used. None decides by the
        data: it was if the same rows are labelled and every column has the same distribution of values.
    names : pair of str
        Display names of the two.

    Returns
    -------
    RunComparison
        `verdict` says which one ranks better. `judged.difference` is the blind AUC of the second minus that of the
        first, with a paired confidence interval; on true labels the difference is at least as large.

    Raises
    ------
    ValueError
        If the two runs are not on the same rows, or the table lacks columns that a model needs.

    Examples
    --------
    >>> from blindauc.analysis import analyse, compare
    >>> from blindauc.datasets import make_patients
    >>> columns = ["patient", "temperature", "white_cells", "infection"]
    >>> table = make_patients(200, random_state=0).table[columns]
    >>> whole = analyse(table, "infection", id="patient", shape="linear")
    >>> without = analyse(table, "infection", id="patient", shape="linear", drop=["temperature"])
    >>> changed = compare(whole, without, names=("whole", "without temperature"))
    >>> changed.judged.difference.value < 0
    True
    >>> [change.column for change in changed.columns if change.after is None]
    ['temperature']
    """
    if frame is None:
        before, after = in_common(on_training_rows(first), on_training_rows(second))
        _check_same_rows(before, after)
        some = is_of_sample(before.steps) or is_of_sample(after.steps)
        how = f"the rows that both {'drew' if some else 'were fitted to'}, out of fold"
    else:
        before, after = (
            on_table(model, frame, label, positive=positive, id=id, rows_by=rows_by, training=seen)
            for model, seen in zip((first, second), training, strict=True)
        )
        how = "the table, out of fold where they were fitted to it"
    is_ranked = ~np.isnan(before.score) & ~np.isnan(after.score)
    unlabelled = np.flatnonzero(~before.is_labelled & ~after.is_labelled & is_ranked)
    ranks = [_ranks(side.score[unlabelled]) for side in (before, after)]
    return RunComparison(
        names=names,
        n_rows=int(is_ranked.sum()),
        judged=_auc_comparison(before, after, how),
        rank_correlation=_correlation(*ranks),
        overlaps=_overlaps(*ranks),
        moved=_moved(before, unlabelled, *ranks),
        newly_doubtful=_label_changes(after.is_doubtful & ~before.is_doubtful, before, after),
        no_longer_doubtful=_label_changes(before.is_doubtful & ~after.is_doubtful, before, after),
        n_labels_added=int((after.is_labelled & ~before.is_labelled).sum()),
        n_labels_removed=int((before.is_labelled & ~after.is_labelled).sum()),
        columns=_column_changes(before.steps, after.steps),
    )


def _check_same_rows(before: ModelOnRows, after: ModelOnRows) -> None:
    if len(before.name) != len(after.name):
        raise ValueError(
            f"The two runs are not on the same rows: one has {len(before.name):,}, the other {len(after.name):,}. Pass "
            "a table that both can rank."
        )
    differ = np.flatnonzero(before.name != after.name)
    if len(differ):
        place = differ[0]
        raise ValueError(
            f"The two runs are not on the same rows: row {before.number[place] + 1} is {before.name[place]!r} in one "
            f"and {after.name[place]!r} in the other. Pass a table that both can rank."
        )


def _auc_comparison(before: ModelOnRows, after: ModelOnRows, how: str) -> AUCComparison | None:
    """Paired comparison on the rows whose label is the same in both runs and that both rank out of fold."""
    is_compared = (before.is_labelled == after.is_labelled) & ~np.isnan(before.unseen) & ~np.isnan(after.unseen)
    groups = None if after.group is None else after.group[is_compared]
    if groups is not None and (groups == "").any():
        return None  # the groups of rows drawn from a table in parts are not stored
    is_labelled = before.is_labelled[is_compared]
    n_labelled, n_unlabelled = int(is_labelled.sum()), int((~is_labelled).sum())
    if min(n_labelled, n_unlabelled) < 2:
        return None
    scores = [side.unseen[is_compared] for side in (after, before)]
    # With a prior of zero this is the blind AUC itself.
    was, now = (interval(pu_auc_score(is_labelled, each, prior=0.0)) for each in reversed(scores))
    difference = blind_auc_difference(is_labelled, *scores, groups=groups)
    return AUCComparison(how, n_labelled, n_unlabelled, was, now, interval(difference))


def _ranks(scores: Floats) -> Ints:
    """Ranks from 1 for the highest score; ties are broken by the order of the rows."""
    ranks = np.empty(len(scores), dtype=np.intp)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return ranks


def _correlation(before: Ints, after: Ints) -> float | None:
    return float(np.corrcoef(before, after)[0, 1]) if len(before) > 1 else None


def _overlaps(before: Ints, after: Ints) -> list[Overlap]:
    n = len(before)
    return [Overlap(k, int(((before <= k) & (after <= k)).sum()), k * k / n) for k in TOPS if 2 * k <= n]


def _moved(side: ModelOnRows, rows: Ints, before: Ints, after: Ints) -> list[Moved]:
    """The rows whose rank changed by the largest factor.

    A factor and not a difference: a move from 3 to 30 matters as much as one from 30 to 300, since few people read
    far down the list.
    """
    factor = np.abs(np.log(after / before))
    most = np.argsort(-factor, kind="stable")[:MOST_MOVED]
    return [
        Moved(int(side.number[rows[k]]) + 1, str(side.name[rows[k]]), int(before[k]), int(after[k]))
        for k in most
        if factor[k] > 0
    ]


def _label_changes(rows: Bools, before: ModelOnRows, after: ModelOnRows) -> list[LabelChange]:
    """The given labelled rows, the highest suspicion in either run first."""
    suspicions = np.array([before.suspicion, after.suspicion])
    places = np.flatnonzero(rows)
    places = places[np.argsort(-np.nan_to_num(suspicions[:, places]).max(axis=0), kind="stable")]
    return [
        LabelChange(int(before.number[row]) + 1, str(before.name[row]), *map(_or_none, suspicions[:, row]))
        for row in places.tolist()
    ]


def _or_none(suspicion: float) -> float | None:
    return None if np.isnan(suspicion) else float(suspicion)


def _column_changes(before: Steps, after: Steps) -> list[ColumnChange]:
    was, now = _shares(before), _shares(after)
    was_selected, is_selected = _selected(before), _selected(after)
    changes = [
        ColumnChange(name, was.get(name), now.get(name), name in was_selected, name in is_selected)
        for name in dict.fromkeys([*was, *now])
    ]
    return sorted(changes, key=lambda change: -change.size)


def _shares(steps: Steps) -> dict[str, float]:
    """The share of every column in the total absolute weight: two models may differ in scale."""
    weight = np.array([effect.weight for effect in steps.ranking.effects_])
    total = np.abs(weight).sum() or 1.0
    return dict(zip(_names(steps), (weight / total).tolist(), strict=True))


def _selected(steps: Steps) -> set[str]:
    return set(_taken(_names(steps), steps.ranking.support_))


def _taken(names: Sequence[str], mask: Bools) -> list[str]:
    return [name for name, is_taken in zip(names, mask, strict=True) if is_taken]


def _names(steps: Steps) -> list[str]:
    return [str(name) for name in steps.preprocessor.get_feature_names_out()]
