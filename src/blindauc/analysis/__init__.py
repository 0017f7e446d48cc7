"""From a table to a model, a ranking, the labels to doubt and what a report tells. Needs pandas."""

from blindauc.analysis.analysis import Analysis, analyse
from blindauc.analysis.auditing import audit
from blindauc.analysis.labels import LabelColumn, read_labels_of
from blindauc.analysis.provenance import provenance
from blindauc.analysis.scoring import score_table, scored_parts, unused_columns
from blindauc.analysis.spreadsheets import write_csv

__all__ = [
    "Analysis",
    "LabelColumn",
    "analyse",
    "audit",
    "provenance",
    "read_labels_of",
    "score_table",
    "scored_parts",
    "unused_columns",
    "write_csv",
]
