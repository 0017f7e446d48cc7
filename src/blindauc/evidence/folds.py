"""Cross-validation folds that depend on the content of the rows, not on their order.

Equal rows share a fold, so that no row is scored by a model that was fitted to a copy of it. The order of the rows does
not matter, and a row of weight two is in the same fold as two equal rows would be. Rows of one group also share a fold,
and the names of groups do not matter. Rows with a time are split by time instead: models are fitted to earlier rows and
evaluated on later ones.
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
"""The most positives in a fit of the search (convention): settings can be chosen with far fewer."""

MIN_FITTED_UNL = 2000
"""The fewest unlabelled rows in a fit of the search, if there are that many (convention). A fit has more of them if its
positives need more (`theory.enough_unlabelled`)."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio: its multiples are well spread (Fibonacci hashing; Knuth, TAOCP volume 3, 6.4)."""


@dataclass(frozen=True)
class Split:
    """Masks of the rows to fit to and of the rows to hold out."""

    fitted: Bools
    held_out: Bools


def fold_splits(data: Data, n_folds: int, seed: int, *, min_pos: int = 4) -> list[Split]:
    """One split per fold; fewer folds if distinct rows are few, none with fewer than `min_pos` distinct positives.

    Every fit has at least two positives and one unlabelled row, and every fold holds out at least one row of each kind.
    """
    if data.time is not None:
        return _forward_splits(data, data.time, n_folds, min_pos)
    digests = data.digests(seed)
    n_pos, n_unl = (n_distinct(digests[kind]) for kind in (data.is_positive, data.is_unlabelled))
    n_folds = min(n_folds, n_pos // 2, n_unl)
    if n_folds < 2 or n_pos < min_pos:
        return []
    units = digests if data.group is None else group_digests(digests, data.group)
    folds = _folds(units, data.is_positive, n_folds)
    if not all(_is_usable(folds != k, folds == k, data) for k in range(n_folds)):
        # Unlabelled rows that equal a positive share its fold, which may leave another fold without unlabelled rows.
        # There may also be few groups. Try again with fewer folds.
        return fold_splits(data, n_folds - 1, seed, min_pos=min_pos)
    return [Split(_fitted(folds != k, data, digests), folds == k) for k in range(n_folds)]


def _forward_splits(data: Data, time: Floats, n_blocks: int, min_pos: int) -> list[Split]:
    """Splits by time: each block of the later half of the positives is held out from a fit to all earlier rows.

    The earlier half is never held out: the aim is to evaluate the fit to all rows, and a fit to only the first few rows
    says little about it. If some rows of a group are held out, none of its rows are fitted.
    """
    digests = data.digests()
    if n_distinct(digests[data.is_positive]) < min_pos:
        return []
    edges = _later_edges(time[data.is_positive], n_blocks)
    blocks = [(time >= start) & (time < end) for start, end in zip(edges, [*edges[1:], np.inf], strict=True)]
    earlier = [time < start for start in edges]
    pairs = [(_without_groups_of(block, data.group, rows), block) for rows, block in zip(earlier, blocks, strict=True)]
    if not all(_is_usable(*pair, data) for pair in pairs):
        if n_blocks == 1:
            raise ValueError(
                "With time=, a fit to the earlier half of the labelled positives is evaluated on the later half, each "
                "with the unlabelled rows of the same period and of other groups, and these are too few: pass another "
                "time=, over which both kinds of rows are spread alike, or leave it out."
            )
        return _forward_splits(data, time, n_blocks - 1, min_pos)
    held_out_positives = np.any(blocks, axis=0) & data.is_positive
    if n_distinct(digests[held_out_positives]) < min_pos:
        return []
    return [Split(_fitted(fitted, data, digests), held_out) for fitted, held_out in pairs]


def _later_edges(pos_time: Floats, n_blocks: int) -> Floats:
    """The start times of blocks with equal numbers of the later half of the positives; equal times stay together."""
    ordered = np.sort(pos_time)
    half = len(ordered) // 2
    starts = half + np.arange(n_blocks) * (len(ordered) - half) // n_blocks
    return np.unique(ordered[starts])


def _without_groups_of(held_out: Bools, group: Ints | None, fitted: Bools) -> Bools:
    return fitted if group is None else fitted & ~np.isin(group, group[held_out])


def _is_usable(fitted: Bools, held_out: Bools, data: Data) -> bool:
    """Whether a split fits to at least two positives and an unlabelled row, and holds out at least one of each."""
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
    elif _needs_groups(cv):
        raise ValueError(f"cv={cv!r} splits rows by groups, and there are none: pass fit(groups=...).")
    digests, splits = data.digests(), []
    for pair in check_cv(cv, y, classifier=True).split(np.zeros((n_rows, 1)), y, groups):
        fitted, held_out = (np.isin(data.row, np.arange(n_rows)[rows]) for rows in pair)
        if not _is_usable(fitted, held_out, data):
            raise ValueError(
                "Every split of cv must fit to at least two labelled positives and an unlabelled row, and hold out one "
                "of each: use a stratified splitter, or fewer folds."
            )
        splits.append(Split(_fitted(fitted, data, digests), held_out))
    if not splits:
        raise ValueError("cv yields no split: pass a number of folds, a splitter or pairs of row numbers.")
    return splits


def _needs_groups(cv: Any) -> bool:
    """Whether a splitter requires groups, such as scikit-learn's GroupKFold."""
    if not hasattr(cv, "get_metadata_routing"):
        return False
    return cv.get_metadata_routing().split.requests.get("groups") is True


def enough_rows(data: Data) -> Bools:
    """A mask of all positives and known negatives, and of enough unlabelled rows for them, chosen by their content."""
    n_unl = max(MIN_FITTED_UNL, enough_unlabelled(int(data.is_positive.sum())))
    unlabelled = np.flatnonzero(data.is_unlabelled)
    if len(unlabelled) <= n_unl:
        return np.ones_like(data.is_positive)
    enough = ~data.is_unlabelled
    enough[first_in_random_order(unlabelled, data.digests(), n_unl)] = True
    return enough


def most_fitted(n_pos: int) -> tuple[int, int]:
    """The most positives and the most unlabelled rows in a fit of the search."""
    n_pos = min(n_pos, MAX_FITTED_POS)
    return n_pos, max(MIN_FITTED_UNL, enough_unlabelled(n_pos))


def _fitted(mask: Bools, data: Data, digests: Any) -> Bools:
    """The rows of a fit: at most `most_fitted` positives and unlabelled rows, and all known negatives."""
    negative = mask & data.is_known_negative
    return limited(mask & ~negative, data.is_positive, digests) | negative


def limited(mask: Bools, is_positive: Bools, digests: Any) -> Bools:
    """Mask of at most `most_fitted` positives and other rows, chosen by their digests."""
    limited = np.zeros_like(mask)
    for kind, limit in zip((is_positive, ~is_positive), most_fitted(int((mask & is_positive).sum())), strict=True):
        rows = np.flatnonzero(mask & kind)
        limited[first_in_random_order(rows, digests, limit) if len(rows) > limit else rows] = True
    return limited


def first_in_random_order(rows: Ints, digests: Any, n_first: int) -> Ints:
    """The first `n_first` rows of `in_random_order`, in a tenth of the time if no two rows are equal."""
    own = digests[rows]
    ordered = np.sort(own)
    if n_first < len(rows) and (ordered[1:] != ordered[:-1]).all():
        rows = rows[own < ordered[n_first]]
    return in_random_order(rows, digests)[:n_first]


def n_distinct(digests: Any) -> int:
    """The number of distinct digests, in a tenth of the time of `np.unique`, which hashes them again."""
    ordered = np.sort(digests)
    return len(ordered) and 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))


