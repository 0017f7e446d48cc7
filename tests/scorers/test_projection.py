"""Fewer columns that say what all said."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.covariance import ledoit_wolf_shrinkage

from blindauc.data import Data
from blindauc.scorers.projection import MAX_ROWS, Projection


def as_data(X, weight=None):
    rows = np.arange(X.shape[0])
    weight = np.ones(len(rows)) if weight is None else weight
    return Data(X, rows < len(rows) // 4, weight, rows, rows[: len(rows) // 4])


def alike(rng, n=60, p=12):
    """Columns that go together, on scales and about means of their own."""
    X = rng.standard_normal((n, 4)) @ rng.standard_normal((4, p)) + 0.5 * rng.standard_normal((n, p))
    return X * rng.uniform(0.1, 10, p) + rng.uniform(-5, 5, p)


def slowly_projected(X, share, shrinkage, weights, kept):
    """The best prediction of the scores from the kept columns, by shrunken correlations."""
    spread = np.sqrt(share @ (X - share @ X) ** 2)
    Z = (X - share @ X) / spread
    R = (1 - shrinkage) * Z.T @ (share[:, None] * Z) + shrinkage * np.eye(X.shape[1])
    result = np.zeros(X.shape[1])
    result[kept] = np.linalg.solve(R[np.ix_(kept, kept)], R[kept] @ (weights * spread)) / spread[kept]
    return result


@pytest.mark.parametrize(("n", "p"), [(60, 12), (20, 50)])
@pytest.mark.parametrize("seed", range(3))
def test_against_the_shrunken_correlations(n, p, seed):
    rng = np.random.default_rng(seed)
    X, weight = alike(rng, n, p), rng.integers(1, 4, n) / 2
    weights, kept = rng.standard_normal(p) / X.std(axis=0), rng.random(p) < 0.4
    projection = Projection(as_data(X, weight))
    expected = slowly_projected(X, weight / weight.sum(), projection.shrinkage, weights, kept)
    assert_allclose(projection(weights, kept), expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())
    # It is not the weights as they were.
    assert np.abs(expected - np.where(kept, weights, 0)).max() > 0.05 * np.abs(expected).max()


@pytest.mark.parametrize(("n", "p"), [(60, 12), (20, 50), (200, 3)])
def test_the_shrinkage_is_that_of_ledoit_and_wolf(n, p):
    X = alike(np.random.default_rng(0), n, p)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    found = Projection(as_data(X)).shrinkage
    assert 0 < found < 1
    assert found == pytest.approx(ledoit_wolf_shrinkage(Z, assume_centered=True))


def test_weighted_rows_are_as_uncertain_as_their_weights_say():
    # The variance of a weighted mean of products of rows, term by term.
    rng = np.random.default_rng(0)
    X, weight = alike(rng, 30, 5), rng.uniform(0.5, 2, 30)
    share = weight / weight.sum()
    Z = (X - share @ X) / np.sqrt(share @ (X - share @ X) ** 2)
    R = Z.T @ (share[:, None] * Z)
    chance = sum(s**2 * np.sum((np.outer(z, z) - R) ** 2) for s, z in zip(share, Z, strict=True))
    assert Projection(as_data(X, weight)).shrinkage == pytest.approx(chance / np.sum((R - np.eye(5)) ** 2))


@pytest.mark.parametrize("layout", [sp.csr_array, sp.csc_array, sp.csr_matrix])
def test_sparse_rows_are_projected_as_dense_ones(layout):
    rng = np.random.default_rng(1)
    X = alike(rng) * (rng.random((60, 12)) < 0.5)
    weights, kept = rng.standard_normal(12), np.arange(12) < 5
    dense, sparse = Projection(as_data(X)), Projection(as_data(layout(X)))
    assert sparse.shrinkage == pytest.approx(dense.shrinkage)
    assert_allclose(sparse(weights, kept), dense(weights, kept), rtol=1e-5)


def test_neither_scale_nor_origin_nor_order_matters():
    rng = np.random.default_rng(2)
    X = alike(rng)
    weights, kept, scale = rng.standard_normal(12), np.arange(12) < 5, 10.0 ** rng.integers(-3, 4, 12)
    expected = Projection(as_data(X))(weights, kept)
    assert_allclose(Projection(as_data(X * scale + 1e3))(weights / scale, kept) * scale, expected, rtol=1e-4)
    assert_allclose(Projection(as_data(rng.permutation(X)))(weights, kept), expected, rtol=1e-5)


def test_single_precision_columns_far_from_zero():
    X = (alike(np.random.default_rng(3)) + 1e3).astype(np.float32)
    weights, kept = np.ones(12), np.arange(12) < 5
    assert_allclose(
        Projection(as_data(X))(weights, kept), Projection(as_data(X.astype(np.float64)))(weights, kept), rtol=1e-6
    )


def test_what_independent_columns_said_is_lost():
    X = np.random.default_rng(0).standard_normal((100, 200))
    weights, kept = np.ones(200), np.arange(200) < 100
    projection = Projection(as_data(X))
    assert projection.shrinkage > 0.9
    assert_allclose(projection(weights, kept)[kept], 1, atol=0.2)


@pytest.mark.parametrize("n_columns", [1, 3])
def test_constant_columns_and_single_ones_stay_as_they_are(n_columns):
    X = np.column_stack([np.random.default_rng(0).standard_normal(50), *[np.full(50, 0.1)] * (n_columns - 1)])
    weights = np.arange(1.0, n_columns + 1)
    for kept in (np.arange(n_columns) == 0, np.zeros(n_columns, dtype=bool)):
        assert_allclose(Projection(as_data(X))(weights, kept), np.where(kept, weights, 0))


def test_many_rows_are_seen_by_a_sample_of_them():
    X = alike(np.random.default_rng(4), 3 * MAX_ROWS, 6)
    weights, kept = 1 / X.std(axis=0), np.arange(6) < 3
    expected = slowly_projected(X, np.full(len(X), 1 / len(X)), 0.0, weights, kept)
    found = Projection(as_data(X))(weights, kept)
    assert_allclose(found, expected, atol=0.2 * np.abs(expected).max())
    assert_allclose(Projection(as_data(X[::-1]))(weights, kept), found, rtol=1e-5)
