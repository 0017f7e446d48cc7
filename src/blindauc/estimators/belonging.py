"""Validation of the arguments `groups` and `time` of `fit`."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d

from blindauc._typing import Floats, Ints
from blindauc.data import Data
from blindauc.labels import is_missing


def read_groups(groups: Any, n_rows: int) -> Ints | None:
    """The group of each row as a whole number, in the order of appearance.

    Examples
    --------
    >>> from blindauc.estimators.belonging import read_groups
    >>> read_groups(["P7", "P2", "P7"], 3)
    array([0, 1, 0])
    """
    if groups is None:
        return None
    values = column_of("groups", groups, n_rows)
    _refuse_missing("groups", values, "give a row that stands alone an id of its own")
    number: dict[Any, int] = {}
    return np.array([number.setdefault(value, len(number)) for value in values.tolist()], dtype=np.intp)


def read_times(time: Any, n_rows: int) -> Floats | None:
    """The time of each row as a number.

    Examples
    --------
    >>> from blindauc.estimators.belonging import read_times
    >>> read_times(["2021-03-04", "2020-03-04"], 2).argsort()
    array([1, 0])
    """
    if time is None:
        return None
    values = column_of("time", time, n_rows)
    _refuse_missing("time", values, "fill it in, or leave these rows out")
    try:
        moments = np.asarray(_numbers(values), dtype=np.float64)
        assert_all_finite(moments, input_name="time")
        return moments
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(
            f"time must be finite numbers, or dates ({error}): convert it, for example with pandas.to_datetime."
        ) from error


def _numbers(values: Any) -> Any:
    if values.dtype.kind not in "MOUS":
        return values
    if getattr(values[0], "tzinfo", None) is not None:
        return [value.timestamp() for value in values]  # NumPy has no time zones
    return values.astype("datetime64[us]").astype(np.int64)


def check_groups_can_be_parted(data: Data) -> None:
    """Raise an error if all labelled, or all unlabelled rows are in one group."""
    if data.group is None:
        return
    for kind, name in ((data.is_positive, "labelled positives"), (~data.is_positive, "unlabelled rows")):
        if len(np.unique(data.group[kind])) < 2:
            raise ValueError(
                f"All {kind.sum()} {name} are in one group, so that none can be held out from a fit to the others: "
                "pass groups= that split them, or leave it out."
            )


def column_of(name: str, values: Any, n_rows: int) -> Any:
    """One entry for each row, as an array."""
    column = column_or_1d(values, warn=True)
    if len(column) != n_rows:
        raise ValueError(f"{name} must have one entry for each row: X has {n_rows} rows, {name} {len(column)}.")
    return column


def _refuse_missing(name: str, values: Any, remedy: str) -> None:
    missing = np.isnat(values) if values.dtype.kind in "mM" else is_missing(values)
    if missing.any():
        raise ValueError(
            f"{name} is missing in {missing.sum()} rows, the first of them at index {missing.argmax()}: {remedy}."
        )
