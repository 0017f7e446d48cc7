"""From a table to a model, a ranking, the doubtful labels and the findings of a report. Needs pandas."""

from blindauc.analysis.analysis import Analysis, analyse
from blindauc.analysis.auditing import audit
from blindauc.analysis.compare import compare
from blindauc.analysis.labels import LabelColumn, read_labels_of
from blindauc.analysis.leaks import Leak, LeakError, find_leaks
from blindauc.analysis.monitor import monitor
from blindauc.analysis.provenance import provenance
from blindauc.analysis.scoring import score_table, scored_parts, unused_columns
from blindauc.analysis.spreadsheets import write_csv
from blindauc.analysis.workbook import write_results, write_workbook
from blindauc.analysis.writing import write_table

__all__ = [
    "Analysis",
    "LabelColumn",
    "Leak",
    "LeakError",
    "analyse",
    "audit",
    "compare",
    "find_leaks",
    "monitor",
    "provenance",
    "read_labels_of",
    "score_table",
    "scored_parts",
    "unused_columns",
    "write_csv",
    "write_results",
    "write_table",
    "write_workbook",
]
