"""Stability selection: how often each column is selected on half of the rows, and a bound on false selections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state

from blindauc._typing import Bools, Floats, Ints
from blindauc.labels import read_labels
from blindauc.scorers.mixed import SELECTING
from blindauc.sparsity import resolve_groups


@dataclass(frozen=True)
class StabilitySelection:
    """Selection frequencies of columns, and of groups of columns.

    Attributes
    ----------
    frequency : ndarray of shape (p,)
        The share of half-samples in which each column was selected.
    group_frequency : ndarray of shape (n_groups,) or None
        The share of half-samples in which at least one column of the group was selected.
    n_resamples : int
        The number of half-samples.
    """

    frequency: Floats
    group_frequency: Floats | None
    n_resamples: int

    @property
    def n_selected(self) -> float:
        """The mean number of columns that a half-sample selects."""
        return float(self.frequency.sum())

    def selected(self, at_least: float = 0.6) -> Bools:
        """The columns that were selected in at least this share of the half-samples."""
        return self.frequency >= at_least

    def expected_false(self, at_least: float = 0.6, bound: str = "shah_samworth", *, units: str = "columns") -> float:
        r"""An upper bound on the expected number of false columns among `selected(at_least)`.

        .. math:: E[V] \le C(\tau) \frac{q^2}{p}, \qquad C_{MB}(\tau) = \frac{1}{2 \tau - 1}

        with q the mean number of columns selected in a half-sample, p the number of columns and :math:`\tau > 1/2` the
        share `at_least` (Meinshausen and Buhlmann, JRSS B 2010). If the frequencies of false columns have a unimodal
        distribution, as they nearly always do, B complementary pairs of halves give

        .. math::

            C_{SS}(\tau) = \frac{1}{2 (2 \tau - 1 - 1/(2B))} \text{ for } \tau \le 3/4, \qquad
            C_{SS}(\tau) = \frac{4 (1 - \tau + 1/(2B))}{1 + 1/B} \text{ for } \tau > 3/4

        (Shah and Samworth, JRSS B 2013, Theorem 2). Where its conditions on q / p and :math:`\tau` fail, their
        Theorem 1 applies, whose constant is that of Meinshausen and Buhlmann.

        False columns are those that a half-sample selects with probability at most q / p, no more often than a column
        picked at random. A column that is independent of the label is false if the selector treats all such columns
        alike. A near copy of a relevant column may be selected more often; it does not count as false.

        The bound is about the true class Y, although only the labels of some positives are known. If positives are
        labelled at random, and wrong labels are a random sample of the negatives, the probability of a label depends on
        a row only through P(Y = 1 | x). A column that is independent of Y given the others is then independent of
        the label, too, whatever the class prior. This fails where labelling depends on the column itself. If, for
        example, mostly the oldest patients were examined, age predicts the label without predicting Y. It is then
        selected as often as a relevant column, and the bound does not count it.

        Parameters
        ----------
        at_least : float in (0.5, 1], default=0.6
            The share of half-samples, as in `selected`.
        bound : {"shah_samworth", "meinshausen_buhlmann"}, default="shah_samworth"
        units : {"columns", "groups"}, default="columns"
            Whether to count columns, or groups with a `group_frequency` of at least `at_least`.

        Returns
        -------
        float

        Examples
        --------
        >>> import numpy as np
        >>> from blindauc.trust import StabilitySelection
        >>> frequency = np.r_[np.full(8, 0.9), np.full(92, 0.03)]  # about 10 of 100 columns in each half-sample
        >>> stability = StabilitySelection(frequency, None, n_resamples=50)
        >>> round(stability.n_selected, 2), int(stability.selected(0.8).sum())
        (9.96, 8)
        >>> round(stability.expected_false(0.8), 2), round(stability.expected_false(0.8, "meinshausen_buhlmann"), 2)
        (0.84, 1.65)
        """
        if not 0.5 < at_least <= 1:
            raise ValueError(f"at_least must be above 0.5 and at most 1 for a bound to hold, not {at_least!r}.")
        if bound not in BOUNDS:
            raise ValueError(f"bound must be one of {', '.join(map(repr, BOUNDS))}, not {bound!r}.")
        frequency = self._frequency_of(units)
        n_selected, n_units = float(frequency.sum()), len(frequency)
        factor = BOUNDS[bound](self._attained(at_least), n_selected / n_units, self.n_resamples // 2)
        return factor * n_selected**2 / n_units

    def _frequency_of(self, units: str) -> Floats:
        if units not in ("columns", "groups"):
            raise ValueError(f"units must be 'columns' or 'groups', not {units!r}.")
        if units == "columns":
            return self.frequency
        if self.group_frequency is None:
            raise ValueError("There are no groups to count: pass groups to stability_selection.")
        return self.group_frequency

    def _attained(self, at_least: float) -> float:
        """`at_least`, rounded up to a multiple of 1 / n_resamples: the same columns have a tighter bound."""
        return float(np.ceil(at_least * self.n_resamples - 1e-9) / self.n_resamples)


def _meinshausen_buhlmann(share: float, rate: float, n_pairs: int) -> float:
    """The factor of q^2 / p in the bound; it does not depend on `rate` = q / p and the number of pairs."""
    return 1 / (2 * share - 1)


def _shah_samworth(share: float, rate: float, n_pairs: int) -> float:
    """The factor of q^2 / p for unimodal frequencies; that of Meinshausen and Buhlmann where its conditions fail."""
    any_shape = 1 / (2 * share - 1)
    lowest = min(0.5 + rate**2, 0.5 + 1 / (2 * n_pairs) + 0.75 * rate**2)
    # The theorem holds for rates up to 1 / sqrt(3), and for the shares 1 / 2 + 1 / B, 1 / 2 + 3 / (2 B), ..., 1.
    if 3 * rate**2 > 1 or share <= lowest or share < 0.5 + 1 / n_pairs - 1e-9:
        return any_shape
    if share <= 0.75:
        return min(any_shape, 1 / (2 * (2 * share - 1 - 1 / (2 * n_pairs))))
    return min(any_shape, 4 * (1 - share + 1 / (2 * n_pairs)) / (1 + 1 / n_pairs))


BOUNDS: dict[str, Callable[[float, float, int], float]] = {
    "shah_samworth": _shah_samworth,
    "meinshausen_buhlmann": _meinshausen_buhlmann,
}
"""The factor C of each bound C * q^2 / p, from `at_least`, q / p and the number of complementary pairs."""


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

    where :math:`\hat S_b` is the set of columns that the b-th half selects. Positives and unlabelled rows are halved
    separately. (Shah and Samworth, Variable selection with error control: another look at stability selection, JRSS B
    2013.) `StabilitySelection.expected_false` bounds how many columns are selected by chance.

    Parameters
    ----------
    estimator : estimator with `get_support`
        It must select columns: estimators of this package need `n_features_to_select`. Its hyper-parameters should be
        fixed, as in the `best_estimator_` of a search.
    X, y : as in the estimator's `fit`
    n_resamples : int, default=50
        The number of half-samples; an odd number is raised by one. Shah and Samworth (2013) recommend 100.
    groups : as in `BlindAUCClassifier`, optional
        Groups of columns to count as well. By default, those of the estimator.
    n_jobs : int or None, default=None
        The number of parallel fits, as in joblib.
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
    >>> model = BlindAUCClassifier(n_features_to_select=10, l2=1000.0, scaling="none", max_swaps=0)
    >>> stability = stability_selection(model, data.X, data.y_pu, n_resamples=10)
    >>> relevant, others = stability.frequency[data.support], stability.frequency[~data.support]
    >>> bool(relevant.mean() > 0.6 > 0.4 > others.mean())
    True
    """
    if n_resamples < 2:
        raise ValueError(f"n_resamples must be at least 2, a complementary pair, not {n_resamples!r}.")
    _check_selects_columns(estimator)
    is_positive = read_labels(y, getattr(estimator, "pos_label", None)).is_positive
    halves = _complementary_halves(is_positive, -(-n_resamples // 2), check_random_state(random_state))
    supports = np.array(Parallel(n_jobs=n_jobs)(delayed(_support)(estimator, X, y, half) for half in halves))
    groups = getattr(estimator, "groups", None) if groups is None else groups
    names = getattr(X, "columns", None)
    by_group = None if groups is None else _by_group(supports, resolve_groups(groups, supports.shape[1], names))
    return StabilitySelection(supports.mean(axis=0), by_group, len(supports))


def _check_selects_columns(estimator: Any) -> None:
    """Raise unless the estimator selects columns."""
    name = type(estimator).__name__
    if not hasattr(estimator, "get_support"):
        raise ValueError(
            f"stability_selection needs an estimator with get_support, but {name} has none: instead of a pipeline, "
            "pass its last step, with X transformed by the steps before it."
        )
    params = estimator.get_params()
    if "shape" not in params or "n_features_to_select" not in params:
        return  # not an estimator of this package
    shape = params["shape"]
    if not set([shape] if isinstance(shape, str) else shape) & {"auto", *SELECTING}:
        raise ValueError(f'{name}(shape={shape!r}) selects no columns: choose "linear" or "curves".')
    if params["n_features_to_select"] is None:
        raise ValueError(f"{name}(n_features_to_select=None) selects all columns: choose a number or a share of them.")


def _complementary_halves(is_positive: Bools, n_pairs: int, rng: np.random.RandomState) -> Iterator[Ints]:
    kinds = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
    for _ in range(n_pairs):
        first, second = zip(*(np.array_split(rng.permutation(rows), 2) for rows in kinds), strict=True)
        yield np.sort(np.concatenate(first))
        yield np.sort(np.concatenate(second))


def _support(estimator: Any, X: Any, y: Any, rows: Ints) -> Bools:
    model = clone(estimator)
    if "calibrate" in model.get_params():
        model.set_params(calibrate=False)  # only the selected columns are needed
    return model.fit(_safe_indexing(X, rows), _safe_indexing(y, rows)).get_support()


def _by_group(supports: Bools, ids: Ints) -> Floats:
    chosen = [supports[:, ids == group].any(axis=1).mean() for group in range(int(ids.max()) + 1)]
    return np.array(chosen)
