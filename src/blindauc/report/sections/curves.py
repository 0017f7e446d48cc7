"""ROC and precision-recall curves."""

from __future__ import annotations

from blindauc.report.charts import precision_recall_chart, roc_chart, thinned
from blindauc.report.elements import Markup, tag
from blindauc.report.findings import Curve, Findings
from blindauc.report.sections.parts import figure, section
from blindauc.report.tables import Column, as_details
from blindauc.report.words import percent


def curves(findings: Findings) -> Markup:
    """Both curves, side by side where there is room."""
    return section(
        "curves",
        "How well rows are told apart",
        "Estimated without a single known negative, by models that had not seen the rows they rank. The line is the "
        "best guess; at each point the band holds the truth with 95 % confidence.",
        tag("div", _roc(findings.roc), _precision_recall(findings), class_="pair"),
    )


def _roc(curve: Curve) -> Markup:
    return figure(
        "ROC curve",
        "How many positives are found, for each share of negatives that are taken for positive.",
        roc_chart(curve),
        numbers=_numbers(curve, "ROC curve", "negatives taken for positive", "positives found"),
    )


def _precision_recall(findings: Findings) -> Markup:
    curve = findings.precision_recall
    return figure(
        "Precision and recall",
        "How many of the unlabelled rows taken are positive, for each share of positives found.",
        precision_recall_chart(curve, findings.prior.value),
        numbers=_numbers(curve, "Precision and recall", "positives found", "positives among those taken"),
    )


def _numbers(curve: Curve, caption: str, x: str, y: str) -> Markup:
    points = thinned(curve)
    return as_details(
        caption,
        [Column(x, True), Column(y, True), Column("95 % from", True), Column("to", True)],
        [[percent(value) for value in row] for row in zip(points.x, points.y, points.low, points.high, strict=True)],
    )
