"""A text column with too many distinct texts to count: numbers or dates as text, identifiers, or free text.

Whether all cells are numbers, and in which formats all are dates, is tracked exactly. The number of distinct texts is
estimated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from blindauc._typing import Floats, Ints
from blindauc.preprocessing.dates import DATE_FORMATS, ISO, ambiguous_date, days_in, unreadable_date
from blindauc.preprocessing.faults import Fault, RowName, ambiguous_dates, unreadable_dates, unreadable_numbers
from blindauc.preprocessing.kinds import ColumnKind, date_kind, kind_of_numbers, kind_of_words
from blindauc.preprocessing.values import MISSING_WORDS, numbers_in, without_missing_words
from blindauc.rows.disk.cells import (
    ReadTexts,
    counts_and_first,
    distinct_cells,
    is_text,
    numbers_in_column,
    numbers_in_texts,
)
from blindauc.rows.disk.numbers import Distinct, Hashes, NumberColumn, hashes_of_numbers

MOST_ARE = 0.99
"""If at least this share of the cells are numbers, the others count as mistakes (convention)."""

N_REMEMBERED = 4_000
"""Texts that are kept to tell whether texts have spaces, or look like dates (convention)."""


class ManyTexts:
    """Facts about a column with many distinct texts, collected batch by batch.

    Parameters
    ----------
    n_distinct : int
        The number of hashes that are kept to estimate the number of distinct texts.
    is_moment : bool
        Whether the cells are dates by their type; nothing else has to be known then.
    texts, counts, rows : the texts that were counted before, their counts, and the first row of each
    n_missing : the number of rows without a text before
    """

    def __init__(
        self, n_distinct: int, is_moment: bool, texts: list[str], counts: Ints, rows: Ints, n_missing: int
    ) -> None:
        self.numbers = NumberColumn(n_distinct)
        self.n_present = self.n_given = self._n_numbers = 0
        self._is_moment = is_moment
        self._first_rows: dict[str, int] = {}
        self._distinct = Distinct(n_distinct)
        self._formats: list[str] = [ISO] if is_moment else list(DATE_FORMATS)
        self.first_no_number: tuple[str, int] | None = None
        self.first_no_date: tuple[str, int] | None = None
        self._see_texts(texts, counts, rows)
        values = np.full(len(texts), np.nan) if is_moment else numbers_in(texts)
        self.numbers.see_counted(values, counts, rows, n_missing)

    def see(self, array: Any, first_row: int) -> bool:
        """Add a batch whose first row has this number, and return whether all cells are plain decimal numbers."""
        n_present = len(array) - array.null_count
        if self._is_moment:
            self._see_moments(array, n_present, first_row)
            return False
        if is_text(array.type):
            read = numbers_in_texts(array)
        else:
            codes, texts = distinct_cells(array)
            read = ReadTexts(numbers_in_column(array), np.zeros(len(array), dtype=bool), codes, texts)
        self.numbers.see(read.numbers, first_row)
        self._see_plain(np.where(read.is_plain, read.numbers, np.nan), first_row)
        if not read.is_plain.all():
            counts, first = counts_and_first(read.codes, len(read.texts))
            self._see_texts(read.texts, counts, np.flatnonzero(~read.is_plain)[first] + first_row)
        return bool(read.is_plain.all())

    @property
    def n_distinct(self) -> int:
        """An estimate of the number of distinct texts."""
        return self._distinct.count

    @property
    def format(self) -> str | None:
        """The first format in which all cells are dates, or None."""
        return self._formats[0] if self._formats else None

    def kind(self, name: str, is_category: bool, name_of_row: Callable[[int], RowName]) -> ColumnKind | Fault:
        """The kind of the column, or the fault for which it cannot be used."""
        words = kind_of_words(name, list(self._first_rows), self.n_distinct, self.n_present)
        given = without_missing_words(list(self._first_rows))
        if is_category:
            return words
        if self._n_numbers == self.n_given:
            return kind_of_numbers(name, self.numbers.facts(name_of_row))
        if self.format is not None:
            odd = None if self._is_moment else self._ambiguous(given)
            if odd is not None:
                return ambiguous_dates(odd, name_of_row(self._first_rows[odd]))
            return date_kind(name, given[0], self.format)
        if self.first_no_date is not None and unreadable_date([*given, self.first_no_date[0]]) is not None:
            return unreadable_dates(self.first_no_date[0], name_of_row(self.first_no_date[1]))
        if self.first_no_number is not None and self._n_numbers >= MOST_ARE * self.n_given:
            return unreadable_numbers(self.first_no_number[0], name_of_row(self.first_no_number[1]))
        return words

    def _ambiguous(self, given: list[str]) -> str | None:
        # If the format with day and month swapped fits all cells as well, the dates are ambiguous.
        turned = self._formats[0].translate(str.maketrans("dm", "md"))
        return ambiguous_date(given, self._formats[0]) if turned in self._formats else None

    def _see_moments(self, array: Any, n_present: int, first_row: int) -> None:
        self.n_present += n_present
        self.n_given += n_present
        if n_present and not self._first_rows:  # an example for the description of the kind
            codes, texts = distinct_cells(array.drop_null().slice(0, 1))
            self._first_rows[texts[codes[0]]] = first_row

    def _see_plain(self, numbers: Floats, first_row: int) -> None:
        is_present = ~np.isnan(numbers)
        present = numbers[is_present]
        if len(present):
            # A plain number is not a date in any of the formats.
            self.first_no_date = self.first_no_date or (f"{present[0]:g}", first_row + int(is_present.argmax()))
            self.n_present += len(present)
            self.n_given += len(present)
            self._n_numbers += len(present)
            self._distinct.add(hashes_of_numbers(present), present)
            self._formats = []

    def _see_texts(self, texts: list[str], counts: Ints, rows: Ints) -> None:
        """Add texts with their counts and first rows."""
        came = [place for place, text in enumerate(texts) if text and counts[place]]
        given = [place for place in came if texts[place].casefold() not in MISSING_WORDS]
        self._remember(came, texts, rows)
        words, numbers = [texts[place] for place in given], numbers_in([texts[place] for place in given])
        is_number = ~np.isnan(numbers)
        self.n_present += int(counts[came].sum())
        self.n_given += int(counts[given].sum())
        self._n_numbers += int(counts[np.array(given, dtype=np.intp)[is_number]].sum())
        self.first_no_number = self.first_no_number or _first_of(words, rows[given], ~is_number)
        self._see_dates(words, rows[given])
        self._distinct.add(np.where(is_number, hashes_of_numbers(numbers), _hashes_of_texts(words)), numbers)

    def _remember(self, places: list[int], texts: list[str], rows: Ints) -> None:
        for place in places[: max(0, N_REMEMBERED - len(self._first_rows))]:
            self._first_rows.setdefault(texts[place], int(rows[place]))

    def _see_dates(self, words: list[str], rows: Ints) -> None:
        if not self._formats:
            return
        unread = {each: np.isnan(days_in(words, each)) for each in self._formats}
        best = min(unread, key=lambda each: int(unread[each].sum()))
        self._formats = [each for each in self._formats if not unread[each].any()]
        if not self._formats:
            self.first_no_date = self.first_no_date or _first_of(words, rows, unread[best])


def _first_of(texts: list[str], rows: Ints, wanted: Any) -> tuple[str, int] | None:
    places = np.flatnonzero(wanted)
    if not len(places):
        return None
    place = int(places[rows[places].argmin()])
    return texts[place], int(rows[place])


def _hashes_of_texts(texts: list[str]) -> Hashes:
    return pd.util.hash_array(np.array(texts, dtype=object), categorize=False)
