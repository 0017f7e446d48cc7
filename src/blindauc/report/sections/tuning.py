"""What was tried, and which candidate leads."""

from __future__ import annotations

from blindauc.report.charts import tuning_chart
from blindauc.report.elements import Markup, tag
from blindauc.report.findings import Findings, TuningSlice
from blindauc.report.sections.parts import figure, section
from blindauc.report.tables import Column, as_details
from blindauc.report.words import number, percent, short

CHOICES = {
    "n_features_to_select": ("number of columns", short),
    "n_outliers": ("labels left out as wrong", percent),
    "l2": ("strength of the ridge (l2)", short),
}
"""What is tuned, for those who do not know the parameters, and how its values are told."""


def tuning(findings: Findings) -> Markup | None:
    """A chart for each choice; nothing where nothing was tried."""
    slices = [tried for tried in findings.tuning if tried.values]
    if not slices:
        return None
    return section(
        "tuning",
        "What was tried",
        "For each value of one choice, the best score over all others: how high held-out labelled rows rank among "
        "unlabelled ones (blind AUC). Whiskers are one standard error. Where they overlap, values cannot be told "
        "apart and the choice matters little. The ranking is an average over the candidates; the vertical line marks "
        "the candidate with the largest weight.",
        tag("div", [_slice(tried) for tried in slices], class_="trio"),
    )


def _slice(tried: TuningSlice) -> Markup:
    words, value_told = CHOICES.get(tried.name, (tried.name.replace("_", " "), short))
    return figure(
        words[:1].upper() + words[1:],
        None,
        tuning_chart(tried, words, value_told),
        numbers=as_details(
            f"Score by {words}",
            [Column(words, True), Column("score", True), Column("standard error", True)],
            [
                [value_told(value), number(score), number(error)]
                for value, score, error in zip(tried.values, tried.scores, tried.errors, strict=True)
            ],
        ),
    )
