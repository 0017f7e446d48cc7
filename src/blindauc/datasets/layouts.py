"""Detect the layout of a text file: column names, separator and decimal mark."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from blindauc.datasets.encodings import opened
from blindauc.datasets.table_errors import TableError, check_names, no_header, no_rows

SEPARATORS = {".csv": ",;\t", ".txt": "\t,;", ".tsv": "\t", ".tab": "\t"}
"""Possible separators by file name extension; the first is the default."""

HEAD = 1 << 24
"""Bytes from which the layout is detected (convention); the header has to fit in."""

BLOCK = 1 << 20
"""Bytes per block, unless rows are long: larger blocks are a little faster but need far more memory."""

N_SAMPLED = 50
"""Lines from which the separator is detected (convention)."""

ROWS_OF_A_BLOCK = 64
"""Rows of the longest sampled length that a block must have room for (convention)."""


class Notation(NamedTuple):
    """The separator of cells and the decimal mark of numbers in a text file."""

    separator: str = ","
    decimal: str = "."


@dataclass(frozen=True)
class Layout:
    """The layout of a text file.

    Attributes
    ----------
    names : the column names; "column N" for columns without one
    unnamed : the positions of columns without a name
    notation : the separator and the decimal mark
    has_thousands : whether points separate thousands, as in 12.345,67
    n_before : the number of rows up to and including the header
    block_size : bytes to read at a time; a row has to fit in
    """

    names: list[str]
    unnamed: list[int]
    notation: Notation
    has_thousands: bool
    n_before: int
    block_size: int


def find_layout(path: Path, file: Path, separators: str, header_row: int | None = None) -> Layout:
    """Detect the layout from the first rows of a file.

    Parameters
    ----------
    path : the path of the table, for messages
    file : the same table in UTF-8
    separators : the possible separators
    header_row : the row with the column names, counted from 1; by default the first row that is not blank
    """
    with opened(file) as stream:
        head = stream.read(HEAD)
    # Incremental: the head may end in the middle of a character.
    text = codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    if not text.strip():
        raise TableError(f"{path} is empty: column names and at least one row were expected. Export it again.")
    lines = {separator: _lines(text, separator, N_SAMPLED + (header_row or 0)) for separator in separators}
    n_above = {separator: _n_above(path, lines[separator], header_row) for separator in separators}
    separator = max(separators, key=lambda each: _evidence(lines[each][n_above[each] :]))
    header, *rows = lines[separator][n_above[separator] :]
    if not any(rows) and len(head) < HEAD:
        raise no_rows(path)
    header = [name.strip() for name in header] + [""] * _n_blank_beyond(header, rows)
    names = [name or f"column {number}" for number, name in enumerate(header, start=1)]
    check_names(path, names)
    marks = _decimal_marks(text, separator)
    longest = max(map(len, re.split(rb"[\r\n]+", head, maxsplit=N_SAMPLED)[:N_SAMPLED]))
    return Layout(
        names,
        unnamed=[place for place, name in enumerate(header) if not name],
        notation=Notation(separator, _decimal(separator, marks)),
        has_thousands=marks == {","},
        n_before=n_above[separator] + 1,
        block_size=max(BLOCK, ROWS_OF_A_BLOCK * longest),
    )


def _lines(text: str, separator: str, n_lines: int) -> list[list[str]]:
    lines: list[list[str]] = []
    try:
        lines.extend(islice(csv.reader(io.StringIO(text, newline=""), delimiter=separator), n_lines))
    except csv.Error:
        # A cell longer than Python's limit, most likely an unclosed quote: Arrow will name the row.
        lines.append([""])
    return lines


def _n_above(path: Path, lines: Sequence[Sequence[str]], header_row: int | None) -> int:
    """The number of rows above the header."""
    if header_row is None:
        return next(number for number, cells in enumerate(lines) if cells)
    if header_row > len(lines) or not lines[header_row - 1]:
        raise no_header(path, header_row, len(lines))
    return header_row - 1


def _evidence(lines: Iterable[Sequence[str]]) -> tuple[int, int]:
    """The number of lines with as many cells as the first, if that has several, and this number of cells."""
    counts = [len(cells) for cells in lines if cells]
    return (counts.count(counts[0]) if counts[0] > 1 else 0, counts[0])


def _n_blank_beyond(header: Sequence[str], rows: Iterable[Sequence[str]]) -> int:
    """The number of cells beyond the header, if all of them are blank: spreadsheets add such separators."""
    widths = Counter(len(cells) for cells in rows if cells)
    width = widths.most_common(1)[0][0] if widths else 0
    beyond = [cell for cells in rows for cell in cells[len(header) :]]
    return 0 if any(map(str.strip, beyond)) else max(0, width - len(header))


def _decimal_marks(text: str, separator: str) -> set[str]:
    """Which of point and comma is certainly a decimal mark in some cell.

    In a cell such as 12.345, the point may also separate thousands.
    """
    start, end = rf'(?:^|[{separator}\r\n])"?-?', rf'(?="?(?:[{separator}\r\n]|$))'
    # With tabs, 1,234 may be one thousand. With semicolons it is a decimal: they are used to free the comma.
    decimals = "[0-9]+" if separator == ";" else "(?:[0-9]{1,2}|[0-9]{4,})"
    marks = {
        ",": rf"[0-9]+(?:\.[0-9]{{3}})*,{decimals}",
        ".": rf"(?![1-9][0-9]{{0,2}}(?:\.[0-9]{{3}})+{end})[0-9]*\.[0-9]+",
    }
    if separator == ",":
        return set()
    return {mark for mark, number in marks.items() if re.search(start + number + end, text)}


def _decimal(separator: str, marks: set[str]) -> str:
    if separator == ";":
        return "." if marks == {"."} else ","
    return "," if marks == {","} else "."
