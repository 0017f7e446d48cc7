"""Read the label column of a table: which value means positive, and which rows have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from blindauc._typing import Bools
from blindauc.analysis.columns import check_column
from blindauc.labels import NO, YES
from blindauc.preprocessing.naming import few, listed
from blindauc.preprocessing.values import distinct_texts, without_missing_words

Positive = str | Sequence[str] | None
"""The value of a label column that means positive, or several; None if it is to be guessed."""


@dataclass(frozen=True)
class LabelColumn:
    """The mask of the labelled rows, and the value of the label column that marks them.

    Attributes
    ----------
    is_positive : which rows are labelled
    positive : the value that marks them; several are joined by "or"
    others : the other values that are not blank, each with its number of rows
    """

    is_positive: Bools
    positive: str
    others: Mapping[str, int] = field(default_factory=dict, repr=False)


def read_labels_of(frame: pd.DataFrame, label: str, positive: Positive = None) -> LabelColumn:
    """Read the labels to learn from: at least two labelled rows, and at least one unlabelled row.

    Parameters
    ----------
    frame : pandas.DataFrame
    label : str
        The column of the labels.
    positive : str or sequence of str, optional
        The value, or values, that mean positive; all others, and blanks, mean unlabelled. If omitted, the column must
        hold one value and blanks, or two values that mean yes and no.

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


def find_labels(frame: pd.DataFrame, label: str, positive: Positive = None) -> LabelColumn:
    """Read the labels of a table, as `read_labels_of` does, but accept a single labelled row."""
    check_column(frame, label, "the labels")
    codes, texts = distinct_texts(frame[label])
    values = list(dict.fromkeys(texts))
    if positive is None:
        meant = [_value_that_means_yes(label, without_missing_words(values))]
    else:
        named = [positive] if isinstance(positive, str) else positive
        meant = [_value_that_was_named(label, values, each) for each in named]
    folded = {each.casefold(): each for each in meant}
    means_positive = np.array([text.casefold() in folded for text in texts] + [False])
    is_positive = means_positive[codes]  # a missing cell has code -1, the last entry: False
    n_rows: Counter[str] = Counter()
    for text, n in zip(texts, np.bincount(codes[codes >= 0], minlength=len(texts)).tolist(), strict=True):
        n_rows[text] += n
    others = {text: n_rows[text] for text in without_missing_words(values) if text.casefold() not in folded}
    return LabelColumn(is_positive, " or ".join(folded.values()), others)


def notes_on_labels(labels: LabelColumn, checked: object = None) -> list[str]:
    """A sentence about the values of the label column that count as unlabelled, if there are any.

    Examples
    --------
    >>> import pandas as pd
    >>> from blindauc.analysis.labels import notes_on_labels, read_labels_of
    >>> labels = read_labels_of(pd.DataFrame({"ill": ["yes", "no", "yes", "no"]}), "ill")
    >>> notes_on_labels(labels, checked="chart")
    ['Taken as unlabelled: no (2 rows).']
    """
    if not labels.others:
        return []
    named = few(f"{text} ({n:,} row{'s' * (n != 1)})" for text, n in labels.others.items())
    remedy = "; if rows were verified as negative, pass them with checked=" if checked is None else ""
    return [f"Taken as unlabelled: {named}{remedy}."]


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
