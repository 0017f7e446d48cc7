"""Medians and scales of columns, by weight and in blocks."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import RobustScaler, StandardScaler

from blindauc.rows.matrix import Matrix
from blindauc.rows.scaling import SCALINGS, column_scales


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_medians_are_those_of_numpy(dtype):
    rng = np.random.default_rng(0)
    X, index = rng.normal(size=(50, 4)).astype(dtype), rng.permutation(50)[:31]
    found = Matrix(X).median(index, np.ones(31))
    np.testing.assert_array_equal(found, np.median(X[index], axis=0))
    assert found.dtype == np.float64
    assert Matrix(X, intercept=True).median(index, np.ones(31)).tolist() == [*found.tolist(), 1.0]


def test_weighted_medians_are_those_of_repeated_rows():
    rng = np.random.default_rng(0)
    X, weight = np.round(rng.normal(size=(40, 5)), 1), rng.integers(1, 5, 40)
    weight[0] += 1 - weight.sum() % 2  # an odd number of rows
    repeated = np.median(X.repeat(weight, axis=0), axis=0)
    np.testing.assert_array_equal(Matrix(X).median(np.arange(40), weight.astype(float)), repeated)


def test_the_middle_of_sparse_columns_is_their_mean():
    rng = np.random.default_rng(0)
    X, weight = sp.random_array((40, 5), density=0.3, rng=rng, format="csr"), rng.uniform(size=20)
    expected = np.average(X.toarray()[::2], axis=0, weights=weight)
    for matrix in (X, X.tocsc()):
        np.testing.assert_allclose(Matrix(matrix).median(np.arange(0, 40, 2), weight), expected)


def test_standard_scales_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(60, 3)) * [1.0, 100.0, 1e-3] + [0.0, 1e3, 5.0], rng.uniform(0.5, 2, 60)
    X = np.c_[X, np.full(60, 3.0)]
    np.testing.assert_allclose(
        column_scales(X, weight, "standard"), StandardScaler().fit(X, sample_weight=weight).scale_, rtol=1e-9
    )


def test_variance_scales_are_inverse_to_the_standard_ones():
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(60, 3)) * [1e100, 1.0, 1e-100], rng.uniform(0.5, 2, 60)
    standard, variance = (column_scales(X, weight, name) for name in ("standard", "variance"))
    assert variance[0] == standard[0]
    np.testing.assert_allclose(variance / variance[0], standard[0] / standard, rtol=1e-12)


def test_robust_scales_are_those_of_scikit_learn_but_for_interpolation():
    rng = np.random.default_rng(0)
    # Of 4 k + 1 rows the quartiles are rows, whichever way they are interpolated.
    X = rng.standard_t(2, size=(401, 3)) * [1.0, 100.0, 1e-3]
    expected = RobustScaler(unit_variance=True).fit(X).scale_
    np.testing.assert_allclose(column_scales(X, np.ones(401), "robust"), expected, rtol=1e-9)


def test_a_column_without_a_middle_half_has_its_standard_deviation():
    X = np.zeros((100, 2))
    X[:10, 0], X[:, 1] = 5.0, np.arange(100)
    robust, standard = (column_scales(X, np.ones(100), name) for name in ("robust", "standard"))
    assert robust[0] == standard[0] == pytest.approx(X[:, 0].std())
    assert robust[1] != standard[1]
    assert column_scales(np.ones((5, 1)), np.ones(5), "robust").tolist() == [1.0]


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix, sp.csc_array, lambda X: X.astype(np.float32)])
def test_scales_by_weight_are_those_of_repeated_rows(scaling, store):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(60, 4)) * (rng.uniform(size=(60, 4)) < 0.7), 2).astype(np.float32).astype(float)
    weight = rng.integers(1, 4, 60)
    expected = column_scales(X.repeat(weight, axis=0), np.ones(weight.sum()), scaling)
    np.testing.assert_allclose(column_scales(store(X), weight.astype(float), scaling), expected, rtol=1e-6)
    # An order of rows is none of its concern.
    order = rng.permutation(60)
    np.testing.assert_allclose(column_scales(store(X[order]), weight[order] * 0.5, scaling), expected, rtol=1e-6)


@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_scales_of_columns_in_blocks_are_those_of_each_column(monkeypatch, store):
    rng = np.random.default_rng(0)
    X, weight = np.round(rng.normal(size=(30, 7)), 1), rng.uniform(0.5, 2.0, 30)
    each = [column_scales(X[:, [j]], weight, "robust")[0] for j in range(7)]
    monkeypatch.setattr("blindauc.rows.scaling.BLOCK_ENTRIES", 70)
    np.testing.assert_array_equal(column_scales(store(X), weight, "robust"), each)


def test_unknown_scalings_are_refused():
    expected = "scaling must be one of 'none', 'standard', 'robust', 'variance', not 'minmax'"
    with pytest.raises(ValueError, match=expected):
        column_scales(np.ones((3, 1)), np.ones(3), "minmax")
