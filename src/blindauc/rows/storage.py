"""Operations on a matrix whose storage the caller need not know: dense, or sparse by rows or by columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from blindauc._typing import Floats, Ints


def by_rows(X: Any) -> Any:
    """The matrix in a format with fast indexing of rows."""
    return X.tocsr() if sp.issparse(X) else X


def dense(X: Any) -> Any:
    """The matrix as a dense array of the same precision; not copied if it is dense already."""
    return X.toarray() if sp.issparse(X) else X


def for_c_libraries(X: Any) -> Any:
    """An array or a `csr_matrix`, as libraries such as LightGBM do not read SciPy's newer sparse arrays."""
    return sp.csr_matrix(X) if sp.issparse(X) else X


def can_derive(X: Any) -> bool:
    """Whether columns can be derived from X. Those of a sparse matrix would be dense, and too large."""
    return not sp.issparse(X)


def filled(X: Any) -> Any:
    """X with missing values replaced by the medians of their columns; X itself if it has none, or is sparse."""
    if sp.issparse(X) or not np.isnan(X).any():
        return X
    has_values = ~np.isnan(X).all(axis=0)
    middle = np.zeros(X.shape[1])
    middle[has_values] = np.nanmedian(X[:, has_values], axis=0)
    return np.where(np.isnan(X), middle, X)


def columns_where(is_so: Callable[[Any], Any], X: Any) -> Ints:
    """The numbers of the columns that hold a value for which `is_so` is true."""
    if sp.issparse(X):
        entries = X.tocoo()
        return np.unique(entries.col[is_so(entries.data)])
    return np.flatnonzero(is_so(np.asarray(X, dtype=np.float64)).any(axis=0))


def weighted(X: Any, coef: Floats) -> Floats:
    """Each value times the coefficient of its column, as a dense array."""
    return X.multiply(coef).toarray() if sp.issparse(X) else X * coef


def in_units(X: Any, scale: Floats, about: Callable[[Any], Floats]) -> Any:
    """The columns minus `about(X)`, divided by their scales; sparse ones are not centred, so that they stay sparse."""
    return sp.csr_array(X.multiply(1 / scale)) if sp.issparse(X) else (X - about(X)) / scale


def row_products(X: Any) -> Floats:
    """X @ X.T as a dense array. Only for samples of rows."""
    return dense(X @ X.T)
