"""Selection frequencies of table columns over random half-samples of the rows (stability selection)."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from blindauc._typing import Bools, Floats, Ints
from blindauc.scorers.mixed import SELECTING
from blindauc.trust import stability_selection

N_HALVES = 20
"""Number of half-samples (convention)."""

MOST_ROWS = 2000
"""Rows that half-samples are drawn from, to bound the time (convention); half of them may be labelled."""

MOST_COLUMNS = 300
"""Largest number of columns (convention): with more, 20 fits take a minute or longer."""


def selection_frequency(ranking: Any, X: Floats, is_positive: Bools, source: Ints, seed: Any = 0) -> Floats | None:
    """The share of half-samples in which any encoded column of each table column is selected.

    The leading candidate of every column-selecting shape and scaling is refitted to half-samples. The result is None
    if there is no such candidate, if the model selects all columns, or if there are too many columns.

    Parameters
    ----------
    ranking : a fitted `BlindAUCClassifierCV`
    X : ndarray of shape (n, p)
    is_positive : mask of shape (n,)
    source : ndarray of shape (p,)
        The table column that each column of X comes from, as a number.
    seed : the seed of the half-samples

    Returns
    -------
    ndarray of shape (n_sources,), or None
    """
    unit = np.arange(X.shape[1]) if ranking.groups is None else np.asarray(ranking.groups)
    n_selected = len(np.unique(unit[ranking.support_]))
    if not 0 < n_selected < len(np.unique(unit)) or X.shape[1] > MOST_COLUMNS:
        return None
    rows = _some(is_positive, check_random_state(seed))
    contenders = _contenders(ranking)
    if not contenders:
        return None
    selectors = [
        clone(ranking.best_estimator_).set_params(**each.params | {"n_features_to_select": n_selected})
        for each in contenders
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a fit that stops early still selects columns
        found: list[Any] = [
            stability_selection(
                selector,
                X[rows],
                is_positive[rows],
                n_resamples=max(N_HALVES // len(selectors), 2),
                groups=source,
                random_state=seed,
            )
            for selector in selectors
        ]
    frequency = [each.group_frequency for each in found]
    return np.average(frequency, axis=0, weights=[each.weight for each in contenders])


class _Contender(NamedTuple):
    """The leading parameters of a shape and scaling, with the total weight of their candidates in the average."""

    params: dict[str, Any]
    weight: float


def _contenders(ranking: Any) -> list[_Contender]:
    """The candidate with the largest weight of each selecting shape and scaling that is part of the average."""
    tried = ranking.cv_results_
    weighed = zip(tried["params"], tried["weight"], strict=True) if tried else [(ranking.best_params_, 1.0)]
    by_kind: dict[Any, list[_Contender]] = {}
    for params, weight in weighed:
        if weight > 0 and params["shape"] in SELECTING:
            by_kind.setdefault((params["shape"], params["scaling"]), []).append(_Contender(params, float(weight)))
    return [
        _Contender(max(some, key=lambda each: each.weight).params, sum(each.weight for each in some))
        for some in by_kind.values()
    ]


def _some(is_positive: Bools, rng: np.random.RandomState) -> Ints:
    """A random sample of at most `MOST_ROWS` rows, labelled and unlabelled."""
    labelled, unlabelled = (rng.permutation(np.flatnonzero(kind)) for kind in (is_positive, ~is_positive))
    labelled = labelled[: max(MOST_ROWS // 2, MOST_ROWS - len(unlabelled))]
    return np.sort(np.concatenate([labelled, unlabelled[: MOST_ROWS - len(labelled)]]))
