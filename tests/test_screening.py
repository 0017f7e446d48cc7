"""Labelled rows with leverage: silent on clean rows of every kind, loud on corrupted ones, dense or sparse.

Rates in the tests were observed over 30 seeds each; tests run a few of them.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import datasets

from blindauc.datasets import make_paper_data
from blindauc.screening import MAX_ROWS, MIN_ROWS, find_leverage

STORES = {"dense": np.asarray, "csr": sp.csr_matrix, "csc array": sp.csc_array}


def autoregressive(rng, n, p, correlation=0.7):
    X = rng.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1 - correlation**2) * X[:, j]
    return X


def in_blocks(rng, n, p, size=10, correlation=0.9):
    shared = rng.normal(size=(n, -(-p // size))).repeat(size, axis=1)[:, :p]
    return np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * rng.normal(size=(n, p))


def one_hot(rng, n, p):
    of_each = [np.eye(4)[rng.choice(4, n, p=rng.dirichlet(np.full(4, 0.5)))] for _ in range(-(-p // 4))]
    return np.hstack(of_each)[:, :p]


CLEAN = {
    "normal": lambda rng, n, p: rng.normal(size=(n, p)),
    "scaled columns": lambda rng, n, p: rng.normal(size=(n, p)) * 10.0 ** rng.integers(-6, 7, p) + 100,
    "autoregressive": autoregressive,
    "correlated blocks": in_blocks,
    "one factor": lambda rng, n, p: in_blocks(rng, n, p, size=p),
    "Student t 2": lambda rng, n, p: rng.standard_t(2, size=(n, p)),
    "Student t 3": lambda rng, n, p: rng.standard_t(3, size=(n, p)),
    "joint t 3": lambda rng, n, p: rng.normal(size=(n, p)) / np.sqrt(rng.chisquare(3, size=(n, 1)) / 3),
    "lognormal": lambda rng, n, p: rng.lognormal(size=(n, p)),
    "rare ones": lambda rng, n, p: (rng.random((n, p)) < rng.choice([0.002, 0.01, 0.05, 0.3], p)).astype(float),
    "one-hot": one_hot,
    "counts": lambda rng, n, p: rng.poisson(rng.choice([0.02, 0.3, 2, 20], p), size=(n, p)).astype(float),
    "sparse counts": lambda rng, n, p: sp.csr_matrix(
        rng.poisson(rng.choice([0.01, 0.05, 0.3], p) * rng.lognormal(0, 0.7, (n, 1))).astype(float)
    ),
    "many zeros": lambda rng, n, p: rng.exponential(size=(n, p)) * (rng.random((n, p)) < rng.uniform(0.05, 0.6, p)),
    "duplicated columns": lambda rng, n, p: rng.normal(size=(n, -(-p // 20))).repeat(20, axis=1)[:, :p],
}


@pytest.mark.parametrize("p", [3, 20, 200])
@pytest.mark.parametrize(("n_pos", "n_unl"), [(20, 60), (40, 200), (100, 300)])
@pytest.mark.parametrize("name", CLEAN)
def test_clean_rows_are_left_alone(name, n_pos, n_unl, p):
    """Observed: at most 0.33 % of the rows of any design and size are marked, 0.01 % over all."""
    n_marked = 0
    for seed in range(5):
        X = CLEAN[name](np.random.default_rng([seed, p, n_pos]), n_pos + n_unl, p)
        n_marked += find_leverage(X[:n_pos], X[n_pos:]).rows.sum()
    assert n_marked <= 1


LONG_TAILS = {
    "wide": lambda rng, n, p: 3 * rng.normal(size=(n, p)),
    "shifted": lambda rng, n, p: rng.normal(3, 1, size=(n, p)),
    "skewed": lambda rng, n, p: 2 * rng.lognormal(size=(n, p)),
    "severity": lambda rng, n, p: rng.normal(size=(n, p)) + rng.lognormal(0, 0.7, (n, 1)) * rng.uniform(0, 1, p),
}


@pytest.mark.parametrize("hidden", [0, 10, 50])
@pytest.mark.parametrize("name", LONG_TAILS)
def test_positives_unlike_the_unlabelled_rows_are_left_alone(name, hidden):
    """Observed over 20 seeds: at most 0.3 % of the rows, even where no positive is among 1,000 unlabelled rows."""
    n_marked = 0
    for seed in range(5):
        rng = np.random.default_rng([seed, hidden])
        unl = np.vstack([LONG_TAILS[name](rng, hidden, 50), rng.normal(size=(1000 - hidden, 50))])
        n_marked += find_leverage(LONG_TAILS[name](rng, 100, 50), unl).rows.sum()
    assert n_marked <= 3


@pytest.mark.parametrize("share", [0.3, 0.8])
@pytest.mark.parametrize("name", ["breast_cancer", "wine", "digits", "diabetes", "iris"])
def test_public_data_labelled_at_random_are_left_alone(name, share):
    """Observed: no row marked in 30 draws of every class at 10, 30, 50 and 80 % labelled."""
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    y = y > 140 if name == "diabetes" else y
    for positive in np.unique(y):
        is_labelled = (y == positive) & (np.random.default_rng(int(positive)).random(len(y)) < share)
        assert not find_leverage(X[is_labelled], X[~is_labelled]).rows.any()


# --- corrupted rows ---


def paper_rows(p, n_outliers, seed, n_pos=100):
    data = make_paper_data(
        p, n_outliers, outlier_features="all", n_pos=n_pos, n_test_pos=2, n_test_negatives=2, random_state=seed
    )
    is_labelled = data.y_pu == 1
    return data.X[is_labelled], data.X[~is_labelled], data.y_true[is_labelled] == 0


@pytest.mark.parametrize("n_outliers", [1, 7, 20, 33])
@pytest.mark.parametrize("p", [40, 120, 200, 400])
def test_the_outliers_of_the_paper_are_found_in_all_columns(p, n_outliers):
    """Observed: exactly the outliers in 478 of 480 data sets."""
    for seed in range(3):
        X_pos, X_unl, is_wrong = paper_rows(p, n_outliers, seed)
        np.testing.assert_array_equal(find_leverage(X_pos, X_unl).rows, is_wrong)


@pytest.mark.parametrize("n_pos", [20, 40, 60])
def test_they_are_found_among_few_labelled_rows(n_pos):
    """Observed: exactly the outliers in 90 of 90 data sets."""
    for seed in range(3):
        X_pos, X_unl, is_wrong = paper_rows(200, n_pos // 7, seed, n_pos)
        np.testing.assert_array_equal(find_leverage(X_pos, X_unl).rows, is_wrong)


CORRUPT = {
    "half of the columns low": lambda rng, X: np.where(rng.permutation(X.shape[1]) % 2, X, -2 + 0.2 * X),
    "times ten": lambda rng, X: 10 * X,
    "one gross value each": lambda rng, X: X + 50 * np.eye(X.shape[1])[rng.permutation(X.shape[1])[: len(X)]],
    "either side": lambda rng, X: 2.5 * rng.choice([-1, 1], X.shape),
}


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("n_wrong", [1, 10, 33])
@pytest.mark.parametrize("kind", CORRUPT)
def test_other_corruption_is_found(kind, n_wrong, store):
    """Observed: exactly the corrupted rows in 360 of 360 data sets."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(400, 200))
        X[:n_wrong] = CORRUPT[kind](rng, X[:n_wrong])
        found = find_leverage(STORES[store](X[:100]), STORES[store](X[100:]))
        np.testing.assert_array_equal(np.flatnonzero(found.rows), np.arange(n_wrong))


