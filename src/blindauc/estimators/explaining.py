"""Computes the explanations of a fitted score from the rows of the fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from blindauc._typing import Floats
from blindauc.data import Data
from blindauc.evidence.folds import first_in_random_order
from blindauc.evidence.out_of_fold import Fold
from blindauc.explain import Effect, Interaction, effects_of, importances_of, interactions_of
from blindauc.rows.matrix import Matrix
from blindauc.scorers import Model

MAX_ROWS = 300
"""The most unlabelled rows from which effects are computed (convention): about 15 per step of a curve."""

MOST_PAIRS = 66
"""All pairs that `interactions_of` tries."""


@dataclass(frozen=True)
class Explanation:
    """The explanation of a score.

    Attributes
    ----------
    effects : list of Effect
        One per column.
    importance : ndarray of shape (p,)
        Permutation importance for the out-of-fold blind AUC; NaN if no rows were held out.
    interactions : list of Interaction
        The strongest first.
    """

    effects: list[Effect]
    importance: Floats
    interactions: list[Interaction]


def reference_rows(data: Data) -> Floats:
    """A sample of unlabelled rows that depends only on their content."""
    some = first_in_random_order(np.flatnonzero(data.is_unlabelled), data.digests(), MAX_ROWS)
    return Matrix(data.X).rows(some).dense()


def explained(
    model: Model, X: Floats, data: Data, folds: Sequence[Fold], levels: Mapping[int, Sequence[str]]
) -> Explanation:
    """Explain a score with reference rows X and the models of the folds.

    `levels` holds the levels of the columns that are categories.
    """
    times = np.sum([fold.held_out for fold in folds], axis=0) if folds else np.ones(1)
    return Explanation(
        effects_of(model, [fold.model for fold in folds], X, n_repeats=max(int(np.max(times)), 1), levels=levels),
        _importance(data, folds),
        interactions_of(model, X, n_pairs=MOST_PAIRS),
    )


def _importance(data: Data, folds: Sequence[Fold]) -> Floats:
    if not folds:
        return np.full(data.n_features, np.nan)
    held_out = ((fold.model, data.subset(fold.held_out & ~data.is_known_negative)) for fold in folds)
    return importances_of((model, rows.X, rows.is_positive, rows.weight) for model, rows in held_out)
