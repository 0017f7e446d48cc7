"""The summary sheet of the results workbook."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pandas as pd

from blindauc.estimate import TOO_FEW
from blindauc.report.bending import bending_sentence
from blindauc.report.comparing import verdict
from blindauc.report.counting import positives_first, wrong_first
from blindauc.report.findings import Expected, Findings, Interval

ROWS = "Rows are numbered from 1, the first row below the header, in every sheet and file."
UNIDENTIFIED = "The data determine no more than this interval; a known share of positives (prior) would settle it."


class _Line(NamedTuple):
    what: str
    value: Any = None
    low: float | None = None
    high: float | None = None
    note: str | None = None


def summary_table(findings: Findings, most_rows: int) -> pd.DataFrame:
    """The main findings, one per row: `what`, `value`, its 95 % interval from `low` to `high`, and a `note`.

    Parameters
    ----------
    findings : Findings
    most_rows : int
        Maximum number of rows of a sheet; the summary says so if the table has more.
    """
    return pd.DataFrame(list(_lines(findings, most_rows)), dtype=object)


def _lines(findings: Findings, most_rows: int) -> Iterator[_Line]:
    asked = findings.asked
    yield _Line("table", asked.data, note=ROWS)
    is_cut = asked.n_rows > most_rows
    yield _Line("rows", asked.n_rows, note=f"The sheet Ranking holds the first {most_rows:,}." if is_cut else None)
    yield _Line("rows labelled positive", asked.n_labelled, note=f"{asked.label} is {asked.positive}")
    yield _Line("columns used", asked.n_columns)
    yield _interval("AUC", findings.auc, is_known=findings.is_auc_known, otherwise=TOO_FEW)
    yield _interval(
        "share of positives among the unlabelled rows",
        findings.prior,
        is_known=findings.is_prior_known,
        otherwise=UNIDENTIFIED if findings.is_auc_known else TOO_FEW,
    )
    yield _interval("share of wrong labels", findings.contamination, is_known=findings.is_auc_known, otherwise=TOO_FEW)
    yield from _expected("positives", "unlabelled rows", positives_first(findings), is_known=findings.is_prior_known)
    yield from _expected("wrong labels", "rows of the sheet Labels", wrong_first(findings), is_known=True)
    if sentence := bending_sentence(findings.shapes, findings.bending):
        won, by = "gain in blind AUC over a linear score", findings.bending
        yield _Line(won, note=sentence) if by is None else _Line(won, by.value, by.low, by.high, sentence)
    yield from (_Line("simpler method", baseline.name, note=verdict(baseline)) for baseline in findings.baselines)
    yield from (_Line("column not used", column, note=reason) for column, reason in asked.set_aside.items())
    yield _Line("SHA-256 of the table", findings.provenance.get("data_sha256"))
    yield _Line("made", findings.provenance.get("date"), note=f"blindauc {findings.provenance['versions']['blindauc']}")


def _interval(what: str, interval: Interval, *, is_known: bool, otherwise: str) -> _Line:
    value, low, high = interval
    return _Line(what, value, low, high) if is_known else _Line(what, None, low, high, otherwise)


def _expected(what: str, rows: str, expected: Expected | None, *, is_known: bool) -> Iterator[_Line]:
    if expected is not None:
        counted = Interval(expected.value, expected.low, expected.high)
        first = f"{what} among the first {expected.k:,} {rows}"
        yield _interval(first, counted, is_known=is_known, otherwise=UNIDENTIFIED)
