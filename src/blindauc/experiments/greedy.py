"""The paper's own recipe: few features, no outliers, then more of either while training rows are ranked better."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone

from blindauc._typing import Bools
from blindauc.choice.space import column_counts
from blindauc.estimators import BlindAUCClassifier
from blindauc.labels import read_labels
from blindauc.metrics import blind_auc_score
from blindauc.sparsity import resolve_groups

WORTH_WHILE = 1e-3
"""What a step must add to the training AUC. More features always add a little."""

OUTLIER_SHARES = (0.0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3)
"""Shares of the labelled positives to leave out, close together since a step goes no further than the next."""


def fitted_greedily(estimator: BlindAUCClassifier, X: Any, y: Any) -> BlindAUCClassifier:
    """Grow features and outliers, each time what ranks the training rows better, until neither is worth while.

    The performance is the blind AUC on the training rows of the positives that are not left out. No row is held out:
    this is the recipe of the paper, not the one to trust.

    Parameters
    ----------
    estimator : BlindAUCClassifier
        All parameters but `n_features_to_select` and `n_outliers`.
    X : array-like or sparse matrix of shape (n, p)
    y : array-like of shape (n,), PU labels

    Returns
    -------
    BlindAUCClassifier, fitted to all rows

    Examples
    --------
    >>> from blindauc import BlindAUCClassifier
    >>> from blindauc.datasets import make_paper_data
    >>> from blindauc.experiments.greedy import fitted_greedily
    >>> data = make_paper_data(n_features=20, n_outliers=7, n_relevant=15, random_state=0)
    >>> model = fitted_greedily(BlindAUCClassifier(solver="path"), data.X, data.y_pu)
    >>> model.n_outliers > 0
    True
    """
    *_, chosen = steps(estimator, X, y)
    return chosen.set_params(calibrate=estimator.calibrate).fit(X, y)


def steps(estimator: BlindAUCClassifier, X: Any, y: Any) -> Iterator[BlindAUCClassifier]:
    """Every fit that the recipe settles on, from the fewest features without outliers to the last."""
    is_positive = read_labels(y, estimator.pos_label).is_positive
    plain = clone(estimator).set_params(calibrate=False)
    features, outliers = column_counts(_n_units(estimator, X))[::-1], list(OUTLIER_SHARES)
    fitted = plain.set_params(n_features_to_select=features[0], n_outliers=outliers[0]).fit(X, y)
    while True:
        yield fitted
        tries = [
            clone(fitted).set_params(**{name: value}).fit(X, y)
            for name, values in (("n_features_to_select", features), ("n_outliers", outliers))
            for value in _next(values, getattr(fitted, name))
        ]
        best = max(tries, key=lambda model: performance(model, X, is_positive), default=fitted)
        if performance(best, X, is_positive) - performance(fitted, X, is_positive) <= WORTH_WHILE:
            return
        fitted = best


def performance(model: BlindAUCClassifier, X: Any, is_positive: Bools) -> float:
    """The blind AUC on the training rows of the positives that the fit did not leave out."""
    kept = ~np.isin(np.arange(len(is_positive)), model.outliers_)
    return float(blind_auc_score(is_positive[kept], model.decision_function(X)[kept]))


def _n_units(estimator: BlindAUCClassifier, X: Any) -> int:
    """Columns or, where these are selected in groups, groups."""
    n_columns = int(np.shape(X)[1])
    if estimator.groups is None:
        return n_columns
    return int(resolve_groups(estimator.groups, n_columns, None).max()) + 1


def _next(values: list[Any], value: Any) -> list[Any]:
    place = values.index(value)
    return values[place + 1 : place + 2]
