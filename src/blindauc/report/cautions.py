"""Warnings of the report: when its numbers should not be relied on, and what to do."""

from __future__ import annotations

from typing import NamedTuple

from blindauc.estimate import MIN_POSITIVES
from blindauc.report.findings import Findings, Interval
from blindauc.report.words import count, number, number_range, percent, percent_range
from blindauc.theory import enough_unlabelled

# The limits below are conventions.
FEW_LABELLED = 30
"""With fewer labelled rows the report warns."""

WIDE_AUC = 0.2
"""With a wider interval of the AUC the report warns."""

SUSPICIOUSLY_GOOD_AUC = 0.98
"""Above this AUC the report asks for columns that leak the label."""

MANY_WRONG_LABELS = 0.3
"""The report warns if the contamination may be larger."""

LITTLE_SIGNAL = 0.3
"""The report warns if `1 - prior - contamination` is smaller.

Theorem 1 of the paper: blind AUC - 1/2 = (1 - prior - contamination) (AUC - 1/2). The smaller the factor, the more an
error in the prior or the contamination changes the AUC.
"""


ALIKE = 2.0
"""Weights of two dates that differ by at most this factor, with opposite signs, stand for the time between them."""


HEAVY = 0.05
"""The share of all weight that each of the two dates must have (convention)."""


class Caution(NamedTuple):
    """A warning: its title and what to do about it."""

    title: str
    advice: str


def cautions(findings: Findings) -> list[Caution]:
    """All warnings that apply, the gravest first; often none."""
    return [*_about_auc(findings), *_about_rows(findings), *about_dates(findings), *_about_shares(findings)]


def _about_auc(findings: Findings) -> list[Caution]:
    auc = findings.auc
    if not findings.is_auc_known:
        return [
            Caution(
                "Too few labels to estimate anything",
                f"To estimate an AUC or a count, at least {MIN_POSITIVES} different rows have to be labelled.",
            )
        ]
    found = []
    if auc.low <= 0.5:
        found.append(
            Caution(
                "The ranking may be no better than chance",
                f"The interval of the AUC, {number_range(auc)}, reaches down to one half. "
                "Do not act on this ranking before more rows are labelled.",
            )
        )
    if _width(auc) > WIDE_AUC:
        found.append(
            Caution(
                "The AUC is uncertain",
                f"Its interval is {number(_width(auc), 2)} wide ({number_range(auc)}). "
                "Do not compare it with that of another model; more labelled rows would make it narrower.",
            )
        )
    if auc.value > SUSPICIOUSLY_GOOD_AUC:
        found.append(
            Caution(
                "The AUC is suspiciously high",
                "Check whether one of the strongest columns was recorded after, or because of, the label. "
                "Such a column reveals the label here, but will not be available for new rows.",
            )
        )
    return found


def _about_rows(findings: Findings) -> list[Caution]:
    asked = findings.asked
    n_unlabelled = asked.n_rows - asked.n_labelled
    found = []
    if asked.n_labelled < FEW_LABELLED:
        found.append(
            Caution(
                f"Few labels: {count(asked.n_labelled, 'row is', 'rows are')} labelled",
                f"With fewer than {FEW_LABELLED} every number here depends on a handful of rows, and the choice of "
                "columns may change with the next label.",
            )
        )
    if n_unlabelled < asked.n_labelled:
        found.append(
            Caution(
                f"Few unlabelled rows: {n_unlabelled:,}",
                "Rows without a label cost little. With about five for each labelled row "
                f"({enough_unlabelled(asked.n_labelled):,} here) the intervals would be narrower.",
            )
        )
    return found


def about_dates(findings: Findings) -> list[Caution]:
    """A warning if two dates have large and opposite weights, so that only their difference matters."""
    # Selected or not: an average uses all columns, and neither of the two may be needed in every candidate.
    least = HEAVY * sum(abs(each.weight) for each in findings.features)
    dates = [each for each in findings.features if each.unit == "days" and abs(each.weight) >= least]
    raising, lowering = ([each for each in dates if sign * each.weight > 0] for sign in (1, -1))
    pairs = [(one, other) for one in raising for other in lowering if _are_alike(one.weight, -other.weight)]
    if not pairs:
        return []
    later, earlier = pairs[0]
    return [
        Caution(
            f"The ranking goes by the time from {earlier.source} to {later.source}",
            "The reasons name these two dates, each of which means little alone. Add the number of days between them "
            "to the table as a column, leave the two dates out, and fit again.",
        )
    ]


def _are_alike(one: float, other: float) -> bool:
    return max(one, other) <= ALIKE * min(one, other)


def _about_shares(findings: Findings) -> list[Caution]:
    prior, contamination = findings.prior, findings.contamination
    if not findings.is_auc_known:
        return []
    found = []
    if contamination.high > MANY_WRONG_LABELS:
        found.append(
            Caution(
                "Many labels may be wrong",
                f"Up to {percent(contamination.high)} of the labels could be (interval "
                f"{percent_range(contamination)}). Check the most doubtful ones by hand and fit again.",
            )
        )
    if not findings.is_prior_known:
        found.append(
            Caution(
                "The number of hidden positives cannot be estimated",
                f"Anything from {percent_range(prior)} of the unlabelled rows may be positive. Counts of positives and "
                "probabilities depend on it and are given as ranges. If you know the share, fit again with --prior (in "
                "Python prior=).",
            )
        )
    elif 1 - prior.value - contamination.value < LITTLE_SIGNAL:
        found.append(
            Caution(
                "Labelled and unlabelled rows are much alike",
                "So many positives are hidden, or so many labels wrong, that little difference is left to learn from. "
                "A small error in either share is a large one in the AUC.",
            )
        )
    return found


def _width(interval: Interval) -> float:
    return interval.high - interval.low
