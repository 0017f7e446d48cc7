"""From the shapes that users name to the scorers that fit them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from blindauc._typing import Ints
from blindauc.choice.space import SHAPES
from blindauc.data import Data
from blindauc.estimators.reading import Sifted
from blindauc.evidence.folds import most_fitted
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
"""Entries of X in a fit of the search up to which curves and trees compete by themselves: 2,000 columns of 4,000 rows.

Curves make five columns of one, and trees look at all in every round: with more, a search takes hours and gigabytes.
"""


def shape_fault(shape: str, estimator: Any, rows: Sifted) -> str | None:
    """Why a shape cannot do what the parameters ask for, with a remedy, or None where it can."""
    if shape == "linear":
        return None
    if rows.parts is not None and shape == "trees":
        return 'shape="trees" takes rows in memory: pass a sample that fits into it, or choose "linear" or "curves".'
    if sp.issparse(rows.data.X) and shape != "trees":
        return f'shape="{shape}" takes no sparse X: pass X.toarray() if it fits into memory, or choose shape="linear".'
    if estimator.outlier_handling == "shift":
        return f'shape="{shape}" cannot shift outliers: choose outlier_handling="trim".'
    if shape == "curves":
        return None
    if np.ndim(estimator.n_features_to_select) or estimator.n_features_to_select not in (None, "auto"):
        return f'shape="{shape}" selects no columns: leave n_features_to_select out, or choose "linear" or "curves".'
    return None


def check_shapes(shapes: Sequence[Any], estimator: Any, rows: Sifted) -> None:
    """Raise where a shape that was asked for cannot be had."""
    for shape in shapes:
        check_shape_is_there(shape)
        if fault := shape_fault(shape, estimator, rows):
            raise ValueError(fault)
    if estimator.groups is not None and not set(shapes) & set(SELECTING):
        raise ValueError(
            f'shape="{shapes[0]}" selects no columns, and has no use for groups: leave them out, or choose "linear" or '
            '"curves".'
        )


def check_shape_is_there(shape: Any) -> None:
    """Raise where a shape is not known or not installed."""
    if shape not in tuple(SHAPES):
        raise ValueError(f"shape must be one of {', '.join(map(repr, SHAPES))}, not {shape!r}.")
    if shape == "trees":
        lightgbm()  # says how to get it


def automatic_shapes(estimator: Any, rows: Sifted) -> list[str]:
    """The shapes that can do what the parameters ask for, are installed, and affordable."""
    if rows.parts is not None:
        return ["linear"]  # a pass with derived columns takes ten times as long
    if rows.data.is_category is not None:
        check_shapes(["trees"], estimator, rows)
        return ["trees"]  # no other takes categories
    data, possible = rows.data, [shape for shape in SHAPES if shape_fault(shape, estimator, rows) is None]
    n_rows = min(len(data.row), sum(most_fitted(int(data.is_positive.sum()))))
    if n_rows * data.X.shape[1] > AFFORDABLE:
        possible = [shape for shape in possible if shape not in ("curves", "trees")]
    return [shape for shape in possible if shape != "trees" or is_installed()]


@dataclass(frozen=True)
class _Derived:
    """The allowed supports of columns that are derived from others."""

    features: Callable[[Any], SparsitySet]
    source: Ints

    def __call__(self, n_features_to_select: Any) -> SparsitySet:
        return self.features(n_features_to_select).over(self.source)


@dataclass(frozen=True)
class _All:
    """All derived columns, whatever is to be selected."""

    n_columns: int

    def __call__(self, n_features_to_select: Any) -> SparsitySet:
        return AllFeatures(self.n_columns)


def scorer_of(
    linear: LinearScorer, data: Data, shapes: Sequence[str], gammas: Sequence[float], *, has_intercept: bool, seed: int
) -> MixedScorer:
    """A scorer for each family of some shapes, with what they derive from these rows."""
    return MixedScorer(dict(_scorers(linear, data, shapes, gammas, has_intercept, seed)))


def _scorers(
    linear: LinearScorer, data: Data, shapes: Sequence[str], gammas: Sequence[float], has_intercept: bool, seed: int
) -> Iterator[tuple[str, Scorer]]:
    if "linear" in shapes:
        yield "linear", linear
    if "curves" in shapes:
        curves = curves_of(data.X, data.weight)
        # An intercept stands behind all columns.
        source = np.append(curves.source, len(curves.of_column)) if has_intercept else curves.source
        yield "curves", DerivedScorer(curves, replace(linear, features=_Derived(linear.features, source)), linear)
    if "kernel" in shapes:
        landmarks = Landmarks(data, seed)
        for gamma in gammas:
            kernel = landmarks.kernel(gamma)
            everything = _All(kernel.n_derived + has_intercept)
            yield family_of("kernel", gamma), DerivedScorer(kernel, replace(linear, features=everything), linear)
    if "trees" in shapes:
        yield "trees", TreeScorer(linear.risk)
