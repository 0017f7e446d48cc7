"""The sparsity sets of the paper: which weights may be nonzero together.

All of them have one form: *units* (columns, or groups of columns) belong to *pools*, and at most `capacity` units of a
pool may be nonzero.

============== ========== ================ =====================
set            unit       pool             capacity
============== ========== ================ =====================
`AllFeatures`  column     all columns      all
`L0`           column     all columns      n_nonzero
`GroupL0`      group      all groups       n_groups
`ExclusiveL0`  column     a group          its n_per_group
`L0Among`      column     eligible or not  n_nonzero, none
============== ========== ================ =====================

The nearest point of such a set keeps the units of largest Euclidean norm in every pool.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from blindauc._typing import Bools, Floats, Ints


class SparsitySet:
    """Vectors with at most `capacity[k]` nonzero units in pool k.

    Parameters
    ----------
    unit : ndarray of shape (n_columns,)
        The unit of each column.
    pool : ndarray of shape (n_units,)
        The pool of each unit.
    capacity : ndarray of shape (n_pools,)
        The largest number of nonzero units in each pool.
    """

    def __init__(self, unit: Ints, pool: Ints, capacity: Ints) -> None:
        self._unit, self._pool = unit, pool
        sizes = np.bincount(pool, minlength=len(capacity))
        self._capacity = np.minimum(capacity, sizes)
        self._places_kept = np.concatenate([np.arange(n) < c for n, c in zip(sizes, self._capacity, strict=True)])
        self._units_are_columns = bool((np.bincount(unit, minlength=len(pool)) == 1).all())
        self.is_everything = bool(np.all(self._capacity == sizes))
        self.is_nothing = not self._capacity.any()

    @property
    def n_units(self) -> int:
        """The largest number of nonzero units."""
        return int(self._capacity.sum())

    def is_within(self, other: SparsitySet) -> bool:
        """Whether this set is a subset of another one; the other one must have the same pools or no restriction."""
        if self.is_everything or other.is_everything:
            return other.is_everything
        return bool(np.all(self._capacity <= other._capacity))

    def project(self, vector: Floats) -> Floats:
        """The Euclidean projection onto the set; ties keep the first unit."""
        return np.where(self.support(vector), vector, 0.0)

    def support(self, importance: Floats) -> Bools:
        """A mask of the columns of the units with the largest norms, as many as the set allows."""
        return self._keep(self._norms(importance))[self._unit]

    def _norms(self, vector: Floats) -> Floats:
        largest = np.zeros(len(self._pool))
        np.maximum.at(largest, self._unit, np.abs(vector))
        if self._units_are_columns:
            return largest
        # Entries are divided by the largest one of their unit, so that squares neither overflow nor underflow.
        ratio = vector / np.where(largest > 0, largest, 1.0)[self._unit]
        return largest * np.sqrt(np.bincount(self._unit, ratio**2, len(self._pool)))

    def _keep(self, size: Floats) -> Bools:
        kept = np.empty(len(size), dtype=bool)
        kept[np.lexsort((-size, self._pool))] = self._places_kept
        return kept

    def swaps(self, support: Bools, gain: Floats, cost: Floats, limit: int) -> Iterator[Bools]:
        """Supports that differ by the exchange of two units, in decreasing order of the expected improvement.

        `gain` is the expected decrease of the objective if a column is added, and `cost` its increase if a column is
        removed. Both are summed over the columns of a unit. At most `limit` supports are returned.
        """
        active = np.zeros(len(self._pool), dtype=bool)
        active[self._unit[support]] = True
        gains = np.bincount(self._unit, np.where(support, 0.0, gain), minlength=len(active))
        costs = np.bincount(self._unit, np.where(support, cost, 0.0), minlength=len(active))
        candidates = []
        for pool in range(len(self._capacity)):
            inside = np.flatnonzero(active & (self._pool == pool))
            outside = np.flatnonzero(~active & (self._pool == pool))
            inside = inside[np.argsort(costs[inside], kind="stable")][:limit]
            outside = outside[np.argsort(-gains[outside], kind="stable")][:limit]
            candidates += [(costs[i] - gains[o], i, o) for o in outside for i in inside]
        for _, leaving, entering in sorted(candidates)[:limit]:
            yield (support & (self._unit != leaving)) | (self._unit == entering)

    def loosened(self, factor: float) -> SparsitySet:
        """The set with `factor` times the capacity, at most the number of units."""
        sizes = np.bincount(self._pool, minlength=len(self._capacity))
        capacity = np.minimum(np.ceil(factor * np.maximum(self._capacity, 1)), sizes)
        return SparsitySet(self._unit, self._pool, capacity.astype(np.intp))

    def over(self, source: Ints) -> SparsitySet:
        """The set for derived columns: those with the same source column are selected together."""
        return SparsitySet(self._unit[source], self._pool, self._capacity)

    def with_free_column(self) -> SparsitySet:
        """The set with one more column at the end that may always be nonzero: an intercept."""
        return SparsitySet(
            np.append(self._unit, len(self._pool)),
            np.append(self._pool, len(self._capacity)),
            np.append(self._capacity, 1),
        )


class AllFeatures(SparsitySet):
    """The set of all vectors: no restriction."""

    def __init__(self, n_features: int) -> None:
        super().__init__(np.arange(n_features), np.zeros(n_features, np.intp), np.array([n_features]))


class L0(SparsitySet):
    """At most `n_nonzero` nonzero weights."""

    def __init__(self, n_features: int, n_nonzero: int) -> None:
        super().__init__(np.arange(n_features), np.zeros(n_features, np.intp), np.array([n_nonzero]))


class L0Among(SparsitySet):
    """At most `n_nonzero` nonzero weights, all of them in the columns of the mask `eligible`."""

    def __init__(self, eligible: Bools, n_nonzero: int) -> None:
        super().__init__(np.arange(len(eligible)), np.where(eligible, 0, 1), np.array([n_nonzero, 0]))


class GroupL0(SparsitySet):
    """At most `n_groups` groups with nonzero weights; `groups` holds a whole number per column."""

    def __init__(self, groups: Ints, n_groups: int) -> None:
        super().__init__(groups, np.zeros(groups.max() + 1, np.intp), np.array([n_groups]))


class ExclusiveL0(SparsitySet):
    """At most `n_per_group` (one number, or one per group) nonzero weights inside every group."""

    def __init__(self, groups: Ints, n_per_group: int | ArrayLike) -> None:
        capacity = np.broadcast_to(np.asarray(n_per_group, dtype=np.intp), (groups.max() + 1,))
        super().__init__(np.arange(len(groups)), groups, capacity)


def resolve_groups(
    groups: Sequence[object] | ArrayLike, n_features: int, feature_names: ArrayLike | None = None
) -> Ints:
    """The group number of each column, from any notation of a partition of the columns.

    Parameters
    ----------
    groups : array-like or list of lists
        One id per column, or lists of column indices, or lists of column names.
    n_features : int
    feature_names : array-like of shape (n_features,), optional
        Required if the groups are lists of names.

    Returns
    -------
    ndarray of shape (n_features,)
        Lists are numbered in their order, ids in sorted order.

    Examples
    --------
    >>> from blindauc.sparsity import resolve_groups
    >>> resolve_groups(["wound", "wound", "heart"], 3).tolist()
    [1, 1, 0]
    >>> resolve_groups([[0, 2], [1]], 3).tolist()
    [0, 1, 0]
    """
    members = list(groups)  # type: ignore[arg-type]
    if any(_is_list(member) for member in members):
        return _from_lists(members, n_features, feature_names)
    if len(members) != n_features:
        raise ValueError(
            f"groups must hold one id per column: {n_features} were expected, but there are {len(members)}. "
            "For lists of columns, give a list of lists; groups of rows, such as patients, go to fit(groups=...)."
        )
    ids = np.asarray(members)
    ids = ids if ids.dtype.kind in "biuf" else ids.astype(str)
    return np.unique(ids, return_inverse=True)[1].astype(np.intp)


def _from_lists(members: list[object], n_features: int, feature_names: ArrayLike | None) -> Ints:
    names = [] if feature_names is None else [str(name) for name in np.asarray(feature_names)]
    result = np.full(n_features, -1, dtype=np.intp)
    for number, member in enumerate(members):
        columns = list(member) if _is_list(member) else [member]  # type: ignore[call-overload]
        if not columns:
            raise ValueError(f"Group {number} is empty: leave it out.")
        for column in columns:
            index = _column_index(column, n_features, names)
            if result[index] >= 0:
                raise ValueError(
                    f"Column {column!r} is in two groups ({result[index]} and {number}): "
                    "groups must not overlap; leave it in one of them."
                )
            result[index] = number
    left_out = [names[i] if names else i for i in np.flatnonzero(result < 0).tolist()]
    if left_out:
        raise ValueError(
            f"{len(left_out)} of {n_features} columns are in no group (the first: {left_out[0]!r}): "
            "every column must be in one; give a column that stands alone a group of its own."
        )
    return result


def _is_list(member: object) -> bool:
    return np.iterable(member) and not isinstance(member, str | bytes)


def _column_index(column: object, n_features: int, names: list[str]) -> int:
    if isinstance(column, str):
        if column not in names:
            raise ValueError(
                f"groups name the column {column!r}, which X does not have"
                + ("." if names else " (X has no column names: give column indices).")
            )
        return names.index(column)
    if not isinstance(column, int | np.integer) or not 0 <= column < n_features:
        raise ValueError(f"groups name the column {column!r}, but column indices go from 0 to {n_features - 1}.")
    return int(column)
