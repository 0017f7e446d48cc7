"""Provenance of a result: versions, arguments, seed, date and the hash of the data."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from blindauc import __version__

PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas")
"""Packages whose version can change the digits of a result."""


def provenance(
    arguments: Mapping[str, Any], files: Mapping[str, Path] | None = None, *, seed: Any = None
) -> dict[str, Any]:
    """Everything that is needed to repeat a run, as values that JSON can hold.

    Parameters
    ----------
    arguments : mapping
        The options of the run.
    files : mapping of str to path, optional
        The files that were read, by the name of their argument (`data` is the table). Their SHA-256 are recorded.
    seed : int or None, default=None
        The random seed.

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
        "data_sha256": None,
        **{f"{name}_sha256": sha256_of(path) for name, path in (files or {}).items()},
    }


def plain(value: Any) -> Any:
    """A value as JSON can hold it; anything but a number, text or container is converted with `str`."""
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file; for a folder, that of the names and hashes of its files."""
    if path.is_dir():
        files = [file for file in sorted(path.iterdir()) if file.is_file() and not file.name.startswith((".", "_"))]
        return hashlib.sha256("\n".join(f"{file.name} {sha256_of(file)}" for file in files).encode()).hexdigest()
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