def test_one_corrupted_value_is_enough():
    X = np.random.default_rng(2).normal(size=(300, 20))
    X[7, 3] = 1e6
    assert np.flatnonzero(find_leverage(X[:60], X[60:]).rows).tolist() == [7]


def test_values_where_all_other_rows_have_none():
    X = np.zeros((100, 40))
    X[:3] = 10.0
    for store in STORES.values():
        found = find_leverage(store(X[:30]), store(X[30:]))
        assert np.flatnonzero(found.rows).tolist() == [0, 1, 2]
        assert found.n_columns.tolist() == [40] * 3 + [0] * 27


@pytest.mark.parametrize("n_wrong", [1, 2, 10])
def test_corrupted_unlabelled_rows_do_not_hide_them(n_wrong):
    X_pos, X_unl, is_wrong = paper_rows(200, 7, 0)
    X_unl[:n_wrong] = 1e4
    np.testing.assert_array_equal(find_leverage(X_pos, X_unl).rows, is_wrong)


def test_what_unlabelled_rows_do_as_well_is_not_leverage():
    X_pos, X_unl, _ = paper_rows(200, 7, 0)
    X_unl[:10] = X_pos[-1] + np.random.default_rng(0).normal(size=(10, 200))
    assert not find_leverage(X_pos, X_unl).rows.any()


