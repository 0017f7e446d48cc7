"""The appendix: the method, the values tried, a glossary and the provenance of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blindauc.report.bending import LINEAR, bending_sentence, carrying, does_select
from blindauc.report.elements import Markup, tag
from blindauc.report.findings import Findings
from blindauc.report.sections.parts import section
from blindauc.report.sections.tuning import tuning
from blindauc.report.tables import Column, table
from blindauc.report.words import name, plain

AUTHORS = "Ke Ren, Haichuan Yang, Yu Zhao, Mingshan Xue, Hongyu Miao, Shuai Huang, Ji Liu"
TITLE = (
    "A Robust AUC Maximization Framework with Simultaneous Outlier Detection and Feature Selection for "
    "Positive-Unlabeled Classification"
)
METHOD = (
    "The ranking is {score}. It maximises the blind AUC: of all pairs of a labelled and an unlabelled row, the share "
    "in which the labelled one comes first. A fit {limits}leaves out labelled rows that do not fit (BAUC-OF). Fits "
    "with different settings are averaged, each weighted by how well it ranks labelled rows that it has not seen. The "
    "AUC on true labels, the share of hidden positives and that of wrong labels follow from how labelled rows rank "
    "among unlabelled ones."
)
LIMITS = "limits how many columns it uses and "
SCORES = {
    LINEAR: "a weighted sum of columns",
    "curves": "a sum of curves, one for each column",
    "kernel": "a kernel machine, which compares rows by all of their columns",
    "trees": "a sum of decision trees",
}
LEADING = "The candidate with the largest weight"

GLOSSARY = (
    ("AUC", "How often the ranking puts a positive row before one that is not: 0.5 is chance, 1 is perfect."),
    ("Blind AUC", "The same with unlabelled rows in the place of negatives; it can be measured, and is lower."),
    ("Trimmed blind AUC", "The blind AUC without the lowest labelled rows, which may have wrong labels."),
    ("Prior", "The share of positives among the unlabelled rows. Where it is known, give it to the fit."),
    ("Contamination", "The share of wrong labels among the labelled rows."),
    ("Suspicion", "The probability that a label is wrong."),
    (
        "Regularisation strength (l2)",
        "A ridge penalty keeps weights small, so that chance patterns do not get a large one.",
    ),
    ("Outliers", "Labelled rows that a fit leaves out because they look like unlabelled ones."),
    ("Shape", "How a score may depend on columns: linearly, or by curves, kernels or trees."),
    ("Inclusion", "The probability that a column belongs in the ranking."),
    ("95 % interval", "A range that holds the true number in 95 of 100 such tables."),
)


def method(findings: Findings) -> Markup:
    """The method in a few sentences, the values tried, the glossary, and tables of settings and provenance."""
    return section(
        "method",
        "Appendix: method, words and sources",
        None,
        tag("p", method_sentences(findings.shapes)),
        tag("p", bent) if (bent := bending_sentence(findings.shapes, findings.bending)) else None,
        tag("blockquote", f"{AUTHORS}. ", tag("cite", TITLE), "."),
        tuning(findings),
        tag("h3", "Words"),
        tag("dl", [tag("div", tag("dt", word), tag("dd", meaning)) for word, meaning in GLOSSARY], class_="glossary"),
        tag(
            "div",
            tag("div", tag("h3", LEADING), _pairs(LEADING, findings.chosen)),
            tag("div", tag("h3", "What it was made from"), _pairs("What it was made from", findings.provenance)),
            class_="pair",
        ),
    )


def method_sentences(shapes: Mapping[str, float]) -> str:
    """The method in a few sentences, for a score of these shapes."""
    scores = [SCORES[shape] for shape in carrying(shapes)] or [SCORES[LINEAR]]
    score = scores[0] if len(scores) == 1 else f"the average of {'; '.join(scores[:-1])}; and {scores[-1]}"
    return METHOD.format(score=score, limits=LIMITS if does_select(shapes) else "")


def _pairs(caption: str, values: dict[str, Any]) -> Markup:
    rows = [[name(key), tag("span", plain(value), class_="code")] for key, value in values.items()]
    return table(caption, [Column("Name"), Column("Value")], rows)
