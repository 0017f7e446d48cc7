"""Categorical columns of tables as integer codes.

Only levels that occur in the rows have codes, in the sorted order of their texts. So neither the declared order of the
levels nor an unused level changes a fit, and pandas and polars give the same codes. A level that did not occur in the
fit counts as missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from blindauc._typing import Bools, Ints
from blindauc.preprocessing.faults import MOST_CATEGORIES, check_faults, many_categories
from blindauc.preprocessing.values import distinct_texts, plainly


@dataclass(frozen=True)
class Categories:
    """The categorical columns of a table, and their levels.

    Parameters
    ----------
    columns : tuple of int
    levels : tuple of ndarray of text
        The levels of each of these columns; the index of a level is its code.

    Examples
    --------
    >>> import pandas as pd
    >>> from blindauc.rows.categories import Categories
    >>> wards = pd.DataFrame({"ward": pd.Categorical(["B", "A", None, "B"]), "age": [41, 57, 38, 62]})
    >>> categories = Categories.of(wards)
    >>> categories.encoded(wards)["ward"].tolist()
    [1.0, 0.0, nan, 1.0]
    >>> categories.encoded(pd.DataFrame({"ward": pd.Categorical(["C"]), "age": [50]}))["ward"].tolist()
    [nan]
    """

    columns: tuple[int, ...]
    levels: tuple[Any, ...]

    @classmethod
    def of(cls, X: Any) -> Categories:
        """The categories of a table. Columns with too many levels raise a ValueError that names them."""
        columns = category_columns(X)
        levels = [np.unique([text for text in _texts(X, column)[1] if text]).astype(str) for column in columns]
        counts = {str(X.columns[j]): len(each) for j, each in zip(columns, levels, strict=True)}
        check_faults({name: many_categories(n) for name, n in counts.items() if n > MOST_CATEGORIES})
        return cls(tuple(columns), tuple(levels))

    @property
    def by_column(self) -> Mapping[int, Any]:
        """The levels of each categorical column."""
        return dict(zip(self.columns, self.levels, strict=True))

    def mask(self, n_features: int) -> Bools:
        """Mask of the categorical columns, of shape (n_features,)."""
        return np.isin(np.arange(n_features), self.columns)

    def check(self, n_levels: Ints, is_used: Bools) -> None:
        """Raise if the splits of trees do not match the categories: wrong kind of split, or unknown codes.

        Parameters
        ----------
        n_levels : ndarray of shape (p,), one more than the largest code in the splits of a column; 0 for splits on
            numbers
        is_used : mask of shape (p,), the columns that are split
        """
        counts = {j: len(set(each)) for j, each in self.by_column.items() if each.dtype.kind == "U"}
        of_column = np.array([counts.get(j, 0) for j in range(len(n_levels))])
        split_as_numbers = is_used & (n_levels == 0)
        if set(counts) != set(self.columns) or (n_levels > of_column).any() or split_as_numbers[list(counts)].any():
            raise ValueError("The trees in the model do not match its categories: get the model file again.")

    def encoded(self, X: Any) -> Any:
        """The table with codes in place of categories; NaN for missing values and unknown levels."""
        numbers = {j: _numbers(X, j, levels) for j, levels in self.by_column.items()}
        if hasattr(X, "with_columns"):  # polars
            return X.with_columns(type(X.to_series(j))(X.columns[j], each) for j, each in numbers.items())
        X = X.copy(deep=False)
        for j, each in numbers.items():
            X.isetitem(j, each)  # by position, as names may occur twice
        return X


def category_columns(X: Any) -> list[int]:
    """The indices of the categorical columns of a table: category of pandas, Categorical and Enum of polars."""
    if not is_table(X):
        return []
    return [j for j, dtype in enumerate(X.dtypes) if str(dtype).startswith(("category", "Categorical", "Enum"))]


def is_table(X: Any) -> bool:
    """Whether X is a pandas or polars DataFrame."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def _numbers(X: Any, column: int, levels: Any) -> Any:
    place, (codes, texts) = {text: k for k, text in enumerate(levels.tolist())}, _texts(X, column)
    # Codes are exact in single precision, which does not turn a table of float32 into one of float64.
    return np.array([*(place.get(text, np.nan) for text in texts), np.nan], dtype=np.float32)[codes]


def _texts(X: Any, column: int) -> tuple[Ints, list[str]]:
    """For each row the index of its text, -1 if it is missing; and the texts."""
    if hasattr(X, "iloc"):
        return distinct_texts(X.iloc[:, column])
    cells = X.to_series(column).to_list()
    place = {cell: k for k, cell in enumerate(dict.fromkeys(cell for cell in cells if cell is not None))}
    return np.array([place.get(cell, -1) for cell in cells], dtype=np.intp), [plainly(cell.strip()) for cell in place]
