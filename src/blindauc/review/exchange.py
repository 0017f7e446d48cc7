"""Decisions in tables: export of the checked rows, and import of decisions from a spreadsheet.

The exported table has a line for each row that was checked, in the order of the data:

- `id`: the name of the row, only if a column of the data names the rows
- `row`: the number of the row, from 1; the first row is that below the header
- `label`: "positive" or "unlabelled", as in the data
- `decision`: "right" or "wrong" for a label, "positive" or "negative" for an unlabelled row, "cannot tell", or
  "disagreement" if one reviewer says positive and another negative
- `note`: the reviewers' reasons
- `reviewer`: the names of the reviewers, separated by "; "
- `time`: the time of the last decision in UTC, as ISO 8601
- `model`: the SHA-256 of the model file that the reviewers used
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from blindauc.review.decisions import CHOICES, LABELLED, UNLABELLED, Attempt, Entry, read_decision
from blindauc.review.standing import Standing, checked_rows

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("id", "row", "label", "decision", "note", "reviewer", "time", "model")

FORMULA = "'"
"""The prefix in our tables of text that a spreadsheet would read as a formula."""


def checked_table(entries: Iterable[Entry], reviewer: str | None = None) -> pd.DataFrame:
    """The rows checked by all reviewers, or by one, as a table with the columns described in this module."""
    import pandas as pd

    rows = checked_rows(entries, reviewer)
    named = any(each.name != str(each.row) for each in rows)
    table = pd.DataFrame(
        {
            "id": [each.name for each in rows],
            "row": pd.Series([each.row for each in rows], dtype="int64"),
            **{column: [getattr(each, column) for each in rows] for column in COLUMNS[2:]},
        },
        columns=COLUMNS,
    )
    return table if named else table.drop(columns="id")


def as_csv(entries: Iterable[Entry], reviewer: str | None = None) -> bytes:
    """The table of the checked rows as the content of a CSV file."""
    return csv_of(checked_table(entries, reviewer))


def csv_of(table: pd.DataFrame) -> bytes:
    """A table as the content of a CSV file."""
    from blindauc.analysis.spreadsheets import write_csv

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "checked.csv"
        write_csv(table, path)
        return path.read_bytes()


@dataclass(frozen=True)
class Names:
    """The names and labels of the rows of a table.

    Attributes
    ----------
    names : the name of each row; its number if no column names the rows
    labelled : the numbers of the rows that are labelled positive, from 1
    """

    names: Sequence[str]
    labelled: frozenset[int]

    def label(self, row: int) -> str:
        """The label of a row, by its number from 1."""
        return LABELLED if row in self.labelled else UNLABELLED


def read_decisions(frame: pd.DataFrame, names: Names, reviewer: str) -> list[Attempt]:
    """The decisions in a spreadsheet, ready to be recorded; rows without one are left out.

    Parameters
    ----------
    frame : pandas.DataFrame
        With the column `decision`, and `id` or `row` or both; `note` and `reviewer` are optional.
    names : Names
        The rows of the data.
    reviewer : str
        The reviewer of rows without one.

    Raises
    ------
    ValueError
        If a row or a word is unknown, or a row occurs twice.
    """
    _check_columns(frame, names)
    rows_of = {name.strip(): row for row, name in enumerate(names.names, start=1)}
    attempts: list[Attempt] = []
    seen: dict[tuple[int, str], int] = {}
    for line, cells in enumerate(frame.to_dict("records"), start=1):
        word = _text(cells["decision"])
        if not word:
            continue
        row = _row(cells, rows_of, len(names.names), line)
        who = _text(cells.get("reviewer")) or reviewer
        if (row, who) in seen:
            before = seen[row, who]
            raise ValueError(f"Data rows {before} and {line} both decide on row {row}: leave one of them blank.")
        seen[row, who] = line
        attempts.append(_attempt(row, who, word, _text(cells.get("note")), names, line))
    if not attempts:
        raise ValueError("The column 'decision' is blank in every row: write right, wrong or cannot tell.")
    return attempts


def without_repeats(attempts: Iterable[Attempt], entries: Iterable[Entry]) -> list[Attempt]:
    """The decisions that differ from the last one of their reviewer on the row: a file may be imported again."""
    standing = Standing()
    standing.take(entries)

    def repeats(attempt: Attempt) -> bool:
        last = [entry.attempt for entry in standing.last_of(attempt.row, attempt.reviewer)]
        return any((each.decision, each.note) == (attempt.decision, attempt.note) for each in last)

    return [attempt for attempt in attempts if not repeats(attempt)]


def _check_columns(frame: pd.DataFrame, names: Names) -> None:
    """Raise if a column is missing; only that is named, and the one that may be meant."""
    has_decision, has_row = "decision" in frame, bool({"id", "row"} & set(frame.columns))
    if has_decision and has_row:
        return
    guess = None if has_row else _perhaps_id(frame, set(names.names))
    missing, remedies = [], []
    if not has_decision:
        missing, remedies = ["'decision'"], ["add it with right, wrong or cannot tell"]
    if not has_row:
        missing.append("'id' or 'row'")
        remedies.append("add one of them" if guess is None else f"perhaps {guess!r} is the id, then rename it to 'id'")
    raise ValueError(f"The table has no column {', and none called '.join(missing)}: {', and '.join(remedies)}.")


def _perhaps_id(frame: pd.DataFrame, names: set[str]) -> str | None:
    """The first column whose cells all name rows of the data, each another one; blank cells do not count."""
    for column in frame:
        cells = list(filter(None, map(_text, frame[column])))
        if cells and len(set(cells)) == len(cells) and names.issuperset(cells):
            return str(column)
    return None


def _row(cells: dict[Any, Any], rows_of: dict[str, int], n_rows: int, line: int) -> int:
    """The number of the row of the data that a line of the spreadsheet names."""
    name, number = _text(cells.get("id")), _text(cells.get("row"))
    by_number = int(number) if number.isdecimal() and 1 <= int(number) <= n_rows else None
    if number and by_number is None:
        raise ValueError(f"Data row {line} names row {number!r}, but the rows go from 1 to {n_rows:,}: correct it.")
    if not name and by_number is None:
        raise ValueError(f"Data row {line} has a decision but neither id nor row: fill one in.")
    by_name = rows_of.get(name, by_number if not name else None)
    if by_name is None:
        raise ValueError(f"Data row {line} names {name[:60]!r}, but no row has that name: correct the id.")
    if by_number not in (None, by_name):
        raise ValueError(f"Data row {line} names {name[:60]!r}, row {by_name}, but also row {by_number}: correct one.")
    return by_name


def _attempt(row: int, who: str, word: str, note: str, names: Names, line: int) -> Attempt:
    label = names.label(row)
    decision = read_decision(word, label)
    if decision is None:
        choices = ", ".join(repr(choice) for choice in CHOICES[label])
        raise ValueError(f"Data row {line} says {word[:60]!r}, but {choices} were expected: correct it.")
    try:
        return Attempt(uuid4().hex, who, row, names.names[row - 1], label, decision, note)
    except ValueError as error:
        raise ValueError(f"Data row {line}: {error}") from None


def _text(cell: Any) -> str:
    """A cell as text, without the prefix that keeps it from being a formula."""
    import pandas as pd

    from blindauc.analysis.spreadsheets import FORMULA_STARTS

    if cell is None or pd.isna(cell):
        return ""
    text = str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell).strip()
    return text[1:] if text.startswith(FORMULA) and text[1:].startswith(FORMULA_STARTS) else text
