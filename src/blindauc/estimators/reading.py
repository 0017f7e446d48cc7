"""Validation of the input of `fit`, and the screen for rows with leverage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from blindauc._typing import Bools, Floats, Ints
from blindauc.checked import FOUND_NEGATIVE, FOUND_POSITIVE, read_checked
from blindauc.data import Data
from blindauc.estimators.belonging import check_groups_can_be_parted, read_groups, read_times
from blindauc.estimators.inputs import read_matrix, read_outlier_count
from blindauc.labels import read_labels
from blindauc.rows.parts import BlockParts, PartedRows, ignore_visits
from blindauc.rows.storage import by_rows
from blindauc.rows.view import PartedView
from blindauc.screening import MAX_ROWS, find_leverage

ENOUGH_TO_EXPLAIN = 2**15
"""Rows from which the few hundred reference rows of explanations are drawn."""


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """A context that clears fitted attributes, and restores them if the fit fails or is interrupted."""
    before = estimator.__dict__.copy()
    estimator.__dict__ = {name: value for name, value in before.items() if not name.endswith("_")}
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise


def read_data(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    groups: Any = None,
    time: Any = None,
    checked: Any = None,
) -> Data:
    """Validated rows of positive weight. Sets the estimator's classes and columns."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None: y marks the "
            "labelled positives."
        )
    X = by_rows(read_matrix(estimator, X, reset=True))
    is_positive, classes = read_labels(y, estimator.pos_label)
    if len(is_positive) != X.shape[0]:
        raise ValueError(f"X and y must have as many rows as each other: X has {X.shape[0]}, y {len(is_positive)}.")
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    n_pos = int(is_positive[weight > 0].sum())
    estimator.n_labelled_, estimator.n_unlabelled_ = enough(n_pos, int((weight > 0).sum()) - n_pos)
    estimator.classes_ = classes
    rows, labelled = np.arange(len(weight)), np.flatnonzero(is_positive)
    group, moment = read_groups(groups, len(rows)), read_times(time, len(rows))
    verdict = read_checked(checked, len(rows))
    categories = getattr(estimator, "categories_", None)
    is_category = None if categories is None else categories.mask(X.shape[1])
    is_positive = as_found(is_positive, verdict)
    data = Data(X, is_positive, weight, rows, labelled, group, moment, verdict, is_category).subset(weight > 0)
    if verdict is not None:
        check_enough_are_left(len(labelled), int(data.is_positive.sum()), int(data.is_unlabelled.sum()))
        estimator.n_unlabelled_ = int(data.is_unlabelled.sum())
    check_groups_can_be_parted(data)
    return data


def as_found(is_positive: Bools, verdict: Ints | None) -> Bools:
    """Mask of the positives: by the results of checks and, for rows without a check, by the labels."""
    if verdict is None:
        return is_positive
    return (is_positive | (verdict == FOUND_POSITIVE)) & (verdict != FOUND_NEGATIVE)


def check_enough_are_left(n_labelled: int, n_pos: int, n_unl: int) -> None:
    """Raise if too few positives, or no unchecked unlabelled rows, remain after the checks."""
    if n_pos < 2:
        raise ValueError(
            f"After the checks, {n_pos} of {n_labelled} labelled positives are left, and at least two are needed: "
            "label more rows."
        )
    if n_unl < 1:
        raise ValueError(
            "All unlabelled rows were checked, so that their true labels are known: fit an ordinary classifier to "
            "them, or add rows that were not checked."
        )


def enough(n_pos: int, n_unl: int) -> tuple[int, int]:
    """The numbers of labelled and unlabelled rows; raises an error if they are too few."""
    if n_pos < 2:
        raise ValueError(
            f"At least two labelled positives (the positive class) with positive weight are needed, got "
            f"{n_pos}: label more rows."
        )
    if n_unl < 1:
        raise ValueError(
            f"All {n_pos} rows are of the positive class: unlabelled rows (label 0, -1, False or missing) are "
            "needed to rank against."
        )
    return n_pos, n_unl


