"""Choosing without negatives: folds, criterion, rules, spaces, searches, baselines, and what is left behind."""

import builtins
from dataclasses import replace
from itertools import groupby, pairwise, product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from joblib import parallel_config
from scipy.stats import norm, rankdata
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, StratifiedKFold

from blindauc import BlindAUCClassifier, BlindAUCClassifierCV, Estimate, PUErrorClassifier, PUErrorClassifierCV
from blindauc.data import Data
from blindauc.datasets import make_correlated_data, make_paper_data
from blindauc.estimators.problem import EstimatorProblem
from blindauc.estimators.space import read_space
from blindauc.metrics import blind_auc_score, positive_ranks, trimmed_blind_auc_score
from blindauc.tuning import folds as folds_module
from blindauc.tuning.averaging import NEGLIGIBLE, Average
from blindauc.tuning.baselines import BASELINES, Comparison, compare, difference_of_means, l1_logistic
from blindauc.tuning.belief import SURPRISE, UNSCALED, Belief
from blindauc.tuning.choice import OTHER_ROWS, RULES, best, importances, posterior, within
from blindauc.tuning.criterion import HeldOut, mean_ranks
from blindauc.tuning.draws import N_DRAWS, draws
from blindauc.tuning.evaluation import held_out_ranks, judged, model, models, unit_weights
from blindauc.tuning.evenness import evenness
from blindauc.tuning.folds import Split, content_folds, fold_splits, in_random_order, limited, row_digests
from blindauc.tuning.greedy import WORTH_WHILE, greedy_search
from blindauc.tuning.grid import Candidate, Grid, feature_counts
from blindauc.tuning.growth import SETTLED, grown
from blindauc.tuning.projection import Projection
from blindauc.tuning.search import Judge, Space, Stage, staged_search

rng = np.random.default_rng(0)
PAPER = make_paper_data(n_features=9, n_outliers=4, n_relevant=6, n_pos=40, n_negatives=80, random_state=0)
FEW = {
    "cv": 3,
    "n_repeats": 1,
    "scaling": "none",
    "l2": [10.0, 1000.0],
    "n_outliers": [0, 4],
    "n_features_to_select": [1.0, 0.5, 0.2],
}
"""Choices enough for every stage of a search to have one."""


def as_data(X, is_positive, weight=None):
    n = len(is_positive)
    weight = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
    return Data(X, is_positive, weight, np.arange(n), np.flatnonzero(is_positive))


def problem_of(data, **params):
    """The problem of an estimator with these parameters, on these rows."""
    estimator = BlindAUCClassifier(**{"outlier_handling": "trim", **params})
    return EstimatorProblem(estimator, data, np.nan)


DATA = as_data(PAPER.X, PAPER.y_pu == 1)

# --- folds ---

ROWS = np.round(rng.normal(size=(200, 3)) * (rng.uniform(size=(200, 3)) < 0.7), 1)
LABELLED = np.arange(200) < 60


def test_equal_rows_and_only_they_share_digests():
    digests = row_digests(ROWS, 0)
    _, expected = np.unique(ROWS, axis=0, return_inverse=True)
    _, found = np.unique(digests, return_inverse=True)
    # The same partition: as many pairs of numbers as there are numbers.
    pairs = set(zip(expected.ravel().tolist(), found.ravel().tolist(), strict=True))
    assert len(pairs) == len(set(expected.ravel())) == len(set(found.ravel()))
    assert len(pairs) < 200


STORED = {
    "csr": sp.csr_matrix,
    "csc": sp.csc_array,
    "fortran": np.asfortranarray,
    "minus zero": lambda X: np.where(X == 0, -0.0, X),
    "sparse with minus zeros": lambda X: sp.csr_matrix((np.where(X == 0, -0.0, X).ravel(), *_full(X)), shape=X.shape),
    "every second column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
}


def _full(X):
    n, p = X.shape
    return np.tile(np.arange(p), n), np.arange(0, n * p + 1, p)


@pytest.mark.parametrize("kind", STORED)
def test_digests_depend_on_values_only(kind):
    np.testing.assert_array_equal(row_digests(STORED[kind](ROWS), 3), row_digests(ROWS, 3))


def test_digests_of_float32_are_those_of_the_same_numbers():
    X = ROWS.astype(np.float32)
    for stored in (X, sp.csr_matrix(X)):
        np.testing.assert_array_equal(row_digests(stored, 0), row_digests(X.astype(np.float64), 0))


def test_digests_in_blocks_are_those_of_each_row(monkeypatch):
    whole = row_digests(ROWS, 0)
    monkeypatch.setattr(folds_module, "BLOCK_ROWS", 7)
    np.testing.assert_array_equal(row_digests(ROWS, 0), whole)
    np.testing.assert_array_equal([row_digests(row[None], 0)[0] for row in ROWS], whole)


def test_columns_and_seeds_make_a_difference():
    assert row_digests(np.array([[1.0, 2.0]]), 0) != row_digests(np.array([[2.0, 1.0]]), 0)
    assert row_digests(np.array([[1.0, 2.0]]), 0) != row_digests(np.array([[1.0, 2.0]]), 1)


@pytest.mark.parametrize("n_folds", [2, 3, 5, 7])
def test_folds_hold_as_many_distinct_rows_of_either_kind(n_folds):
    folds = content_folds(ROWS, LABELLED, n_folds, seed=0)
    assert set(folds) == set(range(n_folds))
    sizes = [len(np.unique(ROWS[LABELLED & (folds == k)], axis=0)) for k in range(n_folds)]
    assert max(sizes) - min(sizes) <= 1
    # Equal rows share a fold, be they labelled or not.
    distinct = [len(np.unique(ROWS[folds == k], axis=0)) for k in range(n_folds)]
    assert sum(distinct) == len(np.unique(ROWS, axis=0))
    # Those that equal no positive are spread as evenly.
    apart = np.random.default_rng(0).normal(size=(200, 3))
    folds = content_folds(apart, LABELLED, n_folds, seed=0)
    sizes = np.bincount(folds[~LABELLED])
    assert sizes.max() - sizes.min() <= 1


def test_the_order_of_rows_does_not_matter_to_folds():
    order = np.random.default_rng(1).permutation(200)
    folds = content_folds(ROWS, LABELLED, 5, seed=0)
    np.testing.assert_array_equal(content_folds(ROWS[order], LABELLED[order], 5, seed=0), folds[order])


def test_repeated_rows_are_in_the_folds_of_their_originals():
    times = np.random.default_rng(1).integers(1, 4, 200)
    once = content_folds(ROWS, LABELLED, 5, seed=0)
    again = content_folds(ROWS.repeat(times, axis=0), LABELLED.repeat(times), 5, seed=0)
    np.testing.assert_array_equal(again, once.repeat(times))


