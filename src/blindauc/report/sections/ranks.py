"""Where labelled and unlabelled rows rank."""

from __future__ import annotations

from blindauc.report.charts import rank_chart
from blindauc.report.elements import Markup, tag
from blindauc.report.findings import Findings, Histogram
from blindauc.report.sections.parts import figure, section
from blindauc.report.tables import Column, as_details
from blindauc.report.words import percent

HOW_TO_READ = (
    "A row's rank is the share of unlabelled rows that it leaves behind: 100\u00a0% is the top.",
    "Labelled rows should crowd at the right. The more they do, the better the ranking.",
    "Labelled rows at the left rank below most rows that nobody labelled. These are the labels to doubt.",
)


def ranks(findings: Findings) -> Markup:
    """Both distributions in one chart, and how to read it."""
    chart = figure(
        "Ranks of labelled and unlabelled rows",
        None,
        rank_chart(findings.ranks),
        legend=tag(
            "p",
            tag("span", "labelled", class_="key bars"),
            tag("span", "unlabelled", class_="key outlines"),
            class_="legend",
        ),
        numbers=_numbers(findings.ranks),
    )
    words = tag("div", [tag("p", text) for text in HOW_TO_READ], class_="beside")
    return section("ranks", "Where the rows rank", None, tag("div", chart, words, class_="pair"))


def _numbers(spread: Histogram) -> Markup:
    rows = zip(spread.edges, spread.edges[1:], spread.labelled, spread.unlabelled, strict=False)
    return as_details(
        "Share of rows by rank",
        [Column("rank"), Column("labelled", True), Column("unlabelled", True)],
        [
            [f"{percent(low)} to {percent(high)}", percent(labelled), percent(unlabelled)]
            for low, high, labelled, unlabelled in rows
        ],
    )
