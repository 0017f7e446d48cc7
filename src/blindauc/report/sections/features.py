"""The columns that tell rows apart."""

from __future__ import annotations

from collections.abc import Sequence

from blindauc.report.charts import BARS, weight_chart
from blindauc.report.elements import Child, Markup, tag
from blindauc.report.findings import Feature, Findings
from blindauc.report.sections.parts import ROWS_AT_FIRST, cut_on_paper, figure, not_shown, section
from blindauc.report.tables import Cell, Column, table
from blindauc.report.words import climbed, count, name, percent, stepped

MOST_FEATURES = 100
"""Rows of the table, however many columns there are."""

FEW = 5
"""Rows shown at first where hardly a column is selected."""

COLUMNS = (
    Column("Column"),
    Column("Moves a row", True),
    Column("Belongs", True),
    Column("Stability", True),
)
COLUMNS_WITHOUT_NUMBERS = COLUMNS[:2]

READING = (
    "What one standard deviation more of a column, or a yes in the place of a no, does to a row in the middle of the "
    "ranking when all else stays: \u201c+12.3: up 18\u00a0%\u201d means that with 12.3 more it passes 18\u00a0% of the "
    "unlabelled rows. These are no causes: of two columns that go together, one may count for both."
)
MEANING = (
    "Belongs is the probability that a column belongs in the ranking; columns with at least 50\u00a0% are selected. "
    "Stability is the share of random halves of the rows that would select the column, too."
)
NO_MEANING = "There are too few labels to say which columns belong in the ranking."


def features(findings: Findings) -> Markup:
    """What columns do as bars and as a table, and the columns that were never looked at."""
    shown = findings.features[:MOST_FEATURES]
    return section(
        "features",
        "What tells rows apart",
        f"{_how_many(findings)} {READING}",
        tag(
            "div",
            _bars(findings),
            tag(
                "div",
                tag("p", MEANING if findings.is_auc_known else NO_MEANING, class_="note"),
                _numbers(shown, is_tested=findings.is_auc_known),
                cut_on_paper(len(shown)),
                not_shown(len(shown), len(findings.features), "line of less weight is", "lines of less weight are"),
            ),
            class_="pair",
        ),
        [tag("p", note, class_="note") for note in findings.asked.notes],
        _set_aside(findings.asked.set_aside),
    )


def _how_many(findings: Findings) -> str:
    n_selected, n_used = len(findings.selected_columns), findings.asked.n_columns
    some = f"Of {count(n_used, 'column', 'columns')} used, {count(n_selected, 'is', 'are')} selected"
    return (
        f"{some}; a column of categories has a line for each of them."
        if n_used < len(findings.features)
        else f"{some}."
    )


def _bars(findings: Findings) -> Markup:
    if not any(feature.weight for feature in findings.features):
        return tag("p", "No column has a weight.")
    words = f"The strongest, {BARS} at most. Bars compare them by one standard deviation of each."
    chart = weight_chart(findings.features, is_tested=findings.is_auc_known)
    return figure("What moves rows most", words, chart, nearest="y")


def _numbers(shown: Sequence[Feature], *, is_tested: bool) -> Markup:
    n_selected = sum(feature.selected for feature in shown)
    return table(
        "Columns and what they do",
        COLUMNS if is_tested else COLUMNS_WITHOUT_NUMBERS,
        [_row(feature, is_tested=is_tested) for feature in shown],
        data_first=max(FEW, min(n_selected, ROWS_AT_FIRST)),
        class_="sortable",
    )


def _row(feature: Feature, *, is_tested: bool) -> list[Child | Cell]:
    frequency = feature.frequency
    moves: list[Child | Cell] = [
        [name(feature.column), _source(feature)],
        Cell(f"{stepped(feature)}: {climbed(feature)}", feature.climb),
    ]
    if not is_tested:
        return moves
    return [
        *moves,
        Cell(percent(feature.inclusion), feature.inclusion),
        Cell("not computed", -1) if frequency is None else Cell(percent(frequency), frequency),
    ]


def _source(feature: Feature) -> Markup | None:
    if feature.column.startswith(feature.source):  # as in "race=Asian", which says it by itself
        return None
    return tag("span", "from ", name(feature.source), class_="note")


def _set_aside(reasons: dict[str, str]) -> Markup | None:
    if not reasons:
        return None
    return tag(
        "details",
        tag("summary", f"{count(len(reasons), 'column was', 'columns were')} not used"),
        table(
            "Columns that were not used",
            [Column("Column"), Column("Why")],
            [[name(column), reason] for column, reason in list(reasons.items())[:MOST_FEATURES]],
        ),
        not_shown(min(len(reasons), MOST_FEATURES), len(reasons), "more is", "more are"),
    )
