"""The sections of the page, from top to bottom, each made from the findings."""

from blindauc.report.sections.capacity import capacity
from blindauc.report.sections.cases import cases
from blindauc.report.sections.curves import curves
from blindauc.report.sections.doubts import doubts
from blindauc.report.sections.features import features
from blindauc.report.sections.method import method
from blindauc.report.sections.summary import summary
from blindauc.report.sections.trust import trust

SECTIONS = (summary, cases, capacity, doubts, features, curves, trust, method)

__all__ = ["SECTIONS"]
