r"""Detect label leakage: columns that were recorded because of the label, and so are not available for new rows.

An event E of a single column (it is filled in; it has a value; it is above a limit) gives the label away if most
labelled rows show it and hardly any unlabelled row does. The hidden positives among the unlabelled rows would show an
legitimate E as often as the labelled ones do,

    P(E | unlabelled) >= share of positives among the unlabelled rows * P(E | labelled).

If P(E | unlabelled) is below a hundredth of P(E | labelled), fewer than one in a hundred unlabelled rows could be
positive, and there would be almost none to find. A leak must also occur in nearly no other rows than labelled ones,
because a legitimate column can be as predictive where positives are very rare.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from blindauc._typing import Bools, Floats, Ints
from blindauc.analysis.labels import Positive, read_labels_of
from blindauc.preprocessing import ColumnKind, column_kinds
from blindauc.preprocessing.kinds import MANY
from blindauc.preprocessing.naming import few, listed
from blindauc.preprocessing.values import days_by_guess, distinct_texts, numbers_of

MOST = 0.5
"""Smallest share of labelled rows that are filled in, or have the value, for a leak (convention: a majority)."""

NEARLY_ALL = 0.9
"""The same share for a limit, for one of several values and for a measured value. It is higher because a good
separation is no leak, while a perfect one may be. With 0.9, of scikit-learn's classification data sets with all
positives labelled, only the petals of iris are named, which do decide that label."""

HARDLY = 0.01
"""Largest frequency of the event in unlabelled rows, relative to labelled rows (see above: one in a hundred)."""

NEARLY_ONLY = 0.9
"""Smallest share of labelled rows among the rows with the event (convention)."""

ENOUGH_ROWS = 30
"""Smallest number of unlabelled rows: if none in n shows the event, its frequency is below 3 / n with 95 % confidence
(rule of three), which is 10 % for 30 rows."""

ENOUGH_LABELLED = 10
"""Smallest number of labelled rows with the event: fewer may share a value by chance (convention)."""


@dataclass(frozen=True)
class Leak:
    """A column that gives the label away.

    Attributes
    ----------
    column : the name of the column
    reason : what it does, in words that follow the name
    """

    column: str
    reason: str


class LeakError(ValueError):
    """Columns give the label away.

    Parameters
    ----------
    leaks : list of Leak
    """

    def __init__(self, leaks: Sequence[Leak]) -> None:
        self.leaks = list(leaks)
        what = few(f"{leak.column!r} {leak.reason}" for leak in self.leaks)
        super().__init__(
            f"Columns give the label away: {what}. A column that is recorded because of the label is not available "
            "for new rows: leave it out with drop=, or use it anyway with allow_leaks=."
        )


def find_leaks(frame: pd.DataFrame, label: str, *, positive: Positive = None, drop: Sequence[str] = ()) -> list[Leak]:
    """Find the columns of a table that give the label away, each by itself.

    A column is a leak if it repeats the labels; if it is filled in, or missing, nearly only in labelled rows; if it
    has a value, or a few values, nearly only there; or if its numbers or dates lie on one side of a limit in nearly
    all labelled rows and hardly ever in others. Constants, identifiers and free text are not examined, since no model
    uses them.

    Parameters
    ----------
    frame : pandas.DataFrame
    label, positive
        As in `analyse`.
    drop : sequence of str
        Columns to leave out.

    Returns
    -------
    list of Leak

    Examples
    --------
    >>> import pandas as pd
    >>> from blindauc.analysis import find_leaks
    >>> table = pd.DataFrame({"age": [40, 50, 60, 70] * 25, "infected": ["yes"] * 20 + [""] * 80})
    >>> table["treated on"] = ["2021-03-04", "2021-05-06"] * 10 + [None] * 80
    >>> find_leaks(table, "infected")
    [Leak(column='treated on', reason='is filled in for 20 of 20 labelled rows and 0 of 80 others')]
    """
    is_positive = read_labels_of(frame, label, positive).is_positive
    columns = frame.drop(columns=[label, *drop])
    return leaks_among(columns, column_kinds(columns), frame[label], is_positive)


def leaks_among(
    columns: pd.DataFrame,
    kinds: Mapping[str, ColumnKind],
    label: pd.Series,
    is_positive: Bools,
    stands_for: float = 1.0,
) -> list[Leak]:
    """The leaks among columns of known kinds. Each unlabelled row represents `stands_for` rows of the whole table."""
    used = [name for name in columns.columns if kinds[name].is_used]
    copies = [_pattern(label), _pattern(pd.Series(is_positive))]
    rows = _Rows(is_positive, stands_for)
    reasons = {name: _reason(columns[name], kinds[name].kind, copies, rows) for name in used}
    return [Leak(name, reason) for name, reason in reasons.items() if reason is not None]


def _reason(column: pd.Series, kind: str, copies: Sequence[Ints], rows: _Rows) -> str | None:
    if any(np.array_equal(_pattern(column), each) for each in copies):
        return "repeats the labels in every row"
    return next((reason for reason in _leak_reasons(_Column.read(column, kind), rows)), None)


def _pattern(column: pd.Series) -> Ints:
    """Codes of the values in order of appearance: equal for two columns that differ only in spelling."""
    numbers, _ = pd.factorize(distinct_texts(column)[0])
    return numbers


@dataclass(frozen=True)
class _Rows:
    """The mask of labelled rows, and how often an event occurs in labelled and in other rows."""

    is_positive: Bools
    stands_for: float

    def are_nearly_exclusive(self, seen_pos: Any, seen_unl: Any) -> Any:
        """Whether nearly all rows with an event are labelled, from its counts in labelled and in sampled other rows."""
        return seen_pos >= NEARLY_ONLY * (seen_pos + self.stands_for * seen_unl)

    @cached_property
    def totals(self) -> tuple[int, int]:
        return int(self.is_positive.sum()), int((~self.is_positive).sum())

    def counts(self, event: Bools) -> tuple[int, int]:
        """The numbers of labelled and of other rows with the event."""
        return int(event[self.is_positive].sum()), int(event[~self.is_positive].sum())

    def give_away(self, event: Bools, least: float = MOST) -> bool:
        (n_pos, n_unl), (seen_pos, seen_unl) = self.totals, self.counts(event)
        if seen_pos < max(least * n_pos, ENOUGH_LABELLED) or n_unl < ENOUGH_ROWS:
            return False
        is_rare_elsewhere = seen_unl / n_unl <= HARDLY * seen_pos / n_pos
        return is_rare_elsewhere and self.are_nearly_exclusive(seen_pos, seen_unl)

    def in_words(self, event: Bools) -> str:
        (n_pos, n_unl), (seen_pos, seen_unl) = self.totals, self.counts(event)
        return f"{seen_pos:,} of {n_pos:,} labelled rows and {seen_unl:,} of {n_unl:,} others"


@dataclass(frozen=True)
class _Column:
    """A column as integer codes, -1 for missing, and the texts of its distinct values.

    If `is_ordered`, codes and texts are sorted by value. If `is_measured`, the values are measurements, not codes.
    """

    codes: Ints
    texts: Sequence[str]
    is_ordered: bool = False
    is_measured: bool = False

    @classmethod
    def read(cls, column: pd.Series, kind: str) -> _Column:
        if kind in ("numeric", "date"):
            numbers = numbers_of(column) if kind == "numeric" else days_by_guess(column)
            distinct = np.unique(numbers[~np.isnan(numbers)])
            codes = np.where(np.isnan(numbers), -1, np.searchsorted(distinct, numbers))
            is_measured = len(distinct) > MANY or bool((distinct % 1).any())
            return cls(codes, _Numbers(distinct, kind == "date"), True, is_measured)
        codes, texts = distinct_texts(column)
        is_blank = np.array([not text for text in texts] + [True])
        return cls(np.where(is_blank[codes], -1, codes), texts)


class _Numbers(Sequence[str]):
    """Numbers or days as text, formatted on access, since most are never needed."""

    def __init__(self, values: Floats, are_days: bool) -> None:
        self._values, self._are_days = values, are_days

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, place: Any) -> Any:
        value = self._values[place]
        return str(np.datetime64(int(np.floor(value)), "D")) if self._are_days else f"{value:g}"


def _leak_reasons(column: _Column, rows: _Rows) -> Iterator[str]:
    """The ways in which a column gives the label away, in words, the simplest first."""
    is_missing = column.codes < 0
    if rows.give_away(~is_missing):
        yield f"is filled in for {rows.in_words(~is_missing)}"
    if rows.give_away(is_missing):
        yield f"is missing in {rows.in_words(is_missing)}"
    yield from _by_value(column, rows)
    if column.is_ordered:
        yield from _by_limit(column, rows)


def _by_value(column: _Column, rows: _Rows) -> Iterator[str]:
    present = column.codes >= 0
    seen_pos, seen_unl = (
        np.bincount(column.codes[present & kind], minlength=len(column.texts))
        for kind in (rows.is_positive, ~rows.is_positive)
    )
    if len(seen_pos):
        first = int(seen_pos.argmax())
        is_first = column.codes == first
        if rows.give_away(is_first, NEARLY_ALL if column.is_measured else MOST):
            yield f"is {column.texts[first]!r} in {rows.in_words(is_first)}"
    # Of many values, some occur in labelled rows only by chance: several together must cover nearly all labelled rows.
    exclusive = np.flatnonzero((seen_pos >= ENOUGH_LABELLED) & rows.are_nearly_exclusive(seen_pos, seen_unl))
    is_exclusive = np.isin(column.codes, exclusive)
    if not column.is_ordered and rows.give_away(is_exclusive, NEARLY_ALL):
        named = listed(column.texts[place] for place in exclusive.tolist())
        yield f"is one of {named} in {rows.in_words(is_exclusive)}"
    usual = int(seen_unl.argmax()) if len(seen_unl) else -1
    other = present & (column.codes != usual)
    if rows.give_away(other):
        yield f"is other than {column.texts[usual]!r} in {rows.in_words(other)}"


def _by_limit(column: _Column, rows: _Rows) -> Iterator[str]:
    codes = np.sort(column.codes[rows.is_positive & (column.codes >= 0)])
    if not len(codes):
        return
    rest = int((1 - NEARLY_ALL) * len(codes))
    low, high = int(codes[rest]), int(codes[-1 - rest])
    above, below = column.codes >= low, (column.codes >= 0) & (column.codes <= high)
    if rows.give_away(above, NEARLY_ALL):
        yield f"is {column.texts[low]} or more in {rows.in_words(above)}"
    if rows.give_away(below, NEARLY_ALL):
        yield f"is {column.texts[high]} or less in {rows.in_words(below)}"
