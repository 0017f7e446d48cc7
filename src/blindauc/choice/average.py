"""What a search ends with: an average of its candidates, over the fits to all rows and those of the folds.

The fits of the folds are there already, and what chance did to one of them the others do not share (a cross-validation
committee, Parmanto, Munro and Doyle, NIPS 1995). A fit counts by the labelled positives that it has seen: where the
search saw a sample of many rows, the fit to all rows has most of the say.

Ranking and selecting are two questions. The average ranks; a column's inclusion probability is the weight of the
candidates that use it, and the median probability model keeps columns with at least one half (Barbieri and Berger,
Optimal predictive model selection, Annals of Statistics 2004). Labelled positives are left out by the same rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from blindauc._typing import Bools, Floats
from blindauc.choice.search import Search
from blindauc.estimate import Estimate
from blindauc.evidence.out_of_fold import OutOfFold, mean_estimate, out_of_fold, out_of_fold_of
from blindauc.scorers.contract import Model, Models, Scorer

ROUNDING = 1e-12
"""A sum of weights that is one half but for rounding is one half."""


@dataclass(frozen=True)
class Average:
    """The average of a search's candidates.

    Attributes
    ----------
    model : Model, what ranks
    inclusion : ndarray of shape (p,), the posterior probability that each column belongs in the score
    support : mask of shape (p,), the median probability model
    left_out : mask of shape (n_pos,), labelled positives that candidates with at least half of the weight leave out
    known : OutOfFold ranks of all rows
    support_cost : Estimate of the blind AUC that is lost by ranking with the supported columns alone, out of fold
    """

    model: Any
    inclusion: Floats
    support: Bools
    left_out: Bools
    known: OutOfFold
    support_cost: Estimate


def averaged(scorer: Scorer, search: Search, by_support: bool) -> Average:
    """Fit the candidates of a search to all rows and average them, or what the supported columns say of that."""
    models = scorer.path(search.data, search.specs)
    fits, share = _committee(search, models)
    first, *others = [each.average(search.weights) for each in fits]
    model = first.blended(others, share)
    inclusion = np.minimum(share @ np.array([each.inclusion(search.weights) for each in fits]), 1.0)
    support = median_probability(inclusion)
    known, known_by_support = _out_of_fold(scorer, search)
    return Average(
        model.restricted(support, search.data) if by_support else model,
        inclusion,
        support,
        search.weights @ models.outliers >= 0.5 - ROUNDING,
        known_by_support if by_support else known,
        _cost(search, known, known_by_support),
    )


def _committee(search: Search, models: Models) -> tuple[list[Models], Floats]:
    """The fits to average, and how much each counts; one candidate alone is one fit."""
    if search.weights.max() == 1:
        return [models], np.ones(1)
    is_positive = search.data.is_positive
    seen = [is_positive.sum(), *((split.fitted & is_positive).sum() for split in search.splits)]
    return [models, *search.models], np.array(seen) / np.sum(seen)


def median_probability(inclusion: Floats) -> Bools:
    """Columns with an inclusion probability of at least one half, or the likeliest where none has.

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


def _out_of_fold(scorer: Scorer, search: Search) -> tuple[OutOfFold, OutOfFold]:
    """Ranks of all rows by averages that have not seen them, by all columns and by the supported ones."""
    if not search.splits:
        known = out_of_fold_of(scorer, search.data, search.leader)
        return known, known
    averages = search.averages()
    data, splits = search.data, search.splits
    return out_of_fold(data, splits, averages), out_of_fold(data, splits, _restricted(search, averages))


def _restricted(search: Search, averages: list[Model]) -> Iterator[Model]:
    """Each split's average by the columns that its own candidates support."""
    for split, models, average in zip(search.splits, search.models, averages, strict=True):
        support = median_probability(models.inclusion(search.weights_without(split.held_out)))
        yield average.restricted(support, search.data.subset(split.fitted))


def _cost(search: Search, known: OutOfFold, by_support: OutOfFold) -> Estimate:
    positive = search.data.is_positive & ~np.isnan(known.mean_rank)
    if not positive.any():
        return Estimate(0.0, -1.0, 1.0)
    data, cost = search.data, known.mean_rank - by_support.mean_rank
    group = None if data.group is None else data.group[positive]
    return mean_estimate(cost[positive], data.weight[positive], group)
