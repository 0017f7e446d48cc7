"""The charts of hyper-parameter values: score, standard error and weight in the average."""

from __future__ import annotations

from blindauc.report.charts import tuning_chart
from blindauc.report.elements import Markup, tag
from blindauc.report.findings import Findings, TuningSlice
from blindauc.report.sections.parts import figure
from blindauc.report.tables import Column, as_details
from blindauc.report.words import number, percent, short

CHOICES = {
    "n_features_to_select": ("number of columns", short),
    "n_outliers": ("labels left out as wrong", percent),
    "l2": ("regularisation strength (l2)", short),
}
"""For each tuned parameter, its name in plain words and the function that formats its values."""

READING = (
    "The ranking is an average of many candidates. A candidate's weight grows with its score, the blind AUC of "
    "labelled rows that were held out, and with the prior probability of its settings, which favours moderate "
    "regularisation and few wrong labels. Points are the best score with each value, whiskers one standard error: "
    "where they overlap, the data cannot decide between the values, and the choice matters little. Bars are the share "
    "of each value in the average."
)


def tuning(findings: Findings) -> Markup | None:
    """A collapsed block with a chart for each tuned parameter; None if nothing was tuned."""
    slices = [tried for tried in findings.tuning if tried.values]
    if not slices:
        return None
    return tag(
        "details",
        tag("summary", "What was tried"),
        tag("p", READING),
        tag("div", [_slice(tried) for tried in slices], class_="trio"),
        id="tuning",
    )


def _slice(tried: TuningSlice) -> Markup:
    words, format_value = CHOICES.get(tried.name, (tried.name.replace("_", " "), short))
    return figure(
        words[:1].upper() + words[1:],
        why(tried, format_value(tried.chosen)),
        tuning_chart(tried, words, format_value),
        numbers=as_details(
            f"Score by {words}",
            [
                Column(words, True),
                Column("score", True),
                Column("standard error", True),
                Column("share of the average", True),
            ],
            [
                [format_value(value), number(score), number(error), percent(share)]
                for value, score, error, share in zip(
                    tried.values, tried.scores, tried.errors, tried.shares, strict=True
                )
            ],
        ),
    )


def why(tried: TuningSlice, chosen: str) -> str:
    """A sentence on the marked value and how its score compares with the best one."""
    best = max(range(len(tried.values)), key=lambda place: tried.scores[place])
    marked = f"Marked: {chosen}, the value of the candidate with the largest weight."
    at = tried.values.index(tried.chosen) if tried.chosen in tried.values else None
    if at is None:
        return marked
    if tried.scores[at] == tried.scores[best]:
        return f"{marked} No other value scores higher."
    gap, error = tried.scores[best] - tried.scores[at], tried.errors[best]
    compared = "less" if gap < error else "more"
    return f"{marked} The highest score is {number(gap)} higher, {compared} than its standard error of {number(error)}."
