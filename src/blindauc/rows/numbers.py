"""Checks of the values of X, wherever its rows are: they must be numbers whose squares do not overflow."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

LARGEST = 1e100
"""The largest allowed value (convention): sums of squares of larger ones could overflow."""


def refuse_columns_that_are_no_numbers(X: Any, remedy: str) -> None:
    """Raise if an array or a table has columns of half precision, text, dates or objects."""
    if getattr(X, "dtype", None) == np.float16:
        raise ValueError("X is float16, which loses digits in sums: convert it with X.astype(np.float32).")
    if not (hasattr(X, "columns") and hasattr(X, "dtypes")):
        return
    kinds = {name: np.asarray(X[name]).dtype for name in X.columns}
    half = [name for name, dtype in kinds.items() if dtype == np.float16]
    if half:
        raise ValueError(f"The columns {half[:5]} of X are float16: convert them to float32 or float64.")
    not_numeric = [name for name, dtype in kinds.items() if dtype.kind not in "fiub"]
    if not_numeric:
        if len(not_numeric) == 1:
            raise ValueError(f"X has 1 column that is not numeric, {not_numeric[0]!r}: {remedy}, or drop it.")
        raise ValueError(
            f"X has {len(not_numeric)} columns that are not numeric, the first of them {not_numeric[:5]}: "
            f"{remedy}, or drop them."
        )


def refuse_too_large(X: Any) -> None:
    """Raise if squares of values could overflow. Missing values are allowed."""
    values = X.data if sp.issparse(X) else X
    largest = float(
        max(np.fmax.reduce(values, axis=None, initial=0.0), -np.fmin.reduce(values, axis=None, initial=0.0))
    )
    if largest > LARGEST:
        raise ValueError(
            f"X has values up to {largest:.1e}, too large to square: rescale the columns to below "
            f"{LARGEST:.0e}, for example with StandardScaler or by choosing other units."
        )
