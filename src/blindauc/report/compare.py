"""The HTML page that compares two runs, in the style of the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from blindauc.files import write_whole
from blindauc.report.compare_findings import ColumnChange, LabelChange, RunComparison
from blindauc.report.comparing import enough_digits
from blindauc.report.elements import Child, Markup, tag
from blindauc.report.findings import Interval
from blindauc.report.page import document
from blindauc.report.sections.parts import ROWS_AT_FIRST, key_number, not_shown, section
from blindauc.report.tables import Cell, Column, table
from blindauc.report.words import MINUS, NOTHING, count, name, number, number_range, percent

MOST_COLUMNS = 100
MOST_LABELS = 200
"""The most rows of the tables of columns and of labels (convention)."""


def write_comparison(comparison: RunComparison, path: str | Path) -> None:
    """Write the page to a file, atomically.

    Parameters
    ----------
    comparison : RunComparison
        From `blindauc.analysis.compare`.
    path : str or Path
        An existing file is replaced.
    """
    write_whole(Path(path), comparison_as_html(comparison).encode())


def comparison_as_html(comparison: RunComparison) -> str:
    """The page as HTML text."""
    title = f"{comparison.names[0]} and {comparison.names[1]}: blindauc comparison"
    return document(title, [make(comparison) for make in (_summary, _ranking, _labels, _columns)])


def _summary(found: RunComparison) -> Markup:
    first, second = found.names
    return tag(
        "header",
        tag("p", "blindauc comparison", class_="eyebrow"),
        tag("h1", "What changed from ", name(first), " to ", name(second), "?"),
        tag("p", f"Both rank {count(found.n_rows, 'row', 'rows')}. {_judged_by(found)}", class_="lead"),
        tag("div", _key_numbers(found), class_="keys"),
        tag("h2", "Which ranks better"),
        tag("p", f"{found.verdict}. {_what_is_measured(found)}", class_="found"),
        id="summary",
    )


def _judged_by(found: RunComparison) -> str:
    if found.judged is None:
        return "Too few rows are labelled to say which ranks better."
    judged = found.judged
    rows = f"{judged.n_labelled:,} labelled among {judged.n_unlabelled:,} unlabelled rows"
    return f"They are compared by {judged.how}: {rows}."


def _what_is_measured(found: RunComparison) -> str:
    if found.judged is None:
        return ""
    return (
        "The measure is how often a labelled row comes before an unlabelled one. Some unlabelled rows are positive, "
        "too: on true labels the difference is at least as large. The interval accounts for both models ranking the "
        "same rows, and is narrower than their separate intervals would suggest."
    )


def _key_numbers(found: RunComparison) -> list[Markup]:
    top = found.overlaps[-1] if found.overlaps else None
    n_new, n_gone = len(found.newly_doubtful), len(found.no_longer_doubtful)
    judged = found.judged
    return [
        key_number(
            "Difference", NOTHING if judged is None else _signed(judged.difference), _range_of_difference(found)
        ),
        key_number(
            f"Same among the first {top.k:,}" if top else "Same at the top",
            f"{top.n_common:,}" if top else NOTHING,
            f"unlabelled rows; {number(top.by_chance, 0)} by chance" if top else "too few unlabelled rows",
        ),
        key_number("Labels newly doubtful", f"{n_new:,}", f"{n_gone:,} no longer doubtful"),
        key_number("Columns", _in_and_out(found.columns), "newly selected, and no longer selected"),
    ]


def _range_of_difference(found: RunComparison) -> str:
    if found.judged is None:
        return "not known"
    difference = found.judged.difference
    return f"95 % interval {number_range(difference, enough_digits(difference.low, difference.high))}"


def _signed(difference: Interval) -> str:
    shown = number(difference.value, enough_digits(difference.low, difference.high))
    return f"+{shown}" if difference.value > 0 else shown


def _in_and_out(columns: Sequence[ColumnChange]) -> str:
    n_in = sum(change.is_selected and not change.was_selected for change in columns)
    n_out = sum(change.was_selected and not change.is_selected for change in columns)
    return f"+{n_in} {MINUS}{n_out}"


def _ranking(found: RunComparison) -> Markup:
    first, second = found.names
    correlation = found.rank_correlation
    similar = "" if correlation is None else f"Spearman's rank correlation is {number(correlation)}. "
    return section(
        "ranking",
        "Where the unlabelled rows rank",
        f"{similar}Ranks are among the rows that are unlabelled in both; 1 is the top.",
        tag(
            "div",
            table(
                "Overlap of the top",
                [Column("First rows", True), Column("The same in both", True), Column("By chance", True)],
                [[f"{each.k:,}", f"{each.n_common:,}", number(each.by_chance, 1)] for each in found.overlaps],
            ),
            table(
                "Rows that moved most",
                [Column("Row"), Column(f"Rank in {first}", True), Column(f"Rank in {second}", True)],
                [
                    [name(each.name), Cell(f"{each.before:,}", each.before), Cell(f"{each.after:,}", each.after)]
                    for each in found.moved
                ],
                class_="sortable",
            ),
            class_="pair",
        ),
    )


def _labels(found: RunComparison) -> Markup:
    changed = found.n_labels_added or found.n_labels_removed
    return section(
        "labels",
        "Labels to re-check",
        f"{count(found.n_labels_added, 'label was', 'labels were')} added and {found.n_labels_removed:,} removed. "
        if changed
        else "Both have the same labels. Suspicion is the probability that a label is wrong.",
        tag("h3", f"Newly doubtful: {len(found.newly_doubtful):,}"),
        _label_table("Labels that are newly doubtful", found.newly_doubtful, found.names),
        tag("h3", f"No longer doubtful: {len(found.no_longer_doubtful):,}"),
        _label_table("Labels that are no longer doubtful", found.no_longer_doubtful, found.names),
    )


def _label_table(caption: str, changes: Sequence[LabelChange], names: tuple[str, str]) -> Child:
    if not changes:
        return None
    shown = changes[:MOST_LABELS]
    return [
        table(
            caption,
            [Column("Row"), *(Column(f"Suspicion in {each}", True) for each in names)],
            [[name(each.name), _suspicion(each.before), _suspicion(each.after)] for each in shown],
            class_="sortable",
            data_first=ROWS_AT_FIRST,
        ),
        not_shown(len(shown), len(changes), "more is", "more are"),
    ]


def _suspicion(value: float | None) -> Cell:
    return Cell("no label", -1) if value is None else Cell(percent(value), value)


def _columns(found: RunComparison) -> Markup:
    first, second = found.names
    shown = found.columns[:MOST_COLUMNS]
    return section(
        "columns",
        "What tells rows apart",
        "The share of all weight that each column has, those first whose share changed most.",
        table(
            "Columns and their weights",
            [
                Column("Column"),
                Column(f"Weight in {first}", True),
                Column(f"Weight in {second}", True),
                Column("Change", True),
                Column("Selected"),
            ],
            [_column_row(change) for change in shown],
            class_="sortable",
            data_first=ROWS_AT_FIRST,
        ),
        not_shown(len(shown), len(found.columns), "column is", "columns are"),
    )


def _column_row(change: ColumnChange) -> list[Child | Cell]:
    difference = (change.after or 0.0) - (change.before or 0.0)
    return [
        name(change.column),
        _weight(change.before),
        _weight(change.after),
        Cell(percent(difference), difference),
        selected_in_words(change),
    ]


def _weight(share: float | None) -> Cell:
    return Cell("not there", 0.0) if share is None else Cell(percent(share), share)


def selected_in_words(change: ColumnChange) -> str:
    """Whether a column is selected in both runs, newly, no longer or in neither."""
    words = {(True, True): "in both", (True, False): "no longer", (False, True): "newly", (False, False): "in neither"}
    return words[change.was_selected, change.is_selected]
