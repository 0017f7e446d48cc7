"""From what users write to what a search tries: "auto", one value, or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from blindauc.data import Data
from blindauc.estimators.inputs import check_number, read_count, read_counts_per_group, read_outlier_count
from blindauc.losses import get_loss
from blindauc.scaling import SCALINGS, column_scales
from blindauc.sparsity import resolve_groups
from blindauc.tuning.belief import Belief
from blindauc.tuning.draws import WEAK
from blindauc.tuning.evaluation import Problem
from blindauc.tuning.evenness import evenness
from blindauc.tuning.grid import L2_DECADES, OUTLIER_SHARES, feature_counts
from blindauc.tuning.search import Space

SAME_SCALES = 0.05
"""Scales whose ratio varies by no more than this, in logarithms, make the same ridge."""

SHARES_OF_GROUPS = (1.0, 0.7, 0.5, 0.35, 0.25, 0.15)
"""Of the columns of every group, for exclusive sparsity."""


def read_space(estimator: Any, problem: Problem) -> Space:
    """The choices that the parameters of an estimator leave open."""
    data = problem.data
    problem.features(None)  # refuses sparsity and groups that make no sense
    losses = _several("loss", estimator.loss, lambda: ["logistic"])
    for loss in losses:
        get_loss(loss)

    @cache
    def ridge_unit(scaling: str, loss: Any) -> float:
        return float(problem.objective(data, scaling, loss).ridge_unit)

    n_features = _feature_counts(estimator, problem)
    everything = n_features[0] if problem.features(n_features[0]).is_everything else None
    # Draws are for averages, and for ridges that nobody asked for by their number.
    is_free = isinstance(estimator.l2, str) and estimator.rule == "average" and everything is not None
    may_draw = is_free and 2 * data.is_positive.sum() < len(data.is_positive)
    return Space(
        _scalings(estimator.scaling, data),
        losses,
        _ridges(estimator.l2, ridge_unit),
        _outlier_shares(estimator.n_outliers, int(data.is_positive.sum())),
        n_features,
        Belief(ridge_unit, everything, len(n_features) - 1, evenness(data) if len(n_features) > 1 else 0.0),
        lambda scaling, loss: WEAK * ridge_unit(scaling, loss) if may_draw else 0.0,
    )


def _several(name: str, value: Any, automatic: Callable[[], Sequence[Any]]) -> list[Any]:
    if isinstance(value, str) and value == "auto":
        return list(automatic())
    several = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    if not several:
        raise ValueError(f'{name} must be "auto", one value or a list of values, but an empty list came.')
    return several


def _scalings(chosen: Any, data: Data) -> list[str]:
    # Quartiles of sparse columns are mostly zero, and then robust is standard.
    known = SCALINGS[:2] if sp.issparse(data.X) else SCALINGS
    wanted = _several("scaling", chosen, lambda: known)
    scales: dict[str, Any] = {}
    for name in wanted:
        new = np.log(column_scales(data.X, data.weight, name))
        if all(np.std(new - old) > SAME_SCALES for old in scales.values()):
            scales[name] = new
    return list(scales)


def _ridges(chosen: Any, unit: Callable[[str, Any], float]) -> Callable[[str, Any], Sequence[float]]:
    def around_the_data(scaling: str, loss: Any) -> Sequence[float]:
        return [10.0 ** (round(np.log10(unit(scaling, loss))) + decade) for decade in L2_DECADES]

    if isinstance(chosen, str) and chosen == "auto":
        return around_the_data
    wanted = _several("l2", chosen, list)
    for l2 in wanted:
        check_number("l2", l2, above=0)
    ridges = sorted(map(float, wanted), reverse=True)
    return lambda scaling, loss: ridges


def _outlier_shares(chosen: Any, n_pos: int) -> list[float]:
    bearable = [share for share in OUTLIER_SHARES if n_pos - round(share * n_pos) >= 2]
    counts = {read_outlier_count(each, n_pos) for each in _several("n_outliers", chosen, lambda: bearable)}
    return [count / n_pos for count in sorted(counts)]


def _feature_counts(estimator: Any, problem: Problem) -> list[Any]:
    """Numbers of columns or groups or, for exclusive sparsity, of columns of each group, the largest first."""
    data = problem.data
    n_pos, p = int(data.is_positive.sum()), int(data.X.shape[1])
    sizes = np.array([p])
    if estimator.groups is not None:
        sizes = np.bincount(resolve_groups(estimator.groups, p, getattr(estimator, "feature_names_in_", None)))
    if estimator.sparsity == "exclusive_l0":
        wanted = _several("n_features_to_select", estimator.n_features_to_select, lambda: SHARES_OF_GROUPS)
        counts = {tuple(read_counts_per_group(1.0 if n is None else n, sizes).tolist()) for n in wanted}
        return sorted(counts, key=lambda n: (sum(n), n), reverse=True)
    n_units, what = (len(sizes), "groups") if estimator.sparsity == "group_l0" else (p, "columns")
    wanted = _several("n_features_to_select", estimator.n_features_to_select, lambda: feature_counts(n_units, n_pos))
    return sorted({n_units if n is None else read_count(n, n_units, what) for n in wanted}, reverse=True)
