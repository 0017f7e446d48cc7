"""The result of a search: the weighted average of its candidates, each fitted to all rows and to every fold.

The fits to the folds exist already, and averaging over them reduces the variance of the score (cross-validation
committees: Parmanto, Munro and Doyle, NIPS 1995). Each fit is weighted by the number of labelled positives that it was
fitted to. If the search used a sample of the rows, the fit to all rows therefore has most of the weight.

Ranking and column selection are separate. The average ranks, with all columns of its candidates. The inclusion
probability of a column is the total weight of the candidates that use it, if all numbers of columns are equally
probable beforehand. The median probability model keeps the columns with at least one half (Barbieri and Berger, Optimal
predictive model selection, Annals of Statistics 2004). The same threshold decides which labelled positives count as
left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from blindauc._typing import Bools, Floats, Ints
from blindauc.choice.search import Search
from blindauc.estimate import Estimate
from blindauc.evidence.out_of_fold import Fold, OutOfFold, mean_estimate, out_of_fold, out_of_fold_of
from blindauc.scorers.contract import Model, Models, Scorer

ROUNDING = 1e-12
"""Tolerance when sums of weights are compared with a threshold (convention)."""

MOST_OF_THE_WEIGHT, MOST_FITTED = 0.95, 10
"""If the rows do not fit in memory, only the heaviest candidates are fitted to all rows: as few as have this share of
the weight, and at most this many (convention). A fit takes about four passes over the rows, and one more candidate
hardly changes the average."""


@dataclass(frozen=True)
class Average:
    """The weighted average of a search's candidates.

    Attributes
    ----------
    model : Model, the averaged score; projected on the supported columns if `by_support` was true
    inclusion : ndarray of shape (p,), the posterior probability that each column belongs in the score
    support : mask of shape (p,), the columns of the median probability model
    left_out : mask of shape (n_pos,), labelled positives left out by candidates that have at least half of the weight
    ranks : OutOfFold ranks of all rows
    folds : the average of each split, with the rows that it was not fitted to
    support_cost : Estimate of the out-of-fold blind AUC lost by ranking with the supported columns alone
    bending : Estimate of the out-of-fold blind AUC gained over the average of the linear candidates alone; None if all
        candidates are linear, or none is
    """

    model: Model
    inclusion: Floats
    support: Bools
    left_out: Bools
    ranks: OutOfFold
    folds: list[Fold]
    support_cost: Estimate
    bending: Estimate | None


def averaged(scorer: Scorer, search: Search, by_support: bool, parts: Any = None) -> Average:
    """Fit the candidates of a search to all rows and average them.

    Parameters
    ----------
    scorer : Scorer
    search : Search
    by_support : bool
        Whether the average is projected on the supported columns.
    parts : PartedView, optional
        All rows, if the search used a sample of them. Only the candidates with most of the weight are fitted to them.
    """
    search = search if parts is None else search.only(heaviest(search.weights))
    models = scorer.path(search.data if parts is None else parts, search.specs)
    fits, share = _committee(search, models)
    first, *others = [each.average(search.weights) for each in fits]
    model = first.blended(others, share)
    # A sum of weights may exceed 1 by rounding.
    weights = search.for_inclusion().weights
    inclusion = np.minimum(share @ np.array([each.inclusion(weights) for each in fits]), 1.0)
    support = median_probability(inclusion)
    by_all, by_supported = _out_of_fold(scorer, search)
    ranks, folds = by_supported if by_support else by_all
    return Average(
        model.restricted(support, search.data) if by_support else model,
        inclusion,
        support,
        search.weights @ models.outliers >= 0.5 - ROUNDING,
        ranks,
        folds,
        _difference(search, by_all.ranks, by_supported.ranks),
        _bending(search, by_all.ranks),
    )


def heaviest(weights: Floats) -> Ints:
    """Indices, in increasing order, of the fewest candidates that have most of the weight; at most `MOST_FITTED`.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.choice.average import heaviest
    >>> heaviest(np.array([0.02, 0.6, 0.37, 0.01]))
    array([1, 2])
    """
    order = np.argsort(-weights, kind="stable")
    n_taken = int(np.searchsorted(np.cumsum(weights[order]), MOST_OF_THE_WEIGHT - ROUNDING)) + 1
    return np.sort(order[: min(n_taken, MOST_FITTED)])


def _committee(search: Search, models: Models) -> tuple[list[Models], Floats]:
    """The fits to average, and the share of each.

    If one candidate has all the weight, only its fit to all rows is used. A clone that is fitted with its settings then
    has the same coefficients.
    """
    if search.weights.max() == 1:
        return [models], np.ones(1)
    is_positive = search.data.is_positive
    n_fitted = [is_positive.sum(), *((split.fitted & is_positive).sum() for split in search.splits)]
    return [models, *search.models], np.array(n_fitted) / np.sum(n_fitted)


def median_probability(inclusion: Floats) -> Bools:
    """Columns with an inclusion probability of at least one half; the most probable one if none has.

    Examples
    --------
    >>> import numpy as np
    >>> from blindauc.choice.average import median_probability
    >>> median_probability(np.array([0.9, 0.5, 0.2])).tolist()
    [True, True, False]
    >>> median_probability(np.array([0.1, 0.3])).tolist()
    [False, True]
    """
    return (inclusion > 0) & (inclusion >= min(0.5, inclusion.max()) - ROUNDING)


class _Ranked(NamedTuple):
    ranks: OutOfFold
    folds: list[Fold]


def _out_of_fold(scorer: Scorer, search: Search) -> tuple[_Ranked, _Ranked]:
    """Out-of-fold ranks of all rows: by averages of all columns, and by averages of the supported columns."""
    if not search.splits:
        ranked = _Ranked(*out_of_fold_of(scorer, search.data, search.leader))
        return ranked, ranked
    averages = search.averages()
    return _ranked(search, averages), _ranked(search, list(_restricted(search, averages)))


def _ranked(search: Search, averages: list[Model]) -> _Ranked:
    folds = [Fold(model, split.held_out) for model, split in zip(averages, search.splits, strict=True)]
    return _Ranked(out_of_fold(search.data, search.splits, averages), folds)


def _restricted(search: Search, averages: list[Model]) -> Iterator[Model]:
    """Each split's average, projected on the columns that its own candidates support.

    The support chosen with all rows would leak information, because the held-out rows took part in the choice.
    """
    for_inclusion = search.for_inclusion()
    for split, models, average in zip(search.splits, search.models, averages, strict=True):
        support = median_probability(models.inclusion(for_inclusion.weights_without(split.held_out)))
        yield average.restricted(support, search.data.subset(split.fitted))


def _bending(search: Search, ranks: OutOfFold) -> Estimate | None:
    """The blind AUC that the average gains over that of its linear candidates; None if there is nothing to compare."""
    is_linear = np.array([spec.shape == "linear" for spec in search.specs])
    if is_linear.all() or not is_linear.any() or not search.splits:
        return None
    linear = search.only(np.flatnonzero(is_linear))
    return _difference(search, ranks, out_of_fold(search.data, search.splits, linear.averages()))


def _difference(search: Search, ranks: OutOfFold, other: OutOfFold) -> Estimate:
    """The mean difference of the ranks of the labelled positives, which equals the difference of the blind AUCs."""
    positive = search.data.is_positive & ~np.isnan(ranks.mean_rank)
    if not positive.any():
        return Estimate(0.0, -1.0, 1.0)
    data, higher = search.data, ranks.mean_rank - other.mean_rank
    group = None if data.group is None else data.group[positive]
    return mean_estimate(higher[positive], data.weight[positive], group)
