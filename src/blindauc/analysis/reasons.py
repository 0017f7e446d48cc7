r"""Reasons for the rank of a row in words: the columns that lower a labelled row most, or raise an unlabelled one.

    pull[i, s] = part[i, s] - median of part[:, s],    part[i, s] = \sum_{j from s} reasons[i, j]

for the rows i, the table columns s and the encoded columns j of each. `reasons` are the contributions to the score
(`PURanking.reasons`), and the median is over the rows of the same kind, labelled or unlabelled. A row that the fit
excluded for its leverage has no such reason. It is described by the columns in which it is most extreme,

    distance[i, s] = max_{j from s} |X[i, j] - median of X[:, j]| / spread[j].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pandas as pd

from blindauc._typing import Bools, Floats, Ints
from blindauc.analysis.pipeline import Steps
from blindauc.preprocessing import feature_groups, group_names
from blindauc.preprocessing.values import days_of, numbers_of, texts_of

MOST_COLUMNS = 3
"""Columns that a reason names (convention)."""

NEGLIGIBLE = 0.1
"""Columns with less than this share of the strongest column's pull are not named (convention)."""

COMPARED_ROWS = 300
"""Size of the random sample of unlabelled rows over which medians are taken. The rank of such a median is within 6 % of
that of all rows (two standard errors: 2 * sqrt(0.25 / 300)). Contributions can take far longer than scores."""

BLOCK_ROWS = 4_096
"""Rows per block (convention): the encoded columns of all rows may need many times the memory of the table."""

NO_REASON = "no column pulls it down"
NO_REASON_UP = "no column pulls it up"


def reasons(steps: Steps, labelled: pd.DataFrame, X: Floats, leverage: Ints | None = None) -> list[str]:
    """For each labelled row, the columns that lower its score most compared with the other labelled rows.

    For a row with leverage, which is far from all other rows, the columns in which it is most extreme are named.

    Parameters
    ----------
    steps : Steps
    labelled : pandas.DataFrame
        The labelled rows.
    X : ndarray
        The same rows, encoded.
    leverage : ndarray of shape (n_labelled,), optional
        For a row that the fit excluded for its leverage, the number of columns with an unusual value; otherwise 0.

    Returns
    -------
    list of str
        Such as "crp 3 (labelled rows: typically 80); fever no (mostly yes)" and "unlike all other rows, unusual in 180
        columns: crp 9000 (labelled rows: typically 80)".
    """
    columns = _Columns(steps, labelled, np.ones(len(labelled), dtype=bool), "labelled rows")
    words = [columns.in_words(row, places) or NO_REASON for row, places in enumerate(_strongest(-pulls(steps, X)))]
    if leverage is not None and leverage.any():
        furthest = _strongest(distances(steps, X))
        for row in np.flatnonzero(leverage).tolist():
            words[row] = f"{_unusual(int(leverage[row]))}: {columns.in_words(row, furthest[row])}"
    return words


def reasons_to_check(steps: Steps, frame: pd.DataFrame, X: Floats, unlabelled: Bools, rows: Ints) -> list[str]:
    """For some unlabelled rows, the columns that raise their score most compared with the other unlabelled rows.

    The comparison uses a random sample of at most 300 unlabelled rows.

    Parameters
    ----------
    steps : Steps
    frame : pandas.DataFrame
        All rows.
    X : ndarray
        The same rows, encoded.
    unlabelled : mask of shape (n,)
    rows : ndarray
        The positions of the rows that need a reason.

    Returns
    -------
    list of str
        Such as "crp 120 (unlabelled rows: typically 9); fever yes (mostly no)".
    """
    columns = _Columns(steps, frame, unlabelled, "unlabelled rows")
    compared = _some(np.flatnonzero(unlabelled))
    strongest = _strongest(_parts(steps, X[rows]) - np.median(_parts(steps, X[compared]), axis=0))
    return [columns.in_words(row, places) or NO_REASON_UP for row, places in zip(rows.tolist(), strongest, strict=True)]


def _some(rows: Ints) -> Ints:
    """A random sample of at most `COMPARED_ROWS` rows."""
    if len(rows) <= COMPARED_ROWS:
        return rows
    return np.sort(np.random.default_rng(0).choice(rows, COMPARED_ROWS, replace=False))


def _unusual(n_columns: int) -> str:
    return f"unlike all other rows, unusual in {n_columns} {'column' if n_columns == 1 else 'columns'}"


