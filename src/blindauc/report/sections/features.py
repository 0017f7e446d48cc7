"""The section on columns: their weights, inclusion probabilities, stability and effect curves."""

from __future__ import annotations

from collections.abc import Sequence

from blindauc.report.bending import does_select, selection_sentence
from blindauc.report.charts import BARS, weight_chart
from blindauc.report.elements import Child, Markup, tag
from blindauc.report.findings import Feature, Findings
from blindauc.report.sections.effects import effects
from blindauc.report.sections.parts import ROWS_AT_FIRST, cut_on_paper, figure, not_shown, section
from blindauc.report.tables import Cell, Column, table
from blindauc.report.words import BOTH_WAYS, count, does_turn, moved, name, percent

MOST_FEATURES = 100
"""The most rows of the table (convention)."""

FEW = 5
"""The fewest rows shown before the reader expands the table (convention)."""

COLUMNS = (
    Column("Column"),
    Column("Moves a row", True),
    Column("Belongs", True),
    Column("Stability", True),
)
COLUMNS_WITHOUT_NUMBERS = COLUMNS[:2]

READING = (
    "How far a row in the middle of the ranking moves if a column grows by one standard deviation, or changes from no "
    "to yes, and all else stays the same: \u201c+12.3: up 18\u00a0%\u201d means that with 12.3 more it passes "
    "18\u00a0% of the unlabelled rows. These are not causal effects: of two correlated columns, one may count for both."
)
MEANING = (
    "Belongs is the probability that a column belongs in the ranking; columns with at least 50\u00a0% are selected. "
    "Stability is the share of random halves of the rows that would select the column, too."
)
TURNING = f"\u201c{BOTH_WAYS}\u201d stands for a column that moves a row up at some of its values and down at others."
NO_MEANING = "There are too few labels to say which columns belong in the ranking."


def features(findings: Findings) -> Markup:
    """Column weights as bars and as a table, effect curves, and the columns that were not used."""
    shown = findings.features[:MOST_FEATURES]
    has_numbers = findings.is_auc_known and does_select(findings.shapes)
    return section(
        "features",
        "What tells rows apart",
        " ".join(filter(None, [_how_many(findings), READING, TURNING if any(map(does_turn, shown)) else None])),
        tag(
            "div",
            _bars(findings, is_tested=has_numbers),
            tag(
                "div",
                tag("p", _meaning(findings), class_="note"),
                _numbers(shown, is_tested=has_numbers),
                cut_on_paper(len(shown)),
                not_shown(len(shown), len(findings.features), "line of less weight is", "lines of less weight are"),
            ),
            class_="pair",
        ),
        effects(findings),
        [tag("p", note, class_="note") for note in findings.asked.notes],
        _set_aside(findings.asked.set_aside),
    )


def _meaning(findings: Findings) -> str:
    """What the numbers of the table mean, and which share of the ranking they do not describe."""
    not_selected = selection_sentence(findings.shapes)
    if not does_select(findings.shapes):
        return not_selected or ""
    return " ".join(filter(None, [MEANING if findings.is_auc_known else NO_MEANING, not_selected]))


def _how_many(findings: Findings) -> str:
    n_selected, n_used = len(findings.selected_columns), findings.asked.n_columns
    some = f"Of {count(n_used, 'column', 'columns')} used, {count(n_selected, 'is', 'are')} selected"
    if not does_select(findings.shapes):
        some = f"{count(n_used, 'column is', 'columns are')} used"
    return (
        f"{some}; a column of categories has a line for each of them."
        if n_used < len(findings.features)
        else f"{some}."
    )


def _bars(findings: Findings, *, is_tested: bool) -> Markup:
    if not any(feature.weight for feature in findings.features):
        return tag("p", "No column has a weight.")
    words = f"The strongest, {BARS} at most. Bars compare them by one standard deviation of each."
    chart = weight_chart(findings.features, is_tested=is_tested)
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
        Cell(moved(feature), feature.climb),
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
