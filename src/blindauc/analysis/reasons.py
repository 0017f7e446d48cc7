r"""Why labelled rows are doubted, in words: the columns that pull their scores down.

    pull[i, s] = part[i, s] - median of part[:, s],    part[i, s] = \sum_{j from s} coef[j] X[i, j]

for the labelled rows i, the columns s of the table and the columns j that come from each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pandas as pd
import scipy.sparse as sp

from blindauc._typing import Floats
from blindauc.analysis.pipeline import Steps
from blindauc.preprocessing import feature_groups, group_names
from blindauc.preprocessing.values import days_of, numbers_of, texts_of

MOST_COLUMNS = 3

NEGLIGIBLE = 0.1
"""A column that pulls less than this share of what the strongest does is not worth a word."""

NO_REASON = "no column pulls it down"


def reasons(steps: Steps, labelled: pd.DataFrame, X: Floats) -> list[str]:
    """For each labelled row the columns that lower its score most, compared with the other labelled rows.

    Parameters
    ----------
    steps : Steps
    labelled : pandas.DataFrame
        The labelled rows.
    X : ndarray
        The same rows, encoded.

    Returns
    -------
    list of str
        Such as "crp 3 (labelled rows: typically 80); fever no (mostly yes)".
    """
    pull = pulls(steps, X)
    strongest = np.argsort(pull, axis=1, kind="stable")[:, :MOST_COLUMNS]
    told = np.take_along_axis(pull, strongest, axis=1)
    is_worth_it = (told < 0) & (told <= NEGLIGIBLE * told[:, :1])
    columns = _Columns(steps, labelled)
    return [
        columns.in_words(row, places[worth].tolist())
        for row, (places, worth) in enumerate(zip(strongest, is_worth_it, strict=True))
    ]


def pulls(steps: Steps, X: Floats) -> Floats:
    """How far each column of the table moves the score of each row, compared with the middle of these rows."""
    source = feature_groups(steps.preprocessor)
    weights = sp.csr_array((steps.ranking.coef_, (np.arange(len(source)), source)))
    parts = X @ weights
    return parts - np.median(parts, axis=0)


class _Told(Protocol):
    """A column that can say what a row holds, and how that compares with the others."""

    def value(self, row: int) -> str: ...

    def usual(self, row: int) -> str: ...


class _Columns:
    """The columns of the labelled rows; only those that are spoken of are read."""

    def __init__(self, steps: Steps, labelled: pd.DataFrame) -> None:
        self._steps, self._labelled = steps, labelled
        self._names = group_names(steps.preprocessor)
        self._read: dict[int, _Told] = {}

    def in_words(self, row: int, places: Sequence[int]) -> str:
        words: list[str] = []
        for place in places:
            column = self._column(place)
            among = "labelled rows: " if not words else ""
            words.append(f"{self._names[place]} {column.value(row)} ({among}{column.usual(row)})")
        return "; ".join(words) or NO_REASON

    def _column(self, place: int) -> _Told:
        if place not in self._read:
            self._read[place] = self._read_column(self._names[place])
        return self._read[place]

    def _read_column(self, name: str) -> _Told:
        kind, column = self._steps.kinds[name], self._labelled[name]
        if kind == "numeric":
            return _Numbers(numbers_of(column), is_date=False)
        if kind == "date":
            return _Numbers(days_of(column, self._steps.date_formats[name]), is_date=True)
        return _Categories(texts_of(column))


@dataclass(frozen=True)
class _Numbers:
    values: Floats
    is_date: bool

    def value(self, row: int) -> str:
        return self._written(self.values[row])

    def usual(self, row: int) -> str:
        return self._usual

    @cached_property
    def _usual(self) -> str:
        present = self.values[~np.isnan(self.values)]
        if len(present) <= len(self.values) / 2:
            return "mostly missing"
        return f"typically {self._written(np.median(present))}"

    def _written(self, number: float) -> str:
        if np.isnan(number):
            return "missing"
        return str(np.datetime64(int(np.floor(number)), "D")) if self.is_date else rounded(number)


class _Categories:
    def __init__(self, texts: Any) -> None:
        self._texts = ["missing" if pd.isna(text) else str(text) for text in texts]
        shares = pd.Series(self._texts, dtype=object).value_counts(normalize=True)
        self._share_of = shares.to_dict()
        self._mode = shares.index[0]

    def value(self, row: int) -> str:
        return self._texts[row]

    def usual(self, row: int) -> str:
        if self._share_of[self._mode] > 0.5 and self._texts[row] != self._mode:
            return f"mostly {self._mode}"
        return f"{self._share_of[self._texts[row]]:.0%} the same"


def rounded(number: float) -> str:
    """A number as a person would say it: three digits, or all before the point.

    Examples
    --------
    >>> from blindauc.analysis.reasons import rounded
    >>> [rounded(number) for number in (3.0, 0.012345, 36.64, 12345.6, -0.0, 1.5e9)]
    ['3', '0.0123', '36.6', '12346', '0', '1.5e+09']
    """
    return f"{number:.0f}" if 100 <= abs(number) < 1e7 else f"{number + 0.0:.3g}"
