"""Deprecated names of a module: they still work, with a warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def renamed(module: str, new_names: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's `__getattr__` (PEP 562) that answers to old names with the object of the new name.

    Examples
    --------
    >>> import warnings
    >>> from blindauc import prior
    >>> with warnings.catch_warnings(record=True):
    ...     warnings.simplefilter("always")
    ...     prior.is_told is prior.is_identified
    True
    """

    def attribute(name: str) -> Any:
        if name not in new_names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        new = new_names[name]
        warnings.warn(f"{module}.{name} is deprecated: use {module}.{new}.", FutureWarning, stacklevel=2)
        return getattr(sys.modules[module], new)

    return attribute
