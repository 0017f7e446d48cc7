"""Texts that say days: which format they are written in, and which of them cannot be read without guessing."""

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
"""The first that reads every value is taken."""

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
"""What a person would take for a date, whether it is one of the calendar or not."""


def days_in(texts: Sequence[str], date_format: str) -> Floats:
    """The day that each text says, NaN where it says none."""
    import pandas as pd

    # pandas reads "now" and "today" as well, as another day each time.
    cells = pd.Series([text if _may_be_date(text) else None for text in texts], dtype=object)
    return days_of_moments(pd.to_datetime(cells, format=date_format, errors="coerce", utc=True))


def days_of_moments(moments: pd.Series) -> Floats:
    """Days since 1 January 1970, NaN where nothing is known."""
    import pandas as pd

    seconds = pd.to_datetime(moments, utc=True).dt.tz_localize(None).to_numpy(dtype="datetime64[s]")
    return np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64) / SECONDS_A_DAY)


def date_format_of(texts: Sequence[str]) -> str | None:
    """The first format in which every text says a day.

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
    """The first text that says another day if day and month change places; None where not all texts can be so read.

    Between dots the day comes first everywhere.

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
    """Where most texts look like dates, the first that is not written as most of them are, or is no day at all.

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
    """A format as a person would tell it.

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
    """Whether it begins as every format does."""
    return text[:1].isdigit()


def _reads_all(date_format: str, texts: Sequence[str]) -> bool:
    # Most wrong guesses fail on the first few already.
    return not any(np.isnan(days_in(some, date_format)).any() for some in (texts[:20], texts))
