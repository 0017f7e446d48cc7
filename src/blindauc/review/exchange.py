"""Decisions in tables: what was checked to a file, and from a spreadsheet into the record.

A table of what was checked has a line for each row of the data that was checked, in their order:

- `id`: the name of the row, only where a column of the data names the rows
- `row`: its number from 1, the first row below the header
- `label`: "positive" or "unlabelled", as in the data
- `decision`: "right" or "wrong" of a label, "positive" or "negative" of an unlabelled row, "cannot tell", or
  "disagreement" where one reviewer says positive and another negative
- `note`: why, in the reviewers' words
- `reviewer`: who; several names are separated by "; "
- `time`: when the last of them decided, in UTC, as ISO 8601
- `model`: the SHA-256 of the model file that was looked at
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
"""What tables of ours have before text that a spreadsheet would take for a formula."""


def checked_table(entries: Iterable[Entry], reviewer: str | None = None) -> pd.DataFrame:
    """What was checked as a table, by all reviewers or by one; its columns are told at the top of this module."""
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
    """The table of what was checked as the content of a CSV file."""
    from blindauc.analysis.spreadsheets import write_csv

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "checked.csv"
        write_csv(checked_table(entries, reviewer), path)
        return path.read_bytes()


@dataclass(frozen=True)
class Names:
    """The rows of a table.

    Attributes
    ----------
    names : what each row is called; its number where no column names the rows
    labelled : the numbers of the rows that are labelled positive, counted from 1
    """

    names: Sequence[str]
    labelled: frozenset[int]

    def label(self, row: int) -> str:
        """The label of a row, by its number from 1."""
        return LABELLED if row in self.labelled else UNLABELLED


def read_decisions(frame: pd.DataFrame, names: Names, reviewer: str) -> list[Attempt]:
    """The decisions of a spreadsheet, ready to be written down; rows without one are left out.

    Parameters
    ----------
    frame : pandas.DataFrame
        With the column `decision`, and `id` or `row` or both; `note` and `reviewer` if there are any.
    names : Names
        The rows of the data.
    reviewer : str
        Who decided, where no column says so.

    Raises
    ------
    ValueError
        One line, where a row or a word is unknown, or a row comes twice.
    """
    _check_columns(frame)
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


def not_yet_said(attempts: Iterable[Attempt], entries: Iterable[Entry]) -> list[Attempt]:
    """Those decisions that do not only repeat what their reviewer said last, as a file that is read again does."""
    standing = Standing()
    standing.take(entries)

    def repeats(attempt: Attempt) -> bool:
        last = [entry.attempt for entry in standing.last_of(attempt.row, attempt.reviewer)]
        return any((each.decision, each.note) == (attempt.decision, attempt.note) for each in last)

    return [attempt for attempt in attempts if not repeats(attempt)]


def _check_columns(frame: pd.DataFrame) -> None:
    if "decision" not in frame or not {"id", "row"} & set(frame.columns):
        came = ", ".join(map(repr, frame.columns[:8]))
        raise ValueError(f"The table should have the columns 'decision' and 'id' or 'row', and has {came}: add them.")


def _row(cells: dict[Any, Any], rows_of: dict[str, int], n_rows: int, line: int) -> int:
    """Which row of the data is meant."""
    name, number = _text(cells.get("id")), _text(cells.get("row"))
    by_number = int(number) if number.isdecimal() and 1 <= int(number) <= n_rows else None
    if number and by_number is None:
        raise ValueError(f"Data row {line} names row {number!r}, and the rows go from 1 to {n_rows:,}: mend it.")
    if not name and by_number is None:
        raise ValueError(f"Data row {line} has a decision and neither id nor row: fill one in.")
    by_name = rows_of.get(name, by_number if not name else None)
    if by_name is None:
        raise ValueError(f"Data row {line} names {name[:60]!r}, and no row is called so: mend the id.")
    if by_number not in (None, by_name):
        raise ValueError(f"Data row {line} names {name[:60]!r}, which is row {by_name}, and row {by_number}: mend one.")
    return by_name


def _attempt(row: int, who: str, word: str, note: str, names: Names, line: int) -> Attempt:
    label = names.label(row)
    decision = read_decision(word, label)
    if decision is None:
        choices = ", ".join(repr(choice) for choice in CHOICES[label])
        raise ValueError(f"Data row {line} says {word[:60]!r}, and {choices} were expected: mend it.")
    try:
        return Attempt(uuid4().hex, who, row, names.names[row - 1], label, decision, note)
    except ValueError as error:
        raise ValueError(f"Data row {line}: {error}") from None


def _text(cell: Any) -> str:
    """A cell as text, without what kept it from being a formula."""
    import pandas as pd

    from blindauc.analysis.spreadsheets import FORMULA_STARTS

    if cell is None or pd.isna(cell):
        return ""
    text = str(int(cell) if isinstance(cell, float) and cell.is_integer() else cell).strip()
    return text[1:] if text.startswith(FORMULA) and text[1:].startswith(FORMULA_STARTS) else text
