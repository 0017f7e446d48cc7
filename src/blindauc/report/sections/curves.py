"""The section on ranking quality: the ROC curve and the distribution of out-of-fold ranks."""

from __future__ import annotations

from blindauc.report.charts import rank_chart, roc_chart, thinned
from blindauc.report.elements import Markup, tag
from blindauc.report.findings import Curve, Findings, Histogram
from blindauc.report.sections.parts import figure, section
from blindauc.report.tables import Column, as_details
from blindauc.report.words import percent


def curves(findings: Findings) -> Markup | None:
    """Both charts, side by side where there is room; None if no rows could be held out."""
    if not findings.is_auc_known:
        return None
    return section(
        "curves",
        "How well positives and negatives are separated",
        "Estimated without known negatives, from models that were not fitted to the rows they rank. At each point the "
        "band of the ROC curve is a 95\u00a0% interval. A row's rank is the share of unlabelled rows that score lower: "
        "100\u00a0% is the top. Most labelled rows should be at the right; those at the left are the labels to "
        "re-check.",
        tag("div", _roc(findings.roc), _ranks(findings.ranks), class_="pair"),
    )


def _roc(curve: Curve) -> Markup:
    points = thinned(curve)
    return figure(
        "ROC curve",
        "How many positives are found, for each share of negatives that are taken for positive.",
        roc_chart(curve),
        numbers=as_details(
            "ROC curve",
            [
                Column("negatives taken for positive", True),
                Column("positives found", True),
                Column("95 % from", True),
                Column("to", True),
            ],
            [
                [percent(value) for value in row]
                for row in zip(points.x, points.y, points.low, points.high, strict=True)
            ],
        ),
    )


def _ranks(spread: Histogram) -> Markup:
    rows = zip(spread.edges, spread.edges[1:], spread.labelled, spread.unlabelled, strict=False)
    return figure(
        "Ranks of labelled and unlabelled rows",
        None,
        rank_chart(spread),
        legend=tag(
            "p",
            tag("span", "labelled", class_="key bars"),
            tag("span", "unlabelled", class_="key outlines"),
            class_="legend",
        ),
        numbers=as_details(
            "Share of rows by rank",
            [Column("rank"), Column("labelled", True), Column("unlabelled", True)],
            [
                [f"{percent(low)} to {percent(high)}", percent(labelled), percent(unlabelled)]
                for low, high, labelled, unlabelled in rows
            ],
        ),
    )
