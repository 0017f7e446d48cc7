"""Short lists of column names for messages."""

from __future__ import annotations

from collections.abc import Iterable

MOST_LISTED = 5
"""Names that a message lists (convention)."""


def listed(names: Iterable[str]) -> str:
    """The first few names in quotes, and how many more there are."""
    return few(map(repr, names))


def few(parts: Iterable[str]) -> str:
    """The first few parts, and how many more there are."""
    parts = list(parts)
    more = len(parts) - MOST_LISTED
    return ", ".join(parts[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
