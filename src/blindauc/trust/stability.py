"""Stability selection: how often each feature is chosen when half of the rows are left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state

from blindauc._typing import Bools, Floats, Ints
from blindauc.labels import read_labels
from blindauc.sparsity import resolve_groups


@dataclass(frozen=True)
class StabilitySelection:
    """How often features, and groups of them, were selected.

    Attributes
    ----------
    frequency : ndarray of shape (p,), the share of half-samples in which each column was selected
    group_frequency : ndarray of shape (n_groups,) or None, the share in which any column of the group was
    n_resamples : int
    """

    frequency: Floats
    group_frequency: Floats | None
    n_resamples: int

    def selected(self, at_least: float = 0.6) -> Bools:
        """The columns that were selected in at least this share of the half-samples."""
        return self.frequency >= at_least


def stability_selection(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_resamples: int = 50,
    groups: Any = None,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> StabilitySelection:
    r"""Fit to halves of the rows, in complementary pairs, and count how often each column is selected.

    .. math:: \hat\pi_j = \frac1B \sum_{b=1}^{B} 1[j \in \hat S_b]

    where :math:`\hat S_b` is what the b-th half selects. Positives and unlabelled rows are halved each for themselves.
    (Shah and Samworth, Variable selection with error control: another look at stability selection, JRSS B 2013.)

    Parameters
    ----------
    estimator : a selector with fixed choices, such as the `best_estimator_` of a search
    X, y : as in its `fit`
    n_resamples : int, default=50
        Half-samples; an odd number is raised by one.
    groups : as in `BlindAUCClassifier`, optional
        Groups of columns to count as well; those of the estimator by default.
    n_jobs : int or None, default=None
        Fits side by side, by joblib.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    StabilitySelection

    Examples
    --------
    >>> from blindauc import BlindAUCClassifier
    >>> from blindauc.datasets import make_paper_data
    >>> from blindauc.trust import stability_selection
    >>> data = make_paper_data(n_features=30, n_relevant=10, n_outliers=0, random_state=0)
    >>> model = BlindAUCClassifier(n_features_to_select=10, l2=1000.0, max_swaps=0)
    >>> stability = stability_selection(model, data.X, data.y_pu, n_resamples=10)
    >>> relevant, others = stability.frequency[data.support], stability.frequency[~data.support]
    >>> bool(relevant.mean() > 0.6 > 0.4 > others.mean())
    True
    """
    if n_resamples < 2:
        raise ValueError(f"n_resamples must be at least 2, a complementary pair, not {n_resamples!r}.")
    is_positive = read_labels(y, getattr(estimator, "pos_label", None)).is_positive
    halves = _complementary_halves(is_positive, -(-n_resamples // 2), check_random_state(random_state))
    supports = np.array(Parallel(n_jobs=n_jobs)(delayed(_support)(estimator, X, y, half) for half in halves))
    groups = getattr(estimator, "groups", None) if groups is None else groups
    names = getattr(X, "columns", None)
    by_group = None if groups is None else _by_group(supports, resolve_groups(groups, supports.shape[1], names))
    return StabilitySelection(supports.mean(axis=0), by_group, len(supports))


def _complementary_halves(is_positive: Bools, n_pairs: int, rng: np.random.RandomState) -> Iterator[Ints]:
    kinds = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
    for _ in range(n_pairs):
        first, second = zip(*(np.array_split(rng.permutation(rows), 2) for rows in kinds), strict=True)
        yield np.sort(np.concatenate(first))
        yield np.sort(np.concatenate(second))


def _support(estimator: Any, X: Any, y: Any, rows: Ints) -> Bools:
    model = clone(estimator)
    if "calibrate" in model.get_params():
        model.set_params(calibrate=False)  # what scores mean is not asked
    return model.fit(_safe_indexing(X, rows), _safe_indexing(y, rows)).get_support()


def _by_group(supports: Bools, ids: Ints) -> Floats:
    chosen = [supports[:, ids == group].any(axis=1).mean() for group in range(int(ids.max()) + 1)]
    return np.array(chosen)
