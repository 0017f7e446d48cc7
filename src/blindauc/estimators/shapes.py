"""Validation of shapes, and the scorers that fit them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from blindauc._typing import Ints
from blindauc.choice.space import SHAPES
from blindauc.data import Data
from blindauc.estimators.reading import ScreenedRows
from blindauc.evidence.folds import most_fitted
from blindauc.rows.storage import can_derive
from blindauc.scorers.boosting import is_installed, lightgbm
from blindauc.scorers.contract import Scorer
from blindauc.scorers.curves import curves_of
from blindauc.scorers.derived import DerivedScorer
from blindauc.scorers.kernel import Landmarks
from blindauc.scorers.linear import LinearScorer
from blindauc.scorers.mixed import SELECTING, MixedScorer
from blindauc.scorers.spec import family_of
from blindauc.scorers.trees import TreeScorer
from blindauc.sparsity import AllFeatures, SparsitySet

AFFORDABLE = 2**23
"""The most entries of X in a fit of the search for which shape="auto" tries curves and trees (convention): 2,000
columns by 4,000 rows.

Curves derive five columns from each, and trees scan all columns in every round. With more entries, a search takes
hours and gigabytes.
"""


def shape_fault(shape: str, estimator: Any, rows: ScreenedRows) -> str | None:
    """Why a shape does not support the parameters, with a remedy; None if it does."""
    if shape == "linear":
        return None
    if rows.parts is not None and not rows.engine.can_derive:
        return f'shape="{shape}" is not computed on a device: pass X as a NumPy array, or choose shape="linear".'
    if shape != "trees" and not can_derive(rows.data.X):
        return f'shape="{shape}" takes no sparse X: pass X.toarray() if it fits into memory, or choose shape="linear".'
    if estimator.outlier_handling == "shift":
        return f'shape="{shape}" cannot shift outliers: choose outlier_handling="trim".'
    if shape == "curves":
        return None
    if np.ndim(estimator.n_features_to_select) or estimator.n_features_to_select not in (None, "auto"):
        return f'shape="{shape}" selects no columns: leave n_features_to_select out, or choose "linear" or "curves".'
    return None


def check_shapes(shapes: Sequence[Any], estimator: Any, rows: ScreenedRows) -> None:
    """Raise an error if a shape is unknown, not installed, or does not support the parameters."""
    for shape in shapes:
        check_shape_is_there(shape)
        if fault := shape_fault(shape, estimator, rows):
            raise ValueError(fault)
    if estimator.groups is not None and not set(shapes) & set(SELECTING):
        raise ValueError(
            f'shape="{shapes[0]}" selects no columns, and has no use for groups of columns: leave them out, or choose '
            '"linear" or "curves"; groups of rows, such as patients, go to fit(groups=...).'
        )


def check_shape_is_there(shape: Any) -> None:
    """Raise an error if a shape is unknown or not installed."""
    if shape not in tuple(SHAPES):
        raise ValueError(f"shape must be one of {', '.join(map(repr, SHAPES))}, not {shape!r}.")
    if shape == "trees":
        lightgbm()  # raises an error with the install command


def automatic_shapes(estimator: Any, rows: ScreenedRows) -> list[str]:
    """The shapes of shape="auto": those that support the parameters, are installed and not too slow."""
    if rows.data.is_category is not None:
        check_shapes(["trees"], estimator, rows)
        return ["trees"]  # no other takes categories
    data, possible = rows.data, [shape for shape in SHAPES if shape_fault(shape, estimator, rows) is None]
    n_rows = min(len(data.row), sum(most_fitted(int(data.is_positive.sum()))))
    if n_rows * data.n_features > AFFORDABLE:
        possible = [shape for shape in possible if shape not in ("curves", "trees")]
    return [shape for shape in possible if shape != "trees" or is_installed()]


@dataclass(frozen=True)
class _Derived:
    """The sparsity sets of derived columns, which are selected by their source columns."""

    features: Callable[[Any], SparsitySet]
    source: Ints

    def __call__(self, n_features_to_select: Any) -> SparsitySet:
        return self.features(n_features_to_select).over(self.source)


@dataclass(frozen=True)
class _All:
    """The set of all derived columns, without selection."""

    n_columns: int

    def __call__(self, n_features_to_select: Any) -> SparsitySet:
        return AllFeatures(self.n_columns)


def scorer_of(
    linear: LinearScorer, data: Data, shapes: Sequence[str], gammas: Sequence[float], *, has_intercept: bool, seed: int
) -> MixedScorer:
    """A scorer of these shapes; derived columns, and trees of rows that are not in memory, are fitted to these rows."""
    return MixedScorer(dict(_scorers(linear, data, shapes, gammas, has_intercept, seed)))


def _scorers(
    linear: LinearScorer, data: Data, shapes: Sequence[str], gammas: Sequence[float], has_intercept: bool, seed: int
) -> Iterator[tuple[str, Scorer]]:
    if "linear" in shapes:
        yield "linear", linear
    if "curves" in shapes:
        curves = curves_of(data.X, data.weight)
        # The intercept is the last column.
        source = np.append(curves.source, len(curves.of_column)) if has_intercept else curves.source
        yield "curves", DerivedScorer(curves, replace(linear, features=_Derived(linear.features, source)), linear)
    if "kernel" in shapes:
        landmarks = Landmarks(data, seed)
        for gamma in gammas:
            kernel = landmarks.kernel(gamma)
            everything = _All(kernel.n_derived + has_intercept)
            yield family_of("kernel", gamma), DerivedScorer(kernel, replace(linear, features=everything), linear)
    if "trees" in shapes:
        yield "trees", TreeScorer(linear.risk, data)
