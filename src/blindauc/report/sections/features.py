"""The columns that tell rows apart."""

from __future__ import annotations

from collections.abc import Sequence

from blindauc.report.charts import BARS, direction, weight_chart
from blindauc.report.elements import Child, Markup, tag
from blindauc.report.findings import Feature, Findings
from blindauc.report.sections.parts import ROWS_AT_FIRST, cut_on_paper, figure, not_shown, section
from blindauc.report.tables import Cell, Column, table
from blindauc.report.words import count, name, number, percent

MOST_FEATURES = 100
"""Rows of the table, however many columns there are."""

FEW = 5
"""Rows shown at first where hardly a column is selected."""

COLUMNS = (
    Column("Column"),
    Column("Weight", True),
    Column("Higher values speak"),
    Column("Inclusion", True),
    Column("Stability", True),
)


def features(findings: Findings) -> Markup:
    """Weights as bars and as a table, and the columns that were never looked at."""
    shown = findings.features[:MOST_FEATURES]
    return section(
        "features",
        "What tells rows apart",
        "Weights can be compared: each is for a column of unit spread. They are no causes: of two columns that go "
        "together, one may carry the weight of both. Inclusion is the probability that a column belongs in the "
        "ranking; columns with at least 50\u00a0% are selected. Stability is the share of random halves of the rows "
        "that would select the column, too.",
        tag(
            "div",
            _bars(findings.features),
            tag(
                "div",
                _numbers(shown),
                cut_on_paper(len(shown)),
                not_shown(len(shown), len(findings.features), "column of less weight is", "columns of less weight are"),
            ),
            class_="pair",
        ),
        _set_aside(findings.asked.set_aside),
    )


def _bars(every: Sequence[Feature]) -> Markup:
    n_used = sum(feature.weight != 0 for feature in every)
    if not n_used:
        return tag("p", "No column has a weight.")
    words = f"The {BARS} strongest of {n_used:,}." if n_used > BARS else None
    return figure("Weights", words, weight_chart(every), nearest="y")


def _numbers(shown: Sequence[Feature]) -> Markup:
    n_selected = sum(feature.selected for feature in shown)
    return table(
        "Columns and their weights",
        COLUMNS,
        [_row(feature) for feature in shown],
        data_first=max(FEW, min(n_selected, ROWS_AT_FIRST)),
        class_="sortable",
    )


def _row(feature: Feature) -> list[Child | Cell]:
    frequency = feature.frequency
    return [
        [name(feature.column), _source(feature)],
        Cell(number(feature.weight), feature.weight),
        direction(feature.weight),
        Cell(percent(feature.inclusion), feature.inclusion),
        Cell("not computed", -1) if frequency is None else Cell(percent(frequency), frequency),
    ]


def _source(feature: Feature) -> Markup | None:
    if feature.source == feature.column:
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
