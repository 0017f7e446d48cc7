"""The labels of a table that is read in batches: the distinct values, and the index of each row's value."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blindauc.datasets.delimited import DECIMAL, WHOLE
from blindauc.datasets.table_errors import imported
from blindauc.labels import Labels, read_labels
from blindauc.preprocessing.naming import listed

Codes = NDArray[np.uint16]

ReadLabels = Callable[[Sequence[Any]], Labels]
"""Decides which of the distinct labels are positive; None stands for missing ones."""

MOST_VALUES = 1000
"""A column with more distinct values cannot be that of the labels (convention)."""


class LabelColumn:
    """The distinct labels, in the order of their first rows.

    Parameters
    ----------
    name : the name of the column
    has_types : as in `TextColumn`; without types, labels that are all plain decimal numbers become numbers
    """

    def __init__(self, name: str, has_types: bool) -> None:
        self.name, self._has_types = name, has_types
        self._places: dict[Any, int] = {}

    def codes(self, array: Any) -> Codes:
        """For each row the index of its label among the distinct ones."""
        array = array.cast(array.type.value_type) if _is_dictionary(array.type) else array
        encoded = array.dictionary_encode()
        cells = [*encoded.dictionary.to_pylist(), None]
        places = np.array([self._place(None if cell != cell else cell) for cell in cells], dtype=np.uint16)
        return places[encoded.indices.fill_null(len(cells) - 1).to_numpy()]

    @property
    def values(self) -> list[Any]:
        """The distinct labels; None for missing ones."""
        cells = list(self._places)
        given = [cell for cell in cells if cell is not None]
        if self._has_types or not all(re.match(DECIMAL, cell) for cell in given):
            return cells
        number = int if all(re.match(WHOLE, cell) for cell in given) else float
        return [None if cell is None else number(cell) for cell in cells]

    def _place(self, cell: Any) -> int:
        place = self._places.setdefault(cell, len(self._places))
        if place >= MOST_VALUES:
            raise ValueError(
                f"The label column {self.name!r} holds more than {MOST_VALUES:,} different values, but one value that "
                "means positive was expected: name another column."
            )
        return place


def read_distinct(name: str, values: Sequence[Any], pos_label: Any) -> Labels:
    """Which of the distinct labels of a column are positive, and the classes.

    Of two labels, the larger is the positive one, as in `read_labels`. With `pos_label`, there may be more: all others
    mean unlabelled.
    """
    column, given = f"The label column {name!r}", [value for value in values if value is not None]
    if not given:
        raise ValueError(f"{column} is blank in every row: write a value, such as 1, where a row is positive.")
    if pos_label is None and len(given) > 2:
        raise ValueError(
            f"{column} holds {len(given)} different values ({listed(given)}): name the one that means positive with "
            "pos_label=."
        )
    if pos_label is None and len(given) == 1 and given[0] in (0, -1):
        raise ValueError(
            f"{column} holds only {given[0]!r}, which means that a row is not positive: label some rows, or name the "
            "value that means positive with pos_label=."
        )
    if pos_label is not None and pos_label not in given:
        raise ValueError(
            f"{column} does not hold {pos_label!r} in any row: its values are {listed(given)}; name one of them with "
            "pos_label=."
        )
    cells = np.empty(len(values), dtype=object)
    cells[:] = [None if len(given) > 2 and value != pos_label else value for value in values]
    return read_labels(cells, pos_label)


def _is_dictionary(type_: Any) -> bool:
    return imported("pyarrow").types.is_dictionary(type_)
