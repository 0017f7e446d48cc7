"""Small drawings that compare a cell with labelled positives (upper half) and with unlabelled rows (lower half)."""

from __future__ import annotations

from collections.abc import Sequence

from blindauc.report.elements import Markup, tag
from blindauc.report.words import percent
from blindauc.review.facts import Shares, Spread

WIDTH, HEIGHT = 240.0, 34.0
SIDE = 5.0
"""Margin for the mark of a row at an end."""


def strip(spread: Spread) -> Markup:
    """A thin line for each quantile of the other rows, and a mark for this one.

    Examples
    --------
    >>> from blindauc.review.facts import Spread
    >>> from blindauc.review.strips import strip
    >>> strip(Spread(3.0, [1.0, 2.0], [2.0, 4.0], 1.0, 0.5)).count("<line")
    5
    """
    reached = [spread.value, *spread.labelled, *spread.unlabelled]
    low, high = min(reached), max(reached)

    def across(value: float) -> float:
        return round(SIDE + (value - low) / ((high - low) or 1.0) * (WIDTH - 2 * SIDE), 1)

    at = across(spread.value)
    return _picture(
        _lines([across(value) for value in spread.labelled], 2.0, "labelled"),
        _lines([across(value) for value in spread.unlabelled], HEIGHT / 2 + 2, "unlabelled"),
        tag("line", x1=at, x2=at, y1=0.0, y2=HEIGHT, class_="here"),
        tag("circle", cx=at, cy=HEIGHT / 2, r=4, class_="here"),
    )


def bars(shares: Shares) -> Markup:
    """Two bars with the lengths of the shares of rows with the same category.

    Examples
    --------
    >>> from blindauc.review.facts import Shares
    >>> from blindauc.review.strips import bars
    >>> bars(Shares(0.5, 0.0)).count("<rect")
    4
    """
    rows = ((shares.labelled, 5.0, "labelled"), (shares.unlabelled, HEIGHT / 2 + 3, "unlabelled"))
    return _picture(
        [tag("rect", x=0.0, y=y, width=WIDTH, height=9.0, rx=2, class_="all") for _, y, _ in rows],
        [tag("rect", x=0.0, y=y, width=WIDTH * share, height=9.0, rx=2, class_=kind) for share, y, kind in rows],
    )


def _picture(*children: Markup | list[Markup]) -> Markup:
    """The SVG image, hidden from screen readers: the words beside it say the same."""
    return tag("svg", *children, viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}", class_="strip", aria_hidden="true")


def _lines(places: Sequence[float], top: float, kind: str) -> list[Markup]:
    return [tag("line", x1=x, x2=x, y1=top, y2=top + HEIGHT / 2 - 4, class_=kind) for x in places]


def in_words(compared: Spread | Shares, kind: str) -> str:
    """How a cell compares with the rows of a kind, "labelled" or "unlabelled".

    Examples
    --------
    >>> from blindauc.review.facts import Shares, Spread
    >>> from blindauc.review.strips import in_words
    >>> in_words(Spread(3.0, [1.0, 2.0], [2.0, 4.0], 1.0, 0.25), "unlabelled").replace(chr(160), " ")
    'lower than 75 %'
    >>> in_words(Shares(0.5, 0.0), "labelled").replace(chr(160), " ")
    '50 % the same'
    """
    if isinstance(compared, Shares):
        share = compared.labelled if kind == "labelled" else compared.unlabelled
        return f"{percent(share)} {'missing' if compared.is_missing else 'the same'}"
    if not (compared.labelled if kind == "labelled" else compared.unlabelled):
        return "all missing"
    below = compared.below_labelled if kind == "labelled" else compared.below_unlabelled
    if below < 0.5:
        return "lower than all" if below == 0 else f"lower than {_most(1 - below)}"
    return "higher than all" if below == 1 else f"higher than {_most(below)}"


def _most(share: float) -> str:
    """A share in per cent, at most 99 %: less than all is never rounded to 100 %."""
    return percent(min(share, 0.99))
