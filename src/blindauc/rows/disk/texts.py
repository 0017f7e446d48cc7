"""Facts that decide the kind of a column of texts, dates, or yes and no, collected batch by batch.

Up to a limit all distinct texts are counted, and `blindauc.preprocessing.kinds` decides as it does in memory. A column
with more of them may hold numbers, dates, identifiers or free text, but not categories (`many_texts.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from blindauc._typing import Floats, Ints
from blindauc.preprocessing.dates import ISO, days_in, likeliest_format
from blindauc.preprocessing.facts import TextFacts
from blindauc.preprocessing.faults import (
    NO_VALUE,
    Fault,
    RowName,
    infinite_numbers,
    many_categories,
    unreadable_dates,
    unreadable_numbers,
)
from blindauc.preprocessing.kinds import ColumnKind, Kind, kind_of_numbers, kind_of_texts
from blindauc.preprocessing.values import YES_OR_NO, days_of, numbers_in, without_missing_words
from blindauc.rows.disk.cells import (
    are_plain,
    counts_and_first,
    distinct_cells,
    is_text,
    n_distinct_cells,
    type_family,
)
from blindauc.rows.disk.many_texts import MOST_ARE, ManyTexts
from blindauc.rows.disk.numbers import NumberColumn

NameOfRow = Callable[[int], RowName]


class TextColumn:
    """A column of texts, read in batches.

    Parameters
    ----------
    n_distinct : int
        The most distinct texts to count.
    has_types : bool
        Whether the files have types, as Parquet has. Without types, a column of plain decimal numbers is numeric, as in
        `blindauc.datasets.tables`.
    """

    def __init__(self, n_distinct: int, has_types: bool) -> None:
        self.n_rows = 0
        self.is_plain = not has_types
        self.is_category = False
        self._n_distinct = n_distinct
        self._counts: dict[str, int] = {}
        self._first_rows: dict[str, int] = {}
        self._many: ManyTexts | None = None

    def see(self, array: Any, first_row: int) -> None:
        """Add a batch whose first row has this number."""
        self.n_rows += len(array)
        self.is_category |= type_family(array.type) == "categories"
        if self._many is None and not self._counted_in(array, first_row):
            n_missing = self.n_rows - len(array) - self.n_present
            self._many = ManyTexts(self._n_distinct, type_family(array.type) == "dates", *self._counted(), n_missing)
            self._counts, self._first_rows = {}, {}
        if self._many is not None:
            are_all_plain = self._many.see(array, first_row)
            self.is_plain = self.is_plain and are_all_plain

    def _counted_in(self, array: Any, first_row: int) -> bool:
        """Count the texts of a batch; return False, and count none, if there would be too many distinct ones."""
        if n_distinct_cells(array) > self._n_distinct:  # checked before the texts become Python strings
            return False
        codes, texts = distinct_cells(array)
        if len(self._counts) + sum(text not in self._counts for text in set(texts)) > self._n_distinct:
            return False
        if self.is_plain:
            self.is_plain = is_text(array.type) and bool(are_plain(array).all())
        self._count(texts, codes, first_row)
        return True

    @property
    def n_present(self) -> int:
        """The number of rows that are not blank."""
        return sum(self._counts.values()) if self._many is None else self._many.n_present

    def kind(self, name: str, name_of_row: NameOfRow) -> ColumnKind | Fault:
        """The kind of the column, or the fault for which it cannot be used."""
        if self.is_plain:
            return kind_of_numbers(name, self.numbers().facts(name_of_row))
        if self._many is not None:
            return self._many.kind(name, self.is_category, name_of_row)
        found = kind_of_texts(
            name,
            TextFacts(
                self.n_rows,
                self.n_present,
                list(self._counts),
                lambda text: name_of_row(self._first_rows[text]),
                lambda: self.numbers().facts(name_of_row),
                self.is_category,
            ),
        )
        return self._odd_number(name_of_row) or found if _is_useless(found) else found

    def kind_as_asked(self, name: str, kind: Kind, name_of_row: NameOfRow) -> ColumnKind | Fault:
        """The kind given by the user, or the fault for which the column cannot be read so."""
        asked = ColumnKind(kind, f"{name} is {kind}, as asked")
        if kind == "categorical":
            return asked if self._many is None else many_categories(self._many.n_distinct)
        odd = self._first_unread(kind)
        if odd is not None:
            unreadable = unreadable_numbers if kind == "numeric" else unreadable_dates
            return unreadable(odd[0], name_of_row(odd[1]))
        facts = self.numbers().facts(name_of_row)
        if facts.n_infinite:
            return infinite_numbers(facts.n_infinite, facts.first_infinite)
        return asked if self.n_read(kind) else NO_VALUE

    def numbers(self) -> NumberColumn:
        """The column read as numbers."""
        if self._many is not None:
            return self._many.numbers
        texts, counts, rows = self._counted()
        column = NumberColumn(self._n_distinct)
        column.see_counted(numbers_in(texts), counts, rows, self.n_rows - int(counts.sum()))
        return column

    @property
    def date_format(self) -> str:
        """The format of the dates of the column, or of most of them."""
        return likeliest_format(self._given) if self._many is None else self._many.format or ISO

    def n_read(self, kind: str) -> int:
        """The number of rows with a value of this kind: a number, a date, or yes or no."""
        if kind == "numeric":
            return self.numbers().n_present
        if self._many is not None:
            return self._many.n_given
        return int(sum(count for count, value in self._valued(kind) if not np.isnan(value)))

    def more_frequent(self) -> float:
        """1 if more rows are yes than no, else 0."""
        n_yes = sum(count for count, value in self._valued("boolean") if value == 1)
        n_no = sum(count for count, value in self._valued("boolean") if value == 0)
        return float(n_yes > n_no)

    @property
    def categories(self) -> dict[str, int]:
        """The count of each category."""
        return dict(self._counts)

    def _count(self, texts: list[str], codes: Ints, first_row: int) -> None:
        counts, first = counts_and_first(codes, len(texts))
        for place in np.argsort(first, kind="stable").tolist():
            text = texts[place]
            if text and counts[place]:
                self._counts[text] = self._counts.get(text, 0) + int(counts[place])
                self._first_rows.setdefault(text, int(first[place]) + first_row)

    def _counted(self) -> tuple[list[str], Ints, Ints]:
        texts = list(self._counts)
        return (
            texts,
            np.fromiter(self._counts.values(), np.intp, len(texts)),
            np.fromiter((self._first_rows[text] for text in texts), np.intp, len(texts)),
        )

    def _valued(self, kind: str) -> Iterable[tuple[int, float]]:
        texts, counts, _ = self._counted()
        if kind == "boolean":
            values: Floats = np.array([YES_OR_NO.get(text.casefold(), np.nan) for text in texts])
        else:
            values = days_of(pd.Series(texts, dtype=object), self.date_format)
        return zip(counts.tolist(), values.tolist(), strict=True)

    @property
    def _given(self) -> list[str]:
        return without_missing_words(list(self._counts))

    def _first_unread(self, kind: str) -> tuple[str, int] | None:
        """The first text that is not a number, or not a date, and its row."""
        if self._many is not None:
            return self._many.first_no_number if kind == "numeric" else self._many.first_no_date
        values = numbers_in(self._given) if kind == "numeric" else days_in(self._given, self.date_format)
        odd = [text for text, value in zip(self._given, values, strict=True) if np.isnan(value)]
        return (odd[0], self._first_rows[odd[0]]) if odd else None

    def _odd_number(self, name_of_row: NameOfRow) -> Fault | None:
        """The fault of the first text that is not a number, if nearly all are; else None."""
        odd, n_given = self._first_unread("numeric"), sum(self._counts[text] for text in self._given)
        is_nearly = n_given and self.n_read("numeric") >= MOST_ARE * n_given
        return unreadable_numbers(odd[0], name_of_row(odd[1])) if odd is not None and is_nearly else None


def _is_useless(found: ColumnKind | Fault) -> bool:
    return isinstance(found, Fault) or found.kind in ("identifier", "text")
