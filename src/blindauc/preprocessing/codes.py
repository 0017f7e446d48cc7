"""Find numeric columns that may be codes: few distinct whole numbers, and a name that suggests it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from blindauc.preprocessing.kinds import ColumnKind
from blindauc.preprocessing.values import numbers_of

if TYPE_CHECKING:
    import pandas as pd

NAMED_SO = re.compile(r"(?i:.*code.*|(.*[ _.-])?id)|.*[a-z]I[Dd]")
"""Names that suggest a code, such as admission_type_id, typeId or "ICD code", but not "fluid"."""

FEWEST, MOST = 3, 100
"""Distinct values of a possible code. Two values encode alike as numbers and as categories; of more than a hundred
categories, most would be rare (convention)."""


def code_like(frame: pd.DataFrame, kinds: Mapping[str, ColumnKind]) -> dict[str, int]:
    """The numeric columns that may be codes, with the number of distinct values of each.

    They stay numeric unless the user says otherwise: a grade from 1 to 5 would lose its order as a category.

    Parameters
    ----------
    frame : pandas.DataFrame
    kinds : dict
        From `column_kinds`.

    Returns
    -------
    dict

    Examples
    --------
    >>> import pandas as pd
    >>> from blindauc.preprocessing import code_like, column_kinds
    >>> frame = pd.DataFrame({"admission_type_id": [1, 2, 3, 5] * 10, "n_visits": [1, 2, 3, 5] * 10})
    >>> code_like(frame, column_kinds(frame))
    {'admission_type_id': 4}
    """
    named_so = [name for name, kind in kinds.items() if kind.kind == "numeric" and NAMED_SO.fullmatch(name)]
    found = {name: _n_whole_numbers(frame[name]) for name in named_so}
    return {name: n_values for name, n_values in found.items() if FEWEST <= n_values <= MOST}


def _n_whole_numbers(column: pd.Series) -> int:
    """The number of distinct values; 0 if some are not whole numbers."""
    distinct = np.unique(numbers_of(column))
    distinct = distinct[~np.isnan(distinct)]
    return 0 if (distinct % 1).any() else len(distinct)
