"""Building blocks of the sections: headings, figures, notes and key numbers."""

from __future__ import annotations

from blindauc.report.elements import Child, Markup, tag
from blindauc.report.words import count

ROWS_AT_FIRST = 20
"""Rows of a long table that are shown before the reader expands it (convention)."""

ROWS_ON_PAPER = 40
"""Rows of a table in print. Must equal the number in the print rules of style.css."""

LONG_VALUE = 6
"""Key numbers with more characters get a smaller font, to fit into their box."""


def section(place: str, title: str, lead: str | None, *children: Child) -> Markup:
    """A section of the page: a heading, an introduction and the content."""
    return tag("section", tag("h2", title), tag("p", lead, class_="lead") if lead else None, *children, id=place)


def figure(
    title: str,
    words: str | None,
    picture: Markup,
    *,
    legend: Markup | None = None,
    numbers: Markup | None = None,
    nearest: str = "x",
) -> Markup:
    """A chart with a caption, a tooltip for the spot nearest to the pointer (in x or y), and its numbers as a table."""
    tip = tag("p", class_="tip", role="status", hidden=True)
    return tag(
        "figure",
        tag("figcaption", tag("strong", title), tag("span", words) if words else None),
        legend,
        tag("div", picture, tip, class_="plot", data_nearest=nearest, data_title=title),
        numbers,
    )


def not_shown(shown: int, there: int, one: str, many: str) -> Markup | None:
    """A note on how many rows the table leaves out; None if it has all."""
    if shown >= there:
        return None
    return tag("p", f"{count(there - shown, one, many)} not on this page.", class_="note")


def cut_on_paper(n_rows: int) -> Markup | None:
    """A note, visible only in print, that rows were left out."""
    if n_rows <= ROWS_ON_PAPER:
        return None
    return tag("p", "Only the first rows are printed; the page has more.", class_="note on-paper")


def key_number(title: str, value: str, note: str) -> Markup:
    """A box with one large number, at the top of a page."""
    size = "value long" if len(value) > LONG_VALUE else "value"
    return tag("div", tag("p", title, class_="title"), tag("p", value, class_=size), tag("p", note, class_="note"))
