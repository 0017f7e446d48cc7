"""What is asked of a matrix of rows whose storage only this package knows: dense, or sparse by rows or by columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from blindauc._typing import Floats


def by_rows(X: Any) -> Any:
    """The matrix as it is best where rows are taken again and again."""
    return X.tocsr() if sp.issparse(X) else X


def dense(X: Any) -> Any:
    """The matrix with all its zeros, in its own precision; not copied where it has them."""
    return X.toarray() if sp.issparse(X) else X


def for_c_libraries(X: Any) -> Any:
    """An array, or a `csr_matrix`: libraries such as LightGBM read none of SciPy's newer sparse arrays."""
    return sp.csr_matrix(X) if sp.issparse(X) else X


def can_derive(X: Any) -> bool:
    """Whether new columns may be made of each value: of zeros that are not stored they would be too many."""
    return not sp.issparse(X)


def filled(X: Any) -> Any:
    """The medians of the columns where values are missing; itself where none is, as in every sparse matrix."""
    if sp.issparse(X) or not np.isnan(X).any():
        return X
    known = ~np.isnan(X).all(axis=0)
    middle = np.zeros(X.shape[1])
    middle[known] = np.nanmedian(X[:, known], axis=0)
    return np.where(np.isnan(X), middle, X)


def weighted(X: Any, coef: Floats) -> Floats:
    """Each value times the weight of its column, dense."""
    return X.multiply(coef).toarray() if sp.issparse(X) else X * coef


def in_units(X: Any, scale: Floats, about: Callable[[Any], Floats]) -> Any:
    """The columns in units of their scales, dense ones about a centre; sparse ones stay sparse, and so about zero."""
    return sp.csr_array(X.multiply(1 / scale)) if sp.issparse(X) else (X - about(X)) / scale


def row_products(X: Any) -> Floats:
    """X @ X.T, dense: for samples of rows only."""
    return dense(X @ X.T)
