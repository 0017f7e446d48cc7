"""Results of a manual check of rows: read from a column of the table, or from a table of decisions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from blindauc._typing import Ints
from blindauc.analysis.as_findings import interval
from blindauc.analysis.columns import check_column
from blindauc.checked import FOUND_NEGATIVE, FOUND_POSITIVE, UNCHECKED, WORDS, read_checked
from blindauc.report.findings import Checks
from blindauc.rows.disk.cache import CachedRows
from blindauc.rows.disk.parquet import ParquetRows

COLUMN, ROW, ID = "decision", "row", "id"


def checked_in(frame: pd.DataFrame, checked: Any) -> Ints | None:
    """The verdict of each row, from a column of the table or from one entry per row; None without either."""
    if not isinstance(checked, str):
        return read_checked(checked, len(frame))
    check_column(frame, checked, "checked=")
    try:
        return read_checked(frame[checked].to_numpy(dtype=object), len(frame))
    except ValueError as error:
        raise ValueError(f"The column {checked!r} does not hold results of a check: {error}") from error


def decided(decisions: pd.DataFrame, names: list[str] | None, n_rows: int) -> Ints:
    """The verdict of each row, from a table of decisions such as `blindauc review --export` writes.

    Parameters
    ----------
    decisions : pandas.DataFrame
        With the column `decision`, and with `row` (counted from 1) or `id`.
    names : list of str or None
        The names of the rows.
    n_rows : int
        The number of rows of the table that the decisions are about.

    Examples
    --------
    >>> import pandas as pd
    >>> from blindauc.analysis.checks import decided
    >>> decided(pd.DataFrame({"row": [3, 1], "decision": ["wrong", "right"]}), None, 4).tolist()
    [1, 0, -1, 0]
    """
    verdict = np.full(n_rows, UNCHECKED, dtype=np.intp)
    places = decided_places(decisions, names, n_rows)
    words = decisions[COLUMN].tolist()
    verdict[places] = [_verdict(word, line) for line, word in enumerate(words, start=1)]
    return verdict


def decided_anew(decisions: pd.DataFrame, names: list[str] | None, n_rows: int, before: Any = None) -> Ints:
    """The verdict of each row from a table of decisions and, for rows that it does not decide on, from `before`."""
    verdict = decided(decisions, names, n_rows)
    if before is None:
        return verdict
    places = decided_places(decisions[~is_blank(decisions)], names, n_rows)
    anew = np.array(before, dtype=np.intp)
    anew[places] = verdict[places]
    return anew


def by_row_number(decisions: pd.DataFrame, parts: Iterable[pd.Series]) -> pd.DataFrame:
    """The decisions with row numbers; those of named rows are looked up in `parts`, whose index counts rows from 0."""
    if ROW in decisions or ID not in decisions:
        return decisions
    wanted = decisions[ID].astype(str).tolist()
    row_of: dict[str, int] = {}
    for part in parts:
        names = part.astype(str)
        found = names[names.isin(wanted)]
        row_of.update(zip(found.tolist(), (found.index + 1).tolist(), strict=True))
    for line, name in enumerate(wanted, start=1):
        if name not in row_of:
            raise ValueError(f"Data row {line} of the decisions is about {name!r}, but the table has no such row.")
    return decisions.assign(**{ROW: [row_of[name] for name in wanted]})


def with_decisions(cached: CachedRows, source: ParquetRows, id: str | None, decisions: pd.DataFrame) -> CachedRows:
    """The cached rows with the verdicts of a table of decisions, which replace those of the column of checks."""
    if id is not None:
        decisions = by_row_number(decisions, (part[id] for part in source.frames([id])))
    verdict = decided_anew(decisions, None, len(cached.X), cached.verdict)
    return replace(cached, verdict=verdict.astype(np.int8))


def decided_places(decisions: pd.DataFrame, names: list[str] | None, n_rows: int) -> list[int]:
    """The row, from 0, that each line of a table of decisions is about; the parameters are those of `decided`."""
    by_name = ROW not in decisions and names is not None and ID in decisions
    if COLUMN not in decisions or not (by_name or ROW in decisions):
        raise ValueError(
            f"A table of decisions needs the columns {COLUMN!r} and {ROW!r}, or {COLUMN!r} and {ID!r} if a column "
            f"names the rows, but has {', '.join(map(repr, decisions.columns))}: rename its columns."
        )
    places: dict[int, None] = {}
    place_of = {name: place for place, name in enumerate(names or ())}
    for line, row in enumerate(decisions[ID if by_name else ROW], start=1):
        place = place_of.get(str(row)) if by_name else _place(row, n_rows)
        if place is None:
            raise ValueError(f"Data row {line} of the decisions is about {row!r}, but the table has no such row.")
        if place in places:
            raise ValueError(f"Data row {line} of the decisions is about {row!r} again: remove one of the two.")
        places[place] = None
    return list(places)


def is_blank(decisions: pd.DataFrame) -> pd.Series:
    """Mask of the lines of a table of decisions that hold no decision; "cannot tell" is one."""
    return decisions[COLUMN].isna() | (decisions[COLUMN].astype(str).str.strip() == "")


def _place(row: Any, n_rows: int) -> int | None:
    number = pd.to_numeric(row, errors="coerce")
    return int(number) - 1 if number in range(1, n_rows + 1) else None


def _verdict(word: Any, line: int) -> int:
    text = "" if pd.isna(word) else str(word).strip().lower()
    if text not in WORDS:
        words = ", ".join(filter(None, WORDS))
        raise ValueError(f"Data row {line} of the decisions says {word!r}: one of {words} was expected.")
    return WORDS[text]


def check_findings(ranking: Any, verdict: Ints | None, is_labelled: Any) -> Checks | None:
    """Counts of the checked rows and the AUC against known negatives; None if no row was checked."""
    if verdict is None:
        return None
    found = {
        name: int((kind & (verdict == which)).sum())
        for name, kind, which in (
            ("n_right", is_labelled, FOUND_POSITIVE),
            ("n_wrong", is_labelled, FOUND_NEGATIVE),
            ("n_positive", ~is_labelled, FOUND_POSITIVE),
            ("n_negative", ~is_labelled, FOUND_NEGATIVE),
        )
    }
    auc, expected = (getattr(ranking, name, None) for name in ("auc_checked_", "wrong_expected_"))
    return Checks(
        **found,
        auc=None if auc is None else interval(auc),
        expected=None if expected is None else interval(expected),
    )
