"""How a file of text is laid out: the names of its columns, what separates the cells, how numbers are written."""

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
"""What may separate the cells of a file with this ending; the first where there is nothing to tell by."""

HEAD = 1 << 24
"""Bytes to find the layout by. The header has to fit in."""

BLOCK = 1 << 20
"""Bytes to read at a time if the rows are not long: larger ones are a little faster, and take far more memory."""

N_SAMPLED = 50
"""Lines to find the separator by."""


class Notation(NamedTuple):
    """How cells are separated and numbers written: `decimal` is the mark before the decimals."""

    separator: str = ","
    decimal: str = "."


@dataclass(frozen=True)
class Layout:
    """How a file of text is to be read.

    Attributes
    ----------
    names : the columns; those without a name are called by their number
    unnamed : the places of those without a name
    notation : the separator, and the decimal mark
    has_thousands : whether points separate thousands, as in 12.345,67
    n_before : rows up to the header and with it
    block_size : bytes to read at a time; a row has to fit in
    """

    names: list[str]
    unnamed: list[int]
    notation: Notation
    has_thousands: bool
    n_before: int
    block_size: int


def find_layout(path: Path, file: Path, separators: str, header_row: int | None = None) -> Layout:
    """Find the layout by the first rows of a file in UTF-8.

    Parameters
    ----------
    path : of the table, for messages
    file : the same in UTF-8
    separators : those that are possible
    header_row : the row that holds the names, from 1; by default the first that is not blank
    """
    with opened(file) as stream:
        head = stream.read(HEAD)
    # What comes after the head may complete its last letter.
    text = codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    if not text.strip():
        raise TableError(f"{path} is empty: a line with the names of the columns, and rows, were expected.")
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
    return Layout(
        names,
        unnamed=[place for place, name in enumerate(header) if not name],
        notation=Notation(separator, _decimal(separator, marks)),
        has_thousands=marks == {","},
        n_before=n_above[separator] + 1,
        block_size=max(BLOCK, 64 * max(map(len, re.split(rb"[\r\n]+", head, maxsplit=N_SAMPLED)[:N_SAMPLED]))),
    )


def _lines(text: str, separator: str, n_lines: int) -> list[list[str]]:
    lines: list[list[str]] = []
    try:
        lines.extend(islice(csv.reader(io.StringIO(text, newline=""), delimiter=separator), n_lines))
    except csv.Error:
        # A cell longer than Python allows, most likely a quote that does not end: Arrow will tell the row.
        lines.append([""])
    return lines


def _n_above(path: Path, lines: Sequence[Sequence[str]], header_row: int | None) -> int:
    """How many rows there are above the header."""
    if header_row is None:
        return next(number for number, cells in enumerate(lines) if cells)
    if header_row > len(lines) or not lines[header_row - 1]:
        raise no_header(path, header_row, len(lines))
    return header_row - 1


def _evidence(lines: Iterable[Sequence[str]]) -> tuple[int, int]:
    """How many lines have as many cells as the first if that has several, and how many those are."""
    counts = [len(cells) for cells in lines if cells]
    return (counts.count(counts[0]) if counts[0] > 1 else 0, counts[0])


def _n_blank_beyond(header: Sequence[str], rows: Iterable[Sequence[str]]) -> int:
    """How many cells rows have beyond the header, where these are blank: spreadsheets add such separators."""
    widths = Counter(len(cells) for cells in rows if cells)
    width = widths.most_common(1)[0][0] if widths else 0
    beyond = [cell for cells in rows for cell in cells[len(header) :]]
    return 0 if any(map(str.strip, beyond)) else max(0, width - len(header))


def _decimal_marks(text: str, separator: str) -> set[str]:
    """Which of the point and the comma certainly stand before decimals in some cell.

    In a cell such as 12.345 the point may be one or separate thousands.
    """
    start, end = rf'(?:^|[{separator}\r\n])"?-?', rf'(?="?(?:[{separator}\r\n]|$))'
    # With tabs, 1,234 may be an English thousand. With semicolons it is not: they are there to free the comma.
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
