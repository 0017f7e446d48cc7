"""Reports: findings as plain numbers and words, and the page that shows them.

>>> from blindauc import report
>>> sorted(report.__all__)[-2:]
['as_html', 'write']
"""

from blindauc.report.findings import (
    Asked,
    Baseline,
    Case,
    ColumnPair,
    Curve,
    Doubt,
    EffectCurve,
    Expected,
    Feature,
    Findings,
    Histogram,
    Interval,
    TuningSlice,
)
from blindauc.report.page import as_html, write

__all__ = [
    "Asked",
    "Baseline",
    "Case",
    "ColumnPair",
    "Curve",
    "Doubt",
    "EffectCurve",
    "Expected",
    "Feature",
    "Findings",
    "Histogram",
    "Interval",
    "TuningSlice",
    "as_html",
    "write",
]
