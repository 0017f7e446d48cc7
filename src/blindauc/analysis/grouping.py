"""Groups of columns that are selected together: the encoded columns of one table column, and groups a user sets."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer

from blindauc._typing import Ints
from blindauc.analysis.columns import close_names
from blindauc.preprocessing import feature_groups, group_names
from blindauc.preprocessing.naming import listed

Groups = str | Mapping[str, Any]
"""A regular expression with one capturing group, or a mapping from column name to group."""


def sparsity_of(preprocessor: ColumnTransformer, group_of: Mapping[str, Hashable]) -> dict[str, Any]:
    """The `sparsity` and `groups` parameters of an estimator for the columns of a fitted preprocessor."""
    ids = _group_numbers(preprocessor, group_of)
    return {"sparsity": "group_l0", "groups": ids} if np.bincount(ids).max() > 1 else {}


def column_groups(names: Iterable[str], groups: Groups | None) -> dict[str, Hashable]:
    """The group of every column that a pattern or a mapping assigns to one.

    Parameters
    ----------
    names : the columns of the table
    groups : str or mapping, optional
        A regular expression with one capturing group: columns with the same captured text form a group. Or a mapping
        from column name to group.

    Returns
    -------
    dict
        Group by column name; columns without a group are not in it.

    Examples
    --------
    >>> from blindauc.analysis.grouping import column_groups
    >>> column_groups(["crp day 1", "crp day 2", "age"], r"(.*) day \\d+")
    {'crp day 1': 'crp', 'crp day 2': 'crp'}
    """
    names = list(names)
    if groups is None:
        return {}
    return _by_pattern(names, groups) if isinstance(groups, str) else _by_name(names, groups)


def _by_pattern(names: list[str], pattern: str) -> dict[str, Hashable]:
    example = r"such as '(.*) day \d+'"
    try:
        finder = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is not a valid regular expression ({error}): write one {example}.") from error
    if finder.groups != 1:
        raise ValueError(
            f"The pattern {pattern!r} must have one group in parentheses, for the part that columns of a group share, "
            f"but has {finder.groups}: write one {example}."
        )
    found = {name: match[1] for name in names if (match := finder.search(name)) and match[1] is not None}
    if not found:
        raise ValueError(f"No column matches the pattern {pattern!r}: the columns are {listed(names)}.")
    return found


def _by_name(names: list[str], group_of: Mapping[str, Any]) -> dict[str, Hashable]:
    absent = [name for name in group_of if name not in names]
    if absent:
        close = close_names(absent[0], names)
        hint = f", for {absent[0]!r} perhaps {close[0]!r}" if close else ""
        raise ValueError(f"The groups name {listed(absent)}, not among the columns: correct or remove them{hint}.")
    return {name: str(group) for name, group in group_of.items()}


def _group_numbers(preprocessor: ColumnTransformer, group_of: Mapping[str, Hashable]) -> Ints:
    """The group of every column that the preprocessor gives, as whole numbers from 0."""
    # Keys are pairs, since a group may have the name of a column that is not in it.
    keys = [(name in group_of, group_of.get(name, name)) for name in group_names(preprocessor)]
    number = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    return np.array([number[key] for key in keys], dtype=np.intp)[feature_groups(preprocessor)]
