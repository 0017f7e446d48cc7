"""The labels to re-check."""

from __future__ import annotations

from blindauc.report.elements import Child, Markup, tag
from blindauc.report.findings import Doubt, Findings
from blindauc.report.sections.parts import ROWS_AT_FIRST, cut_on_paper, not_shown, section
from blindauc.report.tables import Cell, Column, table
from blindauc.report.words import name, percent

DOUBTS = 200
MOST_DOUBTS = 500
"""Rows on the page: at least the first where there are as many, at most the second where so many are to be checked."""

COLUMNS = (
    Column("Name"),
    Column("Row", True),
    Column("Suspicion", True, "descending"),
    Column("False alarms", True),
    Column("Check"),
    Column("Reason"),
)


def doubts(findings: Findings) -> Markup:
    """A table to sort and to filter, the most doubtful first."""
    shown = findings.doubts[: min(max(DOUBTS, findings.n_doubtful), MOST_DOUBTS)]
    return section(
        "doubts",
        "Labels to re-check",
        "Labelled rows that may not be positive, the most doubtful first. Suspicion is the probability that the label "
        "is wrong. False alarms is the share of right labels to expect among this one and all more doubtful ones.",
        _filter(),
        table(
            "Labelled rows by suspicion",
            COLUMNS,
            [_row(doubt, to_check=i < findings.n_doubtful) for i, doubt in enumerate(shown)],
            id="doubts-table",
            class_="sortable wordy",
            data_first=ROWS_AT_FIRST,
        ),
        cut_on_paper(len(shown)),
        not_shown(len(shown), len(findings.doubts), "less doubtful row is", "less doubtful rows are"),
    )


def _filter() -> Markup:
    """Hidden until the script says that it works."""
    return tag(
        "div",
        tag("label", "Find", tag("input", type="search", id="doubts-words", placeholder="a name or a reason")),
        tag(
            "label",
            "Suspicion at least",
            tag("input", type="range", id="doubts-least", min=0, max=100, step=1, value=0),
            tag("output", "0\u00a0%", id="doubts-least-shown", for_="doubts-least"),
        ),
        tag("p", role="status", id="doubts-status"),
        class_="filter",
        hidden=True,
    )


def _row(doubt: Doubt, *, to_check: bool) -> list[Child | Cell]:
    return [
        name(doubt.name),
        Cell(f"{doubt.row:,}", doubt.row),
        Cell(percent(doubt.suspicion), doubt.suspicion),
        Cell(percent(doubt.false_alarms), doubt.false_alarms),
        tag("strong", "check") if to_check else None,
        doubt.reason,
    ]
