"""Fits to rows that are not in memory: the final fit uses all rows, everything else a sample.

The sample holds all labelled positives and enough unlabelled rows for them. Tuning, cross-validation, calibration and
explanation use the sample; the chosen candidates are fitted to all rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from blindauc._typing import Ints
from blindauc.data import Data
from blindauc.estimators.reading import Sifted, enough
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


def read_parts(estimator: Any, rows: PartedRows) -> Sifted:
    """The rows without those of leverage, and a sample of them. Sets the estimator's classes and columns."""
    view = PartedView.of(rows)
    estimator.n_labelled_, estimator.n_unlabelled_ = enough(view.n_positives, view.n_unlabelled)
    estimator.classes_, estimator.n_features_in_ = rows.classes, rows.n_features
    if rows.feature_names is not None:
        estimator.feature_names_in_ = np.asarray(rows.feature_names, dtype=object)
    found = find_leverage(view.pos_matrix.X, _evenly_spaced(view).X) if estimator.leverage_screen else None
    if found is None or not found.rows.any() or (~found.rows).sum() < 2:
        nobody = np.zeros(0, dtype=np.intp)
        return Sifted(sample_of(view), nobody, nobody, rows.n_rows, view)
    numbers = rows.positives[view.kept[found.rows]]
    view = view.without(found.rows)
    n_columns = np.maximum(found.n_columns[found.rows], 1)
    return Sifted(sample_of(view), numbers, n_columns, rows.n_rows, view)


def _evenly_spaced(view: PartedView) -> Matrix:
    """The unlabelled rows that the leverage screen uses; the same ones as for rows in memory."""
    every = -(-view.n_unlabelled // MAX_ROWS)
    return view.parted.rows.take(view.numbers_of_unlabelled(np.arange(0, view.n_unlabelled, every)))[0]


def sample_of(view: PartedView) -> Data:
    """A sample of all positives of the view and enough unlabelled rows for them, ordered by row number."""
    n_unl = min(view.n_unlabelled, max(MIN_FITTED_UNL, enough_unlabelled(view.n_positives)))
    places = np.sort(_without_repeats(view.n_unlabelled, n_unl))
    few = view.subset(np.arange(view.n_positives), places)
    rows = view.parted.rows
    numbers = np.concatenate([rows.positives[view.kept], view.numbers_of_unlabelled(places)])
    order = np.argsort(numbers)
    weight = np.concatenate([few.pos_weight, few.unl_weight])[order]
    sample = Data(few.matrix.rows(order).X, order < view.n_positives, weight, numbers[order], rows.positives)
    return sample.subset(weight > 0)


def searched(rows: Sifted) -> Data:
    """The rows of the search: all rows in memory, or a sample with at most `MOST_SEARCHED` positives.

    Every candidate stores a rank for each positive, which takes memory.
    """
    data = rows.data
    if rows.parts is None or data.is_positive.sum() <= MOST_SEARCHED:
        return data
    kept = np.zeros_like(data.is_positive)
    for kind, n_kept in ((data.is_positive, MOST_SEARCHED), (~data.is_positive, enough_unlabelled(MOST_SEARCHED))):
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
