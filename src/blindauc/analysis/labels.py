"""Read the label column of a table: which value means positive, and which rows have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from blindauc._typing import Bools
from blindauc.analysis.columns import check_column
from blindauc.labels import NO, YES
from blindauc.preprocessing.naming import listed
from blindauc.preprocessing.values import distinct_texts, without_missing_words


@dataclass(frozen=True)
class LabelColumn:
    """The mask of the labelled rows, and the value of the label column that marks them."""

    is_positive: Bools
    positive: str


def read_labels_of(frame: pd.DataFrame, label: str, positive: str | None = None) -> LabelColumn:
    """Read the labels to learn from: at least two labelled rows, and at least one unlabelled row.

    Parameters
    ----------
    frame : pandas.DataFrame
    label : str
        The column of the labels.
    positive : str, optional
        The value that means positive; all others, and blanks, mean unlabelled. If omitted, the column must hold one
        value and blanks, or two values that mean yes and no.

    Returns
    -------
    LabelColumn

    Raises
    ------
    ValueError
        If the column is missing, its positive value is unclear, or there are too few labelled or unlabelled rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from blindauc.analysis.labels import read_labels_of
    >>> read_labels_of(pd.DataFrame({"infected": ["yes", None, "yes"]}), "infected")
    LabelColumn(is_positive=array([ True, False,  True]), positive='yes')
    """
    found = find_labels(frame, label, positive)
    n_pos = int(found.is_positive.sum())
    if n_pos == len(frame):
        raise ValueError(
            f"The label column {label!r} holds {found.positive!r} in every row, but unlabelled rows are needed to "
            "rank against: add some, with the label left blank."
        )
    if n_pos < 2:
        raise ValueError(
            f"At least two rows labelled {found.positive!r} in the column {label!r} are needed, but there is {n_pos}: "
            "label more rows."
        )
    return found


def find_labels(frame: pd.DataFrame, label: str, positive: str | None = None) -> LabelColumn:
    """Read the labels of a table, as `read_labels_of` does, but accept any number of labelled rows from one."""
    check_column(frame, label, "the labels")
    codes, texts = distinct_texts(frame[label])
    if positive is None:
        meant = _value_that_means_yes(label, without_missing_words(list(dict.fromkeys(texts))))
    else:
        meant = _value_that_was_named(label, list(dict.fromkeys(texts)), positive)
    says_so = np.array([text.casefold() == meant.casefold() for text in texts] + [False])
    return LabelColumn(says_so[codes], meant)  # a missing cell has code -1, the last entry: False


def _value_that_means_yes(label: str, values: Sequence[str]) -> str:
    by_folded = {value.casefold(): value for value in values}
    column = f"The label column {label!r}"
    if not by_folded:
        raise ValueError(f"{column} is blank in every row: write a value, such as yes, where a row is positive.")
    if len(by_folded) > 2:
        raise ValueError(
            f"{column} holds {len(by_folded)} different values ({listed(by_folded.values())}): name the one that "
            "means positive with positive=."
        )
    yes, no = [word for word in by_folded if word in YES], [word for word in by_folded if word in NO]
    if len(by_folded) == 1 and not no:
        return next(iter(by_folded.values()))
    if len(by_folded) == 1:
        raise ValueError(
            f"{column} holds only {values[0]!r}, which means that a row is not positive: label some rows, or name "
            "the value that means positive with positive=."
        )
    if len(yes) != 1 or len(no) != 1:
        raise ValueError(
            f"{column} holds {' and '.join(map(repr, by_folded.values()))}, and it is not clear which of them means "
            "positive: name it with positive=."
        )
    return by_folded[yes[0]]


def _value_that_was_named(label: str, values: Sequence[str], positive: str) -> str:
    wanted = distinct_texts(pd.Series([positive], dtype=object))[1][0]
    same = [value for value in values if value and value.casefold() == wanted.casefold()]
    if not same:
        raise ValueError(
            f"The label column {label!r} does not hold {positive!r} in any row: its values are "
            f"{listed(filter(None, values)) or 'all blank'}; name one of them with positive=."
        )
    return wanted if wanted in same else same[0]
