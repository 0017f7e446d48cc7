"""The paper's greedy tuning: start with few features and no outliers, add more of either while training AUC grows."""

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
"""Smallest gain of a step in training AUC (convention): more features always add a little."""

OUTLIER_SHARES = (0.0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3)
"""Shares of the labelled positives to exclude (convention); a dense grid, since a step moves to the next share only."""


def fitted_greedily(estimator: BlindAUCClassifier, X: Any, y: Any) -> BlindAUCClassifier:
    """Add features or outliers greedily, by the gain in training AUC, until neither helps.

    The criterion is the blind AUC on the training rows, without the excluded positives. No row is held out: this is
    the method of the paper, kept for comparison. `BlindAUCClassifierCV` is more reliable.

    Parameters
    ----------
    estimator : BlindAUCClassifier
        Sets all parameters except `n_features_to_select` and `n_outliers`.
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
    """The accepted fit of every step, from the fewest features without outliers to the last."""
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
    """The blind AUC on the training rows, without the positives that the fit excluded."""
    kept = ~np.isin(np.arange(len(is_positive)), model.outliers_)
    return float(blind_auc_score(is_positive[kept], model.decision_function(X)[kept]))


def _n_units(estimator: BlindAUCClassifier, X: Any) -> int:
    """The number of columns or, if columns are selected in groups, of groups."""
    n_columns = int(np.shape(X)[1])
    if estimator.groups is None:
        return n_columns
    return int(resolve_groups(estimator.groups, n_columns, None).max()) + 1


def _next(values: list[Any], value: Any) -> list[Any]:
    place = values.index(value)
    return values[place + 1 : place + 2]
