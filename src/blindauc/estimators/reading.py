"""From what users pass to `fit` to validated rows, and rows with leverage set apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import _check_sample_weight

from blindauc._typing import Bools, Ints
from blindauc.data import Data
from blindauc.estimators.belonging import check_groups_can_be_parted, read_groups, read_times
from blindauc.estimators.inputs import read_matrix, read_outlier_count
from blindauc.labels import read_labels
from blindauc.screening import MAX_ROWS, find_leverage


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """A fit begins from nothing, and one that fails or is interrupted leaves the estimator as it was."""
    before = estimator.__dict__.copy()
    estimator.__dict__ = {name: value for name, value in before.items() if not name.endswith("_")}
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise


def read_data(
    estimator: Any, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None
) -> Data:
    """Validated rows of positive weight; the estimator learns its classes and its columns."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None: y marks the "
            "labelled positives."
        )
    X = read_matrix(estimator, X, reset=True)
    X = X.tocsr() if sp.issparse(X) else X  # rows are taken again and again
    is_positive, classes = read_labels(y, estimator.pos_label)
    if len(is_positive) != X.shape[0]:
        raise ValueError(f"X and y must have as many rows as each other: X has {X.shape[0]}, y {len(is_positive)}.")
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    estimator.n_labelled_, estimator.n_unlabelled_ = _enough(is_positive[weight > 0])
    estimator.classes_ = classes
    rows, labelled = np.arange(len(weight)), np.flatnonzero(is_positive)
    group, moment = read_groups(groups, len(rows)), read_times(time, len(rows))
    data = Data(X, is_positive, weight, rows, labelled, group, moment).subset(weight > 0)
    check_groups_can_be_parted(data)
    return data


def _enough(is_positive: Bools) -> tuple[int, int]:
    """How many rows are labelled and how many are not; an error where they are too few."""
    n_pos, n_unl = int(is_positive.sum()), int((~is_positive).sum())
    if n_pos < 2:
        raise ValueError(
            f"At least two labelled positives (the positive class) with positive weight are needed, {n_pos} "
            "came: label more rows."
        )
    if n_unl < 1:
        raise ValueError(
            f"All {n_pos} rows are of the positive class: unlabelled rows (label 0, -1, False or missing) are "
            "needed to rank against."
        )
    return n_pos, n_unl


@dataclass(frozen=True)
class Sifted:
    """Rows that fit and vote, and labelled rows so far from all others that they must not.

    Attributes
    ----------
    data : Data without the rows that have leverage
    leverage_rows : their numbers in the user's X
    n_columns : in how many columns each of them is unlike the other rows
    """

    data: Data
    leverage_rows: Ints
    n_columns: Ints

    def n_left(self, n_outliers: Any) -> int:
        """How many labelled positives a fit leaves out by their scores, where these and leverage make `n_outliers`."""
        n_pos = int(self.data.is_positive.sum())
        return max(0, read_outlier_count(n_outliers, n_pos + len(self.leverage_rows)) - len(self.leverage_rows))

    def total_share(self, left_out: float) -> float:
        """The share of all labelled positives that are left out where a fit leaves out this share of its own."""
        n_pos, n_leverage = int(self.data.is_positive.sum()), len(self.leverage_rows)
        return (round(left_out * n_pos) + n_leverage) / (n_pos + n_leverage)

    def counted(self) -> Sifted:
        """The same with rows of whole-number weight as so many rows."""
        return replace(self, data=self.data.counted())


def sifted(data: Data, is_wanted: bool) -> Sifted:
    """Look for labelled rows with leverage and set them apart; at least two labelled rows stay."""
    nobody = np.zeros(0, dtype=np.intp)
    if not is_wanted:
        return Sifted(data, nobody, nobody)
    unlabelled = np.flatnonzero(~data.is_positive)
    # As many as the screen looks at: to copy all takes longer than a fit.
    some = np.zeros_like(data.is_positive)
    some[unlabelled[:: -(-len(unlabelled) // MAX_ROWS)]] = True
    found = find_leverage(data.subset(data.is_positive).filled().X, data.subset(some).filled().X)
    if not found.rows.any() or (~found.rows).sum() < 2:
        return Sifted(data, nobody, nobody)
    has_leverage = np.zeros(len(data.row), dtype=bool)
    has_leverage[data.is_positive] = found.rows
    return Sifted(data.subset(~has_leverage), data.row[has_leverage], np.maximum(found.n_columns[found.rows], 1))
