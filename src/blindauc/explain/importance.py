"""Permutation importance of columns for the out-of-fold blind AUC.

(Breiman, Random forests, Machine Learning 2001.) It needs no coefficients, so it applies to scores of every shape,
including those that do not select columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.ranks import share_below
from blindauc.rows.matrix import Matrix
from blindauc.scorers.contract import Model

MAX_ROWS = 500
"""The largest number of labelled positives, and of unlabelled rows, used per fold (convention). With 500 of each, the
standard error of an AUC of 0.8 is about 0.014 (Hanley and McNeil 1982). More rows cost time for every column."""

SEED = 0
"""Seed of the permutations and samples, so that importances are reproducible."""


def importances_of(pairs: Iterable[tuple[Model, Any, Bools, Floats]]) -> Floats:
    """The decrease of the out-of-fold blind AUC when a column's values are permuted among the held-out rows.

    The blind AUC is the mean, over held-out positives, of the share of held-out unlabelled rows that score lower. At
    most 500 rows of each kind are drawn from each fold. A column that no model uses has importance zero. Irrelevant
    columns have importances around zero, drawn of them negative.

    Parameters
    ----------
    pairs : iterable of (model, X, is_positive, weight)
        For each fold a model that was fitted without it, and the held-out rows: X of shape (n, p), dense or sparse, the
        mask of the labelled positives and the weights of the rows, both of shape (n,). Folds may be repeated.

    Returns
    -------
    ndarray of shape (p,)
        Means over the folds, weighted by the total weight of their labelled positives.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.explain import importances_of
    >>> from blindauc.scorers import LinearModel
    >>> X, is_positive = np.random.default_rng(0).normal(size=(400, 2)), np.arange(400) < 100
    >>> X[is_positive, 0] += 2
    >>> importances_of([(LinearModel(np.array([1.0, 0.0])), X, is_positive, np.ones(400))]).round(1).tolist()
    [0.4, 0.0]
    """
    rng = np.random.default_rng(SEED)
    decreases, weights = [], []
    for model, X, is_positive, weight in pairs:
        if is_positive.any() and not is_positive.all():
            drawn = np.concatenate([_drawn(kind, rng) for kind in (is_positive, ~is_positive)])
            fold = _Fold(int(is_positive[drawn].sum()), weight[drawn])
            decreases.append(fold.decreases(model, Matrix(X).rows(drawn).dense(), rng.permutation(len(drawn))))
            weights.append(weight[is_positive].sum())
    if not decreases:
        raise ValueError(
            "Importances need a fold that holds out both labelled positives and unlabelled rows, but there is none: "
            "label more rows, or use fewer folds."
        )
    return np.average(decreases, axis=0, weights=weights)


def _drawn(kind: Bools, rng: np.random.Generator) -> Any:
    rows = np.flatnonzero(kind)
    return rows if len(rows) <= MAX_ROWS else np.sort(rng.choice(rows, MAX_ROWS, replace=False))


class _Fold:
    """The number of positives and the weights of the held-out rows of a fold; positives come first."""

    def __init__(self, n_pos: int, weight: Floats) -> None:
        self._n_pos, self._unl_weight = n_pos, weight[n_pos:]
        self._pos_share = weight[:n_pos] / weight[:n_pos].sum()

    def decreases(self, model: Model, X: Floats, order: Any) -> Floats:
        """The decrease of the blind AUC with each column permuted."""
        probe, decreases = model.probe(X), np.zeros(X.shape[1])
        auc = self._blind_auc(probe.scores)
        for j in np.flatnonzero(model.columns).tolist():
            decreases[j] = auc - self._blind_auc(probe.replaced([j], X[order, j][:, None]))
        return decreases

    def _blind_auc(self, scores: Floats) -> float:
        return float(self._pos_share @ share_below(scores[: self._n_pos], scores[self._n_pos :], self._unl_weight))
