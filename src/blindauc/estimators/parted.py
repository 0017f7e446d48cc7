"""Fits to rows that are not in memory: all of them for the weights, and a sample for everything else.

The sample holds all labelled positives and as many unlabelled rows as are enough for them. What is searched, held out,
calibrated and explained is so by the sample; the choice is fitted to all rows.
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
"""Positives by which candidates are compared: a blind AUC is then known to 0.002."""

SEED = 0
"""Of the sample, which depends on the numbers of the rows alone: the same for every engine."""


def read_parts(estimator: Any, rows: PartedRows) -> Sifted:
    """The rows without those that have leverage, and a sample of them; the estimator learns its classes and columns."""
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
    """The unlabelled rows that the screen for leverage looks at, the same as of rows in memory."""
    every = -(-view.n_unlabelled // MAX_ROWS)
    return view.parted.rows.take(view.numbers_of_unlabelled(np.arange(0, view.n_unlabelled, every)))[0]


def sample_of(view: PartedView) -> Data:
    """All positives that are looked at, and enough unlabelled rows for them, in the order of their numbers."""
    n_unl = min(view.n_unlabelled, max(MIN_FITTED_UNL, enough_unlabelled(view.n_positives)))
    places = np.sort(_without_repeats(view.n_unlabelled, n_unl))
    rows = view.parted.rows
    positives = rows.positives[view.kept]
    numbers = np.sort(np.concatenate([positives, view.numbers_of_unlabelled(places)]))
    # All at once and in their order: of hundreds of thousands of rows every copy takes a tenth of a second.
    taken, weight = rows.take(numbers)
    sample = Data(taken.X, np.isin(numbers, positives, assume_unique=True), weight, numbers, rows.positives)
    return sample if weight.all() else sample.subset(weight > 0)


def searched(rows: Sifted) -> Data:
    """The rows that a search looks at: all that are in memory, but of those of a sample no more than enough.

    Every candidate has a rank for each positive, which takes memory.
    """
    data = rows.data
    if rows.parts is None or data.is_positive.sum() <= MOST_SEARCHED:
        return data
    kept = np.zeros_like(data.is_positive)
    for kind, n_kept in ((data.is_positive, MOST_SEARCHED), (~data.is_positive, enough_unlabelled(MOST_SEARCHED))):
        places = np.flatnonzero(kind)
        kept[places[_without_repeats(len(places), min(n_kept, len(places)))]] = True
    return data.subset(kept)


def ranks_among(known: OutOfFold, some: Data, data: Data) -> OutOfFold:
    """What is known of some rows as what is known of all."""
    if some is data:
        return known
    places = np.searchsorted(data.row, some.row)
    rank, mean_rank = np.full((2, len(data.row)), np.nan)
    rank[places], mean_rank[places] = known.rank, known.mean_rank
    return known._replace(rank=rank, mean_rank=mean_rank)


def _without_repeats(n: int, n_drawn: int) -> Ints:
    return np.random.default_rng(SEED).choice(n, n_drawn, replace=False, shuffle=False)
