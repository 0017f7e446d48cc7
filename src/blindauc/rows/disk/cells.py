"""A column of an Arrow batch as numbers, days or distinct texts, with the results of `blindauc.preprocessing.values`.

The readers there work on pandas columns. Here hundreds of batches are read: Arrow parses plain decimal numbers and
finds distinct texts, so that Python code runs on distinct texts only.
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
    """The family of an Arrow type, in one word. Columns of the same family are read in the same way."""
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
    """Whether an Arrow type is a string type."""
    types = imported("pyarrow").types
    return types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_)


def numbers_in_column(array: Any) -> Floats:
    """A column as numbers, which may be infinite; NaN for cells that are not numbers."""
    if type_family(array.type) == "numbers":
        return array.to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
    if is_text(array.type):
        pa = imported("pyarrow")
        try:
            # Whatever Arrow reads as a number, pandas does, too. Most columns hold nothing else.
            return array.cast(pa.float64()).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            return numbers_in_texts(array).numbers
    if type_family(array.type) == "durations":
        return numbers_of_any_size(array.to_pandas())
    codes, texts = distinct_cells(array)
    return np.append(numbers_in(texts), np.nan)[codes]


def days_in_column(array: Any, date_format: str) -> Floats:
    """A column as days since 1 January 1970; NaN for cells that are not dates."""
    pa = imported("pyarrow")
    if pa.types.is_date(array.type):
        array = array.cast(pa.timestamp("ms"))
    if pa.types.is_timestamp(array.type):
        return days_of(array.to_pandas(), date_format)
    codes, texts = distinct_cells(array)
    return np.append(days_of(pd.Series(texts, dtype=object), date_format), np.nan)[codes]


def distinct_cells(array: Any) -> tuple[Ints, list[str]]:
    """For each row the index of its text, -1 if it is missing; and the texts, as `distinct_texts` normalises them.

    A text may occur twice if it was written in several ways.
    """
    if not is_text(array.type) and type_family(array.type) != "categories":
        return distinct_texts(array.to_pandas())
    encoded = array if type_family(array.type) == "categories" else array.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy().astype(np.intp)
    # A dictionary may have empty entries, which are missing cells: they get the index -1 here.
    again, texts = distinct_texts(pd.Series(encoded.dictionary.to_pylist(), dtype=object))
    return np.append(again, -1)[codes], texts


def n_distinct_cells(array: Any) -> int:
    """The number of distinct cells, counted by Arrow before they become Python objects."""
    if not is_text(array.type):
        return array.to_pandas().nunique() if type_family(array.type) == "dates" else 0
    return imported("pyarrow.compute").count_distinct(array).as_py()


def are_plain(array: Any) -> Bools:
    """Mask of the texts that are plain decimal numbers, or missing."""
    compute = imported("pyarrow.compute")
    return compute.match_substring_regex(array, DECIMAL).fill_null(True).to_numpy(zero_copy_only=False)


class ReadTexts(NamedTuple):
    """Texts read as numbers, the mask of `are_plain`, and the other texts as from `distinct_cells`."""

    numbers: Floats
    is_plain: Bools
    codes: Ints
    texts: list[str]


def numbers_in_texts(array: Any) -> ReadTexts:
    """Texts as numbers; NaN for texts that are not numbers."""
    pa, compute = imported("pyarrow"), imported("pyarrow.compute")
    plain = are_plain(array)
    if plain.all():
        return ReadTexts(array.cast(pa.float64()).to_numpy(zero_copy_only=False), plain, np.empty(0, dtype=np.intp), [])
    numbers = compute.if_else(pa.array(plain), array, None).cast(pa.float64()).to_numpy(zero_copy_only=False).copy()
    codes, texts = distinct_cells(array.filter(pa.array(~plain)))
    numbers[~plain] = np.append(numbers_in(texts), np.nan)[codes]
    return ReadTexts(numbers, plain, codes, texts)


def counts_and_first(codes: Ints, n_texts: int) -> tuple[Ints, Ints]:
    """The count of each text, and the index of its first row."""
    first = np.zeros(n_texts + 1, dtype=np.intp)
    # Assigned in reverse order: of several rows with the same text, the assignment of the first one comes last.
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return np.bincount(codes[codes >= 0], minlength=n_texts), first[:-1]
