"""What sections are made of."""

from __future__ import annotations

from blindauc.report.elements import Child, Markup, tag
from blindauc.report.words import count

ROWS_AT_FIRST = 20
"""Rows of a long table before someone asks for all."""

ROWS_ON_PAPER = 40
"""As the print style has it: nobody reads hundreds of rows on paper."""

LONG_VALUE = 6
"""More letters of a key number would not fit their box at full size."""


def section(place: str, title: str, lead: str | None, *children: Child) -> Markup:
    """A heading, a few words below it, and the rest."""
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
    """A chart that tells the numbers of the spot nearest to the pointer, along x or y, and has them as a table."""
    tip = tag("p", class_="tip", role="status", hidden=True)
    return tag(
        "figure",
        tag("figcaption", tag("strong", title), tag("span", words) if words else None),
        legend,
        tag("div", picture, tip, class_="plot", data_nearest=nearest, data_title=title),
        numbers,
    )


def not_shown(shown: int, there: int, one: str, many: str) -> Markup | None:
    """What a table leaves away, in words."""
    if shown >= there:
        return None
    return tag("p", f"{count(there - shown, one, many)} not on this page.", class_="note")


def cut_on_paper(n_rows: int) -> Markup | None:
    """What a print leaves away, in words that only a print shows."""
    if n_rows <= ROWS_ON_PAPER:
        return None
    return tag("p", "Only the first rows are printed; the page has more.", class_="note on-paper")


def key_number(title: str, value: str, note: str) -> Markup:
    """A box with one large number, at the top of a page."""
    size = "value long" if len(value) > LONG_VALUE else "value"
    return tag("div", tag("p", title, class_="title"), tag("p", value, class_=size), tag("p", note, class_="note"))
