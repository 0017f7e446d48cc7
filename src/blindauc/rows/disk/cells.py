"""A column of an Arrow batch as numbers, days or different texts, as `blindauc.preprocessing.values` reads them.

The readers there work on columns of pandas. Here the same cells come in batches by the hundred, so that plainly written
numbers and texts that repeat are handled by Arrow, and Python sees different texts only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from blindauc._typing import Bools, Floats, Ints
from blindauc.datasets.delimited import DECIMAL
from blindauc.datasets.table_errors import imported
from blindauc.preprocessing.values import days_of, distinct_texts, numbers_in, numbers_of_any_size


def type_family(type_: Any) -> str:
    """What a type of Arrow holds, in a word; columns of one family can be read alike."""
    types = imported("pyarrow").types
    families: Mapping[str, Callable[[Any], bool]] = {
        "nothing": types.is_null,
        "numbers": lambda each: types.is_integer(each) or types.is_floating(each),
        "durations": types.is_duration,
        "dates": lambda each: types.is_timestamp(each) or types.is_date(each),
        "text": is_text,
        "categories": types.is_dictionary,
    }
    return next((family for family, holds in families.items() if holds(type_)), str(type_))


def is_text(type_: Any) -> bool:
    """Whether cells are plain texts."""
    types = imported("pyarrow").types
    return types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_)


def numbers_in_column(array: Any) -> Floats:
    """A column as numbers, among which may be infinity; NaN for what is none."""
    if type_family(array.type) == "numbers":
        return array.to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
    if is_text(array.type):
        pa = imported("pyarrow")
        try:
            # Nothing that Arrow takes for a number is none for pandas, and most columns hold nothing else.
            return array.cast(pa.float64()).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            return numbers_in_texts(array).numbers
    if type_family(array.type) == "durations":
        return numbers_of_any_size(array.to_pandas())
    codes, texts = distinct_cells(array)
    return np.append(numbers_in(texts), np.nan)[codes]


def days_in_column(array: Any, date_format: str) -> Floats:
    """A column as days since 1 January 1970; NaN for what is none."""
    pa = imported("pyarrow")
    if pa.types.is_date(array.type):
        array = array.cast(pa.timestamp("ms"))
    if pa.types.is_timestamp(array.type):
        return days_of(array.to_pandas(), date_format)
    codes, texts = distinct_cells(array)
    return np.append(days_of(pd.Series(texts, dtype=object), date_format), np.nan)[codes]


def distinct_cells(array: Any) -> tuple[Ints, list[str]]:
    """For every row the place of its text, -1 where it is missing; and the texts, as `distinct_texts` writes them.

    A text may come twice, where it was written in several ways.
    """
    if not is_text(array.type) and type_family(array.type) != "categories":
        return distinct_texts(array.to_pandas())
    encoded = array if type_family(array.type) == "categories" else array.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy().astype(np.intp)
    # An empty place in a dictionary is a missing cell, and has the place -1 after this.
    again, texts = distinct_texts(pd.Series(encoded.dictionary.to_pylist(), dtype=object))
    return np.append(again, -1)[codes], texts


def n_distinct_cells(array: Any) -> int:
    """How many different cells there are, before they are read."""
    if not is_text(array.type):
        return array.to_pandas().nunique() if type_family(array.type) == "dates" else 0
    return imported("pyarrow.compute").count_distinct(array).as_py()


def are_plain(array: Any) -> Bools:
    """Which texts are plainly written numbers, or missing."""
    compute = imported("pyarrow.compute")
    return compute.match_substring_regex(array, DECIMAL).fill_null(True).to_numpy(zero_copy_only=False)


class ReadTexts(NamedTuple):
    """Texts read as numbers: which were plainly written or missing, and the others as from `distinct_cells`."""

    numbers: Floats
    is_plain: Bools
    codes: Ints
    texts: list[str]


def numbers_in_texts(array: Any) -> ReadTexts:
    """Texts as numbers, NaN where they say none."""
    pa, compute = imported("pyarrow"), imported("pyarrow.compute")
    plain = are_plain(array)
    if plain.all():
        return ReadTexts(array.cast(pa.float64()).to_numpy(zero_copy_only=False), plain, np.empty(0, dtype=np.intp), [])
    numbers = compute.if_else(pa.array(plain), array, None).cast(pa.float64()).to_numpy(zero_copy_only=False).copy()
    codes, texts = distinct_cells(array.filter(pa.array(~plain)))
    numbers[~plain] = np.append(numbers_in(texts), np.nan)[codes]
    return ReadTexts(numbers, plain, codes, texts)


def counts_and_first(codes: Ints, n_texts: int) -> tuple[Ints, Ints]:
    """How often each text came, and where first."""
    first = np.zeros(n_texts + 1, dtype=np.intp)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # of several places of a text the last one written stays
    return np.bincount(codes[codes >= 0], minlength=n_texts), first[:-1]
