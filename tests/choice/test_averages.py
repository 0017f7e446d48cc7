"""Averages against a slow loop: their ranks, columns, positives and support."""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest
from candidates import DATA, raced, specs_of
from instances import as_data, linear_scorer

from blindauc.choice.average import averaged, median_probability
from blindauc.choice.belief import Belief
from blindauc.choice.search import Search, without_search
from blindauc.evidence.folds import fold_splits
from blindauc.scorers.projection import Projection

NINE = specs_of(*product([300.0, 30.0], [0.0, 0.1], [9, 4, 2]))


@pytest.fixture(scope="module")
def search():
    """Candidates judged by five of six splits, so that a sixth of the rows of one repeat was never held out."""
    splits = fold_splits(DATA, 3, seed=0) + fold_splits(DATA, 3, seed=1)[:2]
    found = raced(linear_scorer(), DATA, NINE, np.zeros(len(NINE)), splits)
    assert len(found.specs) > 3
    return found


def slow_out_of_fold(search, by_support):
    """Mean ranks of rows by splits that hold them out, by each split's own weights and support."""
    total, times = np.zeros(len(DATA.row)), np.zeros(len(DATA.row))
    for split, models in zip(search.splits, search.models, strict=True):
        weights = search.weights_without(split.held_out)
        coef = weights @ models.coef.toarray()
        if by_support:
            inclusion = weights @ (models.coef.toarray() != 0)
            support = inclusion >= min(0.5, inclusion.max())
            coef = Projection(DATA.subset(split.fitted))(coef, support)
            assert not coef[~support].any()
        scores = DATA.X @ coef
        unl = scores[split.held_out & ~DATA.is_positive]
        for row in np.flatnonzero(split.held_out):
            total[row] += np.mean((scores[row] > unl) + 0.5 * (scores[row] == unl))
            times[row] += 1
    return total / times


def ranked_once_more(mean):
    unl = mean[~DATA.is_positive]
    return np.array([np.mean((each > unl) + 0.5 * (each == unl)) for each in mean])


@pytest.mark.parametrize("by_support", [False, True])
def test_an_average_against_a_slow_loop(search, by_support):
    average = averaged(linear_scorer(), search, by_support)
    models = linear_scorer().path(DATA, search.specs)
    # Over the fits to all rows and those of the splits, each by the positives that it has seen.
    n_seen = [DATA.is_positive.sum(), *((split.fitted & DATA.is_positive).sum() for split in search.splits)]
    fits = [each.coef.toarray() for each in (models, *search.models)]
    coef = np.average([search.weights @ each for each in fits], axis=0, weights=n_seen)
    inclusion = np.average([search.weights @ (each != 0) for each in fits], axis=0, weights=n_seen)
    np.testing.assert_allclose(average.inclusion, inclusion)
    np.testing.assert_array_equal(average.support, inclusion >= 0.5)
    assert 0 < average.support.sum() < 9
    left_out = sum(weight * row for weight, row in zip(search.weights, models.outliers, strict=True))
    np.testing.assert_array_equal(average.left_out, left_out >= 0.5)
    expected = Projection(DATA)(coef, average.support) if by_support else coef
    np.testing.assert_allclose(average.model.coef, expected, rtol=1e-9)
    assert by_support == (not average.model.coef[~average.support].any())
    by_all, by_few = (slow_out_of_fold(search, each) for each in (False, True))
    expected = by_few if by_support else by_all
    np.testing.assert_allclose(average.ranks.mean_rank, expected, atol=1e-9)
    np.testing.assert_allclose(average.ranks.rank, ranked_once_more(expected), atol=1e-9)
    assert average.support_cost == pytest.approx((by_all - by_few)[DATA.is_positive].mean(), abs=1e-9)


def test_the_ranks_of_an_average_are_those_of_models_that_have_not_seen_the_rows(search):
    """Held-out ranks of a split's positives do not move the weights by which they are ranked."""
    shuffled = replace(search, ranks=np.random.default_rng(0).uniform(size=search.ranks.shape))
    split = search.splits[0]
    mixed = replace(search, ranks=np.where(split.held_out[DATA.is_positive], shuffled.ranks, search.ranks))
    one, other = (each.averages()[0].coef for each in (search, mixed))
    np.testing.assert_array_equal(one, other)
    assert not np.array_equal(search.averages()[0].coef, shuffled.averages()[0].coef)


