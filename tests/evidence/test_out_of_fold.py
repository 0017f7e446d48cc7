"""Ranks by models that have not seen the rows, against double loops."""

import numpy as np
import pytest
from instances import as_data
from scipy.special import ndtri

from blindauc.evidence.folds import Split
from blindauc.evidence.out_of_fold import held_out_ranks, mean_estimate, out_of_fold, out_of_fold_of
from blindauc.ranks import share_below
from blindauc.scorers import Spec

# --- folds ---


def test_ranks_are_shares_of_pairs_with_ties_as_halves():
    generator = np.random.default_rng(0)
    targets, scores = generator.integers(9, size=40) / 2, generator.integers(9, size=60) / 2
    weight = generator.uniform(size=60)
    below = (scores < targets[:, None]) + (scores == targets[:, None]) / 2
    np.testing.assert_allclose(share_below(targets, scores, weight), below @ weight / weight.sum())


def as_split(n, fitted, held_out):
    return Split(np.isin(np.arange(n), fitted), np.isin(np.arange(n), held_out))


# --- ranks ---


def slow_rank(score, scores, weight):
    """The share of the weight below a score, by a loop; equal scores count one half."""
    pairs = list(zip(scores, weight, strict=True))
    return sum(w * ((score > s) + 0.5 * (score == s)) for s, w in pairs) / sum(weight)


class Columns:
    """Models whose scores are some columns of X."""

    def __init__(self, index=(0, 1, 2)):
        self.index = list(index)

    def __len__(self):
        return len(self.index)

    def subset(self, index):
        return Columns(np.array(self.index)[index])

    def scores(self, X):
        return X[:, self.index]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [False, True])
def test_held_out_ranks_against_a_double_loop(seed, weighted):
    rng = np.random.default_rng(seed)
    X, is_positive = rng.integers(0, 6, size=(40, 3)).astype(float), rng.random(40) < 0.4
    weight = rng.integers(1, 9, 40) / 4 if weighted else np.ones(40)
    found = held_out_ranks(Columns(), as_data(X, is_positive, weight))
    expected = [
        [slow_rank(score, X[~is_positive, m], weight[~is_positive]) for score in X[is_positive, m]] for m in range(3)
    ]
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_mean_has_the_interval_of_a_mean(weighted):
    """The standard error is that over repeated samples; of 400 values it is known to a few parts in a hundred."""
    rng = np.random.default_rng(0)
    weight = rng.uniform(0.5, 2, 400) if weighted else np.ones(400)
    samples = rng.beta(3, 1, size=(2000, 400))
    means = samples @ weight / weight.sum()
    estimates = [mean_estimate(sample, weight) for sample in samples[:50]]
    np.testing.assert_allclose(estimates, means[:50])
    assert np.mean([each.standard_error for each in estimates]) == pytest.approx(means.std(), rel=0.08)
    # Only the proportions of weights are meant.
    assert repr(mean_estimate(samples[0], 4 * weight)) == repr(estimates[0])


class Table:
    """A score that is known for each row by its number, which is in the only column."""

    def __init__(self, of_row):
        self.of_row = np.asarray(of_row, dtype=float)

    def scores(self, X):
        return self.of_row[X[:, 0].astype(int)]


def numbered(n, n_pos, weight=None):
    return as_data(np.arange(n, dtype=float)[:, None], np.arange(n) < n_pos, weight)


def some_splits(rng, n, n_pos):
    """Random ones that hold out some of both kinds, a few rows several times and others never."""
    splits = []
    for _ in range(4):
        held_out = np.r_[
            rng.choice(n_pos, n_pos // 3, replace=False), rng.choice(np.arange(n_pos, n), (n - n_pos) // 3)
        ]
        splits.append(as_split(n, np.setdiff1d(np.arange(n), held_out), held_out))
    return splits


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_ranked_by_the_splits_that_hold_them_out(seed):
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 5, 60) / 2
    data, splits = numbered(60, 18, weight), some_splits(rng, 60, 18)
    tables = rng.integers(0, 10, size=(4, 60)).astype(float)
    total, times = np.zeros(60), np.zeros(60)
    for split, table in zip(splits, tables, strict=True):
        among = split.held_out & ~data.is_positive
        for row in np.flatnonzero(split.held_out):
            total[row] += slow_rank(table[row], table[among], weight[among])
            times[row] += 1
    mean = total / np.where(times > 0, times, np.nan)
    among = ~data.is_positive & (times > 0)
    expected = [slow_rank(each, mean[among], weight[among]) if times[row] else np.nan for row, each in enumerate(mean)]
    known = out_of_fold(data, splits, [Table(table) for table in tables])
    np.testing.assert_allclose(known.rank, expected)
    assert known.is_known
    assert 0 < np.isnan(expected).sum() < 30

    # Whatever else a model says does not matter: it has seen those rows.
    changed = [
        np.where(split.held_out, table, 1e6 * rng.normal(size=60)) for split, table in zip(splits, tables, strict=True)
    ]
    np.testing.assert_array_equal(out_of_fold(data, splits, map(Table, changed)).rank, known.rank)


