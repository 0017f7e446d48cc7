"""The section with the list of unlabelled rows to check first."""

from __future__ import annotations

from collections.abc import Sequence

from blindauc.report.elements import Child, Markup, tag
from blindauc.report.findings import Case, Findings
from blindauc.report.sections.parts import section
from blindauc.report.words import count, name, percent, percent_range

CASES_AT_FIRST = 25
"""Rows shown before the reader expands the list (convention)."""

MOST_CELLS = 40
"""The most of the user's own columns shown for a row (convention): more would make up most of the page's size."""

SORTED = (
    "The unlabelled rows that are most like the labelled ones, in the order to check them. Open a row to see its own "
    "columns, those that count most first. Rows are counted from 1, the first below the header."
)


def cases(findings: Findings) -> Markup | None:
    """A list of rows that expand on a click; None if no row was ranked."""
    if not findings.cases:
        return None
    strongest = list(dict.fromkeys(feature.source for feature in findings.features))
    order = {source: place for place, source in enumerate(strongest)}
    rows = [_case(case, findings, order) for case in findings.cases]
    first, rest = rows[:CASES_AT_FIRST], rows[CASES_AT_FIRST:]
    return section(
        "cases",
        "Rows to check first",
        f"{SORTED} {_about_probability(findings)}",
        tag("div", _heads(findings), tag("ol", first), class_="cases"),
        _rest(rest),
        tag("p", _all_rows(findings), class_="note"),
    )


def _about_probability(findings: Findings) -> str:
    if not findings.is_auc_known:
        return "There are too few labels to give them a probability."
    if findings.is_prior_known:
        return "The probability is that of being positive."
    return (
        "The probability of being positive depends on how many rows are positive in all, which cannot be estimated "
        "here. It is given as a range, from the lowest to the highest value that fits the data."
    )


def _heads(findings: Findings) -> Markup:
    heads = _parts(None, "Row", "Probability" if findings.is_auc_known else None, "Reason")
    return tag(
        "div", [tag("span", words, class_=class_) for class_, words in heads], class_="heads", aria_hidden="true"
    )


def _parts(place: Child, who: Child, chance: Child, why: Child) -> list[tuple[str, Child]]:
    return [("place", place), ("who", who), ("chance", chance), ("why", why)]


def _case(case: Case, findings: Findings, order: dict[str, int]) -> Markup:
    number = f"{case.row:,}"
    who = [name(case.name), None if case.name == str(case.row) else tag("span", f"row {number}", class_="note")]
    parts = _parts(f"{case.rank:,}", who, _probability(case, findings), case.reason)
    line = [tag("span", part, class_=class_) for class_, part in parts]
    if not case.cells:
        return tag("li", tag("div", line, class_="line"))
    return tag("li", tag("details", tag("summary", line, class_="line"), _cells(case.cells, order), class_="case"))


def _probability(case: Case, findings: Findings) -> str | None:
    if not findings.is_auc_known:
        return None
    return percent(case.probability.value) if findings.is_prior_known else percent_range(case.probability)


def _cells(cells: dict[str, str], order: dict[str, int]) -> Markup:
    """The row's values: columns of the ranking first, the strongest on top, then the columns that were not used."""
    names = sorted(cells, key=lambda column: order.get(column, len(order)))
    shown = [tag("div", tag("dt", name(column)), tag("dd", cells[column])) for column in names[:MOST_CELLS]]
    more = len(names) - MOST_CELLS
    left = tag("p", f"{count(more, 'more column is', 'more columns are')} in your table.", class_="note")
    return tag("div", tag("dl", shown), left if more > 0 else None, class_="cells")


def _rest(rows: Sequence[Markup]) -> Markup | None:
    if not rows:
        return None
    first, last = CASES_AT_FIRST + 1, CASES_AT_FIRST + len(rows)
    return tag(
        "details",
        tag("summary", f"Rows {first:,} to {last:,}" if last > first else f"Row {first:,}", class_="more"),
        tag("div", tag("ol", rows, start=first), class_="cases"),
    )


def _all_rows(findings: Findings) -> str:
    n_checked = 0 if findings.checks is None else findings.checks.n_others
    n_unlabelled = findings.asked.n_rows - findings.asked.n_labelled - n_checked
    which, mark = (" that nobody has checked", ", and its column checked marks the others") if n_checked else ("", "")
    shown = f"These are {len(findings.cases):,} of {n_unlabelled:,} unlabelled rows{which}"
    return f"{shown}; the file of the ranking has all{mark}."
