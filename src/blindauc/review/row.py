"""The HTML of a row: the question, the reasons, its columns compared with other rows, and its effect curves."""

from __future__ import annotations

from collections.abc import Sequence

from blindauc.report.effect_charts import common_range, effect_chart
from blindauc.report.elements import Child, Markup, tag, together
from blindauc.report.words import count, name, percent
from blindauc.review.decisions import LABELLED
from blindauc.review.desk import About
from blindauc.review.facts import Cell, Facts, Marked, Shares
from blindauc.review.queue import Item
from blindauc.review.strips import bars, in_words, strip

CELLS_AT_FIRST = 10
"""Columns that are shown without a click (convention)."""

KINDS = (("labelled", "labelled positives"), ("unlabelled", "unlabelled rows"))
_HEADS = ("Column", "This row", *(f"Among {words}" for _, words in KINDS), "Position")


def row_article(item: Item, facts: Facts, about: About, place: int) -> Markup:
    """The HTML of a row.

    Parameters
    ----------
    item : Item
    facts : Facts
    about : About
    place : the place of the row in its list, from 1
    """
    is_named = item.name != str(item.row)
    return together(
        tag("p", f"Number {place:,} {_order(item)}", f", row {item.row:,}" if is_named else None, class_="eyebrow"),
        tag(
            "h1",
            name(item.name) if is_named else f"Row {item.row:,}",
            id="row-name",
            tabindex="-1",
            aria_describedby="question because",
        ),
        tag("p", _question(item, about), class_="question", id="question"),
        tag("p", id="said", class_="said", hidden=True),
        tag("div", _chance(item), tag("p", tag("bdi", item.reason), class_="reason"), class_="because", id="because"),
        _cells(facts.cells),
        _curves(facts.curves),
        _others(facts.others),
    )


def _order(item: Item) -> str:
    return "in the order of suspicion" if item.label == LABELLED else "of the ranking"


def _question(item: Item, about: About) -> list[Child]:
    labelled = [name(about.label), " = ", name(about.positive)]
    if item.label == LABELLED:
        return ["Labelled ", *labelled, ". Is that right?"]
    return ["Not labelled, and ranked high. Is it ", *labelled, "?"]


def _chance(item: Item) -> Markup | None:
    if item.chance is None:
        return None
    what = "wrong" if item.label == LABELLED else "positive"
    return tag("p", tag("strong", percent(item.chance)), f" probability that it is {what}", class_="probability")


def _cells(cells: Sequence[Cell]) -> Markup | None:
    if not cells:
        return None
    legend = [tag("span", words, class_=f"key {kind}-key") for kind, words in KINDS]
    rest = cells[CELLS_AT_FIRST:]
    more = count(len(rest), "weaker column", "weaker columns")
    return tag(
        "section",
        tag("h2", "Its columns, the strongest first"),
        tag("p", legend, tag("span", "this row", class_="key here-key"), class_="legend"),
        _table(cells[:CELLS_AT_FIRST]),
        tag("details", tag("summary", more), _table(rest)) if rest else None,
    )


def _table(cells: Sequence[Cell]) -> Markup:
    return tag(
        "table",
        tag("caption", "The columns of this row compared with other rows"),
        tag("thead", tag("tr", [tag("th", words, scope="col") for words in _HEADS])),
        tag("tbody", [_cell(cell) for cell in cells]),
        class_="beside-usual",
    )


def _cell(cell: Cell) -> Markup:
    compared = cell.compared
    # On narrow screens the headings are hidden, so that each cell names what it compares with.
    words = [
        tag(
            "td",
            [tag("span", f"{called}: ", class_="kind"), in_words(compared, kind)] if compared else None,
            class_=kind,
        )
        for kind, called in KINDS
    ]
    picture = None if compared is None else bars(compared) if isinstance(compared, Shares) else strip(compared)
    return tag(
        "tr",
        tag("th", name(cell.column), scope="row"),
        tag("td", _text(cell.text), class_="own"),
        words,
        tag("td", picture, class_="drawn"),
    )


def _text(text: str) -> Markup:
    return tag("bdi", text) if text else tag("span", "missing", class_="note")


def _curves(curves: Sequence[Marked]) -> Markup | None:
    if not curves:
        return None
    y_range = common_range([each.effect for each in curves])
    figures = [
        tag(
            "figure",
            tag("figcaption", tag("strong", name(each.effect.column)), tag("span", each.effect.words)),
            effect_chart(each.effect, y_range, each.value),
        )
        for each in curves
    ]
    return tag(
        "section",
        tag("h2", "Contributions of the strongest columns to its score"),
        tag("div", figures, class_="trio"),
    )


def _others(cells: Sequence[Cell]) -> Markup | None:
    if not cells:
        return None
    shown = [tag("div", tag("dt", name(cell.column)), tag("dd", _text(cell.text))) for cell in cells]
    words = count(len(cells), "other column", "other columns")
    return tag("details", tag("summary", words), tag("div", tag("dl", shown), class_="cells"), open=True)
