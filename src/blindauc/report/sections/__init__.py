"""The sections of the page, from top to bottom, each made from the findings."""

from blindauc.report.sections.curves import curves
from blindauc.report.sections.doubts import doubts
from blindauc.report.sections.features import features
from blindauc.report.sections.method import method
from blindauc.report.sections.ranks import ranks
from blindauc.report.sections.summary import summary
from blindauc.report.sections.trust import trust
from blindauc.report.sections.tuning import tuning

SECTIONS = (summary, curves, ranks, tuning, features, doubts, trust, method)

__all__ = ["SECTIONS"]
