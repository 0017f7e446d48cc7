"""From what users write to what a search tries: "auto", one value, or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp

from blindauc.data import Data
from blindauc.estimators.inputs import check_number, read_outlier_count
from blindauc.losses import get_loss
from blindauc.scaling import SCALINGS, column_scales
from blindauc.sparsity import resolve_groups
from blindauc.tuning.evaluation import Problem
from blindauc.tuning.grid import L2_DECADES, OUTLIER_SHARES, feature_counts
from blindauc.tuning.search import Space

SAME_SCALES = 0.05
"""Scales whose ratio varies by no more than this, in logarithms, make the same ridge."""

SHARES_OF_GROUPS = (1.0, 0.7, 0.5, 0.35, 0.25, 0.15)
"""Of the columns of every group, for exclusive sparsity."""


def read_space(estimator: Any, problem: Problem) -> Space:
    """The choices that the parameters of an estimator leave open."""
    data = problem.data
    losses = _several(estimator.loss, lambda: ["logistic"])
    for loss in losses:
        get_loss(loss)
    return Space(
        _scalings(estimator.scaling, data),
        losses,
        _ridges(estimator.l2, problem),
        _outlier_shares(estimator.n_outliers, int(data.is_positive.sum())),
        _feature_counts(estimator, data),
    )


def _several(value: Any, automatic: Callable[[], Sequence[Any]]) -> list[Any]:
    if isinstance(value, str) and value == "auto":
        return list(automatic())
    several = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    if not several:
        raise ValueError('A parameter to choose must be "auto", one value or several, but an empty list came.')
    return several


def _scalings(chosen: Any, data: Data) -> list[str]:
    # Quartiles of sparse columns are mostly zero, and then robust is standard.
    known = SCALINGS[:2] if sp.issparse(data.X) else SCALINGS
    wanted = _several(chosen, lambda: known)
    scales: dict[str, Any] = {}
    for name in wanted:
        new = np.log(column_scales(data.X, data.weight, name))
        if all(np.std(new - old) > SAME_SCALES for old in scales.values()):
            scales[name] = new
    return list(scales)


def _ridges(chosen: Any, problem: Problem) -> Callable[[str, Any], Sequence[float]]:
    @cache
    def around_the_data(scaling: str, loss: Any) -> Sequence[float]:
        unit = problem.objective(problem.data, scaling, loss).ridge_unit
        return [10.0 ** (round(np.log10(unit)) + decade) for decade in L2_DECADES]

    if isinstance(chosen, str) and chosen == "auto":
        return around_the_data
    ridges = sorted(_several(chosen, list), reverse=True)
    for l2 in ridges:
        check_number("l2", l2, above=0)
    return lambda scaling, loss: ridges


def _outlier_shares(chosen: Any, n_pos: int) -> list[float]:
    wanted = _several(chosen, lambda: [share for share in OUTLIER_SHARES if n_pos - round(share * n_pos) >= 2])
    counts = {read_outlier_count(each, n_pos) for each in wanted}
    return [count / n_pos for count in sorted(counts)]


def _feature_counts(estimator: Any, data: Data) -> list[Any]:
    chosen, n_pos, p = estimator.n_features_to_select, int(data.is_positive.sum()), data.X.shape[1]
    if estimator.sparsity == "exclusive_l0":
        return sorted(
            _several(chosen, lambda: SHARES_OF_GROUPS), key=lambda n: np.inf if n is None else n, reverse=True
        )
    n_units = p
    if estimator.sparsity == "group_l0" and estimator.groups is not None:
        names = getattr(estimator, "feature_names_in_", None)
        n_units = int(resolve_groups(estimator.groups, p, names).max()) + 1
    wanted = _several(chosen, lambda: feature_counts(n_units, n_pos))
    counts = {_count(each, n_units) for each in wanted}
    return sorted(counts, reverse=True)


def _count(n_features: Any, n_units: int) -> Any:
    """A share as a number; what is neither is left for the estimator to refuse."""
    if n_features is None:
        return n_units
    is_share = not isinstance(n_features, Integral | str) and 0 < n_features <= 1
    return max(1, round(n_features * n_units)) if is_share else n_features
