"""Tables that scroll inside their own box, and that the script lets people sort."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from blindauc.report.elements import Child, Markup, tag


class Column(NamedTuple):
    """A heading, whether numbers stand below it, and which way the rows are sorted by it, if they are."""

    heading: str
    is_number: bool = False
    order: str | None = None


class Cell(NamedTuple):
    """What a cell shows, and the number that it is sorted by."""

    shown: Child
    value: float


def table(
    caption: str, columns: Sequence[Column], rows: Iterable[Sequence[Child | Cell]], **attributes: str | int
) -> Markup:
    """Rows below headings.

    Parameters
    ----------
    caption : what the table holds, for those who cannot see where it stands
    columns : list of Column
    rows : what stands in each cell
    **attributes : of the table element

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
    """A chart's numbers, for those who want to read them."""
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
