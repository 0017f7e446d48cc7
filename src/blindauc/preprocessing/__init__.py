"""Encode tables of mixed columns as numbers, with the groups of columns that belong together."""

from blindauc.preprocessing.codes import code_like
from blindauc.preprocessing.kinds import ColumnKind, column_kinds
from blindauc.preprocessing.preprocessor import feature_groups, group_names, make_preprocessor

__all__ = ["ColumnKind", "code_like", "column_kinds", "feature_groups", "group_names", "make_preprocessor"]
