"""The summary of a fit for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from blindauc.cli.outputs import BY_GROUP, DOUBTFUL, RANKING, REPORT, WORKBOOK
from blindauc.cli.terminal import printable
from blindauc.cli.wording import ROW_NUMBERS, as_options
from blindauc.report.bending import bending_sentence, does_select, selection_sentence
from blindauc.report.cautions import about_dates
from blindauc.report.comparing import SIMPLER_TELLS_NO_WRONG_LABELS, verdict
from blindauc.report.counting import how_many, positives_first, wrong_first
from blindauc.report.findings import Expected
from blindauc.report.stating import stated, stated_checks, stated_prior, stated_wrong
from blindauc.report.words import were

if TYPE_CHECKING:
    from blindauc.report.findings import Findings

MOST_NAMED = 5
"""Columns that are listed by name (convention)."""


def summary(findings: Findings, folder: Path) -> str:
    """The summary that `blindauc fit` prints."""
    return "\n".join(_lines(findings, folder))


def _lines(findings: Findings, folder: Path) -> Iterator[str]:
    asked = findings.asked
    rows = f"{asked.n_rows:,} rows" if asked.n_groups is None else f"{asked.n_rows:,} rows of {asked.n_groups:,} groups"
    yield f"{asked.data}: {rows}, {asked.n_labelled:,} labelled positive, {asked.n_columns} columns used"
    if findings.checks is not None:
        yield stated_checks(findings.checks)
    if asked.set_aside:
        yield "columns not used:"
    for column, reason in list(asked.set_aside.items())[:MOST_NAMED]:
        yield f"  {printable(column)}: {printable(reason)}"
    if len(asked.set_aside) > MOST_NAMED:
        n_more = len(asked.set_aside) - MOST_NAMED
        yield f"  and {n_more} more column{'s' * (n_more > 1)}, listed in the report"
    yield from (printable(as_options(note)) for note in asked.notes)
    yield ""
    yield from _numbers(findings)
    yield _columns(findings)
    yield from (printable(f"{title}. {advice}") for title, advice in about_dates(findings))
    yield from filter(None, [bending_sentence(findings.shapes, findings.bending), selection_sentence(findings.shapes)])
    for each in findings.baselines:
        yield f"simpler methods: {verdict(each)}"
    if findings.baselines:
        yield SIMPLER_TELLS_NO_WRONG_LABELS
    else:
        yield "Too few labelled rows to choose settings: this fit uses the defaults."
    yield ""
    by_group = () if asked.n_groups is None else (BY_GROUP,)
    for name in (RANKING, *by_group, DOUBTFUL, WORKBOOK, REPORT):
        yield printable(str(folder / name))
    yield ROW_NUMBERS


def _columns(findings: Findings) -> str:
    """The number of selected columns, with the first few; for shapes that select none, the strongest columns."""
    n_used = findings.asked.n_columns
    if not does_select(findings.shapes):
        strongest = dict.fromkeys(effect.source for effect in findings.effects)
        named = printable(", ".join(list(strongest)[:MOST_NAMED]))
        return f"columns used                      {n_used}, the strongest: {named}"
    columns = findings.selected_columns
    n_more = len(columns) - MOST_NAMED
    named = printable(", ".join(columns[:MOST_NAMED])) + (f" and {n_more} more" if n_more > 0 else "")
    return f"columns selected                  {len(columns)} of {n_used}: {named}"


def _numbers(findings: Findings) -> Iterator[str]:
    """The estimates, or why they cannot be made."""
    is_known = findings.is_auc_known
    prior = stated_prior(
        findings.prior, is_auc_known=is_known, is_prior_known=findings.is_prior_known, remedy="--prior SHARE"
    )
    yield f"AUC                               {stated(findings.auc, is_known=is_known)}"
    if findings.checks is not None and findings.checks.auc is not None:
        yield f"AUC against known negatives       {stated(findings.checks.auc, is_known=True)}"
    yield f"positives among unlabelled rows   {prior}"
    among = "among the labelled " if findings.checks is None else "among the unchecked"
    yield f"wrong labels {among}  {stated(findings.contamination, is_known=is_known)}"
    checks = findings.checks
    if checks is not None and checks.expected is not None:
        expected = how_many(Expected(checks.n_labels, *checks.expected), is_known=True)
        of_checked = f"{checks.n_wrong:,} of {checks.n_labels:,}"
        by_ranks = f"by their ranks {expected} {were(round(checks.expected.value))} expected"
        yield f"wrong labels among the checked    {of_checked}; {by_ranks}"
    found, wrong = positives_first(findings), wrong_first(findings)
    # ranking.csv has all rows; those that are labelled, or were checked, are not counted.
    uncounted = "a label" if checks is None else "a label or a check"
    unknown = f"in the order of {RANKING}: how many are positive cannot be estimated"
    rows = _found(found, findings, uncounted) if found else unknown
    labels = stated_wrong(wrong) if wrong else "how many are wrong cannot be estimated"
    yield f"rows to check                     {rows}"
    yield f"labels to check                   in the order of {DOUBTFUL}: {labels}"


def _found(found: Expected, findings: Findings, uncounted: str) -> str:
    what = "expect" if findings.is_prior_known else "expect anything"
    number = how_many(found, is_known=findings.is_prior_known)
    return f"of the first {found.k:,} rows of {RANKING} without {uncounted} {what} {number} to be positive"
