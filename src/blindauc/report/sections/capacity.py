"""The section on how many positives to expect among the first k rows."""

from __future__ import annotations

from collections.abc import Sequence

from blindauc.report.charts import found_chart
from blindauc.report.counting import among_first, positives_first, whole_range
from blindauc.report.elements import Child, Markup, tag
from blindauc.report.findings import Expected, Findings
from blindauc.report.sections.parts import figure, section
from blindauc.report.tables import Cell, Column, table
from blindauc.report.words import number

ROUND = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)
"""Numbers of rows in the short table: round numbers that people may be able to check (convention)."""

ENLARGED = 4
"""The first chart ends at this many times the rows that can be checked, if the table is much longer (convention)."""

KNOWN = (
    "Checking unlabelled rows in the order of the ranking: how many of them will turn out to be positive. The line is "
    "the best estimate; the band is a 95\u00a0% interval at each number of rows."
)
UNKNOWN = (
    "Checking unlabelled rows in the order of the ranking: how many of them will turn out to be positive. The total "
    "number of positives cannot be estimated from these data alone, so there is a range and no single number. Giving "
    "the share of positives (--prior, in Python prior=) makes the range narrow."
)


def capacity(findings: Findings) -> Markup | None:
    """A slider, a short table, charts and a table of the whole curve; None if nothing could be estimated."""
    first = positives_first(findings)
    if first is None:
        return None
    return section(
        "capacity",
        "How many you will find",
        KNOWN if findings.is_prior_known else UNKNOWN,
        _slider(findings, first.k),
        _short_table(findings, first.k),
        tag("div", _charts(findings, first.k), class_="pair"),
        _whole_table(findings),
    )


def _slider(findings: Findings, k: int) -> Markup:
    """The slider, hidden until the script has started: without it, it would do nothing."""
    most = findings.found[-1].k
    return tag(
        "div",
        tag(
            "label",
            "I can check",
            tag("input", type="number", id="capacity-rows", min=1, max=most, value=k, inputmode="numeric"),
            "rows",
        ),
        tag("input", type="range", id="capacity-slider", min=0, max=1000, step=1, aria_label="rows that I can check"),
        tag("p", role="status", id="capacity-found"),
        class_="filter",
        hidden=True,
    )


def _columns(findings: Findings) -> list[Column]:
    if findings.is_prior_known:
        return [Column("Rows checked", True), Column("Positives expected", True), Column("95 % interval", True)]
    return [Column("Rows checked", True), Column("Positives, from and to", True)]


def _row(expected: Expected, findings: Findings) -> list[Child | Cell]:
    between, checked = whole_range(expected.low, expected.high), f"{expected.k:,}"
    return [checked, number(expected.value, 0), between] if findings.is_prior_known else [checked, between]


def _short_table(findings: Findings, k: int) -> Markup:
    last = findings.found[-1].k
    shown = sorted({*(each for each in ROUND if each < last), k, last})
    rows = [_row(among_first(findings.found, each), findings) for each in shown]
    return table("Positives to expect", _columns(findings), rows, class_="narrow")


def _charts(findings: Findings, k: int) -> list[Markup]:
    every = findings.found[-1].k
    near = min(ENLARGED * k, every)
    ends = [near, every] if near < every / 2 else [every]
    return [_chart(findings, k, end, is_all=end == every) for end in ends]


def _chart(findings: Findings, k: int, end: int, *, is_all: bool) -> Markup:
    title = f"All {end:,} unlabelled rows" if is_all else f"The first {end:,} rows"
    chance = findings.prior.value if findings.is_prior_known else None
    return figure(title, None, found_chart(_up_to(findings.found, end), k, chance, title))


def _up_to(curve: Sequence[Expected], end: int) -> list[Expected]:
    start = Expected(0, 0.0, 0.0, 0.0)
    return [start, *(each for each in curve if each.k < end), among_first(curve, end)]


def _whole_table(findings: Findings) -> Markup:
    """The curve as a table, which the slider reads as well. Values that cannot be estimated are left out entirely."""
    value = [Column("positives expected", True)] if findings.is_prior_known else []
    heads = [Column("rows checked", True), *value, Column("95 % from", True), Column("to", True)]
    rows = [
        [
            Cell(f"{each.k:,}", each.k),
            *[Cell(number(each.value, 1), each.value) for _ in value],
            Cell(number(each.low, 1), each.low),
            Cell(number(each.high, 1), each.high),
        ]
        for each in findings.found
    ]
    return tag(
        "details",
        tag("summary", "The whole curve as a table"),
        table("Positives to expect, the whole curve", heads, rows, id="capacity-curve"),
    )