def in_random_order(rows: Ints, digests: Any) -> Ints:
    """The rows in a pseudo-random order that depends only on their content; equal rows are spread out."""
    rows = rows[np.argsort(digests[rows], kind="stable")]
    ordered = digests[rows]
    first = np.searchsorted(ordered, ordered, "left")
    copy = (np.arange(len(rows)) - first).astype(np.uint64)
    # Every copy gets its own position. Otherwise all copies of a row with a low digest would be in a sample.
    places = np.where(copy == 0, ordered, mixed(ordered + copy * GOLDEN))
    return rows[np.argsort(places, kind="stable")]


def content_folds(X: Any, is_positive: Bools, n_folds: int, seed: int) -> Ints:
    """The fold number of each row, stratified by positives and unlabelled rows.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, p)
    is_positive : mask of shape (n,)
    n_folds : int
    seed : int
        A different seed gives different folds.

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
    # Sorted by their digests, distinct rows are in pseudo-random order.
    labelled, place = np.unique(digests[is_positive], return_inverse=True)
    folds = np.empty(len(is_positive), dtype=np.intp)
    folds[is_positive] = place % n_folds
    rest = digests[~is_positive]
    # An unlabelled row that equals a positive shares its fold.
    where = np.minimum(np.searchsorted(labelled, rest), len(labelled) - 1)
    twin = labelled[where] == rest
    _, place = np.unique(rest, return_inverse=True)
    folds[~is_positive] = np.where(twin, where, place) % n_folds
    return folds


def group_digests(digests: Any, group: Ints) -> Any:
    """A digest of each row's group: the sum of the digests of its distinct rows.

    Neither the order of rows nor the names of groups matter, and groups with the same rows have the same digest. A row
    that is alone in its group keeps its own digest.
    """
    pairs, place = np.unique(np.stack([group.astype(np.uint64), digests], axis=1), axis=0, return_inverse=True)
    _, number = np.unique(pairs[:, 0], return_inverse=True)
    total = np.zeros(number.max() + 1, dtype=np.uint64)
    np.add.at(total, number, pairs[:, 1])
    return total[number][place.ravel()]
