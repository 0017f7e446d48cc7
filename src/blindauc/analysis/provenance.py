"""Where a result comes from: versions, arguments, seed, date and the hash of the data."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from blindauc import __version__

PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas")


def provenance(
    arguments: Mapping[str, Any], data_path: str | os.PathLike[str] | None = None, *, seed: Any = None
) -> dict[str, Any]:
    """All that is needed to do it again, as JSON can hold it.

    Parameters
    ----------
    arguments : mapping
    data_path : path, optional
        The file of the data, whose SHA-256 is taken.
    seed : int or None, default=None

    Returns
    -------
    dict

    Examples
    --------
    >>> from blindauc.analysis.provenance import provenance
    >>> sorted(provenance({"label": "infected"}, seed=0))
    ['arguments', 'data_sha256', 'date', 'seed', 'versions']
    """
    return {
        "arguments": plain(arguments),
        "versions": {"blindauc": __version__, "python": platform.python_version()}
        | {package: version(package) for package in PACKAGES},
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": plain(seed),
        "data_sha256": None if data_path is None else sha256_of(Path(data_path)),
    }


def plain(value: Any) -> Any:
    """A value as JSON can hold it; what is neither number, text nor container becomes its text."""
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def sha256_of(path: Path) -> str:
    """The hash of a file, read piece by piece."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