@pytest.mark.parametrize("seed", range(3))
def test_unlabelled_rows_are_spread_evenly(seed):
    rng = np.random.default_rng(seed)
    data = numbered(80, 20)
    splits = [
        as_split(80, np.flatnonzero(np.arange(80) % 4 != k), np.flatnonzero(np.arange(80) % 4 == k)) for k in range(4)
    ]
    # Repeats: means of several ranks crowd in the middle.
    known = out_of_fold(data, 3 * splits, [Table(rng.normal(size=80)) for _ in range(12)])
    unlabelled = known.rank[20:]
    # Each has as many below it as its rank says.
    np.testing.assert_allclose([slow_rank(each, unlabelled, np.ones(60)) for each in unlabelled], unlabelled)
    assert unlabelled.mean() == pytest.approx(0.5)


@pytest.mark.parametrize("lift", [0.0, 0.3, 1.0])
def test_the_lift_is_by_how_much_new_unlabelled_rows_score_higher(lift):
    n = 300
    normal = ndtri((np.arange(n) + 0.5) / n)
    data = numbered(2 * n + 4, 4)
    fitted, held_out = np.r_[0, 1, 4 : n + 4], np.r_[2, 3, n + 4 : 2 * n + 4]
    scores = np.r_[np.zeros(4), normal, normal + lift]
    found = out_of_fold(data, [as_split(2 * n + 4, fitted, held_out)], [Table(scores)]).lift
    assert found == pytest.approx(lift, abs=0.01)
    # Units do not matter, and what is lower is not lifted.
    assert out_of_fold(data, [as_split(2 * n + 4, fitted, held_out)], [Table(7 * scores)]).lift == pytest.approx(found)
    assert out_of_fold(data, [as_split(2 * n + 4, held_out, fitted)], [Table(scores)]).lift == 0


class Forgetful:
    """A scorer, its models and their averages in one: rows it was fitted to have scores that make no sense."""

    def __init__(self, seen, fitted=frozenset()):
        self.seen, self.fitted = seen, fitted

    def path(self, data, specs):
        assert len(specs) == 1
        self.seen.append(set(data.row))
        return Forgetful(self.seen, self.seen[-1])

    def average(self, weight):
        np.testing.assert_array_equal(weight, [1.0])
        return self

    def scores(self, X):
        rows = X[:, 0].astype(int)
        return np.where(np.isin(rows, list(self.fitted)), 1e6 * np.sin(rows), rows)


def test_a_fit_without_a_search_is_ranked_by_fits_to_other_folds():
    data, seen = numbered(90, 30), []
    known, _ = out_of_fold_of(Forgetful(seen), data, Spec("none", "logistic", 1.0, 0.0, 1))
    held_out = [np.setdiff1d(np.arange(90), list(rows)) for rows in seen]
    assert sorted(np.concatenate(held_out)) == list(range(90))  # each row by one fit that has not seen it
    rank = np.empty(90)
    for rows in held_out:
        rank[rows] = [slow_rank(row, rows[rows >= 30], np.ones((rows >= 30).sum())) for row in rows]
    np.testing.assert_allclose(known.rank, [slow_rank(each, rank[30:], np.ones(60)) for each in rank])


def test_of_rows_too_few_for_folds_nothing_is_known():
    known, _ = out_of_fold_of(Forgetful([]), numbered(20, 3), Spec("none", "logistic", 1.0, 0.0, 1))
    assert not known.is_known
    assert np.isnan(known.rank).all()
    assert known.lift == 0


def test_weights_as_counts_of_rows():
    is_positive = np.arange(6) < 2
    whole = as_data(np.zeros((6, 1)), is_positive, np.array([1.0, 2.0, 1.0, 3.0, 1.0, 1.0]))
    np.testing.assert_array_equal(whole.counts, whole.weight)
    # Heavy unlabelled rows do not make the positives few.
    others = as_data(np.zeros((6, 1)), is_positive, np.array([1.0, 1.0, 8.5, 9.5, 10.0, 12.0]))
    np.testing.assert_allclose(others.counts[:2], 1.0)
    assert others.counts[2:].mean() == pytest.approx(1.0)
