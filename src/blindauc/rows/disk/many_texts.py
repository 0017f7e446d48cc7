"""A column with more different texts than can be counted: numbers or dates written as text, names of rows, free text.

Whether all cells are numbers, and in which formats all are dates, is known from the cells seen so far. How many
different texts there are is estimated.
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
"""Where at least this share of the cells are numbers, the others are taken for mistakes (convention)."""

N_REMEMBERED = 4_000
"""So many texts tell whether texts have spaces, or look like dates (convention)."""


class ManyTexts:
    """What is known of such a column, seen piece by piece.

    Parameters
    ----------
    n_distinct : int
        So many different texts are kept to estimate their number.
    is_moment : bool
        Whether the cells are dates by their type, of which nothing else needs to be known.
    texts, counts, rows : what was counted before: the texts, how often and in which row first they came
    n_missing : rows without any
    """

    def __init__(
        self, n_distinct: int, is_moment: bool, texts: list[str], counts: Ints, rows: Ints, n_missing: int
    ) -> None:
        self.numbers = NumberColumn(n_distinct)
        self.n_present = self.n_said = self._n_numbers = 0
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
        """Rows in their order, the first of them with this number; whether all are plainly written numbers."""
        n_present = len(array) - array.null_count
        if self._is_moment:
            self.n_present += n_present
            self.n_said += n_present
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
        """About how many different texts there are."""
        return self._distinct.count

    @property
    def format(self) -> str | None:
        """The first format in which all are dates."""
        return self._formats[0] if self._formats else None

    def kind(self, name: str, is_category: bool, name_of_row: Callable[[int], RowName]) -> ColumnKind | Fault:
        """What the column is, or what keeps it from being used."""
        words = kind_of_words(name, list(self._first_rows), self.n_distinct, self.n_present)
        said = without_missing_words(list(self._first_rows))
        if is_category:
            return words
        if self._n_numbers == self.n_said:
            return kind_of_numbers(name, self.numbers.facts(name_of_row))
        if self.format is not None:
            odd = None if self._is_moment else self._ambiguous(said)
            if odd is not None:
                return ambiguous_dates(odd, name_of_row(self._first_rows[odd]))
            return date_kind(name, said[0], self.format)
        if self.first_no_date is not None and unreadable_date([*said, self.first_no_date[0]]) is not None:
            return unreadable_dates(self.first_no_date[0], name_of_row(self.first_no_date[1]))
        if self.first_no_number is not None and self._n_numbers >= MOST_ARE * self.n_said:
            return unreadable_numbers(self.first_no_number[0], name_of_row(self.first_no_number[1]))
        return words

    def _ambiguous(self, said: list[str]) -> str | None:
        turned = self._formats[0].translate(str.maketrans("dm", "md"))
        return ambiguous_date(said, self._formats[0]) if turned in self._formats else None

    def _see_plain(self, numbers: Floats, first_row: int) -> None:
        is_present = ~np.isnan(numbers)
        present = numbers[is_present]
        if len(present):
            # A number is no date among dates that are written otherwise.
            self.first_no_date = self.first_no_date or (f"{present[0]:g}", first_row + int(is_present.argmax()))
            self.n_present += len(present)
            self.n_said += len(present)
            self._n_numbers += len(present)
            self._distinct.add(hashes_of_numbers(present), present)
            self._formats = []

    def _see_texts(self, texts: list[str], counts: Ints, rows: Ints) -> None:
        """Texts that came so often, first in these rows."""
        came = [place for place, text in enumerate(texts) if text and counts[place]]
        said = [place for place in came if texts[place].casefold() not in MISSING_WORDS]
        self._remember(came, texts, rows)
        words, numbers = [texts[place] for place in said], numbers_in([texts[place] for place in said])
        is_number = ~np.isnan(numbers)
        self.n_present += int(counts[came].sum())
        self.n_said += int(counts[said].sum())
        self._n_numbers += int(counts[np.array(said, dtype=np.intp)[is_number]].sum())
        self.first_no_number = self.first_no_number or _first_of(words, rows[said], ~is_number)
        self._see_dates(words, rows[said])
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
