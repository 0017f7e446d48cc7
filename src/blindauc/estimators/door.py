"""From whatever users pass to `fit` to rows that fit and vote: arrays, tables, and rows that are not in memory."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import _num_samples

from blindauc.estimators.parted import read_parts
from blindauc.estimators.reading import Sifted, read_data, sifted
from blindauc.rows.parts import PartedRows


def read_rows(
    estimator: Any, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None
) -> Sifted:
    """Validated rows, with those of leverage set apart; the estimator learns its classes and its columns."""
    parts = parted(X, y, sample_weight, estimator)
    if parts is None:
        data = read_data(estimator, X, y, sample_weight, groups=groups, time=time)
        return sifted(data, estimator.leverage_screen, _num_samples(X))
    if groups is not None or time is not None:
        raise ValueError("groups= and time= are for rows in memory: leave them out, or pass a table that fits into it.")
    return read_parts(estimator, parts)


def parted(X: Any, y: Any, sample_weight: Any, estimator: Any) -> PartedRows | None:
    """Rows that are not in memory, or None where they are."""
    return X if isinstance(X, PartedRows) else None