@dataclass(frozen=True)
class ScreenedRows:
    """The rows of the fit, and the labelled rows set aside for their leverage.

    Attributes
    ----------
    data : Data
        The rows without those of leverage; a sample of them if rows are not in memory.
    leverage_rows : ndarray
        The numbers, in the user's X, of the rows with leverage.
    n_columns : ndarray
        The number of columns in which each of these is unlike the other rows.
    n_rows : int
        The number of rows that the user passed.
    parts : PartedView or None
        All rows, if they are not in memory.
    """

    data: Data
    leverage_rows: Ints
    n_columns: Ints
    n_rows: int
    parts: PartedView | None = None

    @property
    def fitted(self) -> Any:
        """All rows of the fit: `data`, or `parts` if they are not in memory."""
        return self.data if self.parts is None else self.parts

    @property
    def engine(self) -> PartedRows:
        """The rows that are not in memory."""
        assert self.parts is not None
        return self.parts.stats.rows

    @contextmanager
    def passes_reported(self, report: Callable[[int], None]) -> Iterator[None]:
        """Before each pass over rows on disk, call `report` with the number of passes; later passes are not its own."""
        if self.parts is None or not isinstance(self.engine, BlockParts):
            yield
            return
        self.engine.report = report
        try:
            yield
        finally:
            self.engine.report = ignore_visits

    @property
    def spread(self) -> Floats:
        """The standard deviation of each column over all rows; NaN of categories."""
        if self.parts is not None:
            return self.parts.spread
        spread = np.full(self.data.n_features, np.nan)
        is_number = slice(None) if self.data.is_category is None else ~self.data.is_category
        spread[is_number] = self.data.without_categories().filled().rows.spread
        return spread

    @property
    def explained_by(self) -> Data:
        """The rows that explanations are drawn from: `data`, or, where that is a sample, no more than enough of it."""
        data = self.data
        if self.parts is None or len(data.row) <= ENOUGH_TO_EXPLAIN:
            return data
        kept = np.zeros_like(data.is_positive)
        kept[:: -(-len(kept) // ENOUGH_TO_EXPLAIN)] = True
        return data.subset(kept) if data.is_unlabelled[kept].any() else data

    @property
    def standing_for(self) -> Floats:
        """The weights of the rows of `data`, scaled so that sampled unlabelled rows represent all of them."""
        weight, unlabelled = self.data.weight, self.data.is_unlabelled
        if self.parts is None:
            return weight
        stats = self.parts.stats
        unchecked = stats.unl_weight - stats.negative_weight
        return np.where(unlabelled, weight * (unchecked / weight[unlabelled].sum()), weight)

    @property
    def labelled_share(self) -> float:
        """The share of labelled positives in the weight of all rows."""
        if self.parts is None:
            return self.data.labelled_share
        return self.parts.labelled_weight / (float(self.parts.pos_weight.sum()) + self.parts.stats.unl_weight)

    def n_left(self, n_outliers: Any) -> int:
        """The number of labelled positives that a fit leaves out by their scores.

        It is `n_outliers` minus the labels that are already left out, for their leverage or because they were found
        wrong.
        """
        wanted = read_outlier_count(n_outliers, self._n_labelled)
        return min(max(0, wanted - self._n_out), self.data.n_unconfirmed)

    @property
    def _n_labelled(self) -> int:
        return int(self.data.is_labelled.sum()) + len(self.leverage_rows)

    @property
    def _n_out(self) -> int:
        return int((self.data.is_labelled & ~self.data.is_positive).sum()) + len(self.leverage_rows)

    def total_share(self, left_out: float) -> float:
        """The share of all labelled positives left out by a fit that leaves out this share of the unconfirmed ones."""
        return (round(left_out * self.data.n_unconfirmed) + self._n_out) / self._n_labelled

    def counted(self) -> ScreenedRows:
        """The same with rows of whole-number weights repeated, if they are in memory."""
        return replace(self, data=self.data.counted()) if self.parts is None else self


def screened(data: Data, is_wanted: bool, n_rows: int | None = None) -> ScreenedRows:
    """Set labelled rows with leverage aside, unless fewer than two labelled rows would remain.

    Categories are ignored: their levels have no distances.
    """
    nobody, n_rows = np.zeros(0, dtype=np.intp), len(data.row) if n_rows is None else n_rows
    numbers = data.without_categories()
    if not (is_wanted and numbers.n_features):
        return ScreenedRows(data, nobody, nobody, n_rows)
    unlabelled = np.flatnonzero(data.is_unlabelled)
    # Only as many as the screen uses: copying all would take longer than a fit.
    some = np.zeros_like(data.is_positive)
    some[unlabelled[:: -(-len(unlabelled) // MAX_ROWS)]] = True
    found = find_leverage(numbers.subset(data.is_positive).filled().X, numbers.subset(some).filled().X)
    # Confirmed positives are never set aside.
    is_found = found.rows & ~data.is_confirmed[data.is_positive]
    if not is_found.any() or (~is_found).sum() < 2:
        return ScreenedRows(data, nobody, nobody, n_rows)
    has_leverage = np.zeros(len(data.row), dtype=bool)
    has_leverage[data.is_positive] = is_found
    n_columns = np.maximum(found.n_columns[is_found], 1)
    return ScreenedRows(data.subset(~has_leverage), data.row[has_leverage], n_columns, n_rows)
