"""Out-of-fold evidence: folds that go by what rows hold, and ranks by models that have not seen the rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from instances import as_data
from scipy.special import ndtri
from sklearn.model_selection import StratifiedKFold

from blindauc.evidence import folds as folds_module
from blindauc.evidence.folds import (
    Split,
    content_folds,
    first_in_random_order,
    fold_splits,
    in_random_order,
    limited,
    n_distinct,
    splits_of,
)
from blindauc.evidence.out_of_fold import held_out_ranks, mean_estimate, out_of_fold, out_of_fold_of
from blindauc.ranks import share_below
from blindauc.rows import digests as digests_module
from blindauc.rows.digests import row_digests
from blindauc.scorers import Spec

rng = np.random.default_rng(0)

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
    monkeypatch.setattr(digests_module, "BLOCK_ROWS", 7)
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


@pytest.mark.parametrize("n_values", [3, 10**9], ids=["copies", "no copies"])
@pytest.mark.parametrize("n_first", [1, 37, 200, 500])
def test_the_first_of_a_random_order_are_found_without_sorting_all(n_values, n_first):
    X = np.random.default_rng(0).integers(n_values, size=(300, 2)).astype(float)
    rows, digests = np.arange(0, 300, 2), row_digests(X, 0)
    expected = in_random_order(rows, digests)[:n_first]
    np.testing.assert_array_equal(first_in_random_order(rows, digests, n_first), expected)
    assert n_distinct(digests) == len(np.unique(digests))
    assert n_distinct(digests[:0]) == 0


def test_ranks_are_shares_of_pairs_with_ties_as_halves():
    generator = np.random.default_rng(0)
    targets, scores = generator.integers(9, size=40) / 2, generator.integers(9, size=60) / 2
    weight = generator.uniform(size=60)
    below = (scores < targets[:, None]) + (scores == targets[:, None]) / 2
    np.testing.assert_allclose(share_below(targets, scores, weight), below @ weight / weight.sum())


# --- splits of one's own ---


def as_split(n, fitted, held_out):
    return Split(np.isin(np.arange(n), fitted), np.isin(np.arange(n), held_out))


def test_splits_of_ones_own_are_in_the_users_row_numbers():
    y = np.arange(60) % 3 == 0
    X = np.random.default_rng(0).normal(size=(60, 2))
    pairs = list(StratifiedKFold(4).split(X, y))
    # Rows without weight are not there, but have numbers.
    data = as_data(X, y).subset(np.arange(60) % 5 > 0)
    for cv in (
        StratifiedKFold(4),
        pairs,
        iter(pairs),
        [tuple(np.isin(np.arange(60), part) for part in p) for p in pairs],
    ):
        for split, (fitted, held_out) in zip(splits_of(cv, data, 60), pairs, strict=True):
            np.testing.assert_array_equal(data.row[split.fitted], np.intersect1d(data.row, fitted))
            np.testing.assert_array_equal(data.row[split.held_out], np.intersect1d(data.row, held_out))


BAD_SPLITS = {
    "no splits": [],
    "one positive fitted": [(np.r_[0, 10:20], np.r_[1:10, 20:60])],
    "no unlabelled row held out": [(np.r_[0:5, 10:60], np.r_[5:10])],
    "no unlabelled row fitted": [(np.r_[0:5], np.r_[5:60])],
    "no positive held out": [(np.r_[0:10, 10:20], np.r_[20:60])],
}


@pytest.mark.parametrize("case", BAD_SPLITS)
def test_splits_that_cannot_work_are_refused(case):
    data = as_data(np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) < 10)
    with pytest.raises(ValueError, match="cv"):
        splits_of(BAD_SPLITS[case], data, 60)


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


@pytest.mark.parametrize("seed", range(20))
def test_every_fold_has_an_unlabelled_row_also_where_all_of_them_equal_positives(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 3))
    data = as_data(np.vstack([X, X[:4], X[:4]]), np.arange(28) < 20)
    for split in fold_splits(data, 5, seed):
        assert (split.held_out & ~data.is_positive).any()
        assert (split.held_out & data.is_positive).any()


def test_weights_as_counts_of_rows():
    is_positive = np.arange(6) < 2
    whole = as_data(np.zeros((6, 1)), is_positive, np.array([1.0, 2.0, 1.0, 3.0, 1.0, 1.0]))
    np.testing.assert_array_equal(whole.counts, whole.weight)
    # Heavy unlabelled rows do not make the positives few.
    others = as_data(np.zeros((6, 1)), is_positive, np.array([1.0, 1.0, 8.5, 9.5, 10.0, 12.0]))
    np.testing.assert_allclose(others.counts[:2], 1.0)
    assert others.counts[2:].mean() == pytest.approx(1.0)
