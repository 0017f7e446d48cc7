"""The section with the labels to re-check, in order of suspicion, and how many to expect to be wrong."""

from __future__ import annotations

from blindauc.report.counting import among_first, how_many, wrong_first
from blindauc.report.elements import Child, Markup, tag
from blindauc.report.findings import Checks, Doubt, Expected, Findings
from blindauc.report.sections.parts import ROWS_AT_FIRST, cut_on_paper, not_shown, section
from blindauc.report.stating import stated_calibration
from blindauc.report.tables import Cell, Column, table
from blindauc.report.words import name, number, percent

DOUBTS = 200
MOST_DOUBTS = 500
"""The page lists the first 200 labels, or all flagged ones if these are more, but no more than 500 (convention)."""

ORDER = "Labelled rows that may not be positive, in the order to check them."
NUMBERS = (
    "Probably wrong is the probability that the label is wrong. Wrong so far is how many wrong labels to expect down "
    "to this row."
)
CHECKED_LAST = "They are at the end of this list, with the probability 0 or 1. All other numbers are about the rest."
NO_NUMBERS = "There are too few labels to say how many of them are wrong; the order is that of their scores."

COLUMNS = (
    Column("Name"),
    Column("Row", True),
    Column("Order", True, "ascending"),
    Column("Probably wrong", True),
    Column("Wrong so far", True),
    Column("Reason"),
)
COLUMNS_WITHOUT_NUMBERS = (*COLUMNS[:3], COLUMNS[-1])


def doubts(findings: Findings) -> Markup:
    """A table to sort and filter, the most suspicious labels first."""
    shown = findings.doubts[: min(max(DOUBTS, findings.n_doubtful), MOST_DOUBTS)]
    first = wrong_first(findings)
    columns = COLUMNS_WITHOUT_NUMBERS if first is None else COLUMNS
    return section(
        "doubts",
        "Labels to check",
        f"{ORDER} {NO_NUMBERS if first is None else NUMBERS}",
        None if findings.checks is None else tag("p", _checked(findings.checks)),
        None if first is None else tag("p", tag("strong", _expectation(first))),
        _filter(has_numbers=first is not None),
        table(
            "Labelled rows in the order to check them",
            columns,
            [_row(findings, doubt, place) for place, doubt in enumerate(shown, start=1)],
            id="doubts-table",
            class_="sortable wordy",
            data_first=ROWS_AT_FIRST,
        ),
        cut_on_paper(len(shown)),
        not_shown(len(shown), len(findings.doubts), "less doubtful row is", "less doubtful rows are"),
    )


def _checked(checks: Checks) -> str:
    """What was found, and that labels which were checked are at the end of the list."""
    return f"{stated_calibration(checks)} {CHECKED_LAST if checks.n_labels else ''}".strip()


def _expectation(first: Expected) -> str:
    return f"Of the first {first.k:,} expect {how_many(first, is_known=True)} to be wrong."


def _filter(*, has_numbers: bool) -> Markup:
    """The filter, hidden until the script has started: without it, it would do nothing."""
    least = tag(
        "label",
        "Probably wrong at least",
        tag("input", type="range", id="doubts-least", min=0, max=100, step=1, value=0),
        tag("output", "0\u00a0%", id="doubts-least-shown", for_="doubts-least"),
    )
    return tag(
        "div",
        tag("label", "Find", tag("input", type="search", id="doubts-words", placeholder="a name or a reason")),
        least if has_numbers else None,
        tag("p", role="status", id="doubts-status"),
        class_="filter",
        hidden=True,
    )


def _row(findings: Findings, doubt: Doubt, place: int) -> list[Child | Cell]:
    start: list[Child | Cell] = [name(doubt.name), Cell(f"{doubt.row:,}", doubt.row), Cell(f"{place:,}", place)]
    if wrong_first(findings) is None:
        return [*start, doubt.reason]
    so_far = among_first(findings.wrong, place).value
    return [
        *start,
        Cell(percent(doubt.suspicion), doubt.suspicion),
        Cell(number(so_far, 0 if so_far >= 10 else 1), so_far),
        doubt.reason,
    ]
