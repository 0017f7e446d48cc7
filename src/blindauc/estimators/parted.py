"""Fits to rows that are not in memory: the final fit uses all rows, everything else a sample.

The sample holds all labelled positives and as many unlabelled rows as are enough for them. Candidates are searched,
held out, calibrated and explained on the sample, and the chosen ones are fitted to all rows; only trees are fitted to
the sample. Groups and times matter to what is held out, and so to the sample alone; rows that were checked are all in
it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from blindauc._typing import Ints
from blindauc.checked import FOUND_NEGATIVE, FOUND_POSITIVE
from blindauc.data import Data
from blindauc.estimators.belonging import check_groups_can_be_parted, column_of, read_groups, read_times
from blindauc.estimators.reading import ENOUGH_TO_EXPLAIN, ScreenedRows, enough
from blindauc.evidence.folds import MIN_FITTED_UNL
from blindauc.evidence.out_of_fold import OutOfFold
from blindauc.rows.matrix import Matrix
from blindauc.rows.parts import PartedRows
from blindauc.rows.view import PartedView
from blindauc.screening import MAX_ROWS, find_leverage
from blindauc.theory import enough_unlabelled

MOST_SEARCHED = 20_000
"""The most positives by which candidates are compared: the standard error of a blind AUC is then about 0.002."""

SEED = 0
"""Seed of the sample, which depends only on row numbers, so that it is the same for every engine."""


def read_parts(estimator: Any, rows: PartedRows, groups: Any = None, time: Any = None) -> ScreenedRows:
    """The rows without those that have leverage, and a sample of them; the estimator learns its classes and columns."""
    view = PartedView.of(rows)
    estimator.n_labelled_, estimator.n_unlabelled_ = enough(*n_of_either_kind(view))
    estimator.classes_, estimator.n_features_in_ = rows.classes, rows.n_features
    # As in scikit-learn, column names that are not strings are ignored.
    if rows.feature_names is not None and all(isinstance(name, str) for name in rows.feature_names):
        estimator.feature_names_in_ = np.asarray(rows.feature_names, dtype=object)
    nobody = np.zeros(0, dtype=np.intp)
    left_out, n_columns = nobody, nobody
    if estimator.leverage_screen:
        found = find_leverage(view.pos_matrix.X, _evenly_spaced(view).X)
        is_found = found.rows & view.is_unconfirmed
        if is_found.any() and (~is_found).sum() >= 2:
            left_out, n_columns = rows.positives[view.kept[is_found]], np.maximum(found.n_columns[is_found], 1)
            view = view.without(is_found)
    sample = sample_of(view, enough_held_out(view) if _needs_enough(estimator) else ENOUGH_TO_EXPLAIN)
    return ScreenedRows(_belonging(sample, rows, groups, time), left_out, n_columns, rows.n_rows, view)


def _needs_enough(estimator: Any) -> bool:
    """Whether the sample is used for more than explanations and the threshold of linear scores.

    Out-of-fold ranks, the knots of curves, the landmarks of kernels, and trees are computed from the sample.
    """
    return getattr(estimator, "calibrate", True) or estimator.shape != "linear"


def enough_held_out(view: PartedView) -> int:
    """The number of unlabelled rows that are enough to hold out, and to calibrate by."""
    return max(MIN_FITTED_UNL, enough_unlabelled(view.n_positives))


def n_of_either_kind(view: PartedView) -> tuple[int, int]:
    """The number of rows labelled in the input, whatever their checks found, and of unchecked unlabelled rows."""
    rows = view.stats.rows
    if rows.metadata.labelled is None:
        return view.n_positives, view.n_unchecked
    seen = np.union1d(rows.positives[view.kept], rows.metadata.negatives)
    return len(np.intersect1d(rows.metadata.labelled, seen)), view.n_unchecked


def _belonging(sample: Data, rows: PartedRows, groups: Any, time: Any) -> Data:
    """The sample with the groups and times of its rows: those stored with the rows, or passed to `fit`."""

    def of_sample(name: str, stored: Any, passed: Any) -> Any:
        if stored is not None and passed is not None:
            raise ValueError(f"ParquetRows names a column of {name} already: leave {name}= out.")
        column = stored if passed is None else column_of(name, passed, rows.n_rows)
        return None if column is None else column[sample.row]

    group = read_groups(of_sample("groups", rows.metadata.groups, groups), len(sample.row))
    moment = read_times(of_sample("time", rows.metadata.times, time), len(sample.row))
    data = sample._replace(group=group, time=moment)
    check_groups_can_be_parted(data)
    return data


def _evenly_spaced(view: PartedView) -> Matrix:
    """The unlabelled rows that the screen for leverage looks at, the same as of rows in memory."""
    every = -(-view.n_unchecked // MAX_ROWS)
    return view.stats.rows.take(view.numbers_of_unchecked(np.arange(0, view.n_unchecked, every)))[0]


def sample_of(view: PartedView, n_unl: int) -> Data:
    """All positives of the view, all known negatives, and `n_unl` unlabelled rows, in the order of their numbers.

    Relative to the unlabelled rows, known negatives have the same weight as among all rows.
    """
    rows, checks = view.stats.rows, view.stats.rows.metadata
    n_unl = min(view.n_unchecked, n_unl)
    drawn = view.numbers_of_unchecked(np.sort(_without_repeats(view.n_unchecked, n_unl)))
    positives = rows.positives[view.kept]
    numbers = np.sort(np.concatenate([positives, drawn, checks.negatives]))
    # Rows are taken at once and in order, because a copy of hundreds of thousands of rows takes a tenth of a second.
    taken, weight = rows.take(numbers)
    labelled = rows.positives if checks.labelled is None else checks.labelled
    sample = Data(taken.X, np.isin(numbers, positives, assume_unique=True), weight, numbers, labelled)
    sample = sample._replace(verdict=_verdict(numbers, rows))
    sample = sample if weight.all() else sample.subset(weight > 0)
    return sample if n_unl == view.n_unchecked else sample.weighing(view.known_negative_share)


def _verdict(numbers: Ints, rows: PartedRows) -> Ints | None:
    """The results of the checks of some rows; None if no row was checked."""
    checks = rows.metadata
    if checks.labelled is None:
        return None
    return np.where(np.isin(numbers, checks.confirmed), FOUND_POSITIVE, 0) + np.where(
        np.isin(numbers, checks.negatives), FOUND_NEGATIVE, 0
    )


def searched(rows: ScreenedRows) -> Data:
    """The rows of the search: all rows in memory, or a sample with at most `MOST_SEARCHED` positives.

    Every candidate stores a rank for each positive, which takes memory.
    """
    data = rows.data
    if rows.parts is None or data.is_positive.sum() <= MOST_SEARCHED:
        return data
    kept = data.is_known_negative
    for kind, n_kept in ((data.is_positive, MOST_SEARCHED), (data.is_unlabelled, enough_unlabelled(MOST_SEARCHED))):
        places = np.flatnonzero(kind)
        kept[places[_without_repeats(len(places), min(n_kept, len(places)))]] = True
    return data.subset(kept)


def ranks_among(ranks: OutOfFold, some: Data, data: Data) -> OutOfFold:
    """The out-of-fold ranks of some rows, extended to all rows with NaN."""
    if some is data:
        return ranks
    places = np.searchsorted(data.row, some.row)
    rank, mean_rank = np.full((2, len(data.row)), np.nan)
    rank[places], mean_rank[places] = ranks.rank, ranks.mean_rank
    return ranks._replace(rank=rank, mean_rank=mean_rank)


def _without_repeats(n: int, n_drawn: int) -> Ints:
    return np.random.default_rng(SEED).choice(n, n_drawn, replace=False, shuffle=False)
