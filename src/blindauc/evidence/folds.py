"""Folds that depend on what the rows hold, not on where they stand.

Equal rows share a fold, so that no row is judged by a model that has seen its double; the order of the rows does not
matter; and a row of weight two is in the same fold as two equal rows would be. Rows of one group share a fold, too,
whatever the group is called. Rows that have a time are not put into folds: fits see what was earlier, and are judged by
what was later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from blindauc._typing import Bools, Floats, Ints
from blindauc.data import Data
from blindauc.rows.digests import mixed, row_digests
from blindauc.theory import enough_unlabelled

MAX_FITTED_POS = 2000
"""Positives that a fit of the search sees at most: choices settle long before."""

MIN_FITTED_UNL = 2000
"""Unlabelled rows that it sees, if there are so many; more only where that is not enough for the positives."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio: multiples of it are far from each other."""


@dataclass(frozen=True)
class Split:
    """Rows to fit and rows to judge by, as masks."""

    fitted: Bools
    held_out: Bools


def fold_splits(data: Data, n_folds: int, seed: int, *, min_pos: int = 4) -> list[Split]:
    """One split for each fold; fewer folds, or none, where the distinct rows (positives below `min_pos`) are too few.

    Every fit has at least two positives and one unlabelled row, every fold at least one of both.
    """
    if data.time is not None:
        return _forward_splits(data, data.time, n_folds, min_pos)
    digests = row_digests(data.X, seed)
    n_pos, n_unl = (len(np.unique(digests[kind])) for kind in (data.is_positive, data.is_unlabelled))
    n_folds = min(n_folds, n_pos // 2, n_unl)
    if n_folds < 2 or n_pos < min_pos:
        return []
    units = digests if data.group is None else group_digests(digests, data.group)
    folds = _folds(units, data.is_positive, n_folds)
    if not all(_is_usable(folds != k, folds == k, data) for k in range(n_folds)):
        # Unlabelled rows that equal positives go where these are, and may leave a fold without any; groups may be few.
        return fold_splits(data, n_folds - 1, seed, min_pos=min_pos)
    return [Split(_fitted(folds != k, data, digests), folds == k) for k in range(n_folds)]


def _forward_splits(data: Data, time: Floats, n_blocks: int, min_pos: int) -> list[Split]:
    """Blocks of the later half of the positives, in the order of time, each with a fit to all that was earlier.

    The earlier half is learnt from only: the fit to all rows is to be judged, and one to a few of the first says little
    about it. A group that is held out is not fitted to, however early some of its rows are.
    """
    digests = row_digests(data.X, 0)
    if len(np.unique(digests[data.is_positive])) < min_pos:
        return []
    edges = _later_edges(time[data.is_positive], n_blocks)
    blocks = [(time >= start) & (time < end) for start, end in zip(edges, [*edges[1:], np.inf], strict=True)]
    earlier = [time < start for start in edges]
    pairs = [(_without_groups_of(block, data.group, rows), block) for rows, block in zip(earlier, blocks, strict=True)]
    if not all(_is_usable(*pair, data) for pair in pairs):
        if n_blocks == 1:
            raise ValueError(
                "With time=, a fit to the earlier half of the labelled positives is judged by the later half, both "
                "among unlabelled rows of their own time and of other groups, and these are too few: pass another "
                "time=, over which both kinds of rows are spread alike, or leave it out."
            )
        return _forward_splits(data, time, n_blocks - 1, min_pos)
    judged = np.any(blocks, axis=0) & data.is_positive
    if len(np.unique(digests[judged])) < min_pos:
        return []
    return [Split(_fitted(fitted, data, digests), held_out) for fitted, held_out in pairs]


def _later_edges(pos_time: Floats, n_blocks: int) -> Floats:
    """Where blocks begin that hold equally many of the later half of the positives; equal times are not parted."""
    ordered = np.sort(pos_time)
    half = len(ordered) // 2
    starts = half + np.arange(n_blocks) * (len(ordered) - half) // n_blocks
    return np.unique(ordered[starts])


def _without_groups_of(held_out: Bools, group: Ints | None, fitted: Bools) -> Bools:
    return fitted if group is None else fitted & ~np.isin(group, group[held_out])


def _is_usable(fitted: Bools, held_out: Bools, data: Data) -> bool:
    """Whether a fit has two positives and an unlabelled row, and is judged by one of both."""
    kinds = data.is_unlabelled, data.is_positive
    n_fitted, n_held_out = ([int((rows & kind).sum()) for kind in kinds] for rows in (fitted, held_out))
    return n_fitted[0] >= 1 and n_fitted[1] >= 2 and min(n_held_out) >= 1


def splits_of(cv: Any, data: Data, n_rows: int) -> list[Split]:
    """The splits of a scikit-learn splitter, or of an iterable of pairs of the user's row numbers."""
    y, groups = np.zeros(n_rows, dtype=int), None
    y[data.labelled] = 1
    if data.group is not None:
        groups = np.full(n_rows, -1)
        groups[data.row] = data.group
    digests, splits = row_digests(data.X, 0), []
    for pair in check_cv(cv, y, classifier=True).split(np.zeros((n_rows, 1)), y, groups):
        fitted, held_out = (np.isin(data.row, np.arange(n_rows)[rows]) for rows in pair)
        if not _is_usable(fitted, held_out, data):
            raise ValueError(
                "Every split of cv must fit to at least two labelled positives and an unlabelled row, and hold out one "
                "of both: use a stratified splitter, or fewer folds."
            )
        splits.append(Split(_fitted(fitted, data, digests), held_out))
    if not splits:
        raise ValueError("cv holds no split: pass a number of folds, a splitter or pairs of row numbers.")
    return splits


def enough_rows(data: Data) -> Bools:
    """All positives and known negatives, and as many unlabelled rows as are enough for them, by what they hold."""
    n_unl = max(MIN_FITTED_UNL, enough_unlabelled(int(data.is_positive.sum())))
    unlabelled = np.flatnonzero(data.is_unlabelled)
    if len(unlabelled) <= n_unl:
        return np.ones_like(data.is_positive)
    enough = ~data.is_unlabelled
    enough[in_random_order(unlabelled, row_digests(data.X, 0))[:n_unl]] = True
    return enough


def most_fitted(n_pos: int) -> tuple[int, int]:
    """How many positives and unlabelled rows a fit of the search sees at most."""
    n_pos = min(n_pos, MAX_FITTED_POS)
    return n_pos, max(MIN_FITTED_UNL, enough_unlabelled(n_pos))


def _fitted(mask: Bools, data: Data, digests: Any) -> Bools:
    """As many of the rows as a fit may see, with all known negatives among them."""
    known = mask & data.is_known_negative
    return limited(mask & ~known, data.is_positive, digests) | known


def limited(mask: Bools, is_positive: Bools, digests: Any) -> Bools:
    """As many of the rows as a fit may see, chosen by their digests."""
    limited = np.zeros_like(mask)
    for kind, limit in zip((is_positive, ~is_positive), most_fitted(int((mask & is_positive).sum())), strict=True):
        rows = np.flatnonzero(mask & kind)
        limited[in_random_order(rows, digests)[:limit] if len(rows) > limit else rows] = True
    return limited


def in_random_order(rows: Ints, digests: Any) -> Ints:
    """The rows in an order that depends on what is in them, not on where they stand; equal rows are not neighbours."""
    rows = rows[np.argsort(digests[rows], kind="stable")]
    ordered = digests[rows]
    first = np.searchsorted(ordered, ordered, "left")
    copy = (np.arange(len(rows)) - first).astype(np.uint64)
    # Every copy of a row has a place of its own: else a sample would be full of the row with the lowest digest.
    places = np.where(copy == 0, ordered, mixed(ordered + copy * GOLDEN))
    return rows[np.argsort(places, kind="stable")]


def content_folds(X: Any, is_positive: Bools, n_folds: int, seed: int) -> Ints:
    """A fold number for each row, positives and unlabelled rows spread evenly.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, p)
    is_positive : mask of shape (n,)
    n_folds : int
    seed : int
        Another seed gives other folds.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.evidence.folds import content_folds
    >>> X = np.array([[1.0], [2.0], [1.0], [3.0], [4.0]])
    >>> folds = content_folds(X, np.array([True, True, True, False, False]), n_folds=2, seed=0)
    >>> bool(folds[0] == folds[2]), bool(folds[0] != folds[1]), bool(folds[3] != folds[4])
    (True, True, True)
    """
    return _folds(row_digests(X, seed), is_positive, n_folds)


def _folds(digests: Any, is_positive: Bools, n_folds: int) -> Ints:
    # In the order of their digests the distinct rows of a kind are as good as shuffled.
    labelled, place = np.unique(digests[is_positive], return_inverse=True)
    folds = np.empty(len(is_positive), dtype=np.intp)
    folds[is_positive] = place % n_folds
    rest = digests[~is_positive]
    # An unlabelled row that equals a positive goes where that is.
    where = np.minimum(np.searchsorted(labelled, rest), len(labelled) - 1)
    twin = labelled[where] == rest
    _, place = np.unique(rest, return_inverse=True)
    folds[~is_positive] = np.where(twin, where, place) % n_folds
    return folds


def group_digests(digests: Any, group: Ints) -> Any:
    """For each row a number that its group has by the distinct rows in it; a row alone in its group keeps its own.

    A sum, so that neither the order of rows nor the names of groups matter; groups that hold the same are equal.
    """
    pairs, place = np.unique(np.stack([group.astype(np.uint64), digests], axis=1), axis=0, return_inverse=True)
    _, number = np.unique(pairs[:, 0], return_inverse=True)
    total = np.zeros(number.max() + 1, dtype=np.uint64)
    np.add.at(total, number, pairs[:, 1])
    return total[number][place.ravel()]
