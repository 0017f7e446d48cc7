"""Verdicts of manual checks: one for each row, as users write them and as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from blindauc._typing import Ints
from blindauc.labels import is_missing

FOUND_POSITIVE, FOUND_NEGATIVE, UNCHECKED = 1, -1, 0

WORDS = {
    "right": FOUND_POSITIVE,
    "positive": FOUND_POSITIVE,
    "wrong": FOUND_NEGATIVE,
    "negative": FOUND_NEGATIVE,
    "cannot tell": UNCHECKED,
    "disagreement": UNCHECKED,
    "": UNCHECKED,
}
"""The verdict of each word, in lower case. The words are those that `blindauc review` exports."""

NUMBERS = {1.0: FOUND_POSITIVE, 0.0: FOUND_NEGATIVE}


def read_checked(checked: Any, n_rows: int) -> Ints | None:
    """The verdict of each row: found positive, found negative, or not checked; None if no row was checked.

    Parameters
    ----------
    checked : array-like of shape (n_rows,), or None
        1, True, "right" or "positive" if a row was checked and is positive; 0, False, "wrong" or "negative" if it was
        checked and is not; missing, "", "cannot tell" or "disagreement" if it was not checked or is undecided.
    n_rows : int

    Examples
    --------
    >>> from blindauc.checked import read_checked
    >>> read_checked(["right", None, "wrong", ""], 4).tolist()
    [1, 0, -1, 0]
    """
    if checked is None:
        return None
    values = column_or_1d(np.asarray(checked, dtype=object), warn=False)
    if len(values) != n_rows:
        raise ValueError(f"X and checked must have as many rows as each other: X has {n_rows}, checked {len(values)}.")
    missing = is_missing(values)
    verdict = np.zeros(n_rows, dtype=np.intp)
    given = np.flatnonzero(~missing).tolist()
    verdict[given] = [_verdict(values[row], row) for row in given]
    return verdict if verdict.any() else None


def as_words(verdict: Ints) -> list[str]:
    """Verdicts in words, as `read_checked` reads them."""
    words = {FOUND_POSITIVE: "positive", FOUND_NEGATIVE: "negative", UNCHECKED: ""}
    return [words[number] for number in verdict.tolist()]


def _verdict(value: Any, row: int) -> int:
    text = str(value).strip().lower()
    if text in WORDS:
        return WORDS[text]
    try:
        return NUMBERS[float(value)]
    except (TypeError, ValueError, KeyError):
        raise ValueError(
            f'checked must be 1 ("right", "positive"), 0 ("wrong", "negative"), or missing if a row was not checked, '
            f"not {value!r} as in row {row}."
        ) from None
