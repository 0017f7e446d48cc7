"""Look up columns by name, with suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from blindauc.preprocessing.naming import listed


def check_column(frame: Any, name: str, role: str) -> None:
    """Raise unless the table has the column; `role` says what it is needed for."""
    check_name(list(frame.columns), name, role)


def check_name(columns: Sequence[str], name: str, role: str) -> None:
    """Raise unless the column is among those of a table; `role` says what it is needed for."""
    if name not in columns:
        raise ValueError(f"The table has no column {name!r} for {role}: {_remedy(name, columns)}")


SIMILAR = 0.65
"""Names that `difflib` finds less similar are not suggested (convention). By its default, 0.6, "PatNr" gets "Alter"."""


def close_names(name: str, names: Iterable[str]) -> list[str]:
    """The names most similar to a given one, ignoring case; at most three.

    Examples
    --------
    >>> from blindauc.analysis.columns import close_names
    >>> close_names("age", ["crp", "Age", "age at surgery", "ages"])
    ['Age', 'ages']
    >>> close_names("PatNr", ["Alter", "Hb"])
    []
    """
    by_folded: dict[str, list[str]] = {}
    for each in names:
        by_folded.setdefault(each.casefold(), []).append(each)
    found = get_close_matches(name.casefold(), by_folded, n=3, cutoff=SIMILAR)
    return [each for folded in found for each in by_folded[folded]][:3]


def _remedy(name: str, names: Iterable[str]) -> str:
    close = close_names(name, names)
    return f"did you mean {' or '.join(map(repr, close))}?" if close else f"its columns are {listed(names)}."
