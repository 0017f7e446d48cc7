"""Guess the kind of every column of a table from its values, with a reason in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from blindauc.preprocessing.dates import ambiguous_date, date_format_of, format_in_words, unreadable_date
from blindauc.preprocessing.facts import NumberFacts, TextFacts, number_facts
from blindauc.preprocessing.faults import (
    MOST_CATEGORIES,
    NO_VALUE,
    Fault,
    RowName,
    ambiguous_dates,
    check_faults,
    infinite_numbers,
    many_categories,
    unreadable_dates,
)
from blindauc.preprocessing.values import (
    YES_OR_NO,
    are_numbers,
    as_pandas,
    distinct_texts,
    numbers_of_any_size,
    without_missing_words,
)

if TYPE_CHECKING:
    import pandas as pd

UsedKind = Literal["numeric", "boolean", "date", "categorical"]
Kind = Literal[UsedKind, "constant", "identifier", "text"]
USED_KINDS: tuple[str, ...] = get_args(UsedKind)

MANY = 20
"""Fewest distinct values of an identifier: with fewer, it is unclear whether values repeat (convention)."""

WIDE = 1e6
"""Whole numbers over a wider range that hardly repeat are rarely measurements (convention)."""

NEAR_LOW_END = 1 / 20
"""In a wide range, the median of identifiers is further from the minimum than this share of it; that of incomes and
counts is closer (convention)."""

ENOUGH_REPEATS, FEWER_REPEATS = 10, 4
"""Numbers are identifiers if at least 10 repeats would be expected by chance and fewer than a quarter of them occur
(convention)."""


@dataclass(frozen=True)
class ColumnKind:
    """The kind of a column, with a reason.

    Attributes
    ----------
    kind : "numeric", "boolean", "date" or "categorical"; or, for unused columns, "constant", "identifier" or "text"
    reason : a sentence about the column
    """

    kind: Kind
    reason: str

    @property
    def is_used(self) -> bool:
        """Whether a model uses columns of this kind."""
        return self.kind in USED_KINDS


def column_kinds(frame: pd.DataFrame) -> dict[str, ColumnKind]:
    """Guess the kind of every column from its values alone.

    - **boolean**: at most two distinct words out of yes, no, true, false, their first letters, 1 and 0.
    - **numeric**: numbers, including those stored as text, and durations. Whole numbers with few distinct values stay
      numeric: counts and grades look just like codes, and a code taken for a number costs one column, while a count
      taken for categories loses its order and costs many. Declare codes with `make_preprocessor(kinds=...)`, or
      convert them to pandas' categorical dtype.
    - **date**: dates, including text in ISO 8601 or in one of the usual orders of day, month and year, the same in
      every row.
    - **categorical**: any other text, and columns of pandas' categorical dtype.
    - **constant** (not used): the same value in every row. A single value that is missing in some rows is used, since
      the gaps may be informative.
    - **identifier** (not used): text without spaces that differs in most rows; or whole numbers that differ in most
      rows and either spread evenly over a very wide range, or repeat far less often than random draws from their
      range, as serial numbers do. Numbers with decimals are never identifiers.
    - **text** (not used): text with spaces that differs in most rows, or has more than 1,000 different values.

    Blank cells are missing, and so are words such as "NA" or "?" among numbers, dates and booleans.

    Parameters
    ----------
    frame : DataFrame of pandas or polars
        The training rows, without the label.

    Returns
    -------
    dict
        A `ColumnKind` for every column.

    Raises
    ------
    ValueError
        If columns cannot be used without guessing. The message names those that have no value, that hold infinity or a
        number beyond 1e100, that have more than 1,000 categories, or whose dates have several formats, do not exist
        or are ambiguous (day or month first).

    Examples
    --------
    >>> import pandas as pd
    >>> from blindauc.preprocessing import column_kinds
    >>> frame = pd.DataFrame({"case": range(100, 140), "race": ["A", "B"] * 20, "age": ["41", "NA", "57.5", "38"] * 10})
    >>> for kind in column_kinds(frame).values():
    ...     print(f"{kind.kind}: {kind.reason}")
    identifier: 'case' holds whole numbers that differ in 100 % of the rows: looks like an identifier
    categorical: 'race' has 2 different values
    numeric: 'age' holds numbers from 38 to 57.5
    """
    frame = as_pandas(frame)
    check_frame(frame)
    guesses = {name: kind_or_fault(repr(name), column) for name, column in frame.items()}
    check_faults({name: fault for name, fault in guesses.items() if isinstance(fault, Fault)})
    return {name: kind for name, kind in guesses.items() if isinstance(kind, ColumnKind)}


def check_frame(frame: pd.DataFrame) -> None:
    """Raise unless a DataFrame has rows, and unique text as column names."""
    if not len(frame):
        raise ValueError("The table has no rows: pass one with rows to learn from.")
    strange = [name for name in frame.columns if not isinstance(name, str)]
    if strange:
        raise ValueError(
            f"Column names must be text, but there are {strange[:5]}: set them, for example with "
            "frame.columns = [f'column {i}' for i in range(frame.shape[1])]."
        )
    twice = frame.columns[frame.columns.duplicated()].tolist()
    if twice:
        raise ValueError(f"Column names must be unique, but {twice[:5]} occur more than once: rename them.")


def kind_or_fault(name: str, column: pd.Series) -> ColumnKind | Fault:
    """The kind of a column, or the fault that keeps it from being used; `name` is for messages."""
    if column.dtype.kind in "iufm":
        return kind_of_numbers(name, number_facts(numbers_of_any_size(column)))
    codes, texts = distinct_texts(column)
    facts = TextFacts(
        len(column),
        int(np.bincount(codes[codes >= 0], minlength=len(texts))[[bool(text) for text in texts]].sum()),
        list(dict.fromkeys(filter(None, texts))),
        lambda text: int((codes == texts.index(text)).argmax()) + 1,
        lambda: number_facts(numbers_of_any_size(column)),
        # Someone chose this dtype, so that there is nothing to guess.
        is_category=column.dtype.name == "category",
    )
    return kind_of_texts(name, facts)


def kind_of_texts(name: str, facts: TextFacts) -> ColumnKind | Fault:
    """The kind of a column of text, dates or booleans, or its fault."""
    distinct, n_present = facts.distinct, facts.n_present
    said = without_missing_words(distinct)
    if not said and len(distinct) <= 1:
        return NO_VALUE
    if len(distinct) == 1 and n_present == facts.n_rows:
        return ColumnKind("constant", f"{name} is {distinct[0]!r} in every row")
    if not said or facts.is_category:
        return kind_of_words(name, distinct, len(distinct), n_present)
    if _are_yes_or_no(said):
        return ColumnKind("boolean", f"{name} says {' or '.join(sorted(said))}")
    if are_numbers(said):
        return kind_of_numbers(name, facts.numbers())
    return _kind_of_dates(name, said, facts.row_of) or kind_of_words(name, distinct, len(distinct), n_present)


def _are_yes_or_no(texts: Sequence[str]) -> bool:
    # Two words at most: then nothing is lost if "T" and "N" meant something else.
    words = {text.casefold() for text in texts}
    return len(words) <= 2 and words <= YES_OR_NO.keys()


def kind_of_numbers(name: str, facts: NumberFacts) -> ColumnKind | Fault:
    """The kind of a column of numbers, or its fault."""
    if facts.n_infinite:
        return infinite_numbers(facts.n_infinite, facts.first_infinite)
    if not facts.n_present:
        return NO_VALUE
    low, high = facts.low, facts.high
    if low == high and facts.n_present == facts.n_rows:
        return ColumnKind("constant", f"{name} is {low:g} in every row")
    if _name_rows(facts):
        share = facts.n_distinct / facts.n_present
        reason = f"{name} holds whole numbers that differ in {100 * share:.0f} % of the rows: looks like an identifier"
        return ColumnKind("identifier", reason)
    return ColumnKind("numeric", f"{name} holds numbers from {low:g} to {high:g}")


def _name_rows(facts: NumberFacts) -> bool:
    """Whether these numbers are identifiers of rows or small groups of rows, and not counts or measurements."""
    n_numbers, n_distinct = facts.n_present, facts.n_distinct
    if not (facts.is_whole and _differ_in_most_rows(n_distinct, n_numbers)):
        return False
    span = facts.high - facts.low + 1
    if span > WIDE:
        # Incomes and counts may have as wide a range, but most of them lie near its lower end.
        return facts.middle - facts.low > span * NEAR_LOW_END
    # Uniform draws have the fewest expected repeats of all distributions on the same range.
    n_expected_repeats = n_numbers + span * math.expm1(n_numbers * math.log1p(-1 / span))
    n_repeats = n_numbers - n_distinct
    return n_expected_repeats >= ENOUGH_REPEATS and n_repeats < n_expected_repeats / FEWER_REPEATS


def _kind_of_dates(name: str, said: Sequence[str], row_of: Callable[[str], RowName]) -> ColumnKind | Fault | None:
    """The kind or fault of a column of dates; None if the texts do not look like dates."""
    date_format = date_format_of(said)
    if date_format is None:
        odd = unreadable_date(said)
        return None if odd is None else unreadable_dates(odd, row_of(odd))
    odd = ambiguous_date(said, date_format)
    if odd is not None:
        return ambiguous_dates(odd, row_of(odd))
    return date_kind(name, said[0], date_format)


def date_kind(name: str, example: str, date_format: str) -> ColumnKind:
    """The kind of a column of dates in this format."""
    return ColumnKind("date", f"{name} holds dates such as {example}, read as {format_in_words(date_format)}")


def kind_of_words(name: str, distinct: Sequence[str], n_distinct: int, n_rows: int) -> ColumnKind | Fault:
    """Categorical, identifier or free text, judged by (a sample of) the distinct texts and their number."""
    do_differ = _differ_in_most_rows(n_distinct, n_rows)
    is_spaced = sum(" " in text for text in distinct) > len(distinct) / 2
    if n_distinct <= MOST_CATEGORIES and not do_differ:
        return ColumnKind("categorical", f"{name} has {n_distinct} different value{'s' * (n_distinct > 1)}")
    if not do_differ and not is_spaced:
        return many_categories(n_distinct)
    differs = f"{name} differs in {100 * n_distinct / n_rows:.0f} % of the rows"
    if is_spaced:
        return ColumnKind("text", f"{differs} and has spaces in it: looks like free text")
    return ColumnKind("identifier", f"{differs}: looks like an identifier")


def _differ_in_most_rows(n_distinct: int, n_rows: int) -> bool:
    return n_distinct >= MANY and n_distinct > n_rows / 2
