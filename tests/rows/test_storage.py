"""How rows are stored is known to `rows/` alone, and no result depends on it."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

import blindauc
from blindauc.rows.positions import column_units, positions
from blindauc.rows.storage import by_rows, can_derive, dense, filled, for_c_libraries, in_units, row_products, weighted

SOURCE = Path(blindauc.__file__).parent
ASKS = ("issparse", "isspmatrix", ".tocsr", ".tocsc", ".tocoo", '"tocsr"', "sp.spmatrix", "sp.sparray")


def test_no_other_file_asks_whether_a_matrix_is_sparse():
    files = [path.relative_to(SOURCE) for path in SOURCE.rglob("*.py")]
    asking = {str(path) for path in files if any(ask in (SOURCE / path).read_text(encoding="utf-8") for ask in ASKS)}
    assert asking  # else the words have changed
    assert [path for path in sorted(asking) if not path.startswith("rows")] == []


RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4)) * (RNG.uniform(size=(60, 4)) < 0.5)
SCALE = np.array([1.0, 2.0, 0.5, 3.0])
SPARSE = {
    "csr_matrix": sp.csr_matrix,
    "csc_matrix": sp.csc_matrix,
    "csr_array": sp.csr_array,
    "csc_array": sp.csc_array,
}
every_sparse = pytest.mark.parametrize("store", SPARSE.values(), ids=SPARSE)


@every_sparse
def test_sparse_rows_give_what_dense_rows_give(store):
    stored = store(X)
    assert_array_equal(dense(stored), X)
    assert_array_equal(dense(by_rows(stored)[[3, 1, 3]]), X[[3, 1, 3]])
    assert_array_equal(weighted(stored, SCALE), X * SCALE)
    assert_allclose(row_products(stored), X @ X.T, atol=1e-14)
    assert_allclose(dense(in_units(stored, SCALE, about=np.mean)), X / SCALE)
    assert filled(stored) is stored
    assert isinstance(for_c_libraries(stored), sp.csr_matrix)
    assert not can_derive(stored)


@every_sparse
def test_sparse_rows_lie_where_dense_rows_lie(store):
    units, expected = column_units(store(X), store(X[:9])), column_units(X, X[:9])
    for ours, theirs in zip((*units, *positions(store(X), units)), (*expected, *positions(X, expected)), strict=True):
        assert_allclose(ours, theirs, atol=1e-12)


def test_dense_rows_stay_as_they_are():
    for same in (by_rows, dense, filled, for_c_libraries):
        assert same(X) is X
    assert can_derive(X)
    assert_array_equal(in_units(X, SCALE, about=lambda X: X[0]), (X - X[0]) / SCALE)


def test_gaps_are_filled_with_medians_and_empty_columns_with_zero():
    gaps = np.array([[1.0, np.nan], [3.0, np.nan], [np.nan, np.nan], [9.0, np.nan]])
    assert_array_equal(filled(gaps), [[1, 0], [3, 0], [3, 0], [9, 0]])
