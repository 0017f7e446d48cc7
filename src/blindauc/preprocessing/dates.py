"""Dates written as text: detect their format, and find ambiguous or unreadable ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from blindauc._typing import Floats

if TYPE_CHECKING:
    import pandas as pd

ISO = "ISO8601"
DATES = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d-%b-%Y", "%d%b%Y")
DATE_FORMATS = (ISO, *(date + time for time in ("", " %H:%M", " %H:%M:%S") for date in DATES))
"""The known formats, in order of preference: the first that reads every value is used."""

WORDS = {"%d": "day", "%m": "month", "%b": "month", "%Y": "year", "%H": "hour", "%M": "minute", "%S": "second"}

SECONDS_A_DAY = 86_400

_SHORT = "(0?[1-9]|[12][0-9]|3[01])"
DATE_LIKE = re.compile(
    rf"([0-9]{{4}}[-/.]{_SHORT}[-/.]{_SHORT}"  # 2021-03-04
    rf"|{_SHORT}[-/.]{_SHORT}[-/.][0-9]{{4}}"  # 4.3.2021
    rf"|{_SHORT}/{_SHORT}/[0-9]{{2}}|[0-3][0-9]\.[01][0-9]\.[0-9]{{2}}"  # 3/4/21, 04.03.21
    rf"|{_SHORT}[-. ]*[A-Za-z]{{3,9}}[-. ]*[0-9]{{4}}"  # 4 March 2021
    rf"|[A-Za-z]{{3,9}} {_SHORT},? [0-9]{{4}})"  # March 4, 2021
    r"([T ].*)?"
)
"""Text that looks like a date to a person, even if that day does not exist."""


def days_in(texts: Sequence[str], date_format: str) -> Floats:
    """The date of each text as days since 1 January 1970; NaN if it cannot be read."""
    import pandas as pd

    # pandas would also read "now" and "today", which mean another day each time.
    cells = pd.Series([text if _may_be_date(text) else None for text in texts], dtype=object)
    return days_of_moments(pd.to_datetime(cells, format=date_format, errors="coerce", utc=True))


def days_of_moments(moments: pd.Series) -> Floats:
    """Days since 1 January 1970; NaN if missing."""
    import pandas as pd

    seconds = pd.to_datetime(moments, utc=True).dt.tz_localize(None).to_numpy(dtype="datetime64[s]")
    return np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64) / SECONDS_A_DAY)


def date_format_of(texts: Sequence[str]) -> str | None:
    """The first format that reads every text; None if there is none.

    Examples
    --------
    >>> from blindauc.preprocessing.dates import date_format_of
    >>> date_format_of(["04.03.2021", "31.12.2021"])
    '%d.%m.%Y'
    >>> date_format_of(["2021-03-04", "2021-02-30"]) is None
    True
    """
    if not all(map(_may_be_date, texts)):
        return None
    return next((date_format for date_format in DATE_FORMATS if _reads_all(date_format, texts)), None)


def ambiguous_date(texts: Sequence[str], date_format: str) -> str | None:
    """The first text whose day and month could be swapped; None if the swapped format does not read all texts.

    Dates with dots always have the day first.

    Examples
    --------
    >>> from blindauc.preprocessing.dates import ambiguous_date
    >>> ambiguous_date(["05/05/2021", "03/04/2021"], "%d/%m/%Y")
    '03/04/2021'
    >>> ambiguous_date(["03/04/2021", "31/12/2021"], "%d/%m/%Y") is None
    True
    """
    turned = date_format.translate(str.maketrans("dm", "md"))
    if turned == date_format or turned not in DATE_FORMATS or not _reads_all(turned, texts):
        return None
    differ = days_in(texts, date_format) != days_in(texts, turned)
    return texts[int(differ.argmax())] if differ.any() else None


def unreadable_date(texts: Sequence[str]) -> str | None:
    """The first text that is in another format than most or is no valid date; None if most do not look like dates.

    Examples
    --------
    >>> from blindauc.preprocessing.dates import unreadable_date
    >>> unreadable_date(["2021-03-04", "2021-02-28", "2021-02-30"])
    '2021-02-30'
    >>> unreadable_date(["bowel", "heart", "2021-02-28"]) is None
    True
    """
    if sum(DATE_LIKE.fullmatch(text) is not None for text in texts) <= len(texts) / 2:
        return None
    return texts[int(np.isnan(days_in(texts, likeliest_format(texts))).argmax())]


def likeliest_format(texts: Sequence[str]) -> str:
    """The first format that reads all texts, or else the one that reads most of them."""
    return date_format_of(texts) or min(DATE_FORMATS, key=lambda each: np.isnan(days_in(texts, each)).sum())


def format_in_words(date_format: str) -> str:
    """A date format in words.

    Examples
    --------
    >>> from blindauc.preprocessing.dates import ISO, format_in_words
    >>> format_in_words(ISO), format_in_words("%d.%m.%Y")
    ('year-month-day', 'day.month.year')
    """
    if date_format == ISO:
        return "year-month-day"
    for code, word in WORDS.items():
        date_format = date_format.replace(code, word)
    return date_format


def _may_be_date(text: str) -> bool:
    """Whether the text begins with a digit, as in every format."""
    return text[:1].isdigit()


def _reads_all(date_format: str, texts: Sequence[str]) -> bool:
    # The first 20 texts reject most wrong formats quickly.
    return not any(np.isnan(days_in(some, date_format)).any() for some in (texts[:20], texts))
