"""HTML tables that scroll inside their own box and that the script can sort."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from blindauc.report.elements import Child, Markup, tag


class Column(NamedTuple):
    """A column of a table: its heading, whether it holds numbers, and the order in which it is sorted, if it is."""

    heading: str
    is_number: bool = False
    order: str | None = None


class Cell(NamedTuple):
    """What a cell shows, and the number to sort it by."""

    shown: Child
    value: float


def table(
    caption: str, columns: Sequence[Column], rows: Iterable[Sequence[Child | Cell]], **attributes: str | int
) -> Markup:
    """A table as HTML.

    Parameters
    ----------
    caption : str
        What the table holds, for screen readers.
    columns : sequence of Column
    rows : iterable of sequences
        The content of the cells.
    **attributes
        Attributes of the table element.

    Examples
    --------
    >>> from blindauc.report.tables import Column, table
    >>> "<td>a&lt;b</td>" in table("Names", [Column("name")], [["a<b"]])
    True
    """
    return tag(
        "div",
        tag(
            "table",
            tag("caption", caption),
            tag("thead", tag("tr", [_heading(column) for column in columns])),
            tag("tbody", [_row(columns, row) for row in rows]),
            **attributes,
        ),
        class_="scroll",
    )


def as_details(caption: str, columns: Sequence[Column], rows: Iterable[Sequence[Child | Cell]]) -> Markup:
    """The numbers of a chart as a collapsed table."""
    return tag("details", tag("summary", "The numbers as a table"), table(caption, columns, rows))


def _heading(column: Column) -> Markup:
    class_ = "number" if column.is_number else None
    return tag("th", column.heading, scope="col", class_=class_, aria_sort=column.order)


def _row(columns: Sequence[Column], row: Sequence[Child | Cell]) -> Markup:
    return tag("tr", [_cell(column, cell) for column, cell in zip(columns, row, strict=True)])


def _cell(column: Column, cell: Child | Cell) -> Markup:
    class_ = "number" if column.is_number else None
    if isinstance(cell, Cell):
        return tag("td", cell.shown, class_=class_, data_value=float(cell.value))
    return tag("td", cell, class_=class_)
