"""Folds go by what rows hold: digests, shares, samples and splits of one's own."""

import numpy as np
import pytest
import scipy.sparse as sp
from instances import as_data
from sklearn.model_selection import StratifiedKFold

from blindauc.evidence import folds as folds_module
from blindauc.evidence.folds import (
    content_folds,
    first_in_random_order,
    fold_splits,
    in_random_order,
    limited,
    n_distinct,
    splits_of,
)
from blindauc.rows import digests as digests_module
from blindauc.rows.digests import row_digests

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


# --- splits of one's own ---


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


@pytest.mark.parametrize("seed", range(20))
def test_every_fold_has_an_unlabelled_row_also_where_all_of_them_equal_positives(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 3))
    data = as_data(np.vstack([X, X[:4], X[:4]]), np.arange(28) < 20)
    for split in fold_splits(data, 5, seed):
        assert (split.held_out & ~data.is_positive).any()
        assert (split.held_out & data.is_positive).any()