def test_other_seeds_give_other_folds():
    one, same, other = (content_folds(ROWS, LABELLED, 5, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert 0.05 < (one == other).mean() < 0.5


@pytest.mark.parametrize(("n_pos", "n_unl"), [(4, 2), (4, 30), (5, 5), (7, 100), (30, 2), (30, 3), (60, 140)])
@pytest.mark.parametrize("n_folds", [2, 3, 5, 50])
def test_every_fit_has_two_positives_and_an_unlabelled_row_and_every_fold_one_of_both(n_pos, n_unl, n_folds):
    X, is_positive = np.random.default_rng(0).normal(size=(n_pos + n_unl, 2)), np.arange(n_pos + n_unl) < n_pos
    splits = fold_splits(as_data(X, is_positive), n_folds, seed=0)
    assert 2 <= len(splits) <= n_folds
    for split in splits:
        assert not (split.fitted & split.held_out).any()
        assert (split.fitted & is_positive).sum() >= 2
        assert (split.fitted & ~is_positive).any()
        assert (split.held_out & is_positive).any()
        assert (split.held_out & ~is_positive).any()
    assert (np.sum([split.held_out for split in splits], axis=0) == 1).all()


@pytest.mark.parametrize(("n_pos", "n_unl"), [(2, 5), (3, 10), (10, 1)])
def test_too_few_rows_have_no_folds(n_pos, n_unl):
    X, is_positive = np.random.default_rng(0).normal(size=(n_pos + n_unl, 2)), np.arange(n_pos + n_unl) < n_pos
    assert fold_splits(as_data(X, is_positive), 5, seed=0) == []
    # Nor have many rows that are all the same.
    assert fold_splits(as_data(np.ones((50, 2)), np.arange(50) < 20), 5, seed=0) == []


def test_fits_of_a_search_see_no_more_rows_than_allowed(monkeypatch):
    monkeypatch.setattr(folds_module, "MAX_FITTED_POS", 12)
    monkeypatch.setattr(folds_module, "MIN_FITTED_UNL", 40)
    monkeypatch.setattr(folds_module, "enough_unlabelled", lambda n_pos: 3 * n_pos)
    X, is_positive = np.random.default_rng(0).normal(size=(300, 2)), np.arange(300) < 60
    digests = row_digests(X, 0)
    for split in fold_splits(as_data(X, is_positive), 5, seed=0):
        assert (split.fitted & is_positive).sum() == 12
        assert (split.fitted & ~is_positive).sum() == 40
        assert not (split.fitted & split.held_out).any()
        assert split.held_out.sum() == 60
        # Those of the lowest digests, wherever they stand.
        left_out = is_positive & ~split.fitted & ~split.held_out
        assert digests[split.fitted & is_positive].max() < digests[left_out].min()
    monkeypatch.setattr(folds_module, "enough_unlabelled", lambda n_pos: 5 * n_pos)
    mask = np.arange(300) % 2 == 0
    some = limited(mask, is_positive, digests)
    assert ((some & is_positive).sum(), (some & ~is_positive).sum()) == (12, 60)
    assert not (some & ~mask).any()


@pytest.mark.parametrize("value", [0.0, 7.0])
def test_a_sample_has_its_share_of_rows_that_are_all_the_same(value):
    n, generator = 4000, np.random.default_rng(0)
    is_same = generator.uniform(size=n) < 0.6
    X = np.where(is_same[:, None], value, generator.normal(size=(n, 2)))
    taken = in_random_order(np.arange(n), row_digests(X, 0))
    assert sorted(taken) == list(range(n))
    for part in np.split(taken, 10):
        assert is_same[part].mean() == pytest.approx(0.6, abs=4 * np.sqrt(0.6 * 0.4 / 400))
    other = generator.permutation(n)
    np.testing.assert_array_equal(X[other][in_random_order(np.arange(n), row_digests(X[other], 0))], X[taken])


# --- the criterion ---

RANKS = np.random.default_rng(0).beta(3, 1, size=(6, 30))
WEIGHT = np.random.default_rng(1).uniform(0.5, 2.0, 30)


def slow_trimmed_mean(ranks, weight, trim):
    """The mean of a step function of the weight, over all but the first `trim` of it."""
    pairs, total, dropped = sorted(zip(ranks, weight, strict=True)), 0.0, trim * sum(weight)
    for rank, w in pairs:
        taken = max(0.0, w - max(dropped, 0.0))
        dropped -= w
        total += rank * taken
    return total / ((1 - trim) * sum(weight))


@pytest.mark.parametrize("trim", [0.0, 0.15, 0.5, 0.97])
@pytest.mark.parametrize("weight", [np.ones(30), WEIGHT])
def test_scores_are_trimmed_means(trim, weight):
    expected = [slow_trimmed_mean(row, weight, trim) for row in RANKS]
    np.testing.assert_allclose(HeldOut(RANKS, weight, trim).scores(), expected, rtol=1e-12)
    np.testing.assert_allclose(HeldOut(RANKS, weight, trim).blind_auc(), RANKS @ weight / weight.sum())


@pytest.mark.parametrize("trim", [0.0, 0.15])
def test_scores_are_the_trimmed_blind_auc(trim):
    scores = np.random.default_rng(0).normal(size=130) + np.arange(130) % 3
    y, weight = np.arange(130) < 30, np.append(WEIGHT, np.random.default_rng(2).uniform(0.5, 2, 100))
    ranks = positive_ranks(y, scores, sample_weight=weight)
    held_out = HeldOut(ranks[None], WEIGHT, trim)
    expected = trimmed_blind_auc_score(y, scores, trim=trim, sample_weight=weight)
    assert held_out.scores()[0] == pytest.approx(expected, rel=1e-12)
    assert held_out.blind_auc()[0] == pytest.approx(blind_auc_score(y, scores, sample_weight=weight), rel=1e-12)


def test_errors_without_trimming_are_those_of_a_mean_of_differences():
    held_out = HeldOut(RANKS, np.ones(30), 0.0)
    expected = (RANKS[2] - RANKS).std(axis=1) / np.sqrt(30)
    np.testing.assert_allclose(held_out.standard_errors_below(2), expected, atol=1e-15)
    np.testing.assert_allclose(held_out.standard_errors(), RANKS.std(axis=1) / np.sqrt(30))
    assert held_out.standard_errors_below(2)[2] == 0


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("trim", [0.0, 0.15, 0.3])
def test_errors_against_the_bootstrap(trim, weighted):
    """Of 400 positives; the bootstrap's own error with 1000 resamples is two parts in a hundred."""
    generator = np.random.default_rng(3)
    common = generator.normal(size=400)
    ranks = 1 / (1 + np.exp(-1 - common - 0.5 * generator.normal(size=(3, 400))))
    weight = generator.uniform(0.5, 1.5, 400) if weighted else np.ones(400)
    held_out = HeldOut(ranks, weight, trim)
    drawn = generator.integers(400, size=(1000, 400))
    scores = np.array([HeldOut(ranks[:, rows], weight[rows], trim).scores() for rows in drawn])
    np.testing.assert_allclose(held_out.standard_errors(), scores.std(axis=0), rtol=0.1)
    below = (scores[:, [0]] - scores).std(axis=0)
    np.testing.assert_allclose(held_out.standard_errors_below(0)[1:], below[1:], rtol=0.1)


def test_some_candidates_are_judged_as_among_all():
    held_out = HeldOut(RANKS, WEIGHT, 0.15)
    np.testing.assert_allclose(held_out.of(np.array([4, 1])).scores(), held_out.scores()[[4, 1]])


def test_mean_ranks_over_the_splits_that_hold_a_positive_out():
    data = as_data(np.zeros((8, 1)), np.array([1, 0, 1, 1, 0, 1, 1, 0], dtype=bool))
    held = [[0, 2, 1], [2, 3, 4], [2, 5, 7]]  # row 6 never, row 2 three times
    splits = [Split(~np.isin(np.arange(8), rows), np.isin(np.arange(8), rows)) for rows in held]
    parts = [np.random.default_rng(k).uniform(size=(2, 2)) for k in range(3)]
    expected = np.full((2, 5), np.nan)
    for column, row in enumerate(np.flatnonzero(data.is_positive)):
        found = [
            part[:, [r for r in rows if data.is_positive[r]].index(row)]
            for part, rows in zip(parts, held, strict=True)
            if row in rows
        ]
        if found:
            expected[:, column] = np.mean(found, axis=0)
    np.testing.assert_allclose(mean_ranks(data, splits, iter(parts)), expected)
    assert np.isnan(expected).sum() == 2


# --- candidates and rules ---


def candidates_of(*triples):
    return [Candidate("none", "logistic", l2, t, s) for l2, t, s in triples]


def table(scores, noise=None, n=100, trim=0.0):
    """Ranks with these means, whose differences are uncertain by `noise`."""
    scores = np.asarray(scores, dtype=float)
    noise = np.zeros(len(scores)) if noise is None else np.asarray(noise, dtype=float)
    # Half of the positives above and half below, so that the mean stays and the standard error is the noise.
    signs = np.tile([1.0, -1.0], n // 2) * np.sqrt(n)
    return HeldOut(scores[:, None] + noise[:, None] * signs, np.ones(n), trim)


def test_the_best_is_the_simplest_of_equals():
    candidates = candidates_of((1.0, 0.0, 8), (1.0, 0.1, 4), (10.0, 0.0, 4), (1.0, 0.0, 4), (1.0, 0.0, 2))
    assert best(candidates, table([0.8, 0.8, 0.8, 0.8, 0.7])) == 2
    assert best(candidates, table([0.8, 0.8, 0.8, 0.9, 0.7])) == 3


def chosen(importance):
    """The one candidate that counts."""
    (index,) = np.flatnonzero(importance)
    return index


def test_one_standard_error_takes_the_fewest_features_within_reach():
    candidates = candidates_of((1.0, 0.0, 8), (1.0, 0.0, 4), (1.0, 0.0, 2), (1.0, 0.0, 1))
    rule = RULES["one_standard_error"]
    held_out = table([0.80, 0.79, 0.78, 0.5], [0.0, 0.02, 0.02, 0.02])
    np.testing.assert_allclose(held_out.standard_errors_below(0), [0, 0.02, 0.02, 0.02])
    assert within(held_out, 0, 1.0).tolist() == [True, True, True, False]
    assert chosen(rule(candidates, held_out, np.ones(4))) == 2
    assert chosen(rule(candidates, table([0.80, 0.79, 0.78, 0.5], [0.0, 0.02, 0.01, 0.02]), np.ones(4))) == 1
    assert chosen(RULES["best"](candidates, held_out, np.ones(4))) == best(candidates, held_out) == 0


def test_in_an_average_each_counts_as_far_as_it_may_be_the_best():
    candidates = candidates_of(*[(10.0**decade, 0.0, 4) for decade in (3, 2, 1, 0, -1)])
    held_out = table([0.80, 0.80, 0.79, 0.78, 0.6], [0.01, 0.01, 0.02, 0.0, 0.01])
    # The first of equals is the best; one without any difference to it is as good.
    expected = np.exp(np.array([0, 0, -((0.01 / 0.01) ** 2) / 2, -((0.02 / 0.01) ** 2) / 2, -np.inf]) / OTHER_ROWS)
    np.testing.assert_allclose(posterior(candidates, held_out, np.ones(5)), expected, atol=1e-12)
    believed = np.array([0.1, 0.2, 1.0, 0.5, 1.0])
    product = believed * expected
    np.testing.assert_allclose(posterior(candidates, held_out, believed), product, atol=1e-12)
    np.testing.assert_allclose(RULES["average"](candidates, held_out, believed), product / product.max(), atol=1e-12)


def test_an_average_has_the_fewest_outliers_that_may_be_right():
    candidates = candidates_of((1.0, 0.0, 4), (1.0, 0.1, 4), (0.1, 0.1, 4), (1.0, 0.2, 4))
    scores = [0.7, 0.80, 0.79, 0.81]
    np.testing.assert_allclose(
        RULES["average"](candidates, table(scores, [0.01, 0.02, 0.01, 0.0]), np.ones(4)),
        np.exp([-np.inf, 0, -0.5 / OTHER_ROWS, -np.inf]),
    )
    assert chosen(RULES["average"](candidates, table(scores, [0.01, 0.009, 0.01, 0.0]), np.ones(4))) == 3


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_counts_most_one_of_those_within_a_standard_error(rule):
    generator = np.random.default_rng(5)
    candidates = candidates_of(*product([1.0, 0.1], [0.0, 0.1], [8, 4, 2]))
    for _ in range(20):
        held_out = HeldOut(generator.beta(3, 1, size=(12, 50)), np.ones(50), 0.15)
        importance = RULES[rule](candidates, held_out, np.ones(12))
        assert ((importance >= 0) & (importance <= 1)).all()
        assert importance.max() == 1
        assert within(held_out, best(candidates, held_out), 1.0)[importance.argmax()]


@pytest.mark.parametrize("rule", RULES)
def test_outliers_are_left_in_unless_that_is_surely_worse(rule):
    # So few outliers that leaving out their share of the ranks changes nothing.
    candidates = candidates_of((1.0, 0.0, 4), (1.0, 1e-9, 4))
    alike = np.ones(2)
    unsure = importances(candidates, table([0.80, 0.83], [0.0, 0.021]), alike, rule, 0.0)
    assert unsure.tolist() == [1.0, 0.0]
    assert importances(candidates, table([0.80, 0.83], [0.0, 0.019]), alike, rule, 0.0)[1] == 1.0
    # No candidate without outliers: nothing to be careful for.
    only = candidates_of((1.0, 0.1, 4), (1.0, 0.2, 4))
    assert importances(only, table([0.8, 0.9]), alike, "best", 0.1).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("rule", RULES)
def test_in_doubt_those_without_outliers_decide(rule):
    few = 1e-9  # so few that leaving out their share of the ranks changes nothing
    triples = list(product([1.0, 0.1], [0.0, few], [8, 4]))
    triples = [triples[k] for k in np.random.default_rng(0).permutation(8)]  # their order is of no concern
    plain = {(1.0, 8): (0.80, 0.0), (1.0, 4): (0.79, 0.015), (0.1, 8): (0.78, 0.01), (0.1, 4): (0.50, 0.01)}

    def counts(z):
        return np.exp(-(z**2) / 2 / OTHER_ROWS)

    def judged(highest):
        """Those with outliers are best at another ridge and with fewer features."""
        with_outliers = {(1.0, 8): 0.81, (1.0, 4): 0.7, (0.1, 8): 0.7, (0.1, 4): highest}
        of_each = [(with_outliers[l2, s], 0.02) if t else plain[l2, s] for l2, t, s in triples]
        return table(*zip(*of_each, strict=True))

    candidates, unsure, surely, alike = candidates_of(*triples), judged(0.82), judged(0.86), np.ones(8)
    assert triples[best(candidates, unsure)] == triples[best(candidates, surely)] == (0.1, few, 4)
    expected = {
        "average": {(1.0, 8): 1.0, (1.0, 4): counts(0.01 / 0.015), (0.1, 8): counts(2.0)},
        "best": {(1.0, 8): 1.0},
        "one_standard_error": {(1.0, 4): 1.0},
    }[rule]
    found = dict(zip(triples, importances(candidates, unsure, alike, rule, 0.0), strict=True))
    for l2, s in plain:
        assert found[l2, 0.0, s] == pytest.approx(expected.get((l2, s), 0.0))
        assert found[l2, few, s] == 0
    np.testing.assert_array_equal(
        importances(candidates, surely, alike, rule, 0.0), RULES[rule](candidates, surely, alike)
    )


@pytest.mark.parametrize("rule", RULES)
def test_many_outliers_are_seen_with_more_of_the_lowest_ranks_left_out(rule):
    """Both rank all good positives alike but for noise; only one ranks the wrong ones, three in ten, at the bottom.

    With 15 % left out that one pays for the rest of the wrong ones; with 30 % it does not.
    """
    n, wrong = 200, np.arange(200) < 60
    generator = np.random.default_rng(0)
    plain = np.where(wrong, 0.70, 0.75) + 0.02 * generator.uniform(size=n)
    robust = np.where(wrong, 0.05, 0.90) + 0.02 * generator.uniform(size=n)
    held_out = HeldOut(np.array([plain, robust]), np.ones(n), 0.15)
    candidates = candidates_of((1.0, 0.0, 4), (1.0, 0.3, 4))
    assert held_out.scores()[0] > held_out.scores()[1] - 0.02
    assert replace(held_out, trim=0.3).scores()[1] > replace(held_out, trim=0.3).scores()[0] + 0.1
    alike = np.ones(2)
    assert importances(candidates, held_out, alike, rule, 0.0).argmax() == 1
    # But not where the grid has no such share.
    few = candidates_of((1.0, 0.0, 4), (1.0, 0.1, 4))
    assert importances(few, held_out, alike, rule, 0.0).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("n_units", [1, 2, 7, 50, 1000])
@pytest.mark.parametrize("n_pos", [2, 30, 5000])
def test_feature_counts_fall_from_all_to_few(n_units, n_pos):
    counts = feature_counts(n_units, n_pos)
    assert counts[0] == n_units
    assert all(a > b for a, b in pairwise(counts))
    assert counts[-1] == max(1, round(min(n_units / 20, n_pos / 4))) or n_units == 1
    assert len(counts) <= 8


def test_models_come_in_the_order_of_the_grid():
    problem = problem_of(DATA)
    grid = Grid("standard", "logistic", [100.0, 1.0, 0.01], [0.0, 0.1], [9, 4, 2])
    candidates, weights = list(grid), list(models(problem, DATA, grid))
    assert len(candidates) == len(weights) == 18
    for candidate, coef in zip(candidates, weights, strict=True):
        assert np.count_nonzero(coef) == candidate.n_features_to_select
        assert coef.shape == (9,)
        # Each is about the fit of its own, which comes by another path.
        alone = model(problem, DATA, candidate)
        if candidate.n_features_to_select == 9:
            scores = [DATA.X @ w for w in (coef, alone)]
            assert np.corrcoef(scores)[0, 1] > 0.9
    sizes = [np.linalg.norm(weights[k]) for k, c in enumerate(candidates) if c.n_features_to_select == 9]
    assert sizes[0] < sizes[2] < sizes[4]  # less ridge, larger weights
    (one,) = Grid.of(candidates[7])
    assert one == candidates[7]


def test_candidates_are_judged_as_by_a_slow_loop():
    problem = problem_of(DATA)
    split = fold_splits(DATA, 3, seed=0)[1]
    grid = Grid("none", "logistic", [100.0, 1.0], [0.0], [9, 3])
    ranks, weights = judged(problem, split, grid, keep_weights=True)
    weights = weights.toarray()
    assert judged(problem, split, grid).weights is None
    held_out = split.held_out & DATA.is_positive, split.held_out & ~DATA.is_positive
    for row, unit, coef in zip(ranks, weights, models(problem, DATA.subset(split.fitted), grid), strict=True):
        pos, unl = (DATA.X[rows] @ coef for rows in held_out)
        np.testing.assert_allclose(row, [(np.sum(s > unl) + np.sum(s == unl) / 2) / len(unl) for s in pos])
        np.testing.assert_allclose(unit, coef / unl.std(), rtol=1e-9)


# --- draws ---


def test_draws_hold_all_positives_and_as_many_unlabelled_rows():
    drawn = list(draws(DATA))
    assert len(drawn) == N_DRAWS
    unlabelled = []
    for part in drawn:
        assert set(np.flatnonzero(DATA.is_positive)) <= set(part.row)
        assert len(set(part.row)) == len(part.row) == 2 * DATA.is_positive.sum()
        np.testing.assert_array_equal(part.X, DATA.X[part.row])
        unlabelled.append(frozenset(part.row[~part.is_positive]))
    assert len(set(unlabelled)) == N_DRAWS
    # Every unlabelled row has its turn.
    assert frozenset.union(*unlabelled) == set(np.flatnonzero(~DATA.is_positive))


def test_the_order_of_rows_does_not_matter_to_draws():
    order = np.random.default_rng(1).permutation(len(DATA.row))
    shuffled = Data(DATA.X[order], DATA.is_positive[order], DATA.weight[order], order, DATA.labelled)
    for one, other in zip(draws(DATA), draws(shuffled), strict=True):
        assert set(one.row) == set(other.row)


def test_where_unlabelled_rows_are_few_a_draw_is_all_of_them():
    data = DATA.subset(DATA.is_positive | (np.arange(len(DATA.row)) % 10 == 0))
    assert all(len(part.row) == len(data.row) for part in draws(data))


WEAK_BY_DRAWS = Grid("standard", "logistic", [100.0, 1.0, 0.01], [0.0], [9, 4], drawn_up_to=1.0)


def test_drawn_candidates_are_those_of_all_features_under_weak_ridges():
    drawn = [candidate for candidate in WEAK_BY_DRAWS if candidate.drawn]
    assert [(c.l2, c.n_features_to_select) for c in drawn] == [(1.0, 9), (0.01, 9)]
    assert all("drawn" not in c.params for c in drawn)
    assert [c.l2 for c in WEAK_BY_DRAWS.to_draw] == [1.0, 0.01]


def test_models_of_draws_against_a_slow_loop():
    problem = problem_of(DATA)
    plain = models(problem, DATA, replace(WEAK_BY_DRAWS, drawn_up_to=0.0))
    unl = DATA.X[~DATA.is_positive]
    for candidate, coef, undrawn in zip(WEAK_BY_DRAWS, models(problem, DATA, WEAK_BY_DRAWS), plain, strict=True):
        if not candidate.drawn:
            np.testing.assert_array_equal(coef, undrawn)
            continue
        total = np.zeros(9)
        for part in draws(DATA):
            path = Grid("standard", "logistic", [1.0, 0.01], [0.0], [9])
            fitted = dict(zip(path.l2, models(problem, part, path), strict=True))[candidate.l2]
            total += fitted / (unl @ fitted).std()
        np.testing.assert_allclose(coef, total, rtol=1e-9)
        assert np.corrcoef(DATA.X @ coef, DATA.X @ undrawn)[0, 1] < 0.999


@pytest.mark.parametrize("drawn_up_to", [1.0, 100.0])
def test_fits_that_would_be_thrown_away_are_not_missed(drawn_up_to):
    problem, every_count = problem_of(DATA), replace(WEAK_BY_DRAWS, drawn_up_to=drawn_up_to)
    all_features = replace(every_count, n_features_to_select=[9])
    expected = dict(zip(every_count, models(problem, DATA, every_count), strict=True))
    for candidate, coef in zip(all_features, models(problem, DATA, all_features), strict=True):
        np.testing.assert_array_equal(coef, expected[candidate])


def test_an_average_of_draws_is_fitted_as_it_was_judged():
    problem, candidates = problem_of(DATA), list(WEAK_BY_DRAWS)
    average = Average(problem, candidates, np.array([0.5, 0.3, 0.9, 0.6, 1.0, 0.4]))
    total = average.share @ unit_weights(DATA, models(problem, DATA, WEAK_BY_DRAWS))
    solution, _ = average.fit()
    expected = Projection(DATA)(total, solution.coef != 0)
    largest = np.abs(expected).argmax()
    np.testing.assert_allclose(solution.coef / solution.coef[largest], expected / expected[largest])
    assert not average.is_one_fit


def test_one_fit_is_an_estimators_but_one_average_over_draws_is_not():
    for candidate in WEAK_BY_DRAWS:
        assert Average(problem_of(DATA), [candidate], np.ones(1)).is_one_fit == (not candidate.drawn)


@pytest.mark.parametrize(
    ("n_outliers", "doubted", "expected"),
    [(4, 4, 4), (4, 2, 4), (4, 1, 1), (4, 5, 5), (4, 20, 20), (4, 21, 4), (4, 0, 4), (0, 5, 0)],
)
def test_an_average_has_as_many_outliers_as_are_doubted_where_its_number_is_a_miss(n_outliers, doubted, expected):
    grid = Grid("none", "logistic", [100.0, 10.0], [n_outliers / 40], [9])
    average = Average(problem_of(DATA), list(grid), np.ones(2)).with_outliers(doubted / 40)
    assert average.typical.n_outliers * 40 == pytest.approx(expected)
    solution, screened = average.fit()
    assert solution.outliers.sum() + screened.sum() == expected


def test_the_doubted_share_is_that_of_the_positives_that_were_held_out(monkeypatch):
    data = make_paper_data(n_features=9, n_outliers=6, n_relevant=9, n_pos=60, n_negatives=120, random_state=0)
    pos, unl = np.flatnonzero(data.y_pu == 1), np.flatnonzero(data.y_pu == 0)
    # The first half of the positives is never held out.
    splits = [(np.setdiff1d(np.arange(len(data.y_pu)), held), held) for held in (np.r_[pos[30::2], unl[::3]],)]
    seen = []
    monkeypatch.setattr(Average, "with_outliers", lambda self, doubted: seen.append(doubted) or self)
    monkeypatch.setattr("blindauc.estimators.tuned.flag", lambda suspicion: np.arange(len(suspicion)) < 3)
    BlindAUCClassifierCV(cv=splits, scaling="none", n_features_to_select=1.0).fit(data.X, data.y_pu)
    assert seen == [3 / 15]


@pytest.mark.parametrize("given", [{}, {"n_outliers": [0, 4]}, {"rule": "best"}])
def test_how_many_are_doubted_counts_where_nobody_said_how_many_outliers(given, monkeypatch):
    data = make_correlated_data(0.1, outliers="far", n_features=9, n_pos=60, n_unlabelled=200, random_state=0)
    options = {**FEW, "n_features_to_select": 1.0, "n_outliers": "auto", **given}
    before = BlindAUCClassifierCV(**options).fit(data.X, data.y_pu)
    assert 0 < len(before.outliers_) < 23
    monkeypatch.setattr("blindauc.estimators.tuned.flag", lambda suspicion: np.arange(len(suspicion)) < 23)
    after = BlindAUCClassifierCV(**options).fit(data.X, data.y_pu)
    assert len(after.outliers_) == (len(before.outliers_) if given else 23)
    assert round(60 * after.best_params_["n_outliers"]) == len(after.outliers_)
    np.testing.assert_array_equal(after.suspicion_, before.suspicion_)


def test_paths_to_weak_ridges_come_down_by_and_by():
    rng = np.random.default_rng(0)
    X, new = (rng.normal(size=(n, 60)) for n in (60, 1000))
    data = as_data(X + 0.4 * np.outer(np.arange(60) < 30, np.arange(60) < 30), np.arange(60) < 30)
    unit = problem_of(data).objective(data, "none", "logistic").ridge_unit
    ridges = [unit * 10.0**-k for k in range(7)]
    from_afar, stepwise = (
        list(models(problem_of(data), data, Grid("none", "logistic", l2, [0.0], [60])))[-1]
        for l2 in (ridges[-1:], ridges)
    )
    assert np.corrcoef(new @ from_afar, new @ stepwise)[0, 1] > 0.99


def gain_by_draws(n_hidden, seed):
    """In AUC on new rows, under a weak ridge."""
    rng = np.random.default_rng(seed)

    def rows(n, n_true):
        return rng.normal(size=(n, 60)) + 0.4 * np.outer(np.arange(n) < n_true, np.arange(60) < 30)

    X, new = rows(150 + n_hidden, 30 + n_hidden), rows(2000, 1000)
    data = as_data(X, np.arange(len(X)) < 30)
    grid = Grid("none", "logistic", [0.01], [0.0], [60])
    (plain,), (drawn,) = (models(problem_of(data), data, each) for each in (grid, replace(grid, drawn_up_to=1.0)))
    return np.subtract(*(roc_auc_score(np.arange(2000) < 1000, new @ coef) for coef in (drawn, plain)))


def test_hidden_positives_do_less_harm_to_an_average_over_draws():
    with_hidden, without = ([gain_by_draws(n_hidden, seed) for seed in range(6)] for n_hidden in (30, 0))
    assert np.mean(with_hidden) > 0.02 + np.mean(without)


# --- averages ---


def test_an_average_of_one_is_that_one():
    candidates = list(Grid("none", "logistic", [100.0, 1.0], [0.0], [9, 3]))
    average = Average(problem_of(DATA), candidates, np.array([0.0, 0.0, 0.5, 0.004]))
    assert average.share.tolist() == [0.0, 0.0, 1.0, 0.0]
    assert average.typical == candidates[2]


def test_the_typical_candidate_is_in_the_middle():
    candidates = candidates_of((100.0, 0.0, 8), (1.0, 0.0, 8), (1.0, 0.1, 2), (1e-6, 0.2, 1))
    average = Average(problem_of(DATA), candidates, np.array([1.0, 0.5, 0.5, 0.9 * NEGLIGIBLE]))
    np.testing.assert_allclose(average.share, [0.5, 0.25, 0.25, 0.0])
    typical = average.typical
    assert typical.l2 == pytest.approx(10.0)
    assert typical.n_features_to_select == round(0.75 * 8 + 0.25 * 2)
    assert typical.n_outliers == pytest.approx(0.025)


def test_the_typical_ridge_is_that_of_the_typical_scaling():
    candidates = [Candidate("none", "logistic", l2, 0.0, 4) for l2 in (100.0, 1.0)]
    candidates += [Candidate("robust", "logistic", 1e6, 0.0, 4)]
    typical = Average(problem_of(DATA), candidates, np.array([1.0, 1.0, 0.9])).typical
    assert (typical.scaling, typical.l2) == ("none", pytest.approx(10.0))


def test_an_average_of_fits_against_a_slow_loop():
    problem = problem_of(DATA)
    grids = [Grid(scaling, "logistic", [10.0, 1.0], [0.0, 0.1], [9, 4]) for scaling in ("standard", "none")]
    importance = np.random.default_rng(0).uniform(0.3, 1, 16)
    importance[0] = 1.0
    average = Average(problem, [c for grid in grids for c in grid], importance)
    total = np.zeros(9)
    fitted = [coef for grid in grids for coef in models(problem, DATA, grid)]
    for weight, coef in zip(importance, fitted, strict=True):
        total += weight * coef / (DATA.X[~DATA.is_positive] @ coef).std()
    solution, screened = average.fit()
    kept = np.argsort(-np.abs(total) * DATA.X.std(axis=0))[: average.typical.n_features_to_select]
    assert set(np.flatnonzero(solution.coef)) == set(kept)
    expected = Projection(DATA)(total, solution.coef != 0)
    np.testing.assert_allclose(solution.coef / solution.coef[kept[0]], expected / expected[kept[0]], rtol=1e-6)
    n_outliers = round(40 * average.typical.n_outliers)
    assert solution.outliers.sum() + screened.sum() == n_outliers
    # Longer or shorter weights are no better.
    objective = problem.objective(DATA.subset(~screened), "standard", "logistic").with_ridge(average.typical.l2)
    assert solution.value == pytest.approx(objective.value(solution.coef, solution.shift))
    for factor in (0.98, 1.02):
        assert objective.value(factor * solution.coef, solution.shift) >= solution.value


def test_an_average_keeps_the_features_that_it_cannot_spare():
    # Two columns that say the same with opposite noise: each candidate has one of them, the average needs both.
    rng = np.random.default_rng(0)
    noise, truth = 3 * rng.standard_normal(400), np.repeat([1.5, 0.0], 200)
    truth[200:240] = 1.5
    X = np.column_stack([truth + noise, truth - noise, *0.01 * rng.standard_normal((4, 400))])
    X[:, :2] += 0.5 * rng.standard_normal((400, 2))
    data = as_data(X, np.arange(400) < 200)
    problem = problem_of(data)
    splits = fold_splits(data, 3, seed=0)
    candidates = candidates_of((1.0, 0.0, 6), (1.0, 0.0, 1), (2.0, 0.0, 1))
    either = np.zeros((3, 6))
    either[0, :2], either[1, 0], either[2, 1] = 0.5, 1.0, 1.0
    average = Average(problem, candidates, np.array([0.02, 1.0, 0.9]))
    assert average.typical.n_features_to_select == 1
    kept = average.with_enough_features(splits, [sp.csr_array(either)] * 3, 0.15)
    assert kept.typical.n_features_to_select == 6
    # Where the second column is noise alone, the first does.
    alone = np.zeros((3, 6))
    alone[:, 0], alone[0, 2:] = 1.0, 0.01
    spared = average.with_enough_features(splits, [sp.csr_array(alone)] * 3, 0.15)
    assert spared.typical.n_features_to_select == 1


def test_an_average_ranks_rows_by_splits_that_have_not_seen_them():
    problem = problem_of(DATA)
    grid = Grid("none", "logistic", [10.0, 1.0], [0.0], [9, 4])
    splits = fold_splits(DATA, 3, seed=0)[:2] + fold_splits(DATA, 3, seed=1)
    weights = [judged(problem, split, grid, keep_weights=True).weights for split in splits]
    average = Average(problem, list(grid), np.array([1.0, 0.5, 0.2, 0.1]))
    found = average.out_of_fold(splits, weights)
    total, times = np.zeros(len(DATA.row)), np.zeros(len(DATA.row))
    for split, each in zip(splits, weights, strict=True):
        coef = average.share @ each
        largest = np.argsort(-np.abs(coef) * DATA.X.std(axis=0))[: average.typical.n_features_to_select]
        scores = DATA.X @ Projection(DATA)(coef, np.isin(np.arange(9), largest))
        unl = scores[split.held_out & ~DATA.is_positive]
        for row in np.flatnonzero(split.held_out):
            total[row] += np.mean((scores[row] > unl) + 0.5 * (scores[row] == unl))
            times[row] += 1
    # Ranked once more, so that the unlabelled rows are spread evenly.
    mean, unl = (total / times), (total / times)[~DATA.is_positive]
    expected = [np.mean((each > unl) + 0.5 * (each == unl)) for each in mean]
    np.testing.assert_allclose(found.rank, expected)
    assert found.lift >= 0
    # Of a row that is never held out nothing is known.
    alone = average.out_of_fold(splits[:1], weights[:1])
    np.testing.assert_array_equal(np.isnan(alone.rank), ~splits[0].held_out)
    with_unit_spread = unit_weights(DATA, [average.share @ weights[0]])[0]
    np.testing.assert_allclose((DATA.X[~DATA.is_positive] @ with_unit_spread).std(), 1)
    np.testing.assert_allclose(
        held_out_ranks(DATA, [with_unit_spread])[0], positive_ranks(DATA.is_positive, DATA.X @ with_unit_spread)
    )


def test_unit_weights_by_weight_are_those_of_repeated_rows():
    weight = np.random.default_rng(0).integers(1, 4, len(DATA.row))
    weighted = as_data(DATA.X, DATA.is_positive, weight)
    repeated = as_data(DATA.X.repeat(weight, axis=0), DATA.is_positive.repeat(weight))
    one, other = (unit_weights(data, [np.arange(9.0)]) for data in (weighted, repeated))
    np.testing.assert_allclose(one, other, rtol=1e-9)


# --- spaces ---


def space(data=DATA, **params):
    cv = BlindAUCClassifierCV(**params)
    return read_space(cv, problem_of(data, sparsity=cv.sparsity, groups=cv.groups))


def test_automatic_spaces():
    found = space()
    assert set(found.scaling) <= {"none", "standard", "robust"}
    assert found.scaling[0] == "none"
    assert list(found.loss) == ["logistic"]
    assert found.n_features_to_select == feature_counts(9, 40)
    assert found.n_outliers == [0.0, 0.05, 0.1, 0.2, 0.3]
    ridges = found.l2("none", "logistic")
    assert len(ridges) == 14
    np.testing.assert_allclose(np.diff(np.log10(ridges)), -1)
    unit = problem_of(DATA).objective(DATA, "none", "logistic").ridge_unit
    assert ridges[4] / 10**0.5 <= unit <= ridges[4] * 10**0.5


def test_ridges_go_with_the_units_of_the_columns():
    larger = as_data(DATA.X * 1000, DATA.is_positive)
    one, other = (space(data).l2("none", "logistic") for data in (DATA, larger))
    np.testing.assert_allclose(np.array(other) / one, 1e6)
    one, other = (space(data).l2("standard", "logistic") for data in (DATA, larger))
    np.testing.assert_allclose(other, one)


SPACES = {
    "one ridge": ({"l2": 3.0}, "l2", [3.0]),
    "ridges in any order": ({"l2": (1.0, 100, 10.0)}, "l2", [100, 10.0, 1.0]),
    "an array of ridges": ({"l2": np.array([0.1, 1.0])}, "l2", [1.0, 0.1]),
    "all features": ({"n_features_to_select": None}, "n_features_to_select", [9]),
    "one count": ({"n_features_to_select": 4}, "n_features_to_select", [4]),
    "counts and shares": ({"n_features_to_select": [2, 1.0, 0.5, None]}, "n_features_to_select", [9, 4, 2]),
    "the same twice": ({"n_features_to_select": [1 / 9, 1, 3, 1 / 3]}, "n_features_to_select", [3, 1]),
    "a tiny share": ({"n_features_to_select": 1e-6}, "n_features_to_select", [1]),
    "a range": ({"n_features_to_select": range(1, 4)}, "n_features_to_select", [3, 2, 1]),
    "outliers as a number": ({"n_outliers": 4}, "n_outliers", [0.1]),
    "outliers as shares": ({"n_outliers": [0.1, 0]}, "n_outliers", [0.0, 0.1]),
    "outliers twice": ({"n_outliers": [4, 0.1, 0, 0.0]}, "n_outliers", [0.0, 0.1]),
    "one scaling": ({"scaling": "robust"}, "scaling", ["robust"]),
    "scalings": ({"scaling": ["none", "none"]}, "scaling", ["none"]),
    "losses": ({"loss": ["hinge", "logistic"]}, "loss", ["hinge", "logistic"]),
}


@pytest.mark.parametrize("case", SPACES)
def test_spaces_are_read(case):
    params, name, expected = SPACES[case]
    found = getattr(space(**params), name)
    values = found("none", "logistic") if name == "l2" else found
    assert list(values) == expected


def test_scalings_that_make_the_same_ridge_are_tried_once():
    standardised = as_data((DATA.X - DATA.X.mean(0)) / DATA.X.std(0) * 7.0, DATA.is_positive)
    assert space(standardised, scaling=["none", "standard"]).scaling == ["none"]
    uneven = as_data(standardised.X * 10.0 ** np.arange(9), DATA.is_positive)
    assert space(uneven, scaling=["none", "standard"]).scaling == ["none", "standard"]
    assert "robust" not in space(as_data(sp.csr_matrix(uneven.X), DATA.is_positive)).scaling


def test_few_positives_leave_few_shares_of_outliers():
    few = as_data(DATA.X[37:], DATA.is_positive[37:])
    assert few.is_positive.sum() == 3
    assert all(3 - round(share * 3) >= 2 for share in space(few).n_outliers)


def test_groups_are_counted_as_units():
    groups = np.arange(9) // 3
    found = space(sparsity="group_l0", groups=groups)
    assert found.n_features_to_select == feature_counts(3, 40)
    assert space(sparsity="group_l0", groups=groups, n_features_to_select=[1.0, 1 / 3]).n_features_to_select == [3, 1]
    counts = space(sparsity="exclusive_l0", groups=groups).n_features_to_select
    totals = [np.count_nonzero(_most_allowed(groups, each)) for each in counts]
    assert totals[0] == 9
    assert all(a > b for a, b in pairwise(totals))


def _most_allowed(groups, counts):
    allowed = problem_of(DATA, sparsity="exclusive_l0", groups=groups).features(counts)
    return allowed.support(np.ones(len(groups)))


BAD_SPACES = [
    ("l2", [0]), ("l2", [-1.0]), ("l2", ["x"]), ("l2", [1.0, "x"]), ("l2", [None]), ("l2", [1.0, None]),
    ("l2", [True]), ("l2", [np.nan]), ("l2", []),
    ("n_outliers", [-1]), ("n_outliers", [39]), ("n_outliers", [1.0]), ("n_outliers", ["x"]), ("n_outliers", [None]),
    ("n_outliers", []), ("n_outliers", [True]),
    ("scaling", ["minmax"]), ("scaling", [None]), ("scaling", []), ("scaling", [3]),
    ("loss", ["squared"]), ("loss", [None]), ("loss", []),
    ("n_features_to_select", []), ("n_features_to_select", [3, "x"]), ("n_features_to_select", [{}]),
    ("n_features_to_select", [3, {}]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "values"), BAD_SPACES, ids=[f"{n}={v}"[:40] for n, v in BAD_SPACES])
def test_bad_spaces_are_refused_by_name(name, values):
    for value in [values, *values]:
        if value == 3 or (value == 1.0 and name == "l2"):
            continue  # a good one among bad ones
        with pytest.raises(ValueError, match=name):
            BlindAUCClassifierCV(**{**FEW, name: value}).fit(PAPER.X, PAPER.y_pu)


# --- searches ---


class RecordingJudge:
    """Scores candidates by a formula, and remembers what it was asked."""

    def __init__(self, score):
        self.score, self.asked = score, []

    def __call__(self, name, grids, splits, keep_weights=False):
        candidates = [c for grid in grids for c in grid]
        self.asked.append((name, grids, len(splits)))
        ranks = np.array([[self.score(c)] * 10 for c in candidates])
        return Stage(name, candidates, ranks, len(splits), 0.0, np.ones(10))


def space_of(scalings, ridges, shares, counts):
    belief = Belief(lambda *_: 1.0, counts[0], len(counts) - 1, 0.0)
    return Space(scalings, ["logistic"], lambda *_: ridges, shares, counts, belief, drawn_up_to=lambda *_: 0.0)


@pytest.mark.parametrize("best_decade", [5, 3, 0])
def test_the_staged_search_looks_around_the_best_ridge(best_decade):
    ridges = [10.0**k for k in range(5, -1, -1)]
    judge = RecordingJudge(lambda c: -abs(np.log10(c.l2) - best_decade) + (c.scaling == "robust"))
    space = space_of(["none", "robust"], ridges, [0.0, 0.1, 0.2], [8, 4, 2])
    stages = staged_search(space, judge, splits=[None] * 6, n_first=3)
    (_, first, n_first), (_, second, n_second), (_, third, n_third) = judge.asked
    assert (n_first, n_second, n_third) == (3, 3, 3)
    assert {(g.scaling, g.loss) for g in first} == {("none", "logistic"), ("robust", "logistic")}
    assert all(list(g.l2) == ridges and list(g.n_features_to_select) == [8] for g in first)
    assert all(list(g.n_outliers) == [0.0, 0.1] for g in first)
    # Equal scores have no spread: no other ridge may be right, but the neighbours are tried.
    near = [k for k in range(best_decade + 1, best_decade - 2, -1) if 0 <= k <= 5]
    assert [list(g.n_outliers) for g in second] == [[0.0], [0.1, 0.2]]
    for g in second:
        assert (g.scaling, g.n_features_to_select) == ("robust", [8, 4, 2])
        assert [round(np.log10(l2)) for l2 in g.l2] == near
    assert [list(g.n_outliers) for g in third] == [[0.0], [0.1, 0.2]]
    assert all((g.l2, g.n_features_to_select) == ([10.0**best_decade], [8, 4, 2]) for g in third)
    assert [stage.n_splits for stage in stages] == [3, 3, 6]


def test_all_ridges_that_may_be_right_are_tried_with_few_features_but_without_outliers():
    ridges = [10.0**k for k in range(4, -10, -1)]
    judge = RecordingJudge(lambda c: 0.7)
    staged_search(space_of(["standard"], ridges, [0.0, 0.1], [8, 4]), judge, [None] * 2, 2)
    plain, robust = judge.asked[1][1]
    # By belief alone; 10^1.5 is the likeliest.
    assert [round(np.log10(l2)) for l2 in plain.l2] == [4, 3, 2, 1, 0, -1]
    assert [round(np.log10(l2)) for l2 in robust.l2] in ([3, 2, 1], [2, 1, 0])
    assert (plain.n_outliers, robust.n_outliers) == ([0.0], [0.1])


def test_belief_is_normal_in_the_ridge_and_rules_nothing_out():
    def believed(scaling, l2, unit=1.0):
        (value,) = Belief(lambda *_: unit, 8, 3, 0.0)([Candidate(scaling, "logistic", l2, 0.0, 4)])
        return value

    assert believed("standard", 10**1.5) == believed("robust", 10**1.5) == 1 + SURPRISE
    assert believed("standard", 1.0) == pytest.approx(np.exp(-0.5) + SURPRISE)
    assert believed("standard", 1e-9) == pytest.approx(SURPRISE)
    assert believed("standard", 70.0, unit=7.0) == pytest.approx(believed("standard", 10.0))
    assert believed("none", 10.0) == pytest.approx(UNSCALED * believed("standard", 10.0))


def test_all_features_are_as_likely_as_all_other_numbers_together():
    some = candidates_of(*[(1.0, 0.0, n) for n in (8, 4, 2, 1)])
    believed = Belief(lambda *_: 1.0, 8, 3, 0.0)(some)
    assert believed[0] == pytest.approx(believed[1:].sum())
    assert len(set(believed[1:])) == 1
    # Where not all may be chosen, the largest number is one of many; and one alone has nothing to be compared to.
    assert len(set(Belief(lambda *_: 1.0, None, 3, 0.0)(some))) == 1
    assert Belief(lambda *_: 1.0, 8, 0, 0.0)(some[:1])[0] == believed[1]


@pytest.mark.parametrize("deviations", [-2.5, -1.0, 0.0, 2.0])
def test_all_features_are_more_likely_where_columns_differ_evenly(deviations):
    some = candidates_of(*[(1.0, 0.0, n) for n in (8, 4, 2, 1)])
    believed = Belief(lambda *_: 1.0, 8, 3, deviations)(some)
    assert believed[0] / believed[1:].sum() == pytest.approx(np.exp(deviations))
    np.testing.assert_array_equal(believed[1:], Belief(lambda *_: 1.0, 8, 3, 0.0)(some)[1:])


@pytest.mark.parametrize(("counts", "everything"), [("auto", 9), ([9, 3], 9), ([4, 3], None), (None, 9)])
def test_a_space_knows_whether_all_features_may_be_chosen(counts, everything):
    estimator = BlindAUCClassifierCV(n_features_to_select=counts)
    belief = read_space(estimator, problem_of(DATA)).belief
    assert belief.everything == everything
    assert belief.evenness == (0.0 if counts is None else evenness(DATA))


@pytest.mark.parametrize(
    ("params", "may_draw"),
    [
        ({}, True),
        ({"n_features_to_select": None, "n_outliers": 0}, True),
        ({"rule": "best"}, False),
        ({"l2": [1e-6, 1.0]}, False),
        ({"n_features_to_select": [4, 3]}, False),
    ],
)
def test_weak_ridges_are_for_draws_where_averages_choose_them(params, may_draw):
    found = space(**params)
    unit = problem_of(DATA).objective(DATA, "none", "logistic").ridge_unit
    assert found.drawn_up_to("none", "logistic") == pytest.approx(unit / 10**0.5 if may_draw else 0.0)


def test_no_draws_where_unlabelled_rows_are_no_more_than_positives():
    few = DATA.subset(DATA.is_positive | (np.cumsum(~DATA.is_positive) <= DATA.is_positive.sum()))
    assert space(few).drawn_up_to("none", "logistic") == 0


def test_weak_ridges_that_may_be_right_have_draws_and_no_outliers():
    ridges = [10.0**k for k in range(4, -10, -1)]
    judge = RecordingJudge(lambda c: 0.7 + 0.1 * (c.l2 == 1e-3))
    some = space_of(["standard"], ridges, [0.0, 0.1], [8, 4])
    staged_search(replace(some, drawn_up_to=lambda *_: 0.3), judge, [None] * 4, 2)
    (_, first, _), (_, (plain, robust), _), (_, last, _) = judge.asked
    assert not any(candidate.drawn for grid in first for candidate in grid)
    assert (plain.l2, plain.drawn_up_to, plain.n_features_to_select) == ([0.01, 1e-3, 1e-4], 0.3, [8, 4])
    # Outliers have the weakest ridges that are not weak.
    assert (robust.l2, robust.drawn_up_to, robust.n_outliers) == ([10.0, 1.0], 0.0, [0.1])
    assert [(grid.l2, grid.drawn_up_to) for grid in last] == [([1e-3], 0.3)]


def test_scalings_that_cannot_be_told_apart_go_on_together():
    judge = RecordingJudge(lambda c: {"none": 0.5, "standard": 0.7, "robust": 0.7}[c.scaling])
    staged_search(space_of(["none", "standard", "robust"], [1.0], [0.0], [3]), judge, [None] * 2, 2)
    assert [grid.scaling for grid in judge.asked[1][1]] == ["standard", "robust"]


def test_what_is_clearly_worse_is_not_tried_again():
    def score(c):
        return 0.8 - 0.3 * (c.n_outliers == 0.0) - 0.2 * (c.n_features_to_select == 2) - 0.1 * (c.l2 == 10.0)

    judge = RecordingJudge(score)
    staged_search(space_of(["none"], [10.0, 1.0], [0.0, 0.1, 0.2], [8, 4, 2]), judge, [None] * 6, 3)
    ((last,),) = [grids for name, grids, _ in judge.asked if name == "finalists"]
    assert (last.l2, last.n_outliers, last.n_features_to_select) == ([1.0], [0.1, 0.2], [8, 4])


def test_finalists_are_judged_by_the_splits_of_both_stages():
    problem = problem_of(DATA)
    splits = [split for seed in range(3) for split in fold_splits(DATA, 3, seed=seed)]
    judge = Judge(problem, 0.15, None, lambda *report: None)
    grid = Grid("none", "logistic", [100.0, 1.0], [0.0], [9, 3])
    narrow = Grid("none", "logistic", [1.0], [0.0], [9, 3])
    early = judge("early", [grid], splits[:3], keep_weights=True)
    both = early.joined(judge("late", [narrow], splits[3:], keep_weights=True))
    late = [judged(problem, split, narrow, keep_weights=True) for split in splits[3:]]
    total = early.ranks[2:].copy()
    for split, part in zip(splits[3:], late, strict=True):
        total[:, split.held_out[DATA.is_positive]] += part.ranks
    np.testing.assert_allclose(both.ranks, total / 3)
    assert (both.candidates, both.n_splits, len(both.weights)) == (list(narrow), 9, 9)
    np.testing.assert_allclose(both.weights[0].toarray(), early.weights[0].toarray()[2:])
    np.testing.assert_allclose(both.weights[8].toarray(), late[5].weights.toarray())


def test_a_space_of_one_candidate_is_judged():
    judge = RecordingJudge(lambda c: 0.5)
    stages = staged_search(space_of(["none"], [1.0], [0.0], [3]), judge, [None] * 2, 2)
    assert [len(stage.candidates) for stage in stages] == [1, 1]


def test_the_judge_puts_every_rank_in_its_place():
    problem = problem_of(DATA)
    splits = fold_splits(DATA, 3, seed=0) + fold_splits(DATA, 3, seed=1)
    grids = [Grid(scaling, "logistic", [100.0, 1.0], [0.0], [9, 3]) for scaling in ("none", "standard")]
    reports = []
    stage = Judge(problem, 0.15, None, lambda *report: reports.append(report))("name", grids, splits)
    assert stage.candidates == [c for grid in grids for c in grid]
    for grid, ranks in zip(grids, np.split(stage.ranks, 2), strict=True):
        total = np.zeros((4, 40))
        for split in splits:
            total[:, split.held_out[DATA.is_positive]] += judged(problem, split, grid).ranks
        np.testing.assert_allclose(ranks, total / 2)
    assert (stage.n_splits, len(stage.weights)) == (6, 0)
    kept = Judge(problem, 0.15, None, lambda *report: None)("name", grids[:1], splits, keep_weights=True)
    for split, weights in zip(splits, kept.weights, strict=True):
        expected = judged(problem, split, grids[0], keep_weights=True).weights.toarray()
        np.testing.assert_allclose(weights.toarray(), expected)
    assert reports[-1] == ("name", 12, 12)
    assert [n_done for _, n_done, _ in reports] == sorted(n_done for _, n_done, _ in reports)


def test_the_greedy_walk_grows_and_stops():
    problem, start = problem_of(DATA), Candidate("none", "logistic", 100.0, 0.0, 9)
    counts, shares = [9, 6, 4, 2, 1], [0.0, 0.1, 0.2]
    stage = greedy_search(problem, space_of(["none"], [100.0], shares, counts), start)
    assert (stage.candidates[0].n_features_to_select, stage.candidates[0].n_outliers) == (1, 0.0)
    assert stage.n_splits == 0
    performance = []
    for candidate, ranks in zip(stage.candidates, stage.ranks, strict=True):
        coef = model(problem, DATA, candidate)
        np.testing.assert_allclose(ranks, positive_ranks(DATA.is_positive, DATA.X @ coef))
        performance.append(trimmed_blind_auc_score(DATA.is_positive, DATA.X @ coef, trim=candidate.n_outliers))
    assert (np.diff(performance) > WORTH_WHILE).all()
    # One step in one direction at a time.
    ascending = counts[::-1]
    for a, b in pairwise(stage.candidates):
        steps = (
            ascending.index(b.n_features_to_select) - ascending.index(a.n_features_to_select),
            shares.index(b.n_outliers) - shares.index(a.n_outliers),
        )
        assert sorted(steps) == [0, 1]
    # And no step from the last one is worth while.
    last = stage.candidates[-1]
    for name, values in (("n_features_to_select", ascending), ("n_outliers", shares)):
        place = values.index(getattr(last, name))
        for value in values[place + 1 : place + 2]:
            coef = model(problem, DATA, replace(last, **{name: value}))
            trim = value if name == "n_outliers" else last.n_outliers
            score = trimmed_blind_auc_score(DATA.is_positive, DATA.X @ coef, trim=trim)
            assert score <= performance[-1] + WORTH_WHILE


# --- growing the unlabelled sample ---


@pytest.mark.parametrize("distance", [0.3, 5.0])
def test_growth_doubles_until_settled_and_keeps_all_positives(distance):
    generator = np.random.default_rng(0)
    X, is_positive = generator.normal(size=(1330, 3)), np.arange(1330) < 30
    X[is_positive] += distance
    problem = problem_of(as_data(X, is_positive))
    sample, path = grown(problem, Candidate("none", "logistic", 0.1, 0.0, 3))
    sizes = [step.n_unlabelled for step in path]
    assert sizes == [min(30 * 2**k, 1300) for k in range(len(path))]
    assert sample.is_positive.sum() == 30
    assert (~sample.is_positive).sum() == sizes[-1]
    np.testing.assert_array_equal(X[sample.row], sample.X)
    values = [float(step.blind_auc) for step in path]
    moves = np.abs(np.diff(values))
    assert (moves[:-1] > SETTLED).all()
    assert moves[-1] <= SETTLED or sizes[-1] == 1300
    assert all(step.blind_auc.low <= step.blind_auc <= step.blind_auc.high for step in path)
    if distance == 5.0:
        assert len(path) == 2


def test_growth_ends_where_the_rows_do():
    X, is_positive = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) < 30
    sample, path = grown(problem_of(as_data(X, is_positive)), Candidate("none", "logistic", 0.1, 0.0, 2))
    assert [step.n_unlabelled for step in path] == [20]
    assert len(sample.row) == 50


# --- baselines ---


def test_the_difference_of_means_is_just_that():
    weight = np.random.default_rng(0).uniform(0.5, 2, len(DATA.row))
    for X in (DATA.X, sp.csr_matrix(DATA.X), DATA.X.astype(np.float32)):
        plain, scaled = difference_of_means(as_data(X, DATA.is_positive, weight))
        pos, unl = (np.average(DATA.X[k], axis=0, weights=weight[k]) for k in (DATA.is_positive, ~DATA.is_positive))
        variance = np.cov(DATA.X, rowvar=False, aweights=weight, ddof=0).diagonal()
        np.testing.assert_allclose(plain, pos - unl, rtol=1e-4)
        np.testing.assert_allclose(scaled, (pos - unl) / variance, rtol=1e-4)


def test_logistic_regressions_rank_and_select():
    clean = make_paper_data(n_features=9, n_outliers=0, n_relevant=9, n_pos=200, n_negatives=500, random_state=0)
    weights = l1_logistic(as_data(clean.X, clean.y_pu == 1))
    n_selected = [np.count_nonzero(coef) for coef in weights]
    assert n_selected == sorted(n_selected)
    # The best score there is has the AUC of normal scores 2 * sqrt(9) / 7 standard deviations apart.
    assert roc_auc_score(clean.y_test, clean.X_test @ weights[-1]) > norm.cdf(2 * 3 / 7 / np.sqrt(2)) - 0.05
    weights = l1_logistic(DATA)
    # The units of the columns are of no concern.
    rescaled = l1_logistic(as_data(DATA.X * 10.0 ** np.arange(9), DATA.is_positive))
    np.testing.assert_allclose(rescaled[-1] * 10.0 ** np.arange(9), weights[-1], rtol=1e-2, atol=1e-4)


def test_comparisons_against_a_slow_loop():
    splits = fold_splits(DATA, 3, seed=0)
    chosen = np.linspace(0.3, 0.9, 40)
    for comparison in compare(DATA, splits, 0.1, chosen):
        baseline = BASELINES[comparison.name]
        variants = len(baseline(DATA))
        ranks = np.empty((variants, 40))
        for split in splits:
            judged, unlabelled = split.held_out & DATA.is_positive, split.held_out & ~DATA.is_positive
            for k, coef in enumerate(baseline(DATA.subset(split.fitted))):
                unl = DATA.X[unlabelled] @ coef
                ranks[k, split.held_out[DATA.is_positive]] = [
                    np.mean((score > unl) + 0.5 * (score == unl)) for score in DATA.X[judged] @ coef
                ]
        scores = [slow_trimmed_mean(row, np.ones(40), 0.1) for row in ranks]
        assert comparison.score == pytest.approx(max(scores))
        assert comparison.advantage == pytest.approx(slow_trimmed_mean(chosen, np.ones(40), 0.1) - max(scores))


def test_a_baseline_is_as_good_unless_the_choice_is_surely_better():
    assert Comparison("x", 0.8, Estimate(0.01, -0.01, 0.03)).is_as_good
    assert Comparison("x", 0.8, Estimate(-0.05, -0.07, -0.03)).is_as_good
    assert not Comparison("x", 0.8, Estimate(0.05, 0.03, 0.07)).is_as_good


# --- the estimators ---


def tuned(Estimator=BlindAUCClassifierCV, X=PAPER.X, y=PAPER.y_pu, sample_weight=None, **params):
    return Estimator(**{**FEW, **params}).fit(X, y, sample_weight)


THREES = np.arange(9) // 3
VARIANTS = {
    "default": (BlindAUCClassifierCV, {}),
    "rule best": (BlindAUCClassifierCV, {"rule": "best", "trim": 0.3}),
    "one standard error": (BlindAUCClassifierCV, {"rule": "one_standard_error", "loss": ["logistic", "squared_hinge"]}),
    "greedy": (BlindAUCClassifierCV, {"search": "greedy"}),
    "groups": (BlindAUCClassifierCV, {"sparsity": "group_l0", "groups": THREES, "n_features_to_select": "auto"}),
    "exclusive": (BlindAUCClassifierCV, {"sparsity": "exclusive_l0", "groups": THREES, "n_features_to_select": "auto"}),
    "exclusive, all": (
        BlindAUCClassifierCV,
        {"sparsity": "exclusive_l0", "groups": THREES, "n_features_to_select": None},
    ),
    "counts per group": (
        BlindAUCClassifierCV,
        {"sparsity": "exclusive_l0", "groups": THREES, "n_features_to_select": [[3, 3, 3], [2, 1, 1]]},
    ),
    "shifts": (BlindAUCClassifierCV, {"outlier_handling": "shift", "rule": "best"}),
    "growing": (BlindAUCClassifierCV, {"grow_unlabelled": True}),
    "one candidate": (BlindAUCClassifierCV, {"l2": 10.0, "n_outliers": 0, "n_features_to_select": None}),
    "repeats": (BlindAUCClassifierCV, {"n_repeats": 2}),
    "PU error": (PUErrorClassifierCV, {"prior": 0.2}),
    "PU error, best": (PUErrorClassifierCV, {"prior": 0.2, "rule": "best"}),
    "PU error, no prior": (PUErrorClassifierCV, {"risk": "nonnegative"}),
}
ONE = ("rule best", "one standard error", "greedy", "shifts", "one candidate", "PU error, best")
"""Variants that take one candidate, not an average."""


@pytest.fixture(scope="module")
def fits():
    """Each variant fitted once for all tests."""
    made = {}

    def fit(name):
        if name not in made:
            Estimator, params = VARIANTS[name]
            made[name] = tuned(Estimator, **params)
        return made[name]

    return fit


def scores_of_choice(model):
    """By a slow loop, of ranks within each fold and, as averages need it, of rows ranked by these once more."""
    problem, table = model._problem(DATA), model.cv_results_
    stage = [params for params, n in zip(table["params"], table["stage"], strict=True) if n == table["stage"][-1]]
    fewest = min(params["n_outliers"] for params in stage)
    grids = []
    for (scaling, loss, _), block in groupby(stage, lambda p: (p["scaling"], p["loss"], p["n_outliers"] == fewest)):
        some = list(block)
        names = ("l2", "n_outliers", "n_features_to_select")
        grids.append(Grid(scaling, loss, *(list(dict.fromkeys(p[name] for p in some)) for name in names)))
    assert [candidate.params for grid in grids for candidate in grid] == stage
    place, rank = stage.index(model.best_params_), np.empty(len(DATA.row))
    for split in fold_splits(DATA, 3, seed=0):
        fitted = DATA.subset(split.fitted)
        scores = DATA.X @ [coef for grid in grids for coef in models(problem, fitted, grid)][place]
        unl = scores[split.held_out & ~DATA.is_positive]
        rank[split.held_out] = [np.mean((s > unl) + 0.5 * (s == unl)) for s in scores[split.held_out]]
    ranked_once, ranked_twice = rank[DATA.is_positive], positive_ranks(DATA.is_positive, rank)
    return [slow_trimmed_mean(ranks, np.ones(40), model.trim) for ranks in (ranked_once, ranked_twice)]


@pytest.mark.parametrize("variant", VARIANTS)
class TestEveryTunedFit:
    def test_the_table_is_whole(self, fits, variant):
        model = fits(variant)
        table = model.cv_results_
        n = len(table["params"])
        assert all(len(column) == n for column in table.values())
        assert len(pd.DataFrame(table)) == n
        for name, value in table["params"][0].items():
            assert table[f"param_{name}"][0] == value
        # A greedy walk is judged by the rows it has seen, all others by rows held out.
        tested = table["n_splits"] > 0
        np.testing.assert_array_equal(np.isfinite(table["mean_test_score"]), tested)
        np.testing.assert_array_equal(np.isfinite(table["train_blind_auc"]), ~tested)
        assert (table["std_error_test_score"][tested] >= 0).all()
        assert (table["mean_test_score"] >= table["mean_test_blind_auc"] - 1e-12)[tested].all()
        for stage in set(table["stage"][tested]):
            rows = table["stage"] == stage
            expected = rankdata(-table["mean_test_score"][rows], method="min")
            np.testing.assert_array_equal(table["rank_test_score"][rows], expected)

    def test_the_choice_is_in_the_table(self, fits, variant):
        model = fits(variant)
        table = model.cv_results_
        last = table["stage"] == table["stage"][-1]
        assert last[model.best_index_]
        assert 0 <= model.best_score_ <= 1
        if variant in ONE:
            assert table["params"][model.best_index_] == model.best_params_
        if variant in ONE and variant != "greedy":
            once, twice = scores_of_choice(model)
            assert table["mean_test_score"][model.best_index_] == pytest.approx(once, rel=1e-12)
            assert model.best_score_ == pytest.approx(twice, rel=1e-12)
        if variant == "rule best" and model.best_params_["n_outliers"] == 0:
            plain = last & (table["param_n_outliers"] == 0)
            assert table["mean_test_score"][model.best_index_] == pytest.approx(table["mean_test_score"][plain].max())

    def test_the_choice_is_what_was_fitted(self, fits, variant):
        model = fits(variant)
        plain = BlindAUCClassifier if isinstance(model, BlindAUCClassifierCV) else PUErrorClassifier
        assert type(model.best_estimator_) is plain
        for name, value in model.best_params_.items():
            assert getattr(model.best_estimator_, name) == value
        if variant in ONE:
            again = model._made(**model.best_params_).fit(PAPER.X, PAPER.y_pu)
            np.testing.assert_array_equal(again.coef_, model.coef_)
            np.testing.assert_array_equal(again.outliers_, model.outliers_)
        for method in ("decision_function", "predict", "predict_proba"):
            np.testing.assert_array_equal(
                getattr(model, method)(PAPER.X_test), getattr(model.best_estimator_, method)(PAPER.X_test)
            )

    def test_the_choice_is_as_sparse_as_it_says(self, fits, variant):
        model = fits(variant)
        params = VARIANTS[variant][1]
        allowed = problem_of(DATA, sparsity=params.get("sparsity", "l0"), groups=params.get("groups")).features(
            model.best_params_["n_features_to_select"]
        )
        np.testing.assert_array_equal(allowed.support(model.support_.astype(float)) & model.support_, model.support_)
        assert not model.coef_[~model.support_].any()
        assert len(model.outliers_) == round(40 * model.best_params_["n_outliers"])
        assert (PAPER.y_pu[model.outliers_] == 1).all()
        assert model.shift_.shape == (40,)
        np.testing.assert_array_equal(np.flatnonzero(model.shift_), model.outliers_)  # the first 40 rows are labelled

    def test_parameters_are_as_they_were_given(self, fits, variant):
        model = fits(variant)
        Estimator, params = VARIANTS[variant]
        fresh = Estimator(**{**FEW, **params})
        assert {k: repr(v) for k, v in model.get_params().items()} == {
            k: repr(v) for k, v in fresh.get_params().items()
        }

    def test_baselines_and_summary(self, fits, variant):
        model = fits(variant)
        assert [each.name for each in model.baselines_] == list(BASELINES)
        text = model.summary()
        assert str(model.auc_) in text
        for each in model.baselines_:
            assert (each.name in text) == each.is_as_good


def test_refits_forget_what_an_earlier_one_left():
    model = tuned(grow_unlabelled=True)
    assert len(model.growth_path_) >= 1
    model.set_params(grow_unlabelled=False).fit(PAPER.X, PAPER.y_pu)
    assert not hasattr(model, "growth_path_")


def assert_same(one, other):
    assert one.best_params_ == other.best_params_
    for name in ("mean_test_score", "std_error_test_score", "mean_test_blind_auc"):
        np.testing.assert_array_equal(one.cv_results_[name], other.cv_results_[name])
    np.testing.assert_array_equal(one.coef_, other.coef_)
    assert [repr(each) for each in one.baselines_] == [repr(each) for each in other.baselines_]


def test_jobs_side_by_side_give_the_same(fits):
    alone = fits("default")
    assert_same(tuned(n_jobs=2), alone)
    with parallel_config("threading", n_jobs=2):
        assert_same(tuned(), alone)


def test_seeds_draw_other_folds(fits):
    default, (one, same, other) = fits("default"), (tuned(random_state=seed) for seed in (1, 1, 2))
    assert_same(one, same)
    scores = {model.cv_results_["mean_test_score"].tobytes() for model in (default, one, other)}
    assert len(scores) == 3
    assert_same(default, tuned(random_state=None))


def assert_about_the_same(one, other):
    """But for rounding."""
    for name, value in one.best_params_.items():
        same = value == other.best_params_[name]
        assert same or value == pytest.approx(other.best_params_[name], rel=1e-6)
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-4, atol=1e-6 * np.abs(one.coef_).max())


def test_the_order_of_rows_does_not_matter(fits):
    order = np.random.default_rng(0).permutation(len(PAPER.X))
    one, other = fits("default"), tuned(X=PAPER.X[order], y=PAPER.y_pu[order])
    np.testing.assert_allclose(one.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"], atol=1e-9)
    assert_about_the_same(one, other)


SINGLE = PAPER.X.astype(np.float32).astype(np.float64)
"""What all containers can hold."""


@pytest.fixture(scope="module")
def reference():
    return tuned(X=SINGLE, leverage_screen=False, n_outliers=0)


@pytest.mark.parametrize("kind", ["csr", "csc", "float32", "pandas"])
def test_every_container_gives_the_same_choice(kind, reference):
    X = SINGLE
    container = {
        "csr": lambda: sp.csr_array(X),
        "csc": lambda: sp.csc_matrix(X),
        "float32": lambda: X.astype(np.float32),
        "pandas": lambda: pd.DataFrame(X, columns=[f"c{k}" for k in range(9)]),
    }[kind]()
    assert_about_the_same(reference, tuned(X=container, leverage_screen=False, n_outliers=0))


def test_groups_by_name():
    names = [f"c{k}" for k in range(9)]
    frame = pd.DataFrame(PAPER.X, columns=names)
    groups = [names[:3], names[3:6], names[6:]]
    model = tuned(X=frame, sparsity="group_l0", groups=groups, n_features_to_select=[3, 1])
    assert set(model.support_.reshape(3, 3).sum(axis=1)) <= {0, 3}
    assert list(model.get_feature_names_out()) == [n for n, kept in zip(names, model.support_, strict=True) if kept]


def test_integer_weights_equal_repeated_rows_in_the_scores():
    weight = np.random.default_rng(0).integers(1, 3, len(PAPER.X))
    params = {"n_outliers": 0, "n_features_to_select": [9, 3]}
    weighted = tuned(sample_weight=weight, **params)
    repeated = tuned(X=PAPER.X.repeat(weight, axis=0), y=PAPER.y_pu.repeat(weight), **params)
    np.testing.assert_allclose(
        weighted.cv_results_["mean_test_score"], repeated.cv_results_["mean_test_score"], atol=1e-6
    )


# --- splits of one's own ---

PATIENTS = np.arange(len(PAPER.X)) // 2
SPLITTERS = {
    "splitter": StratifiedKFold(3, shuffle=True, random_state=0),
    "list": list(StratifiedKFold(3).split(PAPER.X, PAPER.y_pu)),
    "generator": None,
    "groups": list(GroupKFold(3).split(PAPER.X, PAPER.y_pu, PATIENTS)),
    "masks": [(np.arange(len(PAPER.X)) % 3 != k, np.arange(len(PAPER.X)) % 3 == k) for k in range(3)],
}


@pytest.mark.parametrize("kind", SPLITTERS)
def test_splits_of_ones_own(kind):
    cv = StratifiedKFold(3).split(PAPER.X, PAPER.y_pu) if kind == "generator" else SPLITTERS[kind]
    model = tuned(cv=cv)
    assert set(model.cv_results_["n_splits"]) == {3}
    if kind == "generator":
        assert_same(model, tuned(cv=SPLITTERS["list"]))


def test_splits_are_used_as_given():
    pairs = SPLITTERS["list"]
    model = tuned(cv=pairs, n_features_to_select=[9], n_outliers=0, l2=[100.0])
    rank = np.empty(len(PAPER.X))
    for fitted, held_out in pairs:
        data = as_data(PAPER.X[fitted], PAPER.y_pu[fitted] == 1)
        grid = Grid("none", "logistic", [100.0], [0.0], [9])
        (coef,) = models(problem_of(data), data, grid)
        scores = PAPER.X[held_out] @ coef
        unl = scores[PAPER.y_pu[held_out] == 0]
        rank[held_out] = [np.mean((score > unl) + 0.5 * (score == unl)) for score in scores]
    ranks = positive_ranks(PAPER.y_pu, rank)
    assert model.best_score_ == pytest.approx(slow_trimmed_mean(ranks, np.ones(40), 0.15))


def test_splits_by_row_number_know_rows_of_weight_zero():
    """Rows without weight are nowhere, wherever they stand; the numbers are those of the user's X."""
    pairs = SPLITTERS["list"]
    for rows in (np.arange(10), np.arange(len(PAPER.X) - 10, len(PAPER.X))):
        weight = np.ones(len(PAPER.X))
        weight[rows] = 0
        kept = np.flatnonzero(weight)
        moved = [tuple(np.flatnonzero(np.isin(kept, part)) for part in pair) for pair in pairs]
        without = tuned(cv=moved, X=PAPER.X[kept], y=PAPER.y_pu[kept], l2=10.0)
        assert_same(tuned(cv=pairs, sample_weight=weight, l2=10.0), without)


UNLABELLED_ROWS, LABELLED_ROWS = np.flatnonzero(PAPER.y_pu == 0), np.flatnonzero(PAPER.y_pu == 1)
BAD_SPLITS = {
    "no splits": [],
    "one positive fitted": [(np.r_[0, UNLABELLED_ROWS[:50]], np.r_[1:40, UNLABELLED_ROWS[50:]])],
    "no unlabelled row held out": [(np.r_[0:20, UNLABELLED_ROWS], np.r_[20:40])],
    "no unlabelled row fitted": [(np.r_[0:20], np.r_[20:40, UNLABELLED_ROWS])],
    "no positive held out": [(np.r_[0:40, UNLABELLED_ROWS[:50]], UNLABELLED_ROWS[50:])],
}


@pytest.mark.parametrize("case", BAD_SPLITS)
def test_splits_that_cannot_work_are_refused(case):
    with pytest.raises(ValueError, match="cv"):
        tuned(cv=BAD_SPLITS[case])


# --- progress ---


def test_verbose_shows_a_bar_for_each_stage(capsys):
    params = {"l2": 10.0, "n_outliers": 0, "n_features_to_select": [9, 3]}
    tuned(verbose=1, **params)
    shown = capsys.readouterr().out
    assert "scaling and ridge" in shown
    assert "features and outliers" in shown
    assert "3/3" in shown
    tuned(**params)
    assert capsys.readouterr().out == ""


def test_without_rich_the_error_names_the_extra(monkeypatch):
    plain_import = builtins.__import__

    def without_rich(name, *rest, **more):
        if name.startswith("rich"):
            raise ImportError(name)
        return plain_import(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_rich)
    model = BlindAUCClassifierCV(**FEW, verbose=1)
    with pytest.raises(ImportError, match=r"blindauc\[progress\]"):
        model.fit(PAPER.X, PAPER.y_pu)
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize("Estimator", [BlindAUCClassifierCV, PUErrorClassifierCV])
@pytest.mark.parametrize("handling", ["trim", "shift"])
@pytest.mark.parametrize("offset", [0.0, 100.0])
def test_outliers_of_an_average_are_the_positives_that_rank_lowest(Estimator, handling, offset):
    data = make_paper_data(n_features=12, n_outliers=4, n_relevant=10, n_pos=60, n_negatives=100, random_state=0)
    params = {**FEW, "n_outliers": [0.1, 0.2], "outlier_handling": handling, "l2": [1000.0, 100.0], "cv": 2}
    model = Estimator(**params, prior=0.1)
    scores = model.fit(data.X + offset, data.y_pu).decision_function(data.X[:60] + offset)
    assert sorted(model.outliers_) == sorted(np.argsort(scores)[: len(model.outliers_)])
    assert set(data.outliers) <= set(model.outliers_)
