"""From a table of mixed columns to numbers and groups of columns."""

from blindauc.preprocessing.codes import code_like
from blindauc.preprocessing.kinds import ColumnKind, column_kinds
from blindauc.preprocessing.preprocessor import feature_groups, group_names, make_preprocessor

__all__ = ["ColumnKind", "code_like", "column_kinds", "feature_groups", "group_names", "make_preprocessor"]
