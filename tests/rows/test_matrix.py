"""A design is a plain matrix: whatever its storage, and with or without a column of ones."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from blindauc.rows.matrix import BLOCK_ROWS, Matrix, spread_of

STORAGES = {
    "float64": lambda X: X,
    "fortran": np.asfortranarray,
    "every_second_row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "float32": lambda X: X.astype(np.float32),
    "float32_fortran": lambda X: np.asfortranarray(X.astype(np.float32)),
    "csr": sp.csr_matrix,
    "csc": sp.csc_matrix,
    "csr_array": sp.csr_array,
    "csc_array": sp.csc_array,
    "csr_float32": lambda X: sp.csr_array(X.astype(np.float32)),
}
every_storage = pytest.mark.parametrize("store", STORAGES.values(), ids=STORAGES.keys())
with_and_without_intercept = pytest.mark.parametrize("intercept", [False, True])

N_ROWS = BLOCK_ROWS + 57


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """float32 is widened in two blocks."""
    monkeypatch.setattr("blindauc.rows.matrix.WIDENED_ENTRIES", 5 * BLOCK_ROWS)


@pytest.fixture(scope="module")
def matrix():
    """Half of it zeros, and all of it numbers that float32 holds."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 5)) * [1.0, 1e3, 1e-3, 1.0, 1.0] * (rng.uniform(size=(N_ROWS, 5)) < 0.5)
    return X.astype(np.float32).astype(np.float64)


def plain(X, intercept):
    return np.column_stack([X, np.ones(len(X))]) if intercept else X


@every_storage
@with_and_without_intercept
class TestEqualsNumPy:
    def test_shape(self, matrix, store, intercept):
        design = Matrix(store(matrix), intercept=intercept)
        assert (design.n_rows, design.n_columns) == plain(matrix, intercept).shape

    def test_scores(self, matrix, store, intercept):
        X = plain(matrix, intercept)
        coef = np.random.default_rng(1).normal(size=X.shape[1])
        found = Matrix(store(matrix), intercept=intercept).scores(coef)
        assert found.dtype == np.float64
        assert (np.abs(found - X @ coef) <= 1e-14 * (np.abs(X) @ np.abs(coef))).all()

    def test_adjoint(self, matrix, store, intercept):
        X = plain(matrix, intercept)
        residual = np.random.default_rng(2).normal(size=len(X))
        found = Matrix(store(matrix), intercept=intercept).adjoint(residual)
        assert found.dtype == np.float64
        assert (np.abs(found - X.T @ residual) <= 1e-13 * (np.abs(X).T @ np.abs(residual))).all()

    def test_dense(self, matrix, store, intercept):
        found = Matrix(store(matrix), intercept=intercept).dense()
        assert found.dtype == np.float64
        assert_array_equal(found, plain(matrix, intercept))

    def test_columns(self, matrix, store, intercept):
        X = plain(matrix, intercept)
        n = X.shape[1]
        design = Matrix(store(matrix), intercept=intercept)
        for index in ([0], [1, 3], [2, n - 1], list(range(n - 1)), list(range(n)), []):
            chosen = design.columns(np.array(index, dtype=np.intp))
            assert chosen.n_columns == len(index)
            assert_array_equal(chosen.dense(), X[:, index])
            assert_allclose(chosen.scores(np.ones(len(index))), X[:, index].sum(axis=1), rtol=1e-12, atol=1e-12)

    def test_rows(self, matrix, store, intercept):
        index = np.array([5, 0, 5, N_ROWS - 1])
        chosen = Matrix(store(matrix), intercept=intercept).rows(index)
        assert_array_equal(chosen.dense(), plain(matrix, intercept)[index])

    def test_spread(self, matrix, store, intercept):
        weight = np.random.default_rng(3).uniform(size=N_ROWS)
        weight /= weight.sum()
        X = plain(matrix, intercept)
        deviation = np.sqrt(weight @ (X - weight @ X) ** 2)
        if intercept:
            deviation[-1] = 1.0
        assert_allclose(Matrix(store(matrix), intercept=intercept).spread(weight), deviation, rtol=1e-12)


def test_float32_data_is_computed_with_in_float64():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 4)).astype(np.float32)
    coef, residual = rng.normal(size=4), rng.normal(size=300)
    for narrow in (X, np.asfortranarray(X), sp.csr_array(X)):
        design, wide = Matrix(narrow), X.astype(np.float64)
        assert_allclose(design.scores(coef), wide @ coef, rtol=1e-13, atol=1e-14)
        assert_allclose(design.adjoint(residual), wide.T @ residual, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_dense_matrix_is_not_copied(dtype, order):
    X = np.zeros((10, 3), dtype=dtype, order=order)
    design = Matrix(X, intercept=True)
    assert np.shares_memory(design.X, X)
    assert np.shares_memory(design.columns(np.arange(3)).X, X)
    assert design.columns(np.arange(4)) is design


def test_a_float64_sparse_matrix_is_not_copied():
    X = sp.csr_array(np.eye(3))
    assert np.shares_memory(Matrix(X).X.data, X.data)


@every_storage
@pytest.mark.parametrize("constant", [0.0, 1.0, -0.1, 1e8, 1e-8])
def test_the_spread_of_a_constant_column_is_one(store, constant):
    rng = np.random.default_rng(5)
    X = store(np.full((1000, 2), constant))
    assert_array_equal(Matrix(X, intercept=True).spread(rng.dirichlet(np.ones(1000))), 1.0)


# float32 cannot hold 1e8 + 0.1, and sparse columns, whose moments are about zero, are not far from it.
FAR = {name: store for name, store in STORAGES.items() if "32" not in name and "cs" not in name}


@pytest.mark.parametrize("store", FAR.values(), ids=FAR.keys())
def test_the_spread_of_a_column_far_from_zero_keeps_its_digits(store):
    rng = np.random.default_rng(6)
    column = 1e8 + 5 * rng.normal(size=1000)
    deviation = Matrix(store(column[:, None])).spread(np.full(1000, 1e-3))
    assert_allclose(deviation, (column - 1e8).std(), rtol=1e-10)


def test_values_that_differ_in_the_last_digit_only_are_constant():
    values = np.array([0.3, np.nextafter(0.3, 1), 0.3])
    assert spread_of(values, np.ones(3)) == 1.0
    assert spread_of(1e9 + np.array([0.0, 1e-3]), np.ones(2)) == pytest.approx(5e-4, rel=1e-3)


@pytest.mark.parametrize("least", [0.0, -1.0], ids=["nonnegative", "of both signs"])
@every_storage
def test_gram_matrices_take_weights_of_either_sign(store, least, monkeypatch):
    monkeypatch.setattr("blindauc.rows.matrix.GRAM_ENTRIES", 999)
    rng = np.random.default_rng(0)
    X, weight = rng.integers(-3, 4, size=(N_ROWS, 5)).astype(float), rng.uniform(least, 1, N_ROWS)
    matrix, origin = Matrix(store(X)), np.arange(5.0)
    assert_allclose(matrix.gram(weight, matrix.about(origin)), (X - origin).T @ (weight[:, None] * (X - origin)))