def _strongest(size: Floats) -> list[list[int]]:
    """For each row, the columns of its largest sizes, without the negligible ones."""
    places = np.argsort(-size, axis=1, kind="stable")[:, :MOST_COLUMNS]
    sizes = np.take_along_axis(size, places, axis=1)
    is_worth_it = (sizes > 0) & (sizes >= NEGLIGIBLE * sizes[:, :1])
    return [some[worth].tolist() for some, worth in zip(places, is_worth_it, strict=True)]


def pulls(steps: Steps, X: Floats) -> Floats:
    """The contribution of each table column to the score of each row, minus its median over these rows."""
    parts = _parts(steps, X)
    return parts - np.median(parts, axis=0)


def _parts(steps: Steps, X: Floats) -> Floats:
    """The contribution of each table column to the score of each row."""
    source = feature_groups(steps.preprocessor)
    parts = np.zeros((len(X), source.max() + 1))
    for start in range(0, len(X), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        np.add.at(parts[block].T, source, steps.ranking.reasons(X[block])[:, :-1].T)
    return parts


def distances(steps: Steps, X: Floats) -> Floats:
    """The distance of each row from the median of these rows by each table column, in standard deviations."""
    source = feature_groups(steps.preprocessor)
    deviation = np.abs(X - np.median(X, axis=0)) / steps.ranking.spread_
    furthest = np.zeros((len(X), source.max() + 1))
    np.maximum.at(furthest.T, source, deviation.T)
    return furthest


class _ReadColumn(Protocol):
    """A column that can state the value of a row, and the usual value of the rows it is compared with."""

    def value(self, row: int) -> str: ...

    def usual(self, row: int) -> str: ...


class _Columns:
    """The columns of some rows, read on first use; `among` marks the rows to compare with, `called` in the text."""

    def __init__(self, steps: Steps, rows: pd.DataFrame, among: Bools, called: str) -> None:
        self._steps, self._rows, self._among, self._called = steps, rows, among, called
        self._names = group_names(steps.preprocessor)
        self._read: dict[int, _ReadColumn] = {}

    def in_words(self, row: int, places: Sequence[int]) -> str:
        words: list[str] = []
        for place in places:
            column = self._column(place)
            among = f"{self._called}: " if not words else ""
            words.append(f"{self._names[place]} {column.value(row)} ({among}{column.usual(row)})")
        return "; ".join(words)

    def _column(self, place: int) -> _ReadColumn:
        if place not in self._read:
            self._read[place] = self._read_column(self._names[place])
        return self._read[place]

    def _read_column(self, name: str) -> _ReadColumn:
        kind, column = self._steps.kinds[name], self._rows[name]
        if kind == "numeric":
            return _Numbers(numbers_of(column), self._among, is_date=False)
        if kind == "date":
            return _Numbers(days_of(column, self._steps.date_formats[name]), self._among, is_date=True)
        return _Categories(texts_of(column), self._among)


@dataclass(frozen=True)
class _Numbers:
    values: Floats
    among: Bools
    is_date: bool

    def value(self, row: int) -> str:
        return self._written(self.values[row])

    def usual(self, row: int) -> str:
        return self._usual

    @cached_property
    def _usual(self) -> str:
        compared = self.values[self.among]
        present = compared[~np.isnan(compared)]
        if len(present) <= len(compared) / 2:
            return "mostly missing"
        return f"typically {self._written(np.median(present))}"

    def _written(self, number: float) -> str:
        if np.isnan(number):
            return "missing"
        return str(np.datetime64(int(np.floor(number)), "D")) if self.is_date else rounded(number)


class _Categories:
    def __init__(self, texts: Any, among: Bools) -> None:
        self._texts = ["missing" if pd.isna(text) else str(text) for text in texts]
        shares = pd.Series(self._texts, dtype=object)[among].value_counts(normalize=True)
        self._share_of = shares.to_dict()
        self._mode = shares.index[0]

    def value(self, row: int) -> str:
        return self._texts[row]

    def usual(self, row: int) -> str:
        if self._share_of[self._mode] > 0.5 and self._texts[row] != self._mode:
            return f"mostly {self._mode}"
        return f"{100 * self._share_of.get(self._texts[row], 0.0):.0f} % the same"


def rounded(number: float) -> str:
    """A number as text with three significant digits, or all digits before the decimal point.

    Examples
    --------
    >>> from blindauc.analysis.reasons import rounded
    >>> [rounded(number) for number in (3.0, 0.012345, 36.64, 12345.6, -0.0, 1.5e9)]
    ['3', '0.0123', '36.6', '12346', '0', '1.5e+09']
    """
    return f"{number:.0f}" if 100 <= abs(number) < 1e7 else f"{number + 0.0:.3g}"
