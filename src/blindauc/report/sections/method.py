"""How it was done, whom to cite, and what the page was made from."""

from __future__ import annotations

from typing import Any

from blindauc.report.elements import Markup, tag
from blindauc.report.findings import Findings
from blindauc.report.sections.parts import section
from blindauc.report.tables import Column, table
from blindauc.report.words import name, plain

AUTHORS = "Ke Ren, Haichuan Yang, Yu Zhao, Mingshan Xue, Hongyu Miao, Shuai Huang, Ji Liu"
TITLE = (
    "A Robust AUC Maximization Framework with Simultaneous Outlier Detection and Feature Selection for "
    "Positive-Unlabeled Classification"
)
METHOD = (
    "The ranking is a weighted sum of columns. Its weights maximise the blind AUC: of all pairs of a labelled and an "
    "unlabelled row, the share in which the labelled one comes first. A fit limits how many columns have a weight and "
    "leaves out labelled rows that do not fit (BAUC-OF). Fits with different settings are averaged, each weighted by "
    "how well it ranks labelled rows that it has not seen. The AUC on true labels, the share of hidden positives and "
    "that of wrong labels follow from how labelled rows rank among unlabelled ones."
)
LEADING = "The candidate with the largest weight"


def method(findings: Findings) -> Markup:
    """The paper's method in a few sentences, then two tables."""
    return section(
        "method",
        "Method and citation",
        None,
        tag("p", METHOD),
        tag("blockquote", f"{AUTHORS}. ", tag("cite", TITLE), "."),
        tag(
            "div",
            tag("div", tag("h3", LEADING), _pairs(LEADING, findings.chosen)),
            tag("div", tag("h3", "What it was made from"), _pairs("What it was made from", findings.provenance)),
            class_="pair",
        ),
    )


def _pairs(caption: str, values: dict[str, Any]) -> Markup:
    rows = [[name(key), tag("span", plain(value), class_="code")] for key, value in values.items()]
    return table(caption, [Column("Name"), Column("Value")], rows)