@pytest.mark.parametrize(
    ("inclusion", "expected"),
    [
        ([0.9, 0.5, 0.2], [1, 1, 0]),
        ([0.1, 0.3], [0, 1]),
        ([0.3, 0.3], [1, 1]),
        ([1.0], [1]),
        ([0.0, 0.0], [0, 0]),
        ([0.1 + 0.2 + 0.2, 0.4], [1, 0]),
    ],
)
def test_the_median_probability_model(inclusion, expected):
    assert median_probability(np.array(inclusion)).tolist() == [bool(each) for each in expected]


@dataclass(frozen=True)
class Blended:
    weight: np.ndarray

    def blended(self, others, share):
        assert len(others) == 0
        return self

    def scores(self, X):
        return np.zeros(len(X))


class Given:
    """Three models of three columns, fitted to three positives, as they are given."""

    columns = np.array([[True, False, False], [True, True, False], [False, True, True]])
    outliers = np.array([[True, False, False], [False, True, False], [False, True, True]])

    def path(self, data, specs):
        return self

    def inclusion(self, weight):
        return weight @ self.columns

    def average(self, weight):
        return Blended(weight)


def test_columns_and_positives_go_with_half_of_the_weight():
    data = as_data(np.zeros((20, 3)), np.arange(20) < 3)
    unknown = np.full((3, 3), np.nan)
    search = Search(data, NINE[:3], Belief.of_one_branch(np.log([0.55, 0.25, 0.2])), unknown, [], [], [])
    average = averaged(Given(), search, by_support=False)
    np.testing.assert_allclose(average.model.weight, [0.55, 0.25, 0.2])
    np.testing.assert_allclose(average.inclusion, [0.8, 0.45, 0.2])
    assert average.support.tolist() == [True, False, False]
    assert average.left_out.tolist() == [True, False, False]


def support_cost(is_sparse, seed):
    """Of an average in which one column has most of the weight, where it alone says something or all nine do."""
    rng = np.random.default_rng(seed)
    effect = np.where(np.arange(9) == 0, 1.0, 0.0 if is_sparse else 1.0)
    is_positive = np.arange(150) < 50
    data = as_data(rng.normal(size=(150, 9)) + np.outer(is_positive, effect), is_positive)
    splits, specs = fold_splits(data, 3, seed=0), specs_of((0.01, 0.0, 9), (0.01, 0.0, 1))
    models = [linear_scorer().path(data.subset(split.fitted), specs) for split in splits]
    alike = np.full((2, 50), 0.5)
    search = Search(data, specs, Belief.of_one_branch(np.log([0.4, 0.6])), alike, splits, models, [])
    return averaged(linear_scorer(), search, by_support=False).support_cost


def test_the_support_costs_nothing_where_few_columns_matter_and_something_where_all_do():
    sparse, dense = ([support_cost(is_sparse, seed) for seed in range(5)] for is_sparse in (True, False))
    assert np.mean(sparse) < 0
    assert all(each.low > 0 for each in dense)


def test_an_average_without_a_search_is_the_plain_fit():
    average = averaged(linear_scorer(), without_search(DATA, NINE[1]), by_support=False)
    (plain,) = linear_scorer().path(DATA, [NINE[1]]).coef.toarray()
    np.testing.assert_array_equal(average.model.coef, plain)
    np.testing.assert_array_equal(average.support, plain != 0)
    assert average.ranks.is_known
    few = DATA.subset(np.isin(np.arange(len(DATA.row)), [0, 1, 2, *range(40, 80)]))
    unknown = averaged(linear_scorer(), without_search(few, NINE[1]), by_support=False)
    assert not unknown.ranks.is_known
    assert (unknown.support_cost.low, unknown.support_cost.high) == (-1, 1)