# --- promises for any data ---


@pytest.mark.parametrize("name", CLEAN)
def test_sparse_and_dense_are_the_same(name):
    X = CLEAN[name](np.random.default_rng(0), 200, 30)
    X = X.toarray() if sp.issparse(X) else X
    X[:4] = 5 * np.abs(X).max() + X[:4]
    dense, *sparse = (find_leverage(store(X[:60]), store(X[60:])) for store in STORES.values())
    for one in sparse:
        np.testing.assert_array_equal(one.rows, dense.rows)
        np.testing.assert_array_equal(one.n_columns, dense.n_columns)
        assert one.usual_columns == dense.usual_columns


def test_order_units_and_precision_do_not_matter():
    X_pos, X_unl, is_wrong = paper_rows(120, 7, 0)
    rng = np.random.default_rng(0)
    pos, unl, columns = rng.permutation(100), rng.permutation(300), rng.permutation(120)
    units, zeros = 2.0 ** rng.integers(-20, 21, 120), 2.0 ** rng.integers(0, 3, 120)
    plain = find_leverage(X_pos, X_unl)
    moved = find_leverage((X_pos * units + zeros)[pos][:, columns], (X_unl * units + zeros)[unl][:, columns])
    np.testing.assert_array_equal(plain.rows, is_wrong)
    np.testing.assert_array_equal(moved.rows, plain.rows[pos])
    single = find_leverage(X_pos.astype(np.float32), X_unl.astype(np.float32))
    np.testing.assert_array_equal(single.rows, plain.rows)


def test_columns_are_counted_against_medians_and_scales_by_hand():
    X_pos, X_unl, is_wrong = paper_rows(200, 7, 0)
    deviations = np.abs(X_unl - np.median(X_unl, axis=0))
    scale = np.quantile(deviations, 0.8, axis=0) / 1.2815515655446004
    found = find_leverage(X_pos, X_unl)
    by_hand = (np.abs(X_pos - np.median(X_unl, axis=0)) >= scale).sum(axis=1)
    np.testing.assert_allclose(found.n_columns, by_hand, atol=5)  # medians of even numbers of rows differ a little
    assert found.usual_columns == pytest.approx(np.median((deviations >= scale).sum(axis=1)), abs=3)
    assert found.n_columns[is_wrong].min() > 190 > 100 > found.n_columns[~is_wrong].max()


@pytest.mark.parametrize("store", STORES)
def test_a_sample_stands_for_many_unlabelled_rows(store):
    rng = np.random.default_rng(0)
    unl = rng.normal(size=(3 * MAX_ROWS, 30)).astype(np.float32)
    pos = rng.normal(size=(2 * MAX_ROWS, 30)).astype(np.float32)
    pos[-9:] = -3.0
    found = find_leverage(STORES[store](pos), STORES[store](unl)).rows
    assert np.flatnonzero(found).tolist() == list(range(len(pos) - 9, len(pos)))


@pytest.mark.parametrize(("n_pos", "n_unl"), [(0, 50), (1, 50), (MIN_ROWS - 1, 50), (50, MIN_ROWS - 1), (50, 0)])
def test_few_rows_are_not_screened(n_pos, n_unl):
    X = np.ones((n_pos + n_unl, 4))
    X[:1] = 1e9
    found = find_leverage(X[:n_pos], X[n_pos:])
    assert found.rows.shape == found.n_columns.shape == (n_pos,)
    assert not found.rows.any()


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("value", [0.0, 1.0, -3.5])
def test_constant_rows_are_not_extreme(value, store):
    X = STORES[store](np.full((MIN_ROWS, 4), value))
    found = find_leverage(X, X)
    assert not found.rows.any()
    assert not found.n_columns.any()
