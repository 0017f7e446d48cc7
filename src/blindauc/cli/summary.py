"""What was found, in lines that a person reads in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from blindauc.cli.outputs import DOUBTFUL, RANKING, REPORT
from blindauc.cli.terminal import printable

if TYPE_CHECKING:
    from blindauc.report.findings import Findings, Interval

MOST_NAMED = 5


def summary(findings: Findings, folder: Path) -> str:
    """The summary that `blindauc fit` prints."""
    return "\n".join(_lines(findings, folder))


def _lines(findings: Findings, folder: Path) -> Iterator[str]:
    asked = findings.asked
    yield f"{asked.data}: {asked.n_rows:,} rows, {asked.n_labelled:,} labelled positive, {asked.n_columns} columns used"
    for column, reason in list(asked.set_aside.items())[:MOST_NAMED]:
        yield f"  {printable(column)}: {printable(reason)}"
    if len(asked.set_aside) > MOST_NAMED:
        yield f"  and {len(asked.set_aside) - MOST_NAMED} more columns, all told in the report"
    yield ""
    yield f"AUC                               {_interval(findings.auc)}"
    yield f"positives among unlabelled rows   {_interval(findings.prior)}"
    yield f"wrong labels among the labelled   {_interval(findings.contamination)}"
    expected = f"; expect about {findings.n_false_alarms} of them to be correct" if findings.n_doubtful else ""
    yield f"labels to re-check                {findings.n_doubtful}{expected}"
    selected = [feature for feature in findings.features if feature.selected]
    named = ", ".join(f"{feature.column} {'+' if feature.weight > 0 else '-'}" for feature in selected[:MOST_NAMED])
    yield f"columns selected                  {len(selected)} of {len(findings.features)}: {printable(named)}"
    as_good = [each.name for each in findings.baselines if each.is_as_good]
    if as_good:
        yield f"A simpler method would do as well: {', '.join(as_good)}."
    elif findings.baselines:
        yield "No simpler method does as well."
    else:
        yield "Too few positives to choose anything: this is a plain fit."
    yield ""
    for name in (RANKING, DOUBTFUL, REPORT):
        yield printable(str(folder / name))


def _interval(number: Interval) -> str:
    return f"{number.value:.3f} (95 % interval {number.low:.3f} to {number.high:.3f})"
